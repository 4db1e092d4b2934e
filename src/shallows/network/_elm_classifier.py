"""Extreme learning machine as classifier."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows.network._elm import elm_outputs, fit_elm
from shallows.network._output_targets import signed_columns, winners


class ELMClassifier(ClassifierMixin, BaseEstimator):
    """Classifier on the outputs of random hidden units (extreme learning machine).

    The weights into the hidden units are drawn once and stay; the linear outputs are fitted to
    -1 and +1, one per class, by one least-squares solution. Classes that no plane separates
    become separable where hidden units are many.

    Parameters
    ----------
    n_hidden : int, default=500
        Hidden units. With as many as samples, the training data are reproduced.
    activation : str, default="tanh"
        Activation of the hidden units, as for `MLPClassifier`.
    alpha : float, default=1e-3
        Strength of the penalty on the squared output weights. With 0 the weights of least norm
        among the best are taken.
    scale : float, default=1.0
        Spread of the net inputs of hidden units for features of unit variance.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the hidden weights.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    hidden_coef_ : ndarray of shape (n_features, n_hidden)
        Random weights of the hidden units.
    hidden_intercept_ : ndarray of shape (n_hidden,)
        Random biases of the hidden units.
    coef_ : ndarray of shape (n_hidden, n_outputs)
        Weights of the outputs.
    intercept_ : ndarray of shape (n_outputs,)
        Biases of the outputs.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    G.-B. Huang, Q.-Y. Zhu and C.-K. Siew, "Extreme learning machine: theory and applications",
    Neurocomputing 70, 489-501, 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from shallows.network import ELMClassifier
    >>> X, y = make_moons(noise=0.1, random_state=0)
    >>> ELMClassifier(100, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_hidden: PositiveInt = 500,
        *,
        activation: str = "tanh",
        alpha: NonNegativeFloat = 1e-3,
        scale: PositiveFloat = 1.0,
        random_state: RandomState = None,
    ):
        self.n_hidden = n_hidden
        self.activation = activation
        self.alpha = alpha
        self.scale = scale
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Draw the hidden layer and fit the outputs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : ELMClassifier
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=True)
        fit_elm(self, X, signed_columns(y, len(self.classes_)), weights)
        return self

    def decision_function(self, X):
        """Return the outputs: for two classes one per sample, positive for the second.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Outputs.
        """
        output = elm_outputs(self, check_new(self, X, sparse=True))
        return output.ravel() if output.shape[1] == 1 else output

    def predict(self, X):
        """Return the class of the largest output.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        output = elm_outputs(self, check_new(self, X, sparse=True))
        return self.classes_[winners(output)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
