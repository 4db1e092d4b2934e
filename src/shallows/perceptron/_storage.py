"""Labelled points and hyperplanes: potentials, stability, codings."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_X_y

from shallows._core.contract.params import FiniteFloat, NonNegativeFloat, accepts, check_value
from shallows.perceptron._finite_array import finite_array


class LinearThreshold(NamedTuple):
    r"""A hyperplane :math:`w \cdot x + b = 0` and its two sides.

    Parameters
    ----------
    coef : ndarray of shape (n_features,)
        Normal :math:`w`, not zero.
    intercept : float, default=0.0
        Offset :math:`b`, minus the threshold.

    Examples
    --------
    >>> from shallows.perceptron import LinearThreshold
    >>> plane = LinearThreshold([3, 4], -5)
    >>> plane.distance([[0, 0], [3, 4]])
    array([-1.,  4.])
    >>> plane.side([[0, 0], [3, 4]])
    array([-1,  1])
    """

    coef: np.ndarray
    intercept: float = 0.0

    def distance(self, X):
        """Return the distance of each point, negative on the side of class -1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        distances : ndarray of shape (n_samples,)
            Independent of the length of `coef`.
        """
        coef = finite_array("LinearThreshold", "coef", self.coef, "n_features")
        X = finite_array("LinearThreshold", "X", X, "n_samples", len(coef))
        length = np.linalg.norm(coef)
        if length == 0:
            raise ValueError(
                "LinearThreshold: coef must not be zero; zero weights are no hyperplane."
            )
        return (X @ coef + self.intercept) / length

    def side(self, X):
        """Return the side of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        sides : ndarray of shape (n_samples,)
            1 where the field is positive, else -1.
        """
        return np.where(self.distance(X) > 0, 1, -1)

    def same_side(self, X, Z):
        """Tell whether points lie on the same side, row by row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        Z : array-like of shape (n_samples, n_features)
            Points to compare with.

        Returns
        -------
        same : ndarray of bool of shape (n_samples,)
            True where both are.
        """
        return self.side(X) == self.side(Z)

    def boundary(self, x):
        """Return the second coordinate of the boundary line in the plane.

        Parameters
        ----------
        x : array-like
            First coordinates.

        Returns
        -------
        second : ndarray
            Where the line passes; NaN everywhere if it is vertical.
        """
        first, second = finite_array("LinearThreshold", "coef of a line", self.coef, 2)
        if second == 0:
            return np.full(np.shape(x), np.nan)
        return -(self.intercept + first * np.asarray(x)) / second


def local_potentials(coef, X, y, intercept: float = 0.0):
    r"""Return the potentials :math:`E = S (w \cdot x + b)`.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
        Weights :math:`w`.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes; the larger one means :math:`S = 1`.
    intercept : float, default=0.0
        Offset :math:`b`.

    Returns
    -------
    potentials : ndarray of shape (n_samples,)
        Positive where the sample lies on its side of the hyperplane.

    Examples
    --------
    >>> from shallows.perceptron import local_potentials
    >>> local_potentials([1, 0], [[2, 1], [3, 0]], [1, -1])
    array([ 2., -3.])
    """
    return potentials_of("local_potentials", coef, X, y, intercept)


def solves_storage(coef, X, y, c: NonNegativeFloat = 0.0, intercept: float = 0.0) -> bool:
    """Tell whether weights store all labels, with potentials above or, for c > 0, at least c.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
        Weights.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    c : float, default=0.0
        Smallest accepted potential.
    intercept : float, default=0.0
        Offset.

    Returns
    -------
    solved : bool
        Whether every sample has a potential above 0, and of at least `c`.

    Examples
    --------
    >>> from shallows.perceptron import solves_storage
    >>> solves_storage([1, 1], [[0, 1], [-1, 0]], [1, -1], c=1)
    True
    """
    check_value("solves_storage", "c", NonNegativeFloat, c)
    potentials = potentials_of("solves_storage", coef, X, y, intercept)
    return bool(((potentials > 0) & (potentials >= c)).all())


def stability(coef, X, y, intercept: float = 0.0) -> float:
    r"""Return the stability :math:`\kappa = \min S (w \cdot x + b) / |w|`.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
        Weights :math:`w`, not zero.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    intercept : float, default=0.0
        Offset :math:`b`, which does not count in :math:`|w|`.

    Returns
    -------
    kappa : float
        Smallest distance to the hyperplane, negative if a sample is on the wrong side.

    Examples
    --------
    >>> from shallows.perceptron import stability
    >>> stability([3, 4], [[3, 4], [-1, 0]], [1, -1])
    0.6
    """
    potentials = potentials_of("stability", coef, X, y, intercept)
    length = np.linalg.norm(np.asarray(coef, dtype=float))
    if length == 0:
        raise ValueError("stability: coef must not be zero; zero weights are no hyperplane.")
    return float(potentials.min() / length)


def augment(X, clamp: float = 1.0):
    """Append a constant input, whose weight is then the threshold.

    The classifications are the same, but not the stability: the new weight counts in the length
    of the weights.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    clamp : float, default=1.0
        The constant, not zero. With -1 the new weight is the threshold itself.

    Returns
    -------
    augmented : ndarray of shape (n_samples, n_features + 1)
        Samples with the constant in the last column.

    Examples
    --------
    >>> from shallows.perceptron import augment
    >>> augment([[2, 3]], clamp=-1)
    array([[ 2.,  3., -1.]])
    """
    _check_clamp("augment", clamp)
    X = check_array(X, dtype=float)
    return np.column_stack([X, np.full(len(X), float(clamp))])


def split_bias(weights, clamp: float = 1.0) -> LinearThreshold:
    """Turn weights of augmented samples into weights and an intercept.

    Parameters
    ----------
    weights : array-like of shape (n_features + 1,)
        Weights, that of the constant input last.
    clamp : float, default=1.0
        The constant input, not zero.

    Returns
    -------
    plane : LinearThreshold
        The same classifier for samples without the constant.

    Examples
    --------
    >>> from shallows.perceptron import split_bias
    >>> split_bias([1, 2, 3], clamp=-1)
    LinearThreshold(coef=array([1., 2.]), intercept=-3.0)
    """
    _check_clamp("split_bias", clamp)
    weights = finite_array("split_bias", "weights", weights, "n_features + 1")
    return LinearThreshold(weights[:-1], float(clamp * weights[-1]))


def fold_classes(X, y):
    """Turn the samples of the first class around, so that separation asks for w.x > 0 alone.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, augmented if there is a threshold.
    y : array-like of shape (n_samples,)
        Labels of two classes.

    Returns
    -------
    folded : ndarray of shape (n_samples, n_features)
        Samples times labels -1 and 1.

    Examples
    --------
    >>> from shallows.perceptron import fold_classes
    >>> fold_classes([[1, 2], [3, 4]], ["no", "yes"])
    array([[-1., -2.],
           [ 3.,  4.]])
    """
    X, S = _signed("fold_classes", X, y)
    return X * S[:, None]


def recode_labels(y, to: Literal["-1/+1", "0/1"] = "-1/+1"):
    """Turn labels of two classes into numbers.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes; the larger becomes 1.
    to : {"-1/+1", "0/1"}, default="-1/+1"
        The coding.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Numbers of type int.

    Examples
    --------
    >>> from shallows.perceptron import recode_labels
    >>> recode_labels(["b", "a", "b"]), recode_labels([-1, 1], to="0/1")
    (array([ 1, -1,  1]), array([0, 1]))
    """
    check_value("recode_labels", "to", Literal["-1/+1", "0/1"], to)
    S = signs_of("recode_labels", y)
    return (S if to == "-1/+1" else (S + 1) // 2).astype(int)


def signs_of(owner: str, y):
    """Return labels -1.0 and 1.0 of two classes; labels -1 and 1 may all be the same."""
    y = np.asarray(y)
    classes, indices = np.unique(y, return_inverse=True)
    if np.isin(classes, (-1, 1)).all():
        return y.astype(float)
    if len(classes) != 2:
        raise ValueError(
            f"{owner} needs labels of exactly two classes, got {len(classes)}: "
            f"{classes[:5].tolist()}. Compare one class with the rest by y == label."
        )
    return 2.0 * indices - 1.0


def potentials_of(owner: str, coef, X, y, intercept):
    """Return the local potentials; messages name the owner."""
    check_value(owner, "intercept", FiniteFloat, intercept)
    X, S = _signed(owner, X, y)
    return S * (X @ finite_array(owner, "coef", coef, X.shape[1]) + intercept)


def _check_clamp(owner, clamp):
    if not accepts(FiniteFloat, clamp) or clamp == 0:
        raise ValueError(f"{owner}: clamp must be a finite number other than 0, got {clamp!r}.")


def _signed(owner, X, y):
    X, y = check_X_y(X, y, dtype=float)
    return X, signs_of(owner, y)
