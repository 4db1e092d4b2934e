"""Feedback-error learning: a controller that learns from the corrections of another one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.signal._delay_line import as_signal


class FeedbackErrorRun(NamedTuple):
    """Signals of a run: output of the plant, the two parts of the control, and the weights."""

    output: np.ndarray
    feedback: np.ndarray
    feedforward: np.ndarray
    weights: np.ndarray


def feedback_error_learning(
    reference, plant, length: int, *, gain: float = 0.5, mu: float = 0.05
) -> FeedbackErrorRun:
    r"""Control a linear plant while a feedforward filter learns to replace the feedback.

    The control is :math:`u = u_{fb} + u_{ff}`. A fixed feedback controller uses the output error
    of the previous step; a transversal filter uses the reference. The filter takes the feedback as
    its error signal and moves by :math:`2 \mu u_{fb} x / |x|^2`. When it has learned the inverse
    of the plant, there is no feedback any more and the weights stay constant.

    Parameters
    ----------
    reference : array-like of shape (n_steps,)
        Desired output.
    plant : array-like of shape (n_weights,)
        Impulse response of the plant; its first entry must not be zero.
    length : int
        Number of weights of the feedforward filter.
    gain : float, default=0.5
        Strength of the feedback.
    mu : float, default=0.05
        Step size.

    Returns
    -------
    run : FeedbackErrorRun
        All signals, and the final weights.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import feedback_error_learning
    >>> reference = np.random.default_rng(0).normal(size=5000)
    >>> run = feedback_error_learning(reference, [1.0, 0.4], length=8)
    >>> bool(np.var(run.feedback[-500:]) < 1e-3 * np.var(run.feedback[:500]))
    True
    """
    reference = as_signal(reference, "feedback_error_learning")
    plant = as_signal(plant, "feedback_error_learning")
    if not (plant[0] and length >= 1 and gain > 0 and mu > 0):
        raise ValueError(
            "feedback_error_learning: the plant must answer at once, length be at least 1, gain "
            f"and mu positive, got plant[0]={plant[0]}, length={length}, gain={gain}, mu={mu}."
        )
    found = control(reference, plant, length, float(gain), float(mu))
    if not all(np.isfinite(part).all() for part in found):
        raise FloatingPointError(
            f"feedback_error_learning: the loop diverged with gain={gain} and mu={mu}. Lower both."
        )
    return FeedbackErrorRun(*found)


@compiled
def control(reference, plant, length, gain, mu):
    """Return the signals and weights; feedback uses the output error of the previous step."""
    n = len(reference)
    output, feedback, feedforward = np.zeros(n), np.zeros(n), np.zeros(n)
    u, w = np.zeros(n), np.zeros(length)
    for t in range(n):
        # Feedback from the last output error; it is also the error signal of the filter.
        if t > 0:
            # The feedback of the last error is the teacher of the inverse model, by normalised LMS.
            feedback[t] = gain * (reference[t - 1] - output[t - 1])
            power = 1e-12
            for j in range(min(length, t)):
                power += reference[t - 1 - j] ** 2
            for j in range(min(length, t)):
                w[j] += 2.0 * mu * feedback[t] * reference[t - 1 - j] / power
        # The feedforward filter acts on the reference, the plant on the sum of both controls.
        for j in range(min(length, t + 1)):
            feedforward[t] += w[j] * reference[t - j]
        u[t] = feedback[t] + feedforward[t]
        for j in range(min(len(plant), t + 1)):
            output[t] += plant[j] * u[t - j]
    return output, feedback, feedforward, w
