"""Rank the methods that lasted: the strongest, and the simplest that is not worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from shallows.study._evidence import Evidence
from shallows.study._measures import Measure
from shallows.study._together import Recipe, alone
from shallows.validate import adjust_p_values, compare

BLEND = "blend"
BLEND_COMPLEXITY = 20


@dataclass(frozen=True)
class Ranked:
    """A method as cross-validation saw it.

    Parameters
    ----------
    name, source : str
        The method and the library it comes from.
    setting : dict
        Its best parameters; the weights of a blend.
    complexity : int
        Its place among methods from simple to complex.
    mean : float
        Mean of the measure over the folds; greater is better.
    standard_error : float
        Of the mean, after Nadeau and Bengio.
    low, high : float
        Ends of the 95 % interval of the mean.
    loss : float
        Mean proper loss, by which methods are ranked; smaller is better.
    p_value : float
        Of the hypothesis that its loss is that of the strongest, adjusted after Holm.
    seconds : float
        Time of one fit.
    strongest, simplest, chosen : bool
        Whether it has the smallest loss; whether it is the simplest not worse than that; whether
        it is the saved model.
    """

    name: str
    source: str
    setting: dict[str, Any]
    complexity: int
    mean: float
    standard_error: float
    low: float
    high: float
    loss: float
    p_value: float
    seconds: float
    strongest: bool
    simplest: bool
    chosen: bool

    @property
    def p_in_words(self) -> str:
        """The p-value as people read it."""
        return "< 0.001" if self.p_value < 0.001 else f"{self.p_value:.2g}"


@dataclass(frozen=True)
class Standing:
    """A method, or a blend of several, with its evidence."""

    name: str
    source: str
    setting: dict[str, Any]
    complexity: int
    recipe: Recipe
    seconds: float

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.recipe.losses.mean())


@dataclass(frozen=True)
class Choice:
    """All standings from best to worst, with the two answers of a study."""

    standings: tuple[Standing, ...]
    strongest: Standing
    simplest: Standing


def choose(evidence: Evidence, blend: Recipe | None) -> Choice:
    """Order the best entry of each method and the blend by their loss.

    The simplest not worse is the least complex whose mean loss is above that of the strongest by
    no more than one standard error of the paired difference, corrected for folds that share
    training rows.
    """
    best: dict[str, Standing] = {}
    for seen in sorted(evidence.seen, key=lambda seen: seen.loss):
        candidate, setting = seen.entry.candidate, dict(seen.entry.setting)
        name = candidate.name
        if name not in best:
            facts = (name, candidate.source, setting, candidate.complexity)
            best[name] = Standing(*facts, alone(seen), seen.seconds)
    standings = list(best.values())
    if blend is not None:
        setting = _weights_in_words(blend)
        seconds = sum(member.seconds for member in blend.members)
        standings.append(Standing(BLEND, "shallows", setting, BLEND_COMPLEXITY, blend, seconds))
    standings.sort(key=lambda each: (each.loss, each.complexity))
    strongest = standings[0]
    near = [each for each in standings if _not_worse(evidence, each, strongest)]
    simplest = min(near, key=lambda each: (each.complexity, each.loss))
    return Choice(tuple(standings), strongest, simplest)


def rank(
    choice: Choice, evidence: Evidence, measure: Measure, chosen: Standing, level: float = 0.95
) -> list[Ranked]:
    """Return the methods from best to worst with what is reported of each."""
    strongest = choice.strongest
    others = [each for each in choice.standings if each is not strongest]
    adjusted = adjust_p_values([_p_value(evidence, strongest, other) for other in others])
    p_values = dict(zip([other.name for other in others], map(float, adjusted), strict=True))
    ranked = []
    for each in choice.standings:
        scores = evidence.part_scores(measure, each.recipe.answers)
        mean, error = float(np.mean(scores)), corrected_error(scores, evidence.ratio)
        reach = error * float(student.ppf((1 + level) / 2, max(len(scores) - 1, 1)))
        facts = (each.name, each.source, each.setting, each.complexity)
        ranked.append(
            Ranked(
                *facts,
                *(mean, error, mean - reach, mean + reach),
                each.loss,
                p_values.get(each.name, 1.0),
                each.seconds,
                each is strongest,
                each is choice.simplest,
                each is chosen,
            )
        )
    return ranked


def corrected_error(scores: Sequence[float], ratio: float) -> float:
    """Return the standard error of a mean over folds that share training rows."""
    if len(scores) < 2:
        return 0.0
    return float(np.std(scores, ddof=1) * np.sqrt(1 / len(scores) + ratio))


def _not_worse(evidence: Evidence, each: Standing, strongest: Standing) -> bool:
    gaps = evidence.part_losses(each.recipe.losses - strongest.recipe.losses)
    return float(np.mean(gaps)) <= corrected_error(gaps, evidence.ratio) + 1e-15


def _p_value(evidence: Evidence, best: Standing, other: Standing) -> float:
    """Return the p-value of the corrected resampled t-test; equal losses can't be told apart."""
    one, two = (evidence.part_losses(each.recipe.losses) for each in (best, other))
    difference = np.subtract(one, two)
    if np.ptp(difference) <= 1e-12 * max(1.0, float(np.abs(difference).max())):
        return 1.0 if abs(difference.mean()) < 1e-12 else 0.0
    if evidence.ratio == 0:
        return compare(one, two, "paired-t").p_value
    return compare(one, two, "corrected-t", test_train_ratio=evidence.ratio).p_value


def _weights_in_words(blend: Recipe) -> dict[str, Any]:
    """Return the share of each method in a blend."""
    found: dict[str, float] = {}
    for member, weight in zip(blend.members, blend.weights / blend.weights.sum(), strict=True):
        name = member.entry.candidate.name
        found[name] = round(found.get(name, 0.0) + float(weight), 3)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))
