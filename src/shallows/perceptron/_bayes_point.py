"""Bayes point: the centre of mass of the version space."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.threads import quick_lapack
from shallows.perceptron._cone import sample_cone
from shallows.perceptron._linear import LinearClassifier, signs
from shallows.perceptron._version_space import inner_point


class BayesPoint(LinearClassifier, BaseEstimator):
    r"""Linear classifier at the centre of all that agree with the examples.

    Weight vectors are drawn uniformly from the version space, and their mean predicts. If all
    rules are equally likely, no other linear classifier errs less on average [1]_. It needs
    classes that can be separated, or a `softness`: each example then gets an input of its own,
    which lets a few of them stay on the wrong side [2]_. With more than two classes each is told
    from the rest, and the largest field decides.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    softness : float, default=0.0
        Squared size of each example's own input, where the example itself has length 1.
    fit_intercept : bool, default=True
        Whether to learn a threshold, as the weight of a constant input 1.
    n_samples : int, default=1000
        Weight vectors drawn.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the centre, one row for two classes, else one row per class.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    members_ : ndarray of shape (1 or n_classes, n_samples, n_features + 1)
        The weight vectors drawn, with the intercept last.
    r_hat_ : float
        Spread of all chains over that of one, the largest over all weights; near 1 where the
        chains have mixed. A warning is given if it is above 1.1.
    effective_size_ : float
        Number of independent members that would determine the centre as well.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Watkin, "Optimal learning with a neural network", Europhysics Letters 21, 871-876,
       1993.
    .. [2] R. Herbrich, T. Graepel and C. Campbell, "Bayes point machines", Journal of Machine
       Learning Research 1, 245-279, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.perceptron import BayesPoint
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesPoint(random_state=0).fit(X, y == 0)
    >>> model.score(X, y == 0)
    1.0
    """

    def __init__(
        self,
        softness: NonNegativeFloat = 0.0,
        *,
        fit_intercept: bool = True,
        n_samples: PositiveInt = 1000,
        random_state: RandomState = None,
    ):
        self.softness = softness
        self.fit_intercept = fit_intercept
        self.n_samples = n_samples
        self.random_state = random_state

    def fit(self, X, y):
        """Draw members of the version space and take their mean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : BayesPoint
            The fitted estimator.
        """
        check_params(self)
        X, y, _ = check_labelled(self, X, y)
        rng = as_generator(self.random_state)

        # Inputs of length 1, with a constant for the threshold: each is a wall of the version
        # space.
        constant = np.full(len(X), float(self.fit_intercept))
        inputs = np.column_stack([X, constant]).astype(float)
        lengths = np.linalg.norm(inputs, axis=1, keepdims=True)
        inputs /= np.where(lengths > 0, lengths, 1)

        # The Bayes point is near the centre of mass of the version space.
        samples = [self._draw(inputs * s[:, None], rng) for s in signs(y, len(self.classes_))]
        members = np.stack([weights for weights, _ in samples])
        members[:, :, -1] *= self.fit_intercept
        centre = members.mean(axis=1)
        self.members_ = members.astype(X.dtype)
        self.coef_ = centre[:, :-1].astype(X.dtype)
        self.intercept_ = centre[:, -1].astype(X.dtype)
        self.r_hat_ = max(sample.r_hat for _, sample in samples)
        self.effective_size_ = min(sample.effective_size for _, sample in samples)
        return self

    def votes(self, X):
        """Return the share of members that vote for a class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, the votes for ``classes_[1]``. A share near 1/2 marks an ambiguous
            sample; its label would be the most informative.
        """
        X = check_new(self, X)
        shares = (self._member_fields(X) > 0).mean(axis=2).T
        return shares[:, 0] if len(self.coef_) == 1 else shares

    def predict_proba(self, X):
        """Return the votes of the members as probabilities of the classes.

        If all rules that agree with the examples are equally likely, the share of two classes is
        the probability of the label. The centre decides in `predict`; where votes are nearly split
        it may side with fewer of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            With more than two classes, how often the largest field is that of each, where every
            class sends one member after the other.
        """
        X = check_new(self, X)
        fields = self._member_fields(X)
        if len(fields) == 1:
            positive = (fields[0] > 0).mean(axis=1)
            return np.column_stack([1 - positive, positive]).astype(X.dtype)
        winners = fields.argmax(axis=0)
        shares = [(winners == k).mean(axis=1) for k in range(len(self.classes_))]
        return np.column_stack(shares).astype(X.dtype)

    def _member_fields(self, X):
        """Return the fields (n_models, n_samples, n_members)."""
        return X @ self.members_[:, :, :-1].swapaxes(1, 2) + self.members_[:, None, :, -1]

    def _draw(self, folded, rng):
        """Return members as weights of the inputs, and the sample that they come from."""
        if self.softness > 0:
            with quick_lapack(len(folded)):
                gram = folded @ folded.T + self.softness * np.eye(len(folded))
                root = _root(gram, self.softness)  # its rows are the examples in their own span
                start = solve_triangular(root, np.ones(len(root)), lower=True)
            walls = root / np.linalg.norm(root, axis=1, keepdims=True)
            start /= np.linalg.norm(start)
            sample = sample_cone(walls, start, self.n_samples, "billiard", rng)
            with quick_lapack(len(folded)):
                strengths = solve_triangular(root, sample.weights.T, lower=True, trans="T")
                return strengths.T @ folded, sample
        walls = folded if self.fit_intercept else folded[:, :-1]
        start = inner_point(walls) if walls.any(axis=1).all() else None
        if start is None:
            raise ValueError(
                "BayesPoint: no hyperplane separates a class from the rest, so the version space "
                "is empty. Set softness above 0, for example 1."
            )
        sample = sample_cone(walls, start, self.n_samples, "billiard", rng)
        weights = sample.weights
        if not self.fit_intercept:
            weights = np.column_stack([weights, np.zeros(len(weights))])
        return weights, sample

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _root(gram, softness):
    """Return the lower root of the Gram matrix, which softness must make positive definite."""
    try:
        return cholesky(gram, lower=True)
    except np.linalg.LinAlgError:
        least = np.finfo(gram.dtype).eps * np.trace(gram)
        raise ValueError(
            f"BayesPoint: softness={softness:.3g} is lost in the rounding of products of these "
            f"samples. Raise it to {least:.1g} or more, or set it to 0."
        ) from None
