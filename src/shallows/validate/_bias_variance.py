"""Bias and variance of a learner: the error of its mean, and its spread over training sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from shallows._core.contract.params import Range, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._parts import seeded

Floats = NDArray[np.float64]
TrainingSets = Callable[[np.random.Generator], tuple[Any, Any]]


@dataclass(frozen=True)
class BiasVariance:
    """Parts of the expected loss at every point, averaged over training sets.

    In squared loss ``error = noise + bias**2 + variance``. In 0-1 loss, after Domingos,
    ``error = noise_effect + bias + variance_effect``.

    Parameters
    ----------
    error : ndarray of shape (n_points,)
        Expected loss of a prediction against a noisy target.
    noise : ndarray of shape (n_points,)
        Expected loss of the best possible prediction.
    bias : ndarray of shape (n_points,)
        Squared loss: mean prediction minus truth. 0-1 loss: 1 if the main prediction, the most
        frequent one, differs from the best possible prediction, else 0.
    variance : ndarray of shape (n_points,)
        Squared loss: variance of the predictions. 0-1 loss: share of predictions other than
        the main one.
    noise_effect : ndarray of shape (n_points,)
        What noise adds to the error. In 0-1 loss noise can also turn mistakes into hits.
    variance_effect : ndarray of shape (n_points,)
        What variance adds to the error. In 0-1 loss variance lowers the error if the main
        prediction is wrong.
    main : ndarray of shape (n_points,)
        Mean or most frequent prediction.
    standard_error : ndarray of shape (n_points,)
        Standard error of `error`, which is estimated from finitely many training sets; zero if the
        parts are exact.

    Examples
    --------
    >>> from shallows.validate import smoother_bias_variance
    >>> parts = smoother_bias_variance([[0.5, 0.5]], [0, 1], [1], noise=2.0)
    >>> parts.error == parts.noise + parts.bias**2 + parts.variance
    array([ True])
    """

    error: Floats
    noise: Floats
    bias: Floats
    variance: Floats
    noise_effect: Floats
    variance_effect: Floats
    main: NDArray[Any]
    standard_error: Floats


def bias_variance(
    estimator: Any,
    generator: TrainingSets,
    points: Any,
    truth: Any,
    *,
    noise: Any = 0.0,
    loss: Literal["squared", "zero_one"] = "squared",
    n_repeats: Annotated[int, Range(2)] = 200,
    random_state: RandomState = None,
) -> BiasVariance:
    """Decompose the error of any learner by training it on many fresh sets.

    In squared loss error = noise + bias^2 + variance is an identity up to rounding, because all
    parts come from the same runs. In 0-1 loss the parts are those of Domingos' unified
    decomposition [1]_: bias is the loss of the main prediction, and variance is the probability to
    differ from it. If the main prediction is wrong, variance helps.

    Fits run on the workers of the surrounding `joblib.parallel_config`; their number does not
    change the result.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline that ends in one.
    generator : callable
        Takes a Generator and returns samples and targets of one training set.
    points : array-like of shape (n_points, n_features)
        Points at which the error is decomposed.
    truth : array-like of shape (n_points,) or (n_points, n_classes)
        Squared loss: the noise-free target. 0-1 loss: the best label, or the probabilities of all
        classes in sorted order, which also determine the noise.
    noise : float or array-like of shape (n_points,), default=0.0
        Variance of the target around the truth, in squared loss.
    loss : {"squared", "zero_one"}, default="squared"
        The loss.
    n_repeats : int, default=200
        Number of training sets.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the training sets, and the estimator if its own random state is None.

    Returns
    -------
    result : BiasVariance
        The parts at every point.

    References
    ----------
    .. [1] P. Domingos, "A unified bias-variance decomposition and its applications", ICML,
       231-238, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from shallows.validate import bias_variance
    >>> x = np.linspace(-1, 1, 11)[:, None]
    >>> def noisy_cubic(rng):
    ...     return x, x[:, 0] ** 3 + rng.normal(scale=0.1, size=11)
    >>> parts = bias_variance(LinearRegression(), noisy_cubic, x, x[:, 0] ** 3, random_state=0)
    >>> np.allclose(parts.error, parts.bias**2 + parts.variance)
    True
    """
    check_arguments(bias_variance, locals())
    streams = as_generator(random_state).spawn(n_repeats)
    predicted = np.array(
        Parallel()(delayed(_retrain)(estimator, generator, points, rng) for rng in streams)
    )
    truth = np.asarray(truth)
    if len(truth) != predicted.shape[1]:
        raise ValueError(
            f"bias_variance: truth must have one entry per point, {predicted.shape[1]}, "
            f"got {len(truth)}."
        )
    if loss == "squared":
        return _squared(predicted, truth, np.broadcast_to(noise, truth.shape))
    return _zero_one(predicted, truth)


def smoother_bias_variance(
    smoother: ArrayLike,
    truth_train: ArrayLike,
    truth_points: ArrayLike,
    noise: float,
) -> BiasVariance:
    r"""Decompose the squared error of a linear smoother exactly.

    A smoother predicts :math:`S y` with a matrix that does not depend on the targets. Least
    squares, ridge, splines, kernel ridge and nearest neighbours are smoothers. For targets
    :math:`y = f + r` with uncorrelated noise of variance :math:`\rho^2`, the bias is :math:`S f -
    f_*` and the variance :math:`\rho^2 \sum_j S_{ij}^2`.

    Parameters
    ----------
    smoother : array-like of shape (n_points, n_samples)
        The matrix S, for example from `smoother_matrix`.
    truth_train : array-like of shape (n_samples,)
        Noise-free targets f of the training rows.
    truth_points : array-like of shape (n_points,)
        Noise-free targets of the points.
    noise : float
        Noise variance, in training and at the points.

    Returns
    -------
    result : BiasVariance
        The exact parts at every point.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import smoother_bias_variance
    >>> mean_of_four = np.full((1, 4), 0.25)
    >>> parts = smoother_bias_variance(mean_of_four, [0, 1, 2, 3], [2], noise=1.0)
    >>> parts.bias, parts.variance
    (array([-0.5]), array([0.25]))
    """
    S = np.asarray(smoother, dtype=np.float64)
    main = S @ np.asarray(truth_train, dtype=np.float64)
    bias = main - np.asarray(truth_points, dtype=np.float64)
    variance = noise * np.sum(S**2, axis=1)
    around = np.full(len(main), float(noise))
    error = around + bias**2 + variance
    return BiasVariance(error, around, bias, variance, around, variance, main, np.zeros(len(main)))


def smoother_matrix(estimator: Any, X: Any, points: Any) -> Floats:
    """Return the matrix with which a linear smoother turns targets into predictions.

    Column `j` is the prediction for targets that are 1 in row `j` and 0 elsewhere. A fit to
    random targets checks that predictions are linear in them.

    Parameters
    ----------
    estimator : estimator
        Regressor or pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    points : array-like of shape (n_points, n_features)
        Points at which to predict.

    Returns
    -------
    smoother : ndarray of shape (n_points, n_samples)
        The matrix S with predictions S y.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from shallows.validate import smoother_matrix
    >>> x = np.linspace(-1, 1, 5)[:, None]
    >>> round(float(np.trace(smoother_matrix(LinearRegression(), x, x))), 9)
    2.0
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    columns = [clone(estimator).fit(X, unit).predict(points) for unit in np.eye(n_rows)]
    S = np.array(columns, dtype=np.float64).T
    # S is right only if predictions are linear in the targets: check it on random ones.
    targets = np.random.default_rng(0).normal(size=n_rows)
    direct = clone(estimator).fit(X, targets).predict(points)
    gap = np.abs(S @ targets - direct).max()
    if gap > 1e-6 * max(1.0, np.abs(direct).max()):
        raise ValueError(
            f"smoother_matrix: predictions of {type(estimator).__name__} are not linear in the "
            f"targets; they differ by {gap:.2g}. Use bias_variance, which retrains."
        )
    return S


def _retrain(
    estimator: Any, generator: TrainingSets, points: Any, rng: np.random.Generator
) -> NDArray[Any]:
    X, y = generator(rng)
    return np.asarray(seeded(estimator, rng).fit(X, y).predict(points))


def _squared(predicted: NDArray[Any], truth: NDArray[Any], noise: NDArray[Any]) -> BiasVariance:
    main = predicted.mean(axis=0)
    bias, variance = main - truth, predicted.var(axis=0)
    losses = (predicted - truth) ** 2
    error = losses.mean(axis=0) + noise
    spread = losses.std(axis=0, ddof=1) / np.sqrt(len(predicted))
    around = np.array(noise, dtype=np.float64)
    return BiasVariance(error, around, bias, variance, around, variance, main, spread)


def _zero_one(predicted: NDArray[Any], truth: NDArray[Any]) -> BiasVariance:
    """Decompose the 0-1 loss, with targets and predictions independent at each point."""
    given = truth if truth.ndim == 1 else predicted
    labels = np.unique(np.concatenate([predicted.ravel(), given.ravel()]))
    # The probability of every class at every point, in the order of `labels`.
    if truth.ndim == 1:
        chance = (truth[:, None] == labels).astype(np.float64)
    elif truth.shape[1] == len(labels) or set(labels) <= set(range(truth.shape[1])):
        labels = labels if truth.shape[1] == len(labels) else np.arange(truth.shape[1])
        chance = truth
    else:
        raise ValueError(
            f"bias_variance: truth has {truth.shape[1]} class probabilities per point, but "
            f"predictions know the classes {labels.tolist()}. Number classes from 0."
        )
    # Share of the training sets that predict each class; Domingos' parts follow from both.
    share = (predicted[:, :, None] == labels).mean(axis=0)
    rows = np.arange(len(share))
    best, main = chance.argmax(axis=1), share.argmax(axis=1)
    bias = (main != best).astype(np.float64)
    mistakes = 1 - share[rows, best]
    error = 1 - np.sum(chance * share, axis=1)
    wrong = 1 - np.take_along_axis(
        chance, np.searchsorted(labels, predicted).T, axis=1
    )  # expected loss of each prediction
    return BiasVariance(
        error=error,
        noise=1 - chance[rows, best],
        bias=bias,
        variance=1 - share[rows, main],
        noise_effect=error - mistakes,
        variance_effect=mistakes - bias,
        main=labels[main],
        standard_error=wrong.std(axis=1, ddof=1) / np.sqrt(len(predicted)),
    )
