"""Cut each column into at most 255 bins, so that a split is looked for among few thresholds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

MOST_BINS = 255  # one more is kept for gaps, so that a bin fits in a byte
ENOUGH_ROWS = 200_000  # quantiles of so many rows are good enough
BLOCK_ROWS = 2048


class Bins(NamedTuple):
    """Where each column is cut.

    Value x is in the bin whose number is how many thresholds lie below x. Rows of `thresholds`
    are filled up with infinity. A gap is in bin `gap_bin` of every column.
    """

    thresholds: np.ndarray
    n_bins: np.ndarray
    is_categorical: np.ndarray

    @property
    def gap_bin(self) -> int:
        """The last bin, after those of all columns' values."""
        return int(self.n_bins.max())

    def threshold(self, column: int, place: int) -> float:
        """The upper end of a bin; infinite for the last."""
        row = self.thresholds[column]
        return float(row[place]) if place < len(row) else np.inf


def learn_bins(X, weights, max_bins, n_categories, rng) -> Bins:
    """Choose thresholds at equal shares of weight, or between all values where they are few.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples; NaN is a gap. Categories are numbered from 0.
    weights : ndarray of shape (n_samples,)
        Weights of the samples. A sample of weight two counts as two samples.
    max_bins : int
        Most bins of a column, without the one for gaps.
    n_categories : list
        Number of categories of each column, 0 for a column of numbers.
    rng : Generator
        Draws the rows that are looked at, if there are very many.

    Returns
    -------
    bins : Bins
        The thresholds.
    """
    if len(X) > ENOUGH_ROWS:
        drawn = np.sort(rng.choice(len(X), ENOUGH_ROWS, replace=False))
        X, weights = X[drawn], weights[drawn]
    equal = weights.min() == weights.max()

    def cut(part: slice) -> list[np.ndarray]:
        return [
            np.arange(count - 1) + 0.5 if count else _cut(column, weights, equal, max_bins)
            for column, count in zip(X.T[part], n_categories[part], strict=True)
        ]

    cuts = [one for part in map_blocks(cut, X.shape[1], 1) for one in part]
    longest = max(map(len, cuts))
    thresholds = np.full((len(cuts), longest), np.inf)
    for row, one in zip(thresholds, cuts, strict=True):
        row[: len(one)] = one
    n_bins = np.array([len(one) + 1 for one in cuts], np.int32)
    return Bins(thresholds, n_bins, np.array(n_categories) > 0)


def bin_rows(bins: Bins, X) -> np.ndarray:
    """Return the bin of each value of X, one line per column."""
    table = np.empty(X.shape[::-1], np.uint8)
    padded = np.full((len(bins.thresholds), MOST_BINS), np.inf)
    padded[:, : bins.thresholds.shape[1]] = bins.thresholds
    gap_bin = bins.gap_bin

    def write(rows: slice) -> None:
        write_bins(X[rows], padded, gap_bin, table[:, rows])

    map_blocks(write, len(X), BLOCK_ROWS)
    return table


def _cut(column, weights, equal, max_bins):
    """Return the thresholds of one column of numbers."""
    known = ~np.isnan(column)
    if equal:
        ordered, reached = np.sort(column[known]), None
    else:
        order = np.argsort(column[known], kind="stable")
        ordered, reached = column[known][order], np.cumsum(weights[known][order])
    # The places of the last of each run of equal values: a threshold may follow each but the last.
    ends = np.flatnonzero(ordered[1:] != ordered[:-1])
    if len(ends) >= max_bins:
        shares = np.arange(1, max_bins) / max_bins
        if reached is None:
            ends = ends[_first_reaching(ends + 1, shares * len(ordered))]
        else:
            ends = ends[_first_reaching(reached[ends], shares * reached[-1])]
    low, high = ordered[ends].astype(np.float64), ordered[ends + 1].astype(np.float64)
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)


def _first_reaching(masses, wanted):
    """Return the place of the first mass that reaches each wanted one, each place once."""
    return np.unique(np.minimum(np.searchsorted(masses, wanted), len(masses) - 1))


@compiled
def write_bins(X, thresholds, gap_bin, out):
    """Write the bin of each value; `thresholds` has 255 columns, so that eight steps find it."""
    for j in range(X.shape[1]):
        cuts = thresholds[j]
        for i in range(X.shape[0]):
            x = X[i, j]
            # Binary search without branches, because mispredicted ones would take most time.
            place = 0
            step = 128
            while step > 0:
                place += step * (x > cuts[place + step - 1])
                step >>= 1
            out[j, i] = gap_bin if x != x else place
