"""An estimate with a statement of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta, bootstrap, chi2, t
from sklearn.base import clone

from shallows._core.contract.params import Fraction, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.density._binomial import Bernoulli, Binomial
from shallows.density._exponential import Exponential
from shallows.density._gaussian import Gaussian
from shallows.density._poisson import Poisson


@dataclass(frozen=True)
class ConfidenceInterval:
    """A parameter, its estimate, and an interval that covers the truth in most samples.

    Parameters
    ----------
    parameter : str
        Name of the parameter.
    estimate : float
        Estimate from the sample.
    low, high : float
        Ends of the interval.
    level : float
        In which share of samples such an interval covers the true value.
    method : str
        How the interval was found.

    Examples
    --------
    >>> from shallows.density import ConfidenceInterval
    >>> print(ConfidenceInterval("mean", 2.0, 1.5, 2.5, 0.95, "t"))
    mean = 2; with confidence 0.95 it lies between 1.5 and 2.5 (t)
    """

    parameter: str
    estimate: float
    low: float
    high: float
    level: float
    method: str

    def __str__(self) -> str:
        return (
            f"{self.parameter} = {self.estimate:.6g}; with confidence {self.level:g} it lies "
            f"between {self.low:.6g} and {self.high:.6g} ({self.method})"
        )


def confidence_interval(
    family: Any,
    x,
    level: Fraction = 0.95,
    *,
    n_resamples: PositiveInt = 2000,
    random_state: RandomState = None,
):
    """Return the estimates of a family's parameters with confidence intervals.

    Intervals are exact for `Gaussian` (Student's t and chi-squared), `Exponential` and `Poisson`
    (chi-squared), and `Bernoulli` and `Binomial` (Clopper and Pearson: never too short). For any
    other density whose learned parameters are arrays of numbers they come from the bootstrap.

    Parameters
    ----------
    family : estimator
        A density of this family, not fitted.
    x : array-like of shape (n_samples,)
        Values of one variable.
    level : float, default=0.95
        Probability that an interval covers the true value.
    n_resamples : int, default=2000
        Samples drawn by the bootstrap.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the bootstrap.

    Returns
    -------
    intervals : dict of str to ConfidenceInterval
        One for each parameter.

    Examples
    --------
    >>> from shallows.density import Gaussian, confidence_interval
    >>> print(confidence_interval(Gaussian(ddof=1), [1.0, 2.0, 3.0, 4.0])["mean"])
    mean = 2.5; with confidence 0.95 it lies between 0.44574 and 4.55426 (t)
    """
    check_arguments(confidence_interval, locals())
    x = np.asarray(x, dtype=float).ravel()
    if len(x) < 2:
        raise ValueError(f"confidence_interval: x must hold at least two values, got {len(x)}.")
    model = clone(family).fit(x[:, None])
    # An exact interval where the sampling law is known, else the bootstrap.
    exact = EXACT.get(type(family))
    if exact is not None and _all_learned(family):
        found = exact(model, x, (1 - level) / 2)
    else:
        found = _bootstrapped(family, x, level, n_resamples, as_generator(random_state))
    return {
        name: ConfidenceInterval(name, float(at), float(low), float(high), float(level), method)
        for name, (at, low, high, method) in found.items()
    }


def _gaussian(model, x, tail):
    n, variance = len(x), float(model.covariance_[0, 0])
    scatter = float(((x - x.mean()) ** 2).sum())
    half = t.ppf(1 - tail, n - 1) * np.sqrt(scatter / (n - 1) / n)
    ends = scatter / chi2.ppf([1 - tail, tail], n - 1)
    return {
        "mean": (x.mean(), x.mean() - half, x.mean() + half, "t"),
        "variance": (variance, *ends, "chi-squared"),
    }


def _exponential(model, x, tail):
    ends = chi2.ppf([tail, 1 - tail], 2 * len(x)) / (2 * x.sum())
    return {"rate": (model.rate_[0], *ends, "chi-squared")}


def _poisson(model, x, tail):
    total, n = x.sum(), len(x)
    low = chi2.ppf(tail, 2 * total) / (2 * n) if total else 0.0
    return {"rate": (model.rate_[0], low, chi2.ppf(1 - tail, 2 * total + 2) / (2 * n), "exact")}


def _bernoulli(model, x, tail):
    ones, trials = x.sum(), len(x) * getattr(model, "n", 1)
    low = beta.ppf(tail, ones, trials - ones + 1) if ones else 0.0
    high = beta.ppf(1 - tail, ones + 1, trials - ones) if ones < trials else 1.0
    return {"q": (model.q_[0], low, high, "Clopper-Pearson")}


EXACT = {
    Gaussian: _gaussian,
    Exponential: _exponential,
    Poisson: _poisson,
    Bernoulli: _bernoulli,
    Binomial: _bernoulli,
}


def _all_learned(family):
    return all(getattr(family, name) is None for name in family._names)


def _bootstrapped(family, x, level, n_resamples, rng):
    model = clone(family).fit(x[:, None])
    # The learned parameters that are single numbers.
    names = [
        name[:-1]
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, np.ndarray) and value.size == 1
    ]
    if not names:
        raise ValueError(
            f"confidence_interval: {type(family).__name__} learns no single numbers to give "
            "intervals for. Choose a family with one value per parameter."
        )

    def parameters(sample):
        fitted = clone(family).fit(np.asarray(sample)[:, None])
        return np.array([float(np.ravel(getattr(fitted, f"{name}_"))[0]) for name in names])

    options = {"confidence_level": level, "n_resamples": n_resamples, "method": "percentile"}
    found = bootstrap((x,), parameters, vectorized=False, rng=rng, **options)
    at = parameters(x)
    ends = zip(at, *found.confidence_interval, strict=True)
    return {
        name: (value, low, high, "bootstrap")
        for name, (value, low, high) in zip(names, ends, strict=True)
    }
