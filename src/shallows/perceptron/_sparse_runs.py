"""Sparse rows that no cache holds, laid out for the epochs of the perceptron rule.

Rows that are read in random order take twice the time of neighbours. So they are copied once in a
random order, and then runs of them are visited in turns. Double precision takes more time to read
than to compute with. So once mistakes are few, fields come from rounded numbers: they tell whether
a sample is a mistake unless their error may matter; then, and for each step, the exact row is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.threads import map_blocks

PAYS = range(2**17, 2**27)  # stored values: more than a cache holds, copies of up to 2 GB
FEW = 1 / 8  # share of mistakes below which rounded rows are quicker
ROWS_AT_ONCE = 1024


class RoundedRows(NamedTuple):
    """Rows of a CSR array, their values in single precision, and the Euclidean length of each."""

    data: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    rounded: np.ndarray
    lengths: np.ndarray

    @property
    def size(self):
        """Number of stored values."""
        return len(self.data)


def shuffled_rows(X, samples) -> CsrRows:
    """Return a copy of the rows `samples` of a CSR array."""
    starts = np.zeros(len(samples) + 1, dtype=np.uint64)
    np.cumsum((X.indptr[1:] - X.indptr[:-1])[samples], out=starts[1:], dtype=np.uint64)
    data, columns = np.empty(starts[-1], X.dtype), np.empty(starts[-1], np.uint32)
    rows = CsrRows.of(X)

    def copy(block):
        copy_rows(rows, samples[block], starts[block], data, columns)

    map_blocks(copy, len(samples), ROWS_AT_ONCE)
    return CsrRows(data, columns, starts)


def rounded_rows(rows) -> RoundedRows:
    """Return the rows with their values in single precision."""
    rounded, lengths = np.empty(rows.size, np.float32), np.empty(len(rows.starts) - 1)

    def round_block(block):
        part = rows.part(block)
        round_rows(part.data, part.starts, rounded, lengths[block])

    map_blocks(round_block, len(lengths), ROWS_AT_ONCE)
    return RoundedRows(rows.data, rows.columns, rows.starts, rounded, lengths)


@compiled
def copy_rows(rows, samples, places, data_out, columns_out):
    """Write the rows `samples` of a matrix from `places` on."""
    data, columns, starts = rows
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
