"""Leaks: rows, groups or copies of the target that training and test part share."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.stats import spearmanr
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import type_of_target

from shallows._core.contract.params import Fraction, check_arguments

Array = NDArray[Any]
MOST_CLASSES = 20


@dataclass(frozen=True)
class Leaks:
    """Result of `find_leaks`.

    Parameters
    ----------
    duplicates : tuple of (int, int)
        Each test row that is also a training row, with the first such training row.
    contradictions : tuple of (int, int)
        The `duplicates` with different targets.
    copies : tuple of (int or str, float)
        Features that reveal the target, with the accuracy or correlation they reach.
    shared_groups : tuple
        Groups with rows in both parts.
    n_test : int
        Rows of the test part.

    Examples
    --------
    >>> from shallows.validate import find_leaks
    >>> bool(find_leaks([[1], [2]], [[3]]))
    False
    """

    duplicates: tuple[tuple[int, int], ...]
    contradictions: tuple[tuple[int, int], ...]
    copies: tuple[tuple[Any, float], ...]
    shared_groups: tuple[Any, ...]
    n_test: int

    def __bool__(self) -> bool:
        """Return whether any leak was found."""
        return bool(self.duplicates or self.copies or self.shared_groups)

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            A sentence per kind of leak.
        """
        found = []
        if self.duplicates:
            share = len(self.duplicates) / self.n_test
            found.append(
                f"{len(self.duplicates)} of {self.n_test} test rows ({share:.1%}) are also "
                f"training rows, {len(self.contradictions)} of them with another target."
            )
        if self.copies:
            names = ", ".join(f"{name} ({score:.3f})" for name, score in self.copies)
            found.append(f"Features that give the target away: {names}.")
        if self.shared_groups:
            names = ", ".join(map(str, self.shared_groups[:5]))
            more = " and more" if len(self.shared_groups) > 5 else ""
            found.append(f"{len(self.shared_groups)} groups are in both parts: {names}{more}.")
        return " ".join(found) or "No leak was found."


def find_leaks(
    X_train: Any,
    X_test: Any,
    y_train: Any = None,
    y_test: Any = None,
    *,
    groups_train: Any = None,
    groups_test: Any = None,
    threshold: Fraction = 0.999,
) -> Leaks:
    """Find rows and groups in both training and test part, and copies of the target.

    Rows are compared exactly, byte by byte; missing values equal each other. A feature is a
    near-copy of a class label if it predicts nearly all training rows, with as many intervals as
    there are classes. It is a near-copy of a numeric target if it has nearly the same or the
    opposite order. With few rows and many features this can happen by chance.

    Parameters
    ----------
    X_train : array-like, sparse matrix or data frame of shape (n_train, n_features)
        Training samples.
    X_test : array-like, sparse matrix or data frame of shape (n_test, n_features)
        Test samples.
    y_train : array-like of shape (n_train,), default=None
        Training targets, needed to find copies of the target.
    y_test : array-like of shape (n_test,), default=None
        Test targets, to find duplicates that contradict each other.
    groups_train : array-like of shape (n_train,), default=None
        Group of each training row.
    groups_test : array-like of shape (n_test,), default=None
        Group of each test row.
    threshold : float, default=0.999
        Share of correct classes, or absolute rank correlation, from which a feature counts as a
        copy.

    Returns
    -------
    leaks : Leaks
        The leaks; false if there are none.

    Examples
    --------
    >>> from shallows.validate import find_leaks
    >>> found = find_leaks([[1, 5], [2, 6], [3, 5]], [[2, 6], [4, 4]])
    >>> found.duplicates
    ((0, 1),)
    >>> found.summary()
    '1 of 2 test rows (50.0%) are also training rows, 0 of them with another target.'
    """
    check_arguments(find_leaks, locals())
    first: dict[Any, int] = {}
    for place, key in enumerate(_keys(X_train)):
        first.setdefault(key, place)
    test_keys = _keys(X_test)
    duplicates = [(place, first[key]) for place, key in enumerate(test_keys) if key in first]
    contradictions = []
    if y_train is not None and y_test is not None:
        known, unseen = np.asarray(y_train), np.asarray(y_test)
        contradictions = [(i, j) for i, j in duplicates if unseen[i] != known[j]]
    shared: list[Any] = []
    if groups_train is not None and groups_test is not None:
        shared = np.intersect1d(np.asarray(groups_train), np.asarray(groups_test)).tolist()
    copies = [] if y_train is None else _copies(X_train, np.asarray(y_train), threshold)
    return Leaks(
        tuple(duplicates), tuple(contradictions), tuple(copies), tuple(shared), len(test_keys)
    )


def find_duplicates(X: Any) -> list[list[int]]:
    """Group rows that are exact copies of each other.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    groups : list of list of int
        Row numbers of every set of equal rows with more than one member.

    Examples
    --------
    >>> from shallows.validate import find_duplicates
    >>> find_duplicates([[1, 2], [3, 4], [1, 2]])
    [[0, 2]]
    """
    places: dict[Any, list[int]] = defaultdict(list)
    for place, key in enumerate(_keys(X)):
        places[key].append(place)
    return [rows for rows in places.values() if len(rows) > 1]


def _keys(X: Any) -> list[Any]:
    """Return one hashable key per row; equal rows have equal keys, whatever their number type."""
    if issparse(X):
        table = csr_array(X, dtype=np.float64, copy=True)
        table.sum_duplicates()
        table.eliminate_zeros()
        bounds = zip(table.indptr[:-1], table.indptr[1:], strict=True)
        return [(table.indices[a:b].tobytes(), table.data[a:b].tobytes()) for a, b in bounds]
    values = np.asarray(X)
    values = values.reshape(len(values), int(np.prod(values.shape[1:])))
    if values.dtype.kind in "fiub":
        plain = np.ascontiguousarray(values, dtype=np.float64) + 0.0  # no negative zeros
        plain[np.isnan(plain)] = np.nan
        return [row.tobytes() for row in plain]
    return [tuple(None if v is None or v != v else v for v in row) for row in values.tolist()]


def _copies(X: Any, y: Array, threshold: float) -> list[tuple[Any, float]]:
    names = getattr(X, "columns", None)
    table = X.tocsc() if issparse(X) else X
    # Whole numbers in a float column are classes only if there are few different ones.
    continuous = y.dtype.kind == "f" and type_of_target(y).startswith("continuous")
    numeric = continuous or (y.dtype.kind == "f" and len(np.unique(y)) > MOST_CLASSES)
    found = []
    for j in range(X.shape[1] if hasattr(X, "shape") else len(X[0])):
        score = (_ranks_target if numeric else _says_class)(_column(table, j), y)
        if score >= threshold:
            found.append((j if names is None else names[j], score))
    return found


def _column(X: Any, j: int) -> Array:
    """Return a feature as numbers: words are numbered in sorted order, gaps get a number too."""
    if issparse(X):
        return X[:, [j]].toarray().ravel()
    column = np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else np.asarray(X)[:, j])
    try:
        values = column.astype(np.float64)
    except (TypeError, ValueError):
        values = np.unique(column.astype(str), return_inverse=True)[1].astype(np.float64)
    gaps = np.isnan(values)
    if gaps.any() and not gaps.all():
        values[gaps] = values[~gaps].min() - 1
    return np.nan_to_num(values)


def _says_class(column: Array, y: Array) -> float:
    n_classes = len(np.unique(y))
    if n_classes < 2 or np.ptp(column) == 0:
        return 0.0
    tree = DecisionTreeClassifier(max_leaf_nodes=max(2, n_classes), random_state=0)
    return float(tree.fit(column[:, None], y).score(column[:, None], y))


def _ranks_target(column: Array, y: Array) -> float:
    if np.ptp(column) == 0 or np.ptp(y) == 0:
        return 0.0
    return abs(float(spearmanr(column, y).statistic))
