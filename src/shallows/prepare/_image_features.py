"""Hand-made features of images."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import check_arguments, check_params


def mean_brightness(X) -> np.ndarray:
    """Return the mean grey value of each image.

    With 0 for white and 1 for black this is the share of ink. In a pipeline, wrap functions like
    this in :class:`sklearn.preprocessing.FunctionTransformer` and join several with
    :class:`sklearn.pipeline.FeatureUnion`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_pixels)
        Images as rows.

    Returns
    -------
    brightness : ndarray of shape (n_samples, 1)
        Mean of each image.

    Examples
    --------
    >>> from shallows.prepare import mean_brightness
    >>> mean_brightness([[0.0, 1.0, 1.0, 0.0]])
    array([[0.5]])
    """
    return np.asarray(X).mean(axis=1, keepdims=True)


def radiality(X, shape: tuple, *, threshold: float = 0.5) -> np.ndarray:
    """Return whether both the middle row and the middle column go black, white, black.

    This is true for a "0" and for few other digits. A side with an even number of pixels has two
    middle lines; one of them is enough.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_pixels)
        Images as rows.
    shape : tuple of int
        Rows and columns of an image.
    threshold : float, default=0.5
        Grey values above it count as black.

    Returns
    -------
    radial : ndarray of shape (n_samples, 1)
        0.0 or 1.0.

    Examples
    --------
    >>> from shallows.prepare import radiality
    >>> ring = [0, 1, 0, 1, 0, 1, 0, 1, 0]
    >>> radiality([ring, [1] * 9], (3, 3))
    array([[1.],
           [0.]])
    """
    check_arguments(radiality, locals())
    X = np.asarray(X)
    if len(shape) != 2 or X.ndim != 2 or X.shape[1] != shape[0] * shape[1]:
        raise ValueError(f"radiality: images of shape {shape} do not fit rows of X, {X.shape}.")
    black = X.reshape(-1, *shape) > threshold
    rows, columns = black, black.transpose(0, 2, 1)
    found = [
        np.any([_has_gap(lines[:, i]) for i in _middle(lines.shape[1])], axis=0)
        for lines in (rows, columns)
    ]
    return np.all(found, axis=0).astype(np.float64)[:, None]


class PrototypeMatching(TransformerMixin, BaseEstimator):
    """Compare every sample with the mean of each class, by the scalar product (matched filter).

    Parameters
    ----------
    normalize : bool, default=False
        Whether to scale samples and means to length 1 first, so that long means have no advantage.
        The result is then the cosine.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_classes, n_features)
        Means of the classes.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.prepare import PrototypeMatching
    >>> PrototypeMatching().fit_transform([[2.0, 0.0], [0.0, 1.0]], ["a", "b"])
    array([[4., 0.],
           [0., 1.]])
    """

    def __init__(self, normalize: bool = False):
        self.normalize = normalize

    def fit(self, X, y):
        """Average the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : PrototypeMatching
            The fitted transformer.
        """
        check_params(self)
        X, y, _ = check_labelled(self, X, y)
        means = [X[y == k].mean(axis=0, dtype=np.float64) for k in range(len(self.classes_))]
        self.prototypes_ = np.array(means, dtype=X.dtype)
        return self

    def transform(self, X):
        """Return the scalar products with the class means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        products : ndarray of shape (n_samples, n_classes)
            One column per class.
        """
        X = check_new(self, X)
        if not self.normalize:
            return X @ self.prototypes_.astype(X.dtype).T
        return _unit_rows(X) @ _unit_rows(self.prototypes_.astype(X.dtype)).T

    def get_feature_names_out(self, input_features=None):
        """Return a name for each class.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        names : ndarray of str
            Names such as "prototype_3".
        """
        check_is_fitted(self)
        return np.array([f"prototype_{label}" for label in self.classes_], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _middle(length):
    return {(length - 1) // 2, length // 2}


def _has_gap(lines):
    """Return for each line of booleans whether a white pixel lies between black ones."""
    before = np.logical_or.accumulate(lines, axis=1)
    after = np.logical_or.accumulate(lines[:, ::-1], axis=1)[:, ::-1]
    return (before & after & ~lines).any(axis=1)


def _unit_rows(X):
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1)
