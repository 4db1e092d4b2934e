"""Kohonen's LVQ2.1: two prototypes move, and only near the border."""

from __future__ import annotations

from shallows._core.contract.params import Fraction, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows.prototype._heuristic_lvq import HeuristicLVQ
from shallows.prototype._lvq3 import WindowRule
from shallows.prototype._metrics import partial_distances
from shallows.prototype._start import (
    PrototypesPerClass,
    ShareOfTheWay,
)


class LVQ21(HeuristicLVQ):
    r"""Classifier that places the border between classes by pairs of prototypes.

    If of the two nearest prototypes one is of the class of the sample and one is not, and the
    sample lies in a window around the border between them, the first moves to the sample and the
    second away from it [1]_. The window holds the samples with :math:`d_1 / d_2 > (1 - s) / (1 +
    s)`, where :math:`d_1 \le d_2` are the distances. The rule only fits the border: start it near
    a solution, keep it short, and prefer `LVQ3` or `GLVQ` for long training, in which prototypes
    may drift away. Distances ignore missing values (NaN).

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_prototypes : int or array-like of shape (n_classes,), default=1
        Prototypes per class, or as many as given for each, in the order of `classes_`.
    window : float, default=0.2
        Relative width :math:`s` of the zone around the border.
    learning_rate : float, default=0.02
        Share of the way to the sample in the first epoch; it falls linearly to zero.
    max_iter : int, default=10
        Number of passes over the data.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the initial prototypes and the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_total, n_features)
        Positions of the prototypes.
    prototype_labels_ : ndarray of shape (n_total,)
        Index into `classes_` of each prototype.
    history_ : dict of str to list of float
        Under ``"loss"`` the share of samples in each epoch whose winner was of another class.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Kohonen, "Self-Organizing Maps", 3rd edition, Springer, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import LVQ21
    >>> X, y = load_iris(return_X_y=True)
    >>> LVQ21(2, random_state=0).fit(X, y).score(X, y) > 0.94
    True
    """

    def __init__(
        self,
        n_prototypes: PrototypesPerClass = 1,
        *,
        window: Fraction = 0.2,
        learning_rate: ShareOfTheWay = 0.02,
        max_iter: PositiveInt = 10,
        random_state: RandomState = None,
    ):
        self.n_prototypes = n_prototypes
        self.window = window
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.random_state = random_state

    def _rule(self):
        return WindowRule(self.prototype_labels_, float(self.window), 0.0)

    def _distances(self, X):
        return partial_distances(X, self.prototypes_.astype(X.dtype, copy=False))
