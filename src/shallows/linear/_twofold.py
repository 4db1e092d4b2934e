"""Products of a matrix and a vector, summed in twice the working precision and rounded once.

The error of a product follows from halves of the digits (Dekker 1971), that of a sum from the
sum itself (Knuth 1969); errors are summed beside the values.
"""

from __future__ import annotations

from math import fsum

import numpy as np

from shallows._core.numerics.compile import compiled_in_order
from shallows._core.numerics.threads import map_blocks

BLOCK_ROWS = 4096
TILE_ROWS = 32
SPLITTER = 2.0**27 + 1


def residuals(A, x, b, r):
    """Return ``s = b - r - A x`` and ``A'r`` for a matrix in C order, and A's as it comes."""
    rest = np.empty(len(A))

    def block(rows):
        subtract_rows(A[rows], x, b[rows], r[rows], rest[rows])
        return sum_rows(A[rows], r[rows]), rest[rows] @ A[rows]

    sums, products = zip(*map_blocks(block, len(A), BLOCK_ROWS), strict=True)
    columns = np.vstack(sums).T.tolist()
    return rest, np.array([fsum(column) for column in columns]), np.sum(products, axis=0)


@compiled_in_order
def subtract_rows(A, x, b, r, rest):
    """Write b - r - A x to `rest`; rows are turned in tiles, so that loops run along them."""
    n, d = A.shape
    tile = np.empty((d, TILE_ROWS))
    total, error = np.empty(TILE_ROWS), np.empty(TILE_ROWS)
    for start in range(0, n, TILE_ROWS):
        rows = min(TILE_ROWS, n - start)
        # Turn a tile of rows, and start with b - r as an exact sum of two floats (Knuth's
        # two-sum).
        for i in range(rows):
            for j in range(d):
                tile[j, i] = A[start + i, j]
            total[i] = b[start + i] - r[start + i]
            shadow = total[i] - b[start + i]
            error[i] = (b[start + i] - (total[i] - shadow)) + (-r[start + i] - shadow)
        for j in range(d):
            # Split the weight into two halves of the digits (Veltkamp), so that products of halves
            # are exact.
            y = -x[j]
            shifted = SPLITTER * y
            high = shifted - (shifted - y)
            low = y - high
            for i in range(rows):
                # Halve those of a_ij; product and halves give the error of the product.
                a = tile[j, i]
                shifted = SPLITTER * a
                left = shifted - (shifted - a)
                right = a - left
                # Product and sum with their rounding errors (Dekker, Knuth), collected in `error`.
                product = a * y

                # Add the product; the error of this sum is exact, too.
                new = total[i] + product
                shadow = new - total[i]
                rounding = (total[i] - (new - shadow)) + (product - shadow)
                total[i] = new
                error[i] += rounding + (
                    ((left * high - product) + left * low + right * high) + right * low
                )
        # The sum of both parts is rounded once.
        for i in range(rows):
            rest[start + i] = total[i] + error[i]


@compiled_in_order
def sum_rows(A, r):
    """Return sums and summed errors of A'r, which together are the exact product, nearly."""
    n, d = A.shape
    sums = np.zeros((2, d))
    total, error = sums[0], sums[1]
    for i in range(n):
        # Split the factor into halves (Veltkamp).
        y = r[i]
        shifted = SPLITTER * y
        high = shifted - (shifted - y)
        low = y - high
        for j in range(d):
            # The product a_ij r_i, with the halves of a_ij for its error.
            a = A[i, j]
            shifted = SPLITTER * a
            left = shifted - (shifted - a)
            right = a - left
            # Product and sum with their rounding errors (Dekker, Knuth).
            product = a * y

            # Knuth's two-sum, whose error is added to that of the product.
            new = total[j] + product
            shadow = new - total[j]
            rounding = (total[j] - (new - shadow)) + (product - shadow)
            total[j] = new
            error[j] += rounding + (
                ((left * high - product) + left * low + right * high) + right * low
            )
    return sums
