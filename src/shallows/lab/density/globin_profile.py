"""Experiment: pseudo-counts on a protein alignment."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import globin
from shallows.density import Dirichlet, SiteProfile
from shallows.lab import Run, bars, experiment, line

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


@experiment(
    chapter="density",
    sources="notes-004b B8, B9, Exp",
    quick={"strengths": 12},
)
def globin_profile(
    strengths: Annotated[int, Range(8, 100)] = 30,
    *,
    run: Run,
) -> None:
    """What is the probability of an amino acid that was never observed?

    Seven aligned sequences show only a few of twenty amino acids at each site. Relative
    frequencies give the others probability zero, so a new member of the family with one of them
    would be impossible. One pseudo-count per amino acid, the posterior mean under a uniform prior,
    solves this problem. Many pseudo-counts dominate the data.

    Parameters
    ----------
    strengths : int
        Numbers of pseudo-counts tried.
    """
    sequences = globin()
    raw = SiteProfile(alpha=0.0).fit(sequences).probabilities_[3]
    smooth = SiteProfile(alpha=1.0).fit(sequences).probabilities_[3]
    for name, values in (("relative frequency", raw), ("one pseudo-count", smooth)):
        run.rows(amino_acid=list(LETTERS), probability=values, estimate=name)
    run.figure(
        bars("amino_acid", "probability", color="estimate", title="Amino acids at the last site")
    )
    by_letter = dict(zip(LETTERS, smooth, strict=True))
    singles = [by_letter[letter] for letter in "VNEGA"]
    unseen = [by_letter[letter] for letter in LETTERS if letter not in "KVNEGA"]
    run.claim("K, seen twice", float(by_letter["K"]), 3 / 27, within=1e-12)
    run.claim("seen once: largest distance from 2/27", _off(singles, 2 / 27), 0, within=1e-12)
    run.claim("never seen: largest distance from 1/27", _off(unseen, 1 / 27), 0, within=1e-12)
    run.claim("how many were never seen", len(unseen), expected=14, within=0)
    run.claim(
        "relative frequencies: probability of all that were never seen",
        float(sum(raw[LETTERS.index(letter)] for letter in LETTERS if letter not in "KVNEGA")),
        expected=0,
        within=0,
    )
    counts = [int((sequences[:, 3] == letter).sum()) for letter in LETTERS]
    mean = Dirichlet(np.ones(20)).update(counts).expectation()
    run.claim("posterior mean of a Dirichlet prior", _off(mean - smooth, 0.0), 0, within=1e-12)

    rejected = 0
    for i in range(len(sequences)):
        rest = SiteProfile(alpha=0.0).fit(np.delete(sequences, i, axis=0))
        rejected += int(np.isneginf(rest.score_samples(sequences[i : i + 1])[0]))
    run.claim(
        "members impossible under the profile of the other six, by relative frequencies",
        rejected,
        expected=6,
        within=0,
    )
    for alpha in np.geomspace(1e-3, 1e3, strengths):
        logs = [
            float(
                SiteProfile(alpha=float(alpha))
                .fit(np.delete(sequences, i, axis=0))
                .score_samples(sequences[i : i + 1])[0]
            )
            for i in range(len(sequences))
        ]
        run.row("strengths", alpha=alpha, held_out=float(np.mean(logs)))
    run.figure(
        line(
            "alpha",
            "held_out",
            table="strengths",
            x_log=True,
            title="Mean log probability of a member left out",
            x_title="pseudo-counts per amino acid",
        )
    )
    table = run.columns("strengths")
    best = int(table["held_out"].argmax())
    run.claim(
        "the best number of pseudo-counts is neither least nor most (place)",
        best,
        at_least=1,
        at_most=strengths - 2,
    )
    run.claim(
        "many pseudo-counts: distance from the uniform law, per site",
        float(table["held_out"][-1]) / 4 + float(np.log(20)),
        expected=0,
        within=0.01,
    )


def _off(values: list[float] | np.ndarray, target: float) -> float:
    return float(np.abs(np.asarray(values) - target).max())
