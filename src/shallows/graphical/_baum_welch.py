"""Steps of the Baum-Welch algorithm for a hidden Markov model."""

from __future__ import annotations

import numpy as np

from shallows.graphical._chain_steps import forward_backward
from shallows.graphical._learning import normalize_rows


class Smoothed:
    """Posterior of states, expected first states and moves, log-likelihoods of sequences."""

    def __init__(self, n_steps, n_sequences, n_states):
        self.posterior = np.empty((n_steps, n_states))
        self.first, self.moved = np.empty(n_states), np.empty((n_states, n_states))
        self.totals = np.empty(n_sequences)


def smooth(values, starts, initial, moves, emission, known=None) -> Smoothed:
    """Run forward-backward over all sequences, with some states known."""
    logs = emission.logs(values)
    if known is not None:
        rows = np.flatnonzero(known >= 0)
        kept = logs[rows, known[rows]]
        logs[rows] = -np.inf
        logs[rows, known[rows]] = kept
    found = Smoothed(len(values), len(starts) - 1, len(initial))
    forward_backward(
        logs, starts, initial, moves, found.posterior, found.first, found.moved, found.totals
    )
    return found


class Run:
    """Baum-Welch from one start."""

    def __init__(self, values, starts, known, chain, alpha):
        self.data = values, starts
        self.known = known if (known >= 0).any() else None
        self.chain, self.alpha = chain, alpha
        self.losses: list[float] = []

    def step(self) -> float:
        values, starts = self.data
        initial, moves, emission = self.chain
        found = smooth(values, starts, initial, moves, emission, self.known)
        if (found.totals == -np.inf).any():
            raise ValueError(
                f"HiddenMarkovModel: sequence {int(np.argmin(found.totals))} is impossible with "
                "the zeros of startprob_init and transmat_init and the known states."
            )
        loss = -(found.totals.sum() + self._prior()) / len(values)
        self.chain = (
            normalize_rows(found.first + self.alpha, initial),
            normalize_rows(found.moved + self.alpha, moves),
            emission.update(values, found.posterior),
        )
        self.losses.append(float(loss))
        return self.losses[-1]

    def settled(self, tol):
        return tol is not None and len(self.losses) > 1 and self.losses[-2] - self.losses[-1] <= tol

    def _prior(self):
        if not self.alpha:
            return 0.0
        tables = [*self.chain[:2], getattr(self.chain[2], "probabilities", np.ones(1))]
        return self.alpha * sum(np.log(table).sum() for table in tables)
