"""Features made by fixed functions of the inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.params import check_params
from shallows._core.numerics.threads import block_slices

BLOCK_ROWS = 512  # whose products stay in the cache


def products(X):
    """Return the products of all pairs of different columns."""
    first, second = np.triu_indices(X.shape[1], k=1)
    found = np.empty((len(X), len(first)), dtype=X.dtype)
    for rows in block_slices(len(X), BLOCK_ROWS):
        part = X[rows]
        np.multiply(part.take(first, axis=1), part.take(second, axis=1), out=found[rows])
    return found


BASES: dict[str, Callable] = {
    "identity": np.asarray,
    "square": np.square,
    "cube": lambda X: X**3,
    "products": products,
    "absolute": np.abs,
    "log": np.log,
    "root": np.sqrt,
    "norm": lambda X: np.linalg.norm(X, axis=1),
    "sine": lambda X: np.sin(2 * np.pi * X),
    "cosine": lambda X: np.cos(2 * np.pi * X),
}


class BasisExpansion(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Replace inputs by fixed functions of them, so that a linear model can bend.

    The features are :math:`\phi_1(x), \ldots, \phi_K(x)`; a linear model of them is linear in
    its weights, so least squares and ridge apply unchanged. The functions are chosen before
    the data are seen. For all powers and products up to a degree take scikit-learn's
    `PolynomialFeatures`, for splines its `SplineTransformer`.

    Parameters
    ----------
    functions : list or tuple, default=("identity", "square")
        Each is a callable that takes X and returns one or more columns, or one of "identity",
        "square", "cube", "products" (of pairs of columns), "absolute", "log", "root", "norm"
        (of the whole row), "sine" and "cosine" (of period 1).

    Attributes
    ----------
    n_features_out_ : int
        Number of columns made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import BasisExpansion
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> BasisExpansion(["identity", "products", lambda X: X[:, 0] ** 3]).fit_transform(X)
    array([[ 1.,  2.,  2.,  1.],
           [ 3.,  4., 12., 27.]])
    """

    def __init__(self, functions: list | tuple = ("identity", "square")):
        self.functions = functions

    def fit(self, X, y=None):
        """Check the functions and count their columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        self : BasisExpansion
            The fitted estimator.
        """
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Check the functions and return their values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        features : ndarray of shape (n_samples, n_features_out_)
            One column after the other, in the order of `functions`.
        """
        return self._fit(X)

    def transform(self, X):
        """Return the values of the functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        features : ndarray of shape (n_samples, n_features_out_)
            One column after the other, in the order of `functions`.
        """
        return self._expand(check_new(self, X))

    def _fit(self, X):
        """Count the columns and return them."""
        check_params(self)
        if not len(self.functions):
            raise ValueError("BasisExpansion: functions must name at least one, got none.")
        X = check_rows(self, X)
        features = self._expand(X)
        self.n_features_out_ = features.shape[1]
        return features

    @property
    def _n_features_out(self):
        return self.n_features_out_

    def _expand(self, X):
        with np.errstate(invalid="ignore", divide="ignore"):
            columns = [_columns(function, X) for function in self.functions]
        return np.hstack(columns, dtype=X.dtype)


def _columns(function, X):
    """Return the columns of one function, as many rows as X and all of them finite."""
    if not callable(function) and function not in BASES:
        raise ValueError(
            f"BasisExpansion: functions must be callables or of {', '.join(BASES)}, "
            f"got {function!r}."
        )
    name = getattr(function, "__name__", function)
    values = np.asarray((BASES[function] if isinstance(function, str) else function)(X))
    if values.shape[:1] != X.shape[:1] or values.ndim > 2:
        raise ValueError(
            f"BasisExpansion: function {name} must return one row for each of the {len(X)} rows "
            f"of X, got shape {values.shape}."
        )
    values = values.reshape(len(X), -1).astype(X.dtype, copy=False)
    if not np.isfinite(values).all():
        raise ValueError(
            f"BasisExpansion: function {name} is not defined for some of the values of X; "
            "move or scale them first."
        )
    return values
