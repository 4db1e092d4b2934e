"""One pass over data that need not fit in memory.

An estimator that lives on sums writes ``accumulate(block)``, ``merge(left, right)`` and a
last step of its own. `fold` runs them over an array, a memory-mapped file or a Dask
array; the cuts between blocks depend on the data alone, so the result does too. Missing values
(NaN) are refused unless asked for with `allow_nan`, infinite ones always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from shallows._core.contract.data import FLOATS
from shallows._core.numerics.threads import block_slices

State = TypeVar("State")
BLOCK_BYTES = 2**25


def is_stream(X: Any) -> bool:
    """Tell whether X should be read block by block: a memory-mapped file or a Dask array."""
    return isinstance(X, np.memmap) or _is_dask(X)


def float_type(dtype: Any) -> np.dtype[Any]:
    """Return the dtype that blocks have: float32 stays, all others become float64."""
    return np.dtype(dtype if dtype in FLOATS else np.float64)


def check_stream(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Check shape and names of a stream without reading it; sets `n_features_in_`."""
    if not reset:
        check_is_fitted(estimator)
    if any(np.isnan(size) for size in X.shape):
        raise ValueError(
            f"{type(estimator).__name__} must know the number of rows of a Dask array; "
            "call its compute_chunk_sizes() first."
        )
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{type(estimator).__name__} takes an array of shape (n_samples, n_features) "
            f"with at least one row, got shape {X.shape}."
        )
    validate_data(estimator, np.zeros((1, X.shape[1])), reset=reset)


def row_blocks(
    X: Any, block_bytes: int = BLOCK_BYTES, *, allow_nan: bool = False
) -> Iterator[NDArray[Any]]:
    """Yield consecutive rows of X as float arrays of about `block_bytes` each."""
    if _is_dask(X):
        yield from (_as_block(part.compute(), allow_nan) for part in _by_rows(X).blocks)
        return
    blocks = block_slices(len(X), _block_rows(X, block_bytes))
    yield from (_as_block(X[part], allow_nan) for part in blocks)


def fold(
    X: Any,
    accumulate: Callable[[NDArray[Any]], State],
    merge: Callable[[State, State], State],
    *,
    allow_nan: bool = False,
) -> State:
    """Return the merged states of all blocks of rows.

    Blocks of a Dask array are accumulated where they live and merged in pairs, on
    whatever scheduler is active; others are read in order, one at a time.
    """
    if not _is_dask(X):
        return reduce(merge, map(accumulate, row_blocks(X, allow_nan=allow_nan)))
    from dask.delayed import delayed

    one = delayed(lambda block: accumulate(_as_block(block, allow_nan)))
    states = [one(block) for block in _by_rows(X).to_delayed().ravel()]
    while len(states) > 1:
        pairs = [states[i : i + 2] for i in range(0, len(states), 2)]
        states = [delayed(merge)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return states[0].compute()


def sample_rows(
    X: Any, size: int, rng: np.random.Generator, *, allow_nan: bool = False
) -> NDArray[Any]:
    """Return `size` different rows drawn at random, in their order.

    Where there are no more rows than that, all are returned and nothing is drawn.
    """
    rows: Any = slice(None)
    if size < len(X):
        rows = np.sort(rng.choice(len(X), size=size, replace=False))
    chosen = X[rows]
    return _as_block(chosen.compute() if _is_dask(X) else chosen, allow_nan)


def map_rows(
    function: Callable[[NDArray[Any]], NDArray[Any]],
    X: Any,
    n_columns: int,
    dtype: Any,
    *,
    allow_nan: bool = False,
) -> Any:
    """Return `function` of each block of rows: an array, or a Dask array for a Dask array."""
    if _is_dask(X):
        rows = _by_rows(X)
        chunks = (rows.chunks[0], (n_columns,))
        return rows.map_blocks(
            lambda part: function(_as_block(part, allow_nan)), dtype=dtype, chunks=chunks
        )
    return np.concatenate([function(part) for part in row_blocks(X, allow_nan=allow_nan)])


def _is_dask(X: Any) -> bool:
    return type(X).__module__.startswith("dask.")


def _by_rows(X: Any) -> Any:
    """Rechunk a Dask array so that each block holds whole rows."""
    rows = _block_rows(X, BLOCK_BYTES)
    return X.rechunk({0: rows if max(X.chunks[0]) > 4 * rows else X.chunks[0], 1: -1})


def _block_rows(X: Any, block_bytes: int) -> int:
    return max(1, int(block_bytes // (X.shape[1] * float_type(X.dtype).itemsize)))


def _as_block(rows: Any, allow_nan: bool) -> NDArray[Any]:
    block = np.ascontiguousarray(rows, dtype=float_type(rows.dtype))
    if allow_nan and np.isinf(block).any():
        raise ValueError("The data contain infinity; drop these rows first.")
    if not allow_nan and not np.isfinite(block).all():
        raise ValueError("The data contain NaN or infinity; impute or drop these rows first.")
    return block
