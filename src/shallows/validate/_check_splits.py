"""Checks that the parts of a split do not leak into each other."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def check_splits(
    splits: Iterable[tuple[ArrayLike, ArrayLike]],
    y: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    times: ArrayLike | None = None,
) -> list[tuple[Array, Array]]:
    """Return the splits, or raise an error that names the fold that leaks.

    Errors: both parts share rows or groups, a part has no rows, or a class of the test part is
    missing in the training part. A warning: the training part has rows later than the first test
    row, which usually means that a time series was shuffled by mistake.

    Parameters
    ----------
    splits : iterable of (train, test)
        Row numbers of both parts of each fold, as a splitter's `split` yields them.
    y : array-like of shape (n_samples,), default=None
        Class labels; omit them in regression.
    groups : array-like of shape (n_samples,), default=None
        Group of each row, such as the patient.
    times : array-like of shape (n_samples,), default=None
        Time of each row.

    Returns
    -------
    splits : list of (ndarray, ndarray)
        The row numbers of every fold.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from shallows.validate import check_splits
    >>> patients = [1, 1, 2, 2]
    >>> len(check_splits(KFold(2).split(patients), groups=patients))
    2
    >>> check_splits(KFold(4).split(patients), groups=patients)
    Traceback (most recent call last):
    ValueError: Fold 0: group 1 is in both parts. ...
    """
    checked = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    late = []
    for fold, (train, test) in enumerate(checked):
        if not len(train) or not len(test):
            raise ValueError(
                f"Fold {fold}: both parts need rows, got {len(train)} for training and "
                f"{len(test)} for testing."
            )
        _refuse_shared(fold, "row", train, test, "A test row must be unseen.")
        if groups is not None:
            own = np.asarray(groups)
            advice = "Split by groups, e.g. with GroupKFold or StratifiedGroupKFold."
            _refuse_shared(fold, "group", own[train], own[test], advice)
        if y is not None:
            _refuse_unseen_classes(fold, np.asarray(y)[train], np.asarray(y)[test])
        if times is not None and np.asarray(times)[train].max() > np.asarray(times)[test].min():
            late.append(fold)
    if late:
        warnings.warn(
            f"The rows are a time series, but in {len(late)} of {len(checked)} folds, first in "
            f"fold {late[0]}, the model learns from rows later than its test rows. Split "
            "with TimeSeriesSplit unless the order of the rows has no meaning.",
            UserWarning,
            stacklevel=2,
        )
    return checked


def is_missing(y: Array) -> NDArray[np.bool_]:
    """Return where a target is NaN, NaT, None or pandas' NA."""
    gaps: NDArray[np.bool_]
    if y.dtype.kind in "fcmM":
        gaps = np.isnat(y) if y.dtype.kind in "mM" else np.isnan(y)
    elif y.dtype.kind == "O":
        flat = [value is None or _is_na(value) for value in y.ravel()]
        gaps = np.reshape(np.array(flat, dtype=bool), y.shape)
    else:
        gaps = np.zeros(y.shape, dtype=bool)
    return np.logical_or.reduce(gaps.reshape(len(y), -1), axis=1)


def _is_na(value: Any) -> bool:
    """Return whether a value is NaN, or NA, which has no truth value."""
    try:
        return bool(value != value)
    except TypeError:
        return True


def _refuse_shared(fold: int, kind: str, train: Array, test: Array, advice: str) -> None:
    shared = np.intersect1d(train, test)
    if len(shared):
        raise ValueError(f"Fold {fold}: {kind} {shared[0].item()!r} is in both parts. {advice}")


def _refuse_unseen_classes(fold: int, train: Array, test: Array) -> None:
    unseen = np.setdiff1d(test, train)
    if len(unseen):
        raise ValueError(
            f"Fold {fold}: class {unseen[0].item()!r} is in the test part only. Use stratified "
            "folds, or merge rare classes."
        )
