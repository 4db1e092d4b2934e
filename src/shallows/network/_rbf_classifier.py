"""Network of Gaussian units as classifier."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.network._rbf import Covariance, rbf_outputs
from shallows.network._rbf_fit import fit_rbf


class RBFClassifier(ClassifierMixin, IterativeMixin, BaseEstimator):
    r"""Classifier on the responses of Gaussian units (radial basis functions).

    Units respond with :math:`\phi_j = \exp(-\frac12 |A_j (x - c_j)|^2)`, highest at their centre
    :math:`c_j`; softmax of linear outputs gives
    the probabilities of the classes, trained by cross-entropy. Centres start where k-means puts
    them, and then all parameters descend the loss together.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_units : int, default=20
        Number of Gaussian units; at most one per sample is used.
    covariance : {"isotropic", "diagonal", "full", "pooled"}, default="diagonal"
        Form of the units: one width each, one per feature, a full matrix each, or one full
        matrix for all. One width each has the fewest parameters, for few and noisy samples.
    normalized : bool, default=False
        Whether the responses are divided by their sum, so that far samples belong to the
        nearest unit.
    alpha : float, default=0.1
        Strength of the penalty on squared output weights, divided by the number of samples.
    max_iter : int, default=300
        Largest number of iterations of L-BFGS.
    tol : float or None, default=1e-5
        Training stops when the loss falls by less than this in ten iterations in a row. With
        None all `max_iter` iterations run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first centres.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    centers_ : ndarray of shape (n_units, n_features)
        Centres of the units.
    shapes_ : ndarray
        The numbers or matrices :math:`A`: shape (n_units, 1), (n_units, n_features), (n_units,
        n_features, n_features) or (n_features, n_features).
    coef_ : ndarray of shape (n_units, n_outputs)
        Weights of the outputs.
    intercept_ : ndarray of shape (n_outputs,)
        Biases of the outputs.
    history_ : dict of str to list of float
        The mean loss of each iteration under ``"loss"``.
    n_iter_ : int
        Iterations run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    J. Moody and C. J. Darken, "Fast learning in networks of locally-tuned processing units",
    Neural Computation 1, 281-294, 1989.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from shallows.network import RBFClassifier
    >>> X, y = make_moons(noise=0.1, random_state=0)
    >>> RBFClassifier(8, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_units: PositiveInt = 20,
        *,
        covariance: Covariance = "diagonal",
        normalized: bool = False,
        alpha: NonNegativeFloat = 0.1,
        max_iter: PositiveInt = 300,
        tol: NonNegativeFloat | None = 1e-5,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.covariance = covariance
        self.normalized = normalized
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the units and fit all parameters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : RBFClassifier
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight)
        target = np.eye(len(self.classes_))[y]
        fit_rbf(self, X, self.classes_[y], target, weights, classify=True)
        return self

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Softmax of the outputs.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            Logarithms, finite also where a probability rounds to zero.
        """
        return log_softmax(rbf_outputs(self, check_new(self, X)), axis=1)

    def predict(self, X):
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
