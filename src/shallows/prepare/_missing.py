"""Missing values: create them, count them, drop them."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from shallows._core.contract.params import Fraction, NonNegativeFloat, Probability, check_arguments
from shallows._core.contract.rng import RandomState, as_generator

USUAL_MARKERS = (0, -1, -9, -99, -999, -9999, 9, 99, 999, 9999)


@dataclass(frozen=True)
class MissingReport:
    """Counts and patterns of missing values.

    Parameters
    ----------
    counts : ndarray of shape (n_features,)
        Gaps in each column.
    shares : ndarray of shape (n_features,)
        Share of gaps in each column.
    complete_rows : int
        Rows without gap.
    patterns : dict of tuple of int to int
        How many rows miss exactly these columns.
    suspects : dict of int to float
        Columns with a usual marker that is repeated although other values hardly are.
    """

    counts: np.ndarray
    shares: np.ndarray
    complete_rows: int
    patterns: dict[tuple[int, ...], int]
    suspects: dict[int, float]


class Kept(NamedTuple):
    """The remaining data, and which rows or columns were kept."""

    X: np.ndarray
    y: np.ndarray | None
    kept: np.ndarray


def mask_missing(
    X,
    kind: Literal["mcar", "mar", "mnar"],
    fraction: Fraction,
    *,
    strength: NonNegativeFloat = 2.0,
    driver: int = 0,
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Remove values from complete data by one of three mechanisms.

    A value is removed with probability :math:`1 / (1 + e^{-(a + b z)})`. Here z is a standardised
    value, :math:`b` the strength, and :math:`a` makes the mean probability equal to `fraction`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Complete data.
    kind : {"mcar", "mar", "mnar"}
        Missing completely at random: every value with the same probability. Missing at random: z
        is the value of the driver column in the same row; the driver itself stays complete.
        Missing not at random: z is the value itself, so large values are removed more often.
    fraction : float
        Expected share of removed values: over all columns, or for "mar" over all but the driver.
    strength : float, default=2.0
        Influence of z on the probability; with 0 all kinds are equal to "mcar".
    driver : int, default=0
        Index of the column that decides for "mar".
    random_state : int, RandomState, Generator or None, default=None
        Seeds the removal.

    Returns
    -------
    masked : ndarray of shape (n_samples, n_features)
        A copy with NaN for removed values.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import mask_missing
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> masked = mask_missing(X, "mnar", 0.2, random_state=0)
    >>> bool(np.nanmean(masked) < X.mean() - 0.2)
    True
    """
    check_arguments(mask_missing, locals())
    rng = as_generator(random_state)
    masked = np.array(X, dtype=np.float64, ndmin=2)
    if np.isnan(masked).any():
        raise ValueError("mask_missing: X must be complete, got gaps.")
    spread = masked.std(axis=0)
    standard = (masked - masked.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if kind == "mcar":
        chance = np.full(masked.shape, fraction)
    elif kind == "mar":
        columns = np.arange(masked.shape[1])
        if driver not in columns or len(columns) < 2:
            raise ValueError(
                f"mask_missing: driver must be one of at least two columns, got {driver} of "
                f"{len(columns)}."
            )
        chance = np.where(
            columns == driver, 0.0, _chances(standard[:, driver], fraction, strength)[:, None]
        )
    else:
        chance = np.column_stack([_chances(z, fraction, strength) for z in standard.T])
    masked[rng.random(masked.shape) < chance] = np.nan
    return masked


def missing_report(X, *, marker: float = np.nan) -> MissingReport:
    """Count missing values, and find numbers that may be markers of missing values.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    marker : float, default=nan
        The marker of a missing value. A warning is given if it lies within the range of the other
        values of a column, because true values may then be lost.

    Returns
    -------
    report : MissingReport
        Counts per column, complete rows, patterns, suspects.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import missing_report
    >>> report = missing_report([[1.0, np.nan], [2.0, np.nan], [3.0, 4.0]])
    >>> report.counts, report.complete_rows, report.patterns
    (array([0, 2]), 1, {(1,): 2, (): 1})
    """
    X = np.array(X, dtype=np.float64, ndmin=2)
    gaps = np.isnan(X) if np.isnan(marker) else (marker == X) | np.isnan(X)
    for j in range(X.shape[1]):
        values = X[~gaps[:, j], j]
        if gaps[:, j].any() and len(values) and values.min() <= marker <= values.max():
            warnings.warn(
                f"The marker {marker} for missing values lies inside the range "
                f"{values.min():g} to {values.max():g} of column {j}: true values may be lost.",
                UserWarning,
                stacklevel=2,
            )
    patterns = Counter(tuple(map(int, np.flatnonzero(row))) for row in gaps)
    return MissingReport(
        counts=gaps.sum(axis=0),
        shares=gaps.mean(axis=0),
        complete_rows=int((~gaps.any(axis=1)).sum()),
        patterns=dict(patterns.most_common()),
        suspects={
            j: value
            for j in range(X.shape[1])
            if (value := _suspect(X[~gaps[:, j], j])) is not None
        },
    )


def drop_incomplete(
    X, y=None, *, axis: Literal["rows", "columns"] = "rows", max_missing: Probability = 0.0
) -> Kept:
    """Drop rows or columns with gaps.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, with NaN for missing values.
    y : array-like of shape (n_samples,) or None, default=None
        Labels or targets of the rows.
    axis : {"rows", "columns"}, default="rows"
        Whether to drop rows or columns.
    max_missing : float, default=0.0
        Rows or columns are kept up to this share of missing values.

    Returns
    -------
    X : ndarray
        The remaining data.
    y : ndarray or None
        Labels of the remaining rows.
    kept : ndarray of bool
        Mask of the rows or columns that are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import drop_incomplete
    >>> drop_incomplete([[1.0, np.nan], [3.0, 4.0]]).X
    array([[3., 4.]])
    >>> drop_incomplete([[1.0, np.nan], [3.0, 4.0]], axis="columns").X
    array([[1.],
           [3.]])
    """
    check_arguments(drop_incomplete, locals())
    X = np.array(X, dtype=np.float64, ndmin=2)
    y = None if y is None else np.array(y)
    kept = np.isnan(X).mean(axis=1 if axis == "rows" else 0) <= max_missing
    if not kept.any():
        raise ValueError(
            f"drop_incomplete: all {axis} have a larger share of missing values than "
            f"max_missing={max_missing}. Raise it, or fill the gaps."
        )
    if axis == "columns":
        return Kept(X[:, kept], y, kept)
    return Kept(X[kept], None if y is None else y[kept], kept)


def _chances(z, fraction, strength):
    """Return logistic probabilities with the given mean."""
    reach = 50 + strength * np.abs(z).max(initial=0.0)
    # The mean grows with the offset, so bisection finds it.
    offset = brentq(lambda a: expit(a + strength * z).mean() - fraction, -reach, reach)
    return expit(offset + strength * z)


def _suspect(values):
    """Return a usual marker if it is the only frequently repeated value, else None."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < 10:
        return None
    most = counts.argmax()
    others = np.delete(counts, most)
    if distinct[most] in USUAL_MARKERS and counts[most] >= 3 and counts[most] > 3 * others.max():
        return float(distinct[most])
    return None
