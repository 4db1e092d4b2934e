"""Steps of the Baum-Welch algorithm for a hidden Markov model."""

from __future__ import annotations

import numpy as np

from shallows.graphical._chain_steps import forward_backward
from shallows.graphical._learning import normalize_rows


class Smoothed:
    """Posterior of states, expected first states and transitions, log-likelihoods of sequences."""

    def __init__(self, n_steps, n_sequences, n_states):
        self.posterior = np.empty((n_steps, n_states))
        self.first, self.moved = np.empty(n_states), np.empty((n_states, n_states))
        self.totals = np.empty(n_sequences)


def smooth(values, starts, initial, moves, emission, known=None) -> Smoothed:
    """Run forward-backward over all sequences, with some states known."""
    logs = emission.logs(values)
    if known is not None:
        rows = np.flatnonzero(known >= 0)
        # A known state excludes all others.
        kept = logs[rows, known[rows]]
        logs[rows] = -np.inf
        logs[rows, known[rows]] = kept
    found = Smoothed(len(values), len(starts) - 1, len(initial))
    forward_backward(
        logs, starts, initial, moves, found.posterior, found.first, found.moved, found.totals
    )
    return found


def baum_welch_step(values, starts, known, chain, alpha):
    """Return the loss of a chain, and the chain after one step of expectation-maximisation."""
    initial, moves, emission = chain
    found = smooth(values, starts, initial, moves, emission, known)
    if (found.totals == -np.inf).any():
        raise ValueError(
            f"HiddenMarkovModel: sequence {int(np.argmin(found.totals))} is impossible with "
            "the zeros of startprob_init and transmat_init and the known states."
        )
    loss = -(found.totals.sum() + _log_prior(chain, alpha)) / len(values)
    # M-step: expected counts, normalised.
    renewed = (
        normalize_rows(found.first + alpha, initial),
        normalize_rows(found.moved + alpha, moves),
        emission.update(values, found.posterior),
    )
    return float(loss), renewed


def _log_prior(chain, alpha):
    if not alpha:
        return 0.0
    initial, moves, emission = chain
    tables = [initial, moves, getattr(emission, "probabilities", np.ones(1))]
    return alpha * sum(np.log(table).sum() for table in tables)
