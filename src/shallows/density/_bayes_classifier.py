"""Bayes' classifier: the class with the largest prior times density."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from shallows._core.contract.data import check_labelled, check_new, check_weights
from shallows._core.contract.params import NumberArray, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.targets import as_array
from shallows._core.numerics.log_sums import log_sums
from shallows.density._decision import ErrorRate, boundaries, by_quadrature, by_sampling
from shallows.density._gaussian import Gaussian
from shallows.density._likelihood import log_densities

DENSITY = ("score_samples", "logpdf", "logpmf")  # one of these makes a density


class BayesClassifier(ClassifierMixin, BaseEstimator):
    r"""Decide for the class with the largest :math:`P(c) f_c(x)`.

    With the true priors and densities no classifier makes fewer errors, and its error rate
    :math:`1 - \int \max_c P(c) f_c(x) dx` can be computed. With estimated densities it is as good
    as they are; with `Parzen` it is the Parzen window classifier.

    Parameters
    ----------
    densities : estimator, list of densities or None, default=None
        A density estimator that is fitted to each class; or one density per class. None means
        `Gaussian` with a slightly raised variance. A list of densities that are fitted or
        whose parameters are given, frozen distributions of scipy.stats too, needs no `fit`:
        the classes are then 0, 1, ...
    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes; None takes their frequencies, without `fit` equal ones.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    densities_ : list
        The fitted density of each class.
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from shallows.density import BayesClassifier
    >>> known = BayesClassifier([norm(-1, 1), norm(1, 1)], priors=[0.5, 0.5])
    >>> known.predict([[-0.1], [0.1]])
    array([0, 1])
    >>> round(known.error_rate().rate, 4)
    0.1587
    """

    def __init__(self, densities: Any = None, priors: NumberArray | None = None):
        self.densities = densities
        self.priors = priors

    def fit(self, X, y, sample_weight=None):
        """Fit a density to each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; letters where the densities take them.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in densities and frequencies.

        Returns
        -------
        self : BayesClassifier
            The fitted classifier.
        """
        check_params(self)
        X, y, weights = self._check(X, y, sample_weight)
        n_classes = len(self.classes_)
        base = Gaussian(reg_covar=1e-6) if self.densities is None else self.densities
        models = base if isinstance(base, list | tuple) else [base] * n_classes
        for model in models:
            if isinstance(model, type) or not any(hasattr(model, name) for name in DENSITY):
                raise TypeError(
                    "BayesClassifier: densities must be estimators with score_samples, or "
                    f"distributions of scipy.stats, got {model!r}."
                )
        if len(models) != n_classes:
            raise ValueError(
                f"BayesClassifier: densities must name one density for each of the {n_classes} "
                f"classes, got {len(models)}."
            )
        weighted = sample_weight is not None

        # p(c given x) is proportional to p(c) p(x given c): one density per class, and the priors.
        fitted, mass = [], np.bincount(y, weights, minlength=n_classes)
        for label, model in enumerate(models):
            rows = np.flatnonzero(y == label)
            fitted.append(_fitted(model, X.take(rows, axis=0), weights[rows] if weighted else None))
        self.densities_ = fitted
        self.priors_ = self._given_priors(n_classes, mass / mass.sum())
        if getattr(X, "dtype", None) == np.float32:
            self.priors_ = self.priors_.astype(np.float32)
        return self

    def predict(self, X):
        """Return the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels; of equally probable ones the first.
        """
        classes = self._ready()[0]
        return classes[self.predict_log_proba(X).argmax(axis=1)]

    def predict_log_proba(self, X):
        """Return log probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            The priors where all densities are zero.
        """
        joint = self._joint(X, relative=True)
        total = log_sums(joint)
        nowhere = np.isneginf(total)
        with np.errstate(invalid="ignore", divide="ignore"):
            joint -= total[:, None]
            joint[nowhere] = np.log(self._ready()[1])
        if not _is_float32(X):
            return joint
        rounded = np.exp(joint).astype(np.float32)  # so that it is the log of predict_proba
        return np.where(rounded > 0.5, np.log(np.maximum(rounded, 0.5)), joint).astype(np.float32)

    def predict_proba(self, X):
        """Return probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            They sum to one; the priors where all densities are zero.
        """
        logs = self.predict_log_proba(X)
        return np.exp(logs, out=logs)

    def score_samples(self, X):
        """Return the log density of the samples whatever their class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Logarithm of the sum of prior times density over the classes.
        """
        logs = log_sums(self._joint(X))
        return logs.astype(np.float32) if _is_float32(X) else logs

    def error_rate(
        self, rule=None, *, n_samples: PositiveInt = 100_000, random_state: RandomState = None
    ):
        """Return the share of wrong decisions if the densities and priors are true.

        In one dimension by quadrature between the boundaries of the regions, or by a sum
        over integers; in more dimensions by the mean over drawn samples.

        Parameters
        ----------
        rule : callable or None, default=None
            Takes samples and returns class labels; None is Bayes' rule, with the least error.
        n_samples : int, default=100000
            Samples drawn in several dimensions.
        random_state : int, RandomState, Generator or None, default=None
            Seeds these samples.

        Returns
        -------
        result : ErrorRate
            The rate and its standard error, which is zero for quadrature.
        """
        classes, priors, densities = self._ready()
        rng = as_generator(random_state)
        exact = by_quadrature(self._joint, classes, densities, rule)
        if exact is not None:
            return ErrorRate(exact, 0.0)
        return by_sampling(self._joint, classes, priors, densities, rule, n_samples, rng)

    def regions(self, low, high, n_points=2001):
        """Return the intervals of one feature and the class that each is decided for.

        Parameters
        ----------
        low, high : float
            Ends of the range.
        n_points : int, default=2001
            Points at which boundaries are searched; each boundary found is then refined.

        Returns
        -------
        edges : ndarray of shape (n_intervals + 1,)
            Boundaries from `low` to `high`; classes are equally probable at the inner ones.
        labels : ndarray of shape (n_intervals,)
            Class of each interval; one class may have several.
        """
        edges, labels = boundaries(self._joint, np.linspace(low, high, n_points))
        return edges, self._ready()[0][labels]

    def _check(self, X, y, sample_weight):
        raw = np.asarray(X) if issparse(X) else as_array("BayesClassifier", X)
        letters = self.densities is not None and (
            raw.dtype.kind == "U" or (raw.dtype.kind == "O" and raw.ndim == 1)
        )
        if not letters:
            return check_labelled(self, X, y, sample_weight)
        self.classes_, y = np.unique(np.asarray(y), return_inverse=True)
        return raw, y, check_weights(sample_weight, len(raw))

    def _joint(self, X, relative=False):
        _, priors, densities = self._ready()
        if hasattr(self, "n_features_in_"):
            X = check_new(self, X)
        else:
            X = np.asarray(X)
            if X.ndim != 2 and X.dtype.kind not in "UO":
                raise ValueError(
                    f"BayesClassifier: X must be two-dimensional, got shape {X.shape}. Reshape one "
                    "feature with X.reshape(-1, 1)."
                )
        with np.errstate(divide="ignore"):
            return log_densities(densities, X, relative) + np.log(priors)

    def _ready(self):
        """Return classes, priors and densities, learned or given."""
        if hasattr(self, "densities_"):
            return self.classes_, self.priors_.astype(np.float64), self.densities_
        check_is_fitted(self)
        n_classes = len(self.densities)
        priors = self._given_priors(n_classes, np.full(n_classes, 1 / n_classes))
        return np.arange(n_classes), priors, self.densities

    def _given_priors(self, n_classes, otherwise):
        if self.priors is None:
            return otherwise
        priors = np.asarray(self.priors, dtype=float)
        good = priors.shape == (n_classes,) and (priors >= 0).all()
        if not good or not np.isclose(priors.sum(), 1, rtol=0, atol=1e-8):
            raise ValueError(
                f"BayesClassifier: priors must be {n_classes} probabilities that sum to one, got "
                f"{self.priors}."
            )
        return priors

    def __sklearn_is_fitted__(self):
        if hasattr(self, "densities_"):
            return True
        return isinstance(self.densities, list | tuple) and all(map(_is_known, self.densities))


def _fitted(model, X, weights):
    if not hasattr(model, "fit") or (_is_known(model) and not hasattr(model, "get_params")):
        return model
    if weights is None:
        return clone(model).fit(X)
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"BayesClassifier: {type(model).__name__} takes no sample_weight. Leave the weights "
            "out, or choose another density."
        )
    return clone(model).fit(X, sample_weight=weights)


def _is_known(model):
    if hasattr(model, "logpdf") or hasattr(model, "logpmf"):
        return True
    fitted = getattr(model, "__sklearn_is_fitted__", None)
    if fitted is not None:
        return fitted()
    return any(name.endswith("_") and not name.startswith("__") for name in vars(model))


def _is_float32(X):
    return getattr(X, "dtype", None) == np.float32
