"""Adaptive channel equaliser."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.signal._delay_line import as_signal, delay_line


class Equalized(NamedTuple):
    """Decided signs, filter outputs before the decision, and the final weights.

    Entry n belongs to the sign sent at step n - `delay`; the first `delay` entries are unused.
    """

    signs: np.ndarray
    outputs: np.ndarray
    weights: np.ndarray


def equalize(received, training, length: int, delay: int = 0, *, mu: float = 0.05) -> Equalized:
    """Restore signs with a filter that learns from known signs first, then from its decisions.

    Parameters
    ----------
    received : array-like of shape (n_steps,)
        Received signal.
    training : array-like of shape (n_training,)
        The first signs, -1 or 1, known to the receiver.
    length : int
        Number of weights.
    delay : int, default=0
        Steps that the filter waits before it decides. About half the length works well.
    mu : float, default=0.05
        Step size of the normalised LMS rule, below 1.

    Returns
    -------
    result : Equalized
        Signs, outputs and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import binary_channel
    >>> from shallows.signal import equalize
    >>> sent, received = binary_channel(5000, random_state=0)
    >>> found = equalize(received, sent[:500], length=11, delay=5).signs
    >>> int(np.sum(found[505:] != sent[500:-5]))
    0
    """
    received, training = as_signal(received, "equalize"), as_signal(training, "equalize")
    if not np.isin(training, (-1.0, 1.0)).all():
        raise ValueError("equalize: training must contain only the signs -1 and 1.")
    if not 0 <= delay < len(training) <= len(received):
        raise ValueError(
            "equalize: delay must be below the length of the training sequence, and this length at "
            f"most the number of received values, got delay={delay}, {len(training)} and "
            f"{len(received)}."
        )
    if not 0 < mu < 1:
        raise ValueError(f"equalize: mu must lie between 0 and 1, got {mu}.")
    rows = np.ascontiguousarray(delay_line(received, length))
    outputs, weights = decide(rows, training, delay, float(mu))
    return Equalized(np.where(outputs >= 0, 1.0, -1.0), outputs, weights)


@compiled
def decide(rows, training, delay, mu):
    """Return outputs and weights; without a known sign, the decided sign is the target."""
    n_steps, length = rows.shape
    outputs, w = np.zeros(n_steps), np.zeros(length)
    for t in range(delay, n_steps):
        # Output of the filter, and the power of its inputs.
        output, power = 0.0, 1e-12
        for j in range(length):
            output += w[j] * rows[t, j]
            power += rows[t, j] ** 2

        # The wished output: the training sequence while it lasts, then the filter's own decision.
        wished = 1.0 if output >= 0.0 else -1.0
        if t < len(training):
            wished = training[t - delay]
        # Normalised LMS: w += 2 mu (target - output) x / |x|^2.
        for j in range(length):
            w[j] += 2.0 * mu / power * (wished - output) * rows[t, j]
        outputs[t] = output
    return outputs, w
