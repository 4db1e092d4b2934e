"""Sparse rows that no cache holds, laid out for the epochs of the perceptron rule.

Rows that are read in random order take twice the time of neighbours. So they are copied once in a
random order, and then runs of them are visited in turns. Double precision takes more time to read
than to compute with. So once mistakes are few, fields come from rounded numbers: they tell whether
a sample is a mistake unless their error may matter; then, and for each step, the exact row is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled, unsigned
from shallows._core.numerics.threads import map_blocks

PAYS = range(2**17, 2**27)  # stored values: more than a cache holds, copies of up to 2 GB
FEW = 1 / 8  # share of mistakes below which rounded rows are quicker
ROWS_AT_ONCE = 1024


class ShuffledRows(NamedTuple):
    """Rows of a CSR array in another order."""

    data: np.ndarray
    columns: np.ndarray
    starts: np.ndarray

    @property
    def size(self):
        """Number of stored values."""
        return len(self.data)


class RoundedRows(NamedTuple):
    """The same beside their values in single precision, and the Euclidean length of each row."""

    data: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    rounded: np.ndarray
    lengths: np.ndarray

    @property
    def size(self):
        """Number of stored values."""
        return len(self.data)


def shuffled_rows(X, samples) -> ShuffledRows:
    """Return rows `samples` of a CSR array."""
    starts = np.zeros(len(samples) + 1, dtype=np.uint64)
    np.cumsum((X.indptr[1:] - X.indptr[:-1])[samples], out=starts[1:], dtype=np.uint64)
    data, columns = np.empty(starts[-1], X.dtype), np.empty(starts[-1], np.uint32)
    rows = X.data, unsigned(X.indices), unsigned(X.indptr)

    def copy(block):
        copy_rows(*rows, samples[block], starts[block], data, columns)

    map_blocks(copy, len(samples), ROWS_AT_ONCE)
    return ShuffledRows(data, columns, starts)


def rounded_rows(rows) -> RoundedRows:
    """Return the rows with their values in single precision."""
    rounded, lengths = np.empty(rows.size, np.float32), np.empty(len(rows.starts) - 1)

    def round_block(block):
        round_rows(rows.data, rows.starts[block.start : block.stop + 1], rounded, lengths[block])

    map_blocks(round_block, len(lengths), ROWS_AT_ONCE)
    return RoundedRows(rows.data, rows.columns, rows.starts, rounded, lengths)


@compiled
def copy_rows(data, columns, starts, samples, places, data_out, columns_out):
    """Write the rows `samples` of a matrix from `places` on."""
    for i in range(len(samples)):
        place = places[i]
        for k in range(starts[samples[i]], starts[samples[i] + 1]):
            data_out[place] = data[k]
            columns_out[place] = columns[k]
            place += np.uint64(1)


@compiled
def round_rows(data, starts, rounded, lengths):
    """Write the values of some rows in single precision, and their lengths after rounding."""
    for i in range(len(lengths)):
        square = 0.0
        for k in range(starts[i], starts[i + 1]):
            rounded[k] = np.float32(data[k])
            square += np.float64(rounded[k]) * np.float64(rounded[k])
        lengths[i] = np.sqrt(square)


@compiled
def rounded_epoch(
    data, columns, starts, rounded, lengths,
    signed, order, margin, eta, bias, visits, w, drift, strengths,
):  # fmt: skip
    """Do as `shallows.perceptron._perceptron.csr_epoch`, from rounded rows where they suffice.

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
        start, end = starts[i], starts[i + 1]
        field = bias * w[last]
        for k in range(start, end):
            field += rounded[k] * w[columns[k]]
        if signed[i] < 0.0:
            field = -field
        doubt = length * (2.0**-23 * lengths[i] + 2.0**-149 * np.sqrt(end - start))
        if not field > margin + doubt:
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
