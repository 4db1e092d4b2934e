"""Epochs of the perceptron rule over sparse rows that no cache holds.

Rows that are read in random order take twice the time of neighbours, and double precision takes
more time to read than to compute with. So rows are copied once, in a random order and rounded, and
then runs of them are visited in turns. A field from rounded numbers says whether a sample is a
mistake unless its error may matter; then, and for each step, the exact row is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks
from shallows.perceptron._linear import unsigned

PAYS = range(2**17, 2**27)  # stored values: more than a cache holds, a copy of less than 1 GB
ROWS_AT_ONCE = 1024


class RoundedRows(NamedTuple):
    """Rows in a new order, in single precision, beside those they come from."""

    exact: csr_array
    samples: np.ndarray  # which of the exact rows each is
    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray  # Euclidean, of each row

    @property
    def size(self):
        """Number of stored values."""
        return len(self.values)


def round_rows(X, samples) -> RoundedRows:
    """Return rows `samples` of a CSR array, rounded."""
    starts = np.zeros(len(samples) + 1, dtype=np.uint64)
    np.cumsum((X.indptr[1:] - X.indptr[:-1])[samples], out=starts[1:], dtype=np.uint64)
    values, columns = np.empty(starts[-1], np.float32), np.empty(starts[-1], np.uint32)
    lengths = np.empty(len(samples))
    rows = X.data, unsigned(X.indices), unsigned(X.indptr)

    def copy(block):
        copy_rows(*rows, samples[block], starts[block], values, columns, lengths[block])

    map_blocks(copy, len(samples), ROWS_AT_ONCE)
    return RoundedRows(X, samples, values, columns, starts, lengths)


def rounded_epoch(rows, *task):
    """Do as `shallows.perceptron._perceptron.csr_epoch` with rounded rows."""
    exact = rows.exact.data, unsigned(rows.exact.indices), unsigned(rows.exact.indptr)
    copies = rows.values, rows.columns, rows.starts, rows.lengths
    return visit_rounded(*exact, rows.samples, *copies, *task)


@compiled
def copy_rows(data, columns, starts, samples, places, values_out, columns_out, lengths):
    """Write the rows `samples` of a matrix from `places` on, and their lengths."""
    for i in range(len(samples)):
        place, square = places[i], 0.0
        for k in range(starts[samples[i]], starts[samples[i] + 1]):
            value = np.float32(data[k])
            values_out[place] = value
            columns_out[place] = columns[k]
            square += np.float64(value) * np.float64(value)
            place += np.uint64(1)
        lengths[i] = np.sqrt(square)


@compiled
def visit_rounded(
    data, columns, starts, samples, rounded, rounded_columns, rounded_starts, lengths,
    signed, order, margin, eta, bias, visits, w, drift, strengths,
):  # fmt: skip
    """Visit samples in `order`, move `w` in place, return the weight of the mistakes.

    A field errs by no more than the error of the row times the length of `w`. A stored value errs
    by 2^-24 of itself, or by 2^-150 if it is tiny; twice that leaves room for the sums. Where
    numbers overflow, so does this bound, and exact rows decide.
    """
    last = len(w) - 1
    mistaken, square = 0.0, 0.0
    for j in range(len(w)):
        square += np.float64(w[j]) * np.float64(w[j])
    length = np.sqrt(square)
    for i in order:
        field = bias * w[last]
        for k in range(rounded_starts[i], rounded_starts[i + 1]):
            field += rounded[k] * w[rounded_columns[k]]
        if signed[i] < 0.0:
            field = -field
        n_stored = rounded_starts[i + 1] - rounded_starts[i]
        doubt = length * (2.0**-23 * lengths[i] + 2.0**-149 * np.sqrt(n_stored))
        if not field > margin + doubt:
            start, end = starts[samples[i]], starts[samples[i] + 1]
            if not field < margin - doubt:
                field = bias * w[last]
                for k in range(start, end):
                    field += data[k] * w[columns[k]]
                if signed[i] < 0.0:
                    field = -field
            if not field > margin:
                step = eta * signed[i]
                for k in range(start, end):
                    w[columns[k]] += step * data[k]
                w[last] += step * bias
                if len(drift) > 0:
                    for k in range(start, end):
                        drift[columns[k]] += visits * step * data[k]
                    drift[last] += visits * step * bias
                length += abs(step) * (lengths[i] + bias)
                strengths[i] += 1
                mistaken += abs(signed[i])
        visits += 1
    return mistaken
