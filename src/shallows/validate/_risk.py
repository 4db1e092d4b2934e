"""Risk of a fixed model: on data, by Monte Carlo, by quadrature; and the best regressor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._named_losses import Loss, loss_function
from shallows.validate._parts import check_data

Array = NDArray[Any]
Sampler = Callable[[int, np.random.Generator], tuple[Any, Any]]
BLOCK_ROWS = 65_536


@dataclass(frozen=True)
class Risk:
    """A mean loss over fresh rows.

    Parameters
    ----------
    value : float
        The mean.
    standard_error : float
        Its standard error.
    n_samples : int
        Rows drawn.

    Examples
    --------
    >>> from shallows.validate import Risk
    >>> Risk(0.25, 0.001, 100_000).value
    0.25
    """

    value: float
    standard_error: float
    n_samples: int


def empirical_risk(model: Any, X: Any, y: Any, loss: Loss = "squared") -> float:
    """Mean loss of a fixed model on given rows.

    Parameters
    ----------
    model : fitted estimator or callable
        The model, used through `predict`; or a prediction function.
    X : array-like of shape (n_samples, ...)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    loss : {"zero_one", "squared", "absolute"} or callable, default="squared"
        Loss as a function of predictions and targets, in this order, row by row.

    Returns
    -------
    risk : float
        The mean loss.

    Examples
    --------
    >>> from shallows.validate import empirical_risk
    >>> empirical_risk(lambda x: 2 * x, [1, 2], [2, 6], loss="absolute")
    1.0
    """
    y, _ = check_data("empirical_risk", X, y)
    found = _losses(model, X, y, loss_function(loss))
    return float(found.mean())


def risk(
    model: Any,
    sampler: Sampler,
    loss: Loss = "squared",
    *,
    n_samples: Annotated[int, Range(2)] = 100_000,
    random_state: RandomState = None,
) -> Risk:
    """Estimate the expected loss of a fixed model by drawing many rows.

    Parameters
    ----------
    model : fitted estimator or callable
        The model, used through `predict`; or a prediction function.
    sampler : callable
        Takes a number of rows and a Generator; returns samples and targets.
    loss : {"zero_one", "squared", "absolute"} or callable, default="squared"
        Loss as a function of predictions and targets, in this order, row by row.
    n_samples : int, default=100000
        Rows to draw, in blocks.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    risk : Risk
        The mean loss with its standard error.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import risk
    >>> def line(n, rng):
    ...     x = rng.uniform(-1, 1, n)
    ...     return x, x + rng.normal(scale=0.5, size=n)
    >>> found = risk(lambda x: x, line, random_state=0)
    >>> abs(found.value - 0.25) < 3 * found.standard_error
    True
    """
    check_arguments(risk, locals())
    measure, rng = loss_function(loss), as_generator(random_state)
    total = square = 0.0
    for start in range(0, n_samples, BLOCK_ROWS):
        X, y = sampler(min(BLOCK_ROWS, n_samples - start), rng)
        found = _losses(model, X, np.asarray(y), measure)
        total, square = total + float(found.sum()), square + float(np.sum(found**2))
    mean = total / n_samples
    variance = max(0.0, square / n_samples - mean**2) * n_samples / (n_samples - 1)
    return Risk(mean, float(np.sqrt(variance / n_samples)), n_samples)


def risk_by_quadrature(
    model: Any, x_law: Any, y_law: Callable[[float], Any], loss: Loss = "squared"
) -> float:
    """Integrate the loss of a fixed model with one input over known distributions.

    Parameters
    ----------
    model : fitted estimator or callable
        The model, used through `predict`; or a prediction function.
    x_law : frozen distribution of scipy.stats
        Distribution of the input, continuous or discrete.
    y_law : callable
        Takes an input and returns the frozen distribution of its target.
    loss : {"zero_one", "squared", "absolute"} or callable, default="squared"
        Loss as a function of predictions and targets, in this order.

    Returns
    -------
    risk : float
        The expected loss; for smooth losses with the accuracy of adaptive quadrature.

    Examples
    --------
    >>> from scipy.stats import norm, uniform
    >>> from shallows.validate import risk_by_quadrature
    >>> value = risk_by_quadrature(lambda x: x, uniform(), lambda x: norm(x, 0.5))
    >>> round(value, 6)
    0.25
    """
    measure = loss_function(loss)

    def loss_at(x: float) -> float:
        prediction = float(_predict(model, np.array([x]))[0])
        return float(y_law(x).expect(np.vectorize(lambda truth: measure(prediction, truth))))

    return float(x_law.expect(np.vectorize(loss_at)))


def optimal_regressor(y_law: Callable[[float], Any]) -> Callable[[Any], NDArray[np.float64]]:
    """Return the function E[Y | X = x], which minimises the squared loss.

    Parameters
    ----------
    y_law : callable
        Takes an input and returns the frozen SciPy distribution of its target.

    Returns
    -------
    regressor : callable
        Takes an array of inputs and returns the conditional means.

    Examples
    --------
    >>> from scipy.stats import expon
    >>> from shallows.validate import optimal_regressor
    >>> best = optimal_regressor(lambda x: expon(loc=x))
    >>> best([0.0, 2.0])
    array([1., 3.])
    """

    def regressor(X: Any) -> NDArray[np.float64]:
        return np.array([float(y_law(x).mean()) for x in np.ravel(X)])

    return regressor


def _losses(model: Any, X: Any, y: Array, measure: Callable[[Any, Any], Any]) -> Array:
    return np.asarray(measure(_predict(model, X), y), dtype=np.float64)


def _predict(model: Any, X: Any) -> Array:
    """Return predictions: a function gets plain inputs, an estimator one row per input."""
    if not hasattr(model, "predict"):
        return np.asarray(model(X if hasattr(X, "shape") else np.asarray(X)))
    if hasattr(X, "shape") and len(X.shape) > 1:
        return np.asarray(model.predict(X))
    inputs = np.asarray(X)
    return np.asarray(model.predict(inputs[:, None] if inputs.ndim == 1 else inputs))
