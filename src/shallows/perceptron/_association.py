"""Rosenblatt's Mark I: a random association layer in front of a perceptron."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.magnitude import refuse_too_large
from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.perceptron._perceptron import Perceptron
from shallows.perceptron._threshold_machine import MachineClassifier


class AssociationPerceptron(MachineClassifier, BaseEstimator):
    """Perceptron on the states of random threshold units.

    Each association unit is wired to a few inputs with random signs, and fires where their sum
    exceeds that of a training sample drawn at random. Only the perceptron behind the units
    learns [1]_. With as many units as distinct samples nearly every labeling can be learned; random
    labels can up to about two per unit.

    Parameters
    ----------
    n_units : int, default=512
        Association units.
    fan_in : int, default=10
        Inputs wired to each unit, at most all.
    max_iter : int, default=1000
        Largest number of passes of the perceptron over the data; it ends before where no
        mistakes are left, and no warning tells if some are.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the wiring and the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    wiring_ : ndarray of shape (n_features, n_units)
        Signs of the connections, 0 where there is none.
    thresholds_ : ndarray of shape (n_units,)
        Thresholds of the units.
    coef_ : ndarray of shape (1, n_units) or (n_classes, n_units)
        Weights of the perceptron, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts of the perceptron.
    history_ : dict of str to list of float
        The perceptron's, see `Perceptron`.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] F. Rosenblatt, "Principles of Neurodynamics", Spartan Books, 1962.

    Examples
    --------
    >>> from shallows.perceptron import AssociationPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> AssociationPerceptron(20, fan_in=2, random_state=0).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    def __init__(
        self,
        n_units: PositiveInt = 512,
        *,
        fan_in: PositiveInt = 10,
        max_iter: PositiveInt = 1000,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.fan_in = fan_in
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Wire the units and train the perceptron.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : AssociationPerceptron
            The fitted estimator.
        """
        check_params(self)
        X, y, _ = check_labelled(self, X, y)
        rng = as_generator(self.random_state)
        n_features = X.shape[1]
        refuse_too_large(
            "AssociationPerceptron", f"n_units={self.n_units}", n_features, self.n_units
        )

        # Each association unit listens to `fan_in` random inputs, with random signs.
        wiring = rng.choice([-1, 1], (n_features, self.n_units)).astype(X.dtype)
        ranks = rng.random(wiring.shape).argsort(axis=0).argsort(axis=0)
        wiring[ranks >= self.fan_in] = 0
        self.wiring_ = wiring

        # Its threshold is its field for a random sample, so that both states occur.
        chosen = rng.integers(len(X), size=self.n_units)
        self.thresholds_ = np.einsum("ki,ik->k", X[chosen], wiring)

        # Only the output unit learns.
        output = Perceptron(max_iter=self.max_iter, tol=None, random_state=rng)
        output.fit(self._states(X), y)
        self.coef_, self.intercept_ = output.coef_, output.intercept_
        self.history_, self.n_iter_ = output.history_, output.n_iter_
        return self

    def decision_function(self, X):
        """Return the local fields of the perceptron.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        fields : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        X = check_new(self, X)
        fields = self._states(X) @ self.coef_.T + self.intercept_
        return fields[:, 0] if len(self.coef_) == 1 else fields

    def _states(self, X):
        return np.where(X @ self.wiring_ > self.thresholds_, 1, -1).astype(X.dtype)
