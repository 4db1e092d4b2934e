"""Rows of a sparse matrix as compiled loops take them."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from shallows._core.numerics.compile import read_only, unsigned

Array = NDArray[Any]


class CsrRows(NamedTuple):
    """Rows in compressed sparse form, handed to compiled loops as one argument.

    Row i has the values ``data[starts[i] : starts[i + 1]]`` in the `columns` of the same places.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = CsrRows.of(csr_array([[0.0, 3.0], [4.0, 0.0]]))
    >>> rows.columns, rows.part(slice(1, 2)).starts
    (array([1, 0], dtype=uint32), array([1, 2], dtype=uint32))
    """

    data: Array
    columns: Array
    starts: Array

    @classmethod
    def of(cls, X: Any) -> CsrRows:
        """Return the rows of a CSR matrix, without a copy."""
        return cls(read_only(X.data), unsigned(X.indices), unsigned(X.indptr))

    @property
    def size(self) -> int:
        """Number of stored values."""
        return len(self.data)

    def part(self, rows: slice) -> CsrRows:
        """Return some of the rows, which share the stored values."""
        return self._replace(starts=self.starts[rows.start : rows.stop + 1])
