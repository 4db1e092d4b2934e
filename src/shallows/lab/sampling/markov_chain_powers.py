"""Experiment: a Markov chain forgets its start."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.sampling import MarkovChain


@experiment(chapter="sampling", sources="notes-004b C13, C15", quick={"steps": 20_000})
def markov_chain_powers(
    states: Annotated[int, Range(3, 5)] = 4,
    steps: Annotated[int, Range(10_000, 10_000_000)] = 1_000_000,
    *,
    run: Run,
) -> None:
    """Where does a Markov chain end up?

    Row i of the m-th power of the transition matrix is the distribution after m steps from state
    i. All rows converge to the left eigenvector of eigenvalue 1, as fast as the powers of the
    second largest eigenvalue. A long path visits states with these frequencies.

    Parameters
    ----------
    states : int
        Number of states.
    steps : int
        Length of the path.
    """
    chain = MarkovChain(run.rng.dirichlet(0.3 * np.ones(states), size=states) * 0.9 + 0.1 / states)
    law = chain.invariant()
    sizes = np.sort(np.abs(np.linalg.eigvals(chain.M)))
    for m in range(1, 31):
        gap = np.abs(chain.power(m) - law).max()
        run.row(steps=m, gap=gap, eigenvalue=sizes[-2] ** m)
    run.figure(
        line(
            "steps",
            "gap",
            theory="eigenvalue",
            y_log=True,
            title="Distance from the invariant law",
            x_title="steps m",
        )
    )
    values, vectors = np.linalg.eig(chain.M.T)
    left = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    run.claim(
        "invariant law is the left eigenvector (gap)",
        np.abs(law - left / left.sum()).max(),
        at_most=1e-12,
    )
    run.claim(
        "rows of a high power are the invariant law (gap)",
        np.abs(chain.power(1000) - law).max(),
        at_most=1e-12,
    )
    path = chain.path(steps, random_state=run.rng)
    shares = np.bincount(path, minlength=states) / steps
    slow = (1 + sizes[-2]) / (1 - sizes[-2])
    run.claim(
        "shares of a long path, largest gap in standard errors at most",
        np.max(np.abs(shares - law) / np.sqrt(law * (1 - law) * slow / steps)),
        at_most=5,
        probability=0.001,
    )
