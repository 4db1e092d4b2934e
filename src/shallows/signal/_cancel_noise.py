"""Adaptive noise cancelling with a second recording of the noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from shallows.signal._delay_line import as_signal, delay_line
from shallows.signal._lms import LMS


class CancelledNoise(NamedTuple):
    """The cleaned signal, the removed noise, and the final weights."""

    signal: np.ndarray
    noise: np.ndarray
    weights: np.ndarray


def cancel_noise(primary, reference, length: int, model=None) -> CancelledNoise:
    r"""Subtract from a recording the part that a filtered reference predicts.

    The recording is :math:`s + \nu_0`. The reference :math:`\nu_1` is correlated with the noise
    :math:`\nu_0` but not with the signal. The mean square of the difference is then :math:`E[s^2]
    + E[(\nu_0 - y)^2]`, so minimising it removes noise and keeps the signal.

    Parameters
    ----------
    primary : array-like of shape (n_steps,)
        Signal plus noise.
    reference : array-like of shape (n_steps,)
        A recording of the noise only.
    length : int
        Number of weights.
    model : adaptive filter or None, default=None
        An estimator with `errors_`; None means `LMS` with a misadjustment of 0.01.

    Returns
    -------
    result : CancelledNoise
        Signal, noise and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import interference
    >>> from shallows.signal import cancel_noise
    >>> primary, reference, signal = interference(20_000, random_state=0)
    >>> left = cancel_noise(primary, reference, 3).signal - signal
    >>> bool(np.var(left[5000:]) < 0.1 * np.var(primary - signal))
    True
    """
    primary, reference = as_signal(primary, "cancel_noise"), as_signal(reference, "cancel_noise")
    if len(primary) != len(reference):
        raise ValueError(
            "cancel_noise: primary and reference must have the same length, got "
            f"{len(primary)} and {len(reference)}."
        )
    model = clone(LMS(misadjustment=0.01) if model is None else model)
    model.fit(delay_line(reference, length), primary)
    return CancelledNoise(model.errors_, primary - model.errors_, model.coef_)
