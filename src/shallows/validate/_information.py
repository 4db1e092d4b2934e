"""Information criteria: the likelihood of the training data minus a penalty per parameter."""

from __future__ import annotations

import math

from shallows._core.contract.params import NonNegativeInt, PositiveInt, check_value


def aic(
    log_likelihood: float, n_parameters: NonNegativeInt, n_samples: PositiveInt | None = None
) -> float:
    r"""Return Akaike's criterion :math:`2 k - 2 \ln L`; smaller is better.

    `n_samples` adds the small-sample correction :math:`2 k (k + 1) / (n - k - 1)`.

    Parameters
    ----------
    log_likelihood : float
        Natural logarithm of the likelihood at its maximum, for all samples together.
    n_parameters : int
        Number of fitted parameters, including a noise variance if it was fitted.
    n_samples : int, optional
        Number of samples, for the corrected form.

    Returns
    -------
    criterion : float
        Only differences between models of the same data have a meaning.

    Examples
    --------
    >>> from shallows.validate import aic
    >>> aic(-100.0, 3), round(aic(-100.0, 3, n_samples=20), 3)
    (206.0, 207.5)
    """
    _check("aic", log_likelihood, n_parameters)
    criterion = 2 * n_parameters - 2 * float(log_likelihood)
    if n_samples is None:
        return criterion
    check_value("aic", "n_samples", PositiveInt, n_samples)
    if n_samples <= n_parameters + 1:
        raise ValueError(
            f"aic: the corrected form needs more than n_parameters + 1 = {n_parameters + 1} "
            f"samples, got {n_samples}."
        )
    return criterion + 2 * n_parameters * (n_parameters + 1) / (n_samples - n_parameters - 1)


def bic(log_likelihood: float, n_parameters: NonNegativeInt, n_samples: PositiveInt) -> float:
    r"""Return Schwarz's Bayesian criterion :math:`k \ln n - 2 \ln L`; smaller is better.

    Half of it approximates the negative log evidence of the model, and thus its description
    length. As the sample grows it selects the true model among nested ones, while Akaike's
    criterion keeps selecting a too large model now and then.

    Parameters
    ----------
    log_likelihood : float
        Natural logarithm of the likelihood at its maximum, for all samples together.
    n_parameters : int
        Number of fitted parameters, with a noise variance if it was fitted.
    n_samples : int
        Number of samples.

    Returns
    -------
    criterion : float
        Only differences between models of the same data have a meaning.

    Examples
    --------
    >>> from shallows.validate import bic
    >>> round(bic(-100.0, 3, 20), 3)
    208.987
    """
    _check("bic", log_likelihood, n_parameters)
    check_value("bic", "n_samples", PositiveInt, n_samples)
    return n_parameters * math.log(n_samples) - 2 * float(log_likelihood)


def _check(owner: str, log_likelihood: float, n_parameters: int) -> None:
    check_value(owner, "n_parameters", NonNegativeInt, n_parameters)
    if not math.isfinite(log_likelihood):
        raise ValueError(f"{owner}: log_likelihood must be finite, got {log_likelihood}.")
