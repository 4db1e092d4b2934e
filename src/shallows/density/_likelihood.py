"""Likelihood of a sample, and the parameters that maximise it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import clone

from shallows._core.contract.data import check_weights
from shallows._core.contract.params import ArrayLike, check_value
from shallows.density._family import linear_log_densities


def log_density(model, X):
    """Return the log density of each row under a density of ours, scikit-learn or SciPy."""
    if hasattr(model, "score_samples"):
        return np.asarray(model.score_samples(X), dtype=np.float64)
    X = np.asarray(X, dtype=np.float64)
    for name in ("logpdf", "logpmf"):
        if hasattr(model, name):
            logs = np.asarray(getattr(model, name)(X[:, 0] if X.shape[1] == 1 else X))
            if logs.shape == (len(X),):
                return logs
            if logs.shape == X.shape:  # a law of one variable, for each of several features
                return logs.sum(axis=1)
    raise TypeError(
        f"{type(model).__name__} is no density: it needs score_samples, or logpdf or logpmf as "
        "the distributions of scipy.stats have."
    )


def log_densities(models, X, relative=False):
    """Return the log density of each row under each of several densities.

    With `relative` a part that all densities of a row share may be left out.
    """
    together = linear_log_densities(models, X, relative)
    if together is not None:
        return together
    return np.column_stack([log_density(model, X) for model in models])


def log_likelihood(model, X, sample_weight=None):
    r"""Return the log-likelihood :math:`\sum_i w_i \ln p(x_i)` of independent samples.

    Logarithms are added, so nothing underflows however many samples there are.

    Parameters
    ----------
    model : object
        A density: fitted estimator with `score_samples`, or frozen distribution of scipy.stats.
    X : array-like of shape (n_samples, n_features)
        Samples.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    log_likelihood : float
        Minus infinity where a sample is impossible.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from shallows.density import log_likelihood
    >>> round(log_likelihood(norm(0, 1), np.zeros((1000, 1))), 3)
    -918.939
    """
    logs = log_density(model, np.asarray(X))
    weights = check_weights(sample_weight, len(logs))
    used = weights > 0
    return float(weights[used] @ logs[used])


@dataclass(frozen=True)
class Estimate:
    """Result of maximum likelihood, or of the maximum of the posterior.

    Parameters
    ----------
    parameters : dict or ndarray
        Parameters by name or, for a family given as a function, their vector.
    log_likelihood : float
        The log-likelihood there.
    risk : float
        Mean of the loss -log p(x), per unit of weight.
    model : object
        The fitted density, or None for a family given as a function.

    Examples
    --------
    >>> from shallows.density import Poisson, fit_maximum_likelihood
    >>> fit_maximum_likelihood(Poisson(), [[1], [3]]).parameters
    {'rate': array([2.])}
    """

    parameters: Any
    log_likelihood: float
    risk: float
    model: Any = None


def fit_maximum_likelihood(
    family: Any,
    X,
    prior: Callable[[np.ndarray], float] | None = None,
    *,
    start: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Estimate:
    r"""Return the parameters under which a sample is likeliest.

    Maximum likelihood minimises the empirical risk :math:`-\sum_i w_i \ln p(x_i|\theta)` whose
    loss is minus the log density. With a prior :math:`h(\theta)` the sum
    :math:`-\sum_i w_i \ln p(x_i|\theta) - \ln h(\theta)` is minimised: the mode of the posterior.

    Parameters
    ----------
    family : estimator or callable
        A density estimator, which is cloned and fitted, or a function of (X, parameters) that
        returns the log density of each sample.
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        Samples.
    prior : callable or None, default=None
        Log density of the parameters, up to a constant; for a family given as a function.
    start : array-like or None, default=None
        Parameters to start from; needed for a family given as a function.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    estimate : Estimate
        Parameters, log-likelihood, risk, and the fitted density.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from shallows.density import fit_maximum_likelihood
    >>> unit = lambda X, mean: norm.logpdf(X[:, 0], mean[0])
    >>> found = fit_maximum_likelihood(unit, [0.9, 1.0], start=[0.0])
    >>> found.parameters.round(4)
    array([0.95])
    >>> shrunk = fit_maximum_likelihood(unit, [0.9, 1.0], prior=norm.logpdf, start=[0.0])
    >>> shrunk.parameters.round(4)
    array([0.6333])
    """
    X = np.asarray(X)
    X = X[:, None] if X.ndim == 1 else X
    weights = check_weights(sample_weight, len(X))
    if hasattr(family, "fit"):
        if prior is not None or start is not None:
            raise ValueError(
                "fit_maximum_likelihood: prior and start go with a family given as a function of "
                f"(X, parameters), got the estimator {type(family).__name__}."
            )
        options = {} if sample_weight is None else {"sample_weight": weights}
        # An estimator maximises its likelihood itself.
        model = clone(family).fit(X, **options)
        found = _learned(model)
        total = log_likelihood(model, X, weights)
        return Estimate(found, total, -total / float(weights.sum()), model)
    check_value("fit_maximum_likelihood", "family", Callable, family)
    check_value("fit_maximum_likelihood", "start", ArrayLike, start)

    def total_of(theta):
        return float(weights @ np.asarray(family(X, theta)))

    def objective(theta):
        value = -total_of(theta)
        if prior is not None:
            value -= float(np.sum(prior(theta)))
        return value if np.isfinite(value) else np.inf

    # A function of (X, parameters) is maximised numerically; with a prior it is the posterior's
    # mode.
    first = np.array(start, dtype=float, ndmin=1)
    theta = _minimum(objective, first)
    total = total_of(theta)
    return Estimate(theta, total, -total / float(weights.sum()))


def _minimum(objective, start):
    """Simplex search, which copes with infinite values, then steps along the gradient."""
    if not np.isfinite(objective(start)):
        raise ValueError(
            "fit_maximum_likelihood: the samples are impossible under the parameters in start. "
            "Start where every sample has a positive density."
        )
    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 2000 * len(start), "adaptive": True}
    rough = minimize(objective, start, method="Nelder-Mead", options=options)
    with np.errstate(invalid="ignore", over="ignore"):
        fine = minimize(objective, rough.x, method="BFGS", options={"gtol": 1e-9})
    return fine.x if fine.fun < rough.fun else rough.x


def _learned(model):
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    about = ("n_features_in_", "feature_names_in_", "history_", "n_iter_")
    return {name[:-1]: v for name, v in fitted.items() if name not in about}
