"""How many components to keep."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import gammaln

from shallows._core.contract.params import NonNegativeFloat, check_arguments


def choose_components(
    spectrum,
    rule: Literal["ratio", "tolerance", "knee", "mle"] = "ratio",
    value: NonNegativeFloat | None = None,
) -> int:
    r"""Choose the number of components from the variances along them.

    Parameters
    ----------
    spectrum : array-like of shape (n_components,)
        Variances of all components, such as `PCA.explained_variance_`; sorted here.
    rule : {"ratio", "tolerance", "knee", "mle"}, default="ratio"
        "ratio": the smallest number that discards at most the share `value` of the total
        variance. "tolerance": the smallest number whose discarded variance is below
        `value`, for data nearly free of noise. "knee": where the variances bend from signal
        to noise, by the likelihood of two groups with their own means and one common
        variance [1]_. "mle": the number that makes the data likeliest under probabilistic
        PCA, by Laplace's method [2]_.
    value : float or None, default=None
        Share for "ratio", 0.02 where None; variance for "tolerance"; number of samples for
        "mle". Not for "knee".

    Returns
    -------
    n_components : int
        Number of components to keep.

    References
    ----------
    .. [1] M. Zhu and A. Ghodsi, "Automatic dimensionality selection from the scree plot via
       the use of profile likelihood", Computational Statistics and Data Analysis 51,
       918-930, 2006.
    .. [2] T. Minka, "Automatic choice of dimensionality for PCA", NIPS 13, 598-604, 2000.

    Examples
    --------
    >>> from shallows.reduce import choose_components
    >>> choose_components([5.0, 3.0, 1.5, 0.5], "ratio", 0.2)
    2
    >>> choose_components([5.49, 3.49, 0.49, 0.49], "knee")
    2
    """
    hints = {"rule": rule, "value": value}
    check_arguments(choose_components, hints)
    values = np.sort(np.asarray(spectrum, dtype=np.float64).ravel())[::-1]
    if not len(values) or not np.isfinite(values).all() or values[-1] < -1e-9 * abs(values[0]):
        raise ValueError(
            "choose_components: spectrum must hold at least one variance, all finite and not "
            "negative."
        )
    if rule == "knee":
        if value is not None:
            raise ValueError(f"choose_components: rule='knee' takes no value, got {value}.")
        return _knee(values)
    if rule == "mle":
        if value is None or value < 2:
            raise ValueError("choose_components: rule='mle' needs a value, the number of samples.")
        return _likeliest(values, value)
    # Summed from the small end, so that what is left over keeps its digits.
    left = np.append(np.cumsum(np.maximum(values, 0)[::-1])[::-1], 0.0)
    if rule == "tolerance":
        if value is None:
            raise ValueError(
                "choose_components: rule='tolerance' needs a value, the variance lost."
            )
        return int(np.flatnonzero(left < value)[0]) if value > 0 else len(values)
    share = 0.02 if value is None else value
    return int(np.flatnonzero(left <= share * left[0])[0])


def _likeliest(values: np.ndarray, n_samples: float) -> int:
    """Return the rank of largest evidence, from 1 to one less than there are values."""
    size = len(values)
    positive = np.maximum(values, np.finfo(float).tiny)
    evidence = [_log_evidence(positive, rank, n_samples) for rank in range(1, size)]
    return int(np.argmax(evidence)) + 1 if evidence else 1


def _log_evidence(values: np.ndarray, rank: int, n_samples: float) -> float:
    size = len(values)
    noise = values[rank:].mean()
    # Minka's estimate (2000): Laplace's approximation of the evidence of probabilistic PCA.
    left = (size - np.arange(rank)) / 2
    prior = np.sum(gammaln(left) - left * np.log(np.pi)) - rank * np.log(2)
    fit = -n_samples / 2 * (np.log(values[:rank]).sum() + (size - rank) * np.log(noise))
    n_free = size * rank - rank * (rank + 1) / 2
    model = np.append(values[:rank], np.full(size - rank, noise))

    # log det of the Hessian at the likeliest basis.
    curvature = 0.0
    for i in range(rank):
        gaps = (values[i] - values[i + 1 :]) * (1 / model[i + 1 :] - 1 / model[i])
        tiny = np.finfo(float).tiny
        curvature += np.sum(np.log(np.maximum(gaps, tiny)) + np.log(n_samples))
    volume = np.log(2 * np.pi) * (n_free + rank) / 2
    return float(prior + fit + volume - curvature / 2 - rank * np.log(n_samples) / 2)


def _knee(values: np.ndarray) -> int:
    """Return the first group's size where the two groups spread least around their means."""
    if len(values) < 3:
        return len(values)
    spread = [
        values[:m].var() * m + values[m:].var() * (len(values) - m) for m in range(1, len(values))
    ]
    return int(np.argmin(spread)) + 1
