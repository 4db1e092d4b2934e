"""Prediction error by the bootstrap: out of bag, .632 and .632+."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.threads import block_slices
from shallows.validate._bootstrap import Bootstrap
from shallows.validate._named_losses import Loss, loss_function
from shallows.validate._parts import check_data, seeded, take

Array = NDArray[Any]
IN_A_BAG = 0.632  # probability that a large bootstrap sample contains a given row, 1 - 1/e


@dataclass(frozen=True)
class BootstrapError:
    """Result of `bootstrap_error`; every field is a mean loss unless described otherwise.

    Parameters
    ----------
    apparent : float
        Loss of the model fitted to all rows, on these same rows.
    out_of_bag : float
        Leave-one-out bootstrap: each row is judged by the models that were not trained on it.
    no_information : float
        Expected loss if targets were independent of the features.
    overfitting_rate : float
        0 without overfitting; 1 if the out-of-bag loss is as bad as `no_information`.
    error_632 : float
        Weighted mean .368 apparent + .632 out of bag.
    error_632plus : float
        Weighted mean that puts more weight on the out-of-bag loss the larger the overfitting rate
        is.
    n_splits : int
        Number of bootstrap samples.

    Examples
    --------
    >>> from shallows.validate import BootstrapError
    >>> found = BootstrapError(0.0, 0.4, 0.5, 0.8, 0.253, 0.358, 50)
    >>> found.summary().partition(":")[0]
    'The loss on new rows is about 0.358 (.632+ bootstrap, 50 samples)'
    """

    apparent: float
    out_of_bag: float
    no_information: float
    overfitting_rate: float
    error_632: float
    error_632plus: float
    n_splits: int

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            One sentence.
        """
        return (
            f"The loss on new rows is about {self.error_632plus:.4g} (.632+ bootstrap, "
            f"{self.n_splits} samples): {self.apparent:.4g} on the training rows, "
            f"{self.out_of_bag:.4g} out of the bag, "
            f"{self.no_information:.4g} without information; overfitting rate "
            f"{self.overfitting_rate:.0%}."
        )


def bootstrap_error(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    loss: Loss | None = None,
    n_splits: PositiveInt = 100,
    stratify: bool = False,
    random_state: RandomState = None,
) -> BootstrapError:
    r"""Estimate the error on new rows from bootstrap samples.

    With :math:`\overline{err}` the apparent error, :math:`Err_1` the out-of-bag error and
    :math:`\gamma = n^{-2} \sum_i \sum_j L(\hat f(x_j), y_i)` the no-information error [1]_,

    .. math:: Err_{.632} = .368\, \overline{err} + .632\, Err_1, \quad
        R = \frac{Err_1' - \overline{err}}{\gamma - \overline{err}}

    .. math:: Err_{.632+} = Err_{.632}
        + (Err_1' - \overline{err}) \frac{.368 \cdot .632\, R}{1 - .368 R}

    where :math:`Err_1' = \min(Err_1, \gamma)` and :math:`R = 0` unless both :math:`Err_1'` and
    :math:`\gamma` exceed :math:`\overline{err}`. This is equation 32 of [1]_: the .632 estimate at
    :math:`R = 0`, and :math:`.632\, Err_1 + .368\, \gamma` at :math:`R = 1`.

    Fits run on the workers of the surrounding `joblib.parallel_config`; their number does not
    change the result.

    Parameters
    ----------
    estimator : estimator
        Classifier, regressor or pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    loss : {"zero_one", "squared", "absolute"}, callable or None, default=None
        Loss as a function of predictions and targets, in this order, row by row. None means
        ``"zero_one"`` for classifiers and ``"squared"`` for regressors.
    n_splits : int, default=100
        Number of bootstrap samples.
    stratify : bool, default=False
        Whether to draw within each class, so that every sample keeps the class shares.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws, and the estimator if its own random state is None.

    Returns
    -------
    result : BootstrapError
        The estimates and their parts.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "Improvements on cross-validation: the .632+ bootstrap
       method", Journal of the American Statistical Association 92, 548-560, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import GLVQ
    >>> from shallows.validate import bootstrap_error
    >>> X, y = load_iris(return_X_y=True)
    >>> found = bootstrap_error(GLVQ(), X, y, n_splits=20, random_state=0)
    >>> found.apparent <= found.error_632 <= found.error_632plus < 0.1
    True
    """
    check_arguments(bootstrap_error, locals())
    y, _ = check_data("bootstrap_error", X, y)
    for_bags, for_model = as_generator(random_state).spawn(2)
    measure = loss_function(loss or ("zero_one" if is_classifier(estimator) else "squared"))
    model = seeded(estimator, for_model)
    bags = list(Bootstrap(n_splits, stratify=stratify, random_state=for_bags).split(X, y))

    predicted = clone(model).fit(X, y).predict(X)
    losses = Parallel()(delayed(_bag_losses)(model, X, y, *bag, measure) for bag in bags)
    # Leave-one-out bootstrap: average the loss of each row over the models without it, first.
    total, times = np.zeros(len(y)), np.zeros(len(y))
    for (_, test), found in zip(bags, losses, strict=True):
        total[test] += found
        times[test] += 1
    if not times.any():
        raise ValueError("bootstrap_error: no row was left out. Raise n_splits.")

    apparent = float(np.mean(measure(predicted, y)))
    out_of_bag = float(np.mean(total[times > 0] / times[times > 0]))
    gamma = no_information_loss(predicted, y, measure)
    # The .632+ estimate, equations 27 to 32 of Efron and Tibshirani.
    bounded = min(out_of_bag, gamma)
    overfits = bounded > apparent and gamma > apparent
    rate = (bounded - apparent) / (gamma - apparent) if overfits else 0.0
    outside = 1 - IN_A_BAG
    plain = outside * apparent + IN_A_BAG * out_of_bag
    correction = (bounded - apparent) * outside * IN_A_BAG * rate / (1 - outside * rate)
    return BootstrapError(
        apparent=apparent,
        out_of_bag=out_of_bag,
        no_information=gamma,
        overfitting_rate=rate,
        error_632=plain,
        error_632plus=plain + correction,
        n_splits=n_splits,
    )


def no_information_loss(predicted: Array, y: Array, measure: Callable[[Any, Any], Any]) -> float:
    """Return the mean loss over all pairs of a prediction and a target, block by block."""
    blocks = block_slices(len(y), max(1, 2**22 // len(y)))
    sums = [np.sum(measure(predicted[None, :], y[rows, None])) for rows in blocks]
    return float(np.sum(sums) / len(y) ** 2)


def _bag_losses(
    model: Any, X: Any, y: Array, train: Array, test: Array, measure: Callable[[Any, Any], Any]
) -> Array:
    fitted = clone(model).fit(take(X, train), y[train])
    return np.asarray(measure(fitted.predict(take(X, test)), y[test]), dtype=np.float64)
