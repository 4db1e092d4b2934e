"""Missing values: make them, count them, drop them."""

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
    """Where values are missing.

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
        Columns in which a usual marker repeats although other values hardly do.
    """

    counts: np.ndarray
    shares: np.ndarray
    complete_rows: int
    patterns: dict[tuple[int, ...], int]
    suspects: dict[int, float]


class Kept(NamedTuple):
    """What is left of the data, and which rows or columns it is."""

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
    r"""Punch holes into complete data in one of three ways.

    The chance of a hole is :math:`1 / (1 + e^{-(a + b z)})`, with z a standardised value,
    :math:`b` the strength and :math:`a` such that the mean chance is `fraction`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Complete data.
    kind : {"mcar", "mar", "mnar"}
        Completely at random: every value with the same chance. At random: z is the value
        of the driver column in the same row, which itself stays complete. Not at random: z is
        the value itself, so that large values are the ones to vanish.
    fraction : float
        Expected share of holes, of all columns; for "mar" of all but the driver.
    strength : float, default=2.0
        How much the chance depends on z; with 0 all kinds are the first one.
    driver : int, default=0
        The column that decides for "mar".
    random_state : int, RandomState, Generator or None, default=None
        Seeds the holes.

    Returns
    -------
    masked : ndarray of shape (n_samples, n_features)
        A copy with NaN in the holes.

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
    """Count gaps, and look for numbers that may stand for gaps.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers.
    marker : float, default=nan
        What stands for a missing value. A warning tells where it lies inside the range of
        the other values of a column, so that it can't be told from a value.

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
        Numbers with NaN for gaps.
    y : array-like of shape (n_samples,) or None, default=None
        Labels or targets of the rows.
    axis : {"rows", "columns"}, default="rows"
        What to drop.
    max_missing : float, default=0.0
        Largest share of gaps in a row or column that is kept.

    Returns
    -------
    X : ndarray
        What is left.
    y : ndarray or None
        Labels of the rows left.
    kept : ndarray of bool
        Which rows or columns these are.

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
            f"drop_incomplete: every one of the {axis} has a larger share of gaps than "
            f"max_missing={max_missing}. Raise it, or fill the gaps."
        )
    if axis == "columns":
        return Kept(X[:, kept], y, kept)
    return Kept(X[kept], None if y is None else y[kept], kept)


def _chances(z, fraction, strength):
    """Return logistic chances with the given mean."""
    reach = 50 + strength * np.abs(z).max(initial=0.0)
    offset = brentq(lambda a: expit(a + strength * z).mean() - fraction, -reach, reach)
    return expit(offset + strength * z)


def _suspect(values):
    """Return a usual marker that is the only value to repeat much, else None."""
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < 10:
        return None
    most = counts.argmax()
    others = np.delete(counts, most)
    if distinct[most] in USUAL_MARKERS and counts[most] >= 3 and counts[most] > 3 * others.max():
        return float(distinct[most])
    return None
