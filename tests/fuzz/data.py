"""Kinds of data that estimators meet: plain, strange and hostile, each a function of a sane start.

A kind takes the sane data and a generator and returns what is changed. The name of its function is
the name of the kind, and its family says what it is about: rows, targets or weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

N_ROWS, N_COLUMNS = 30, 4


class Data(NamedTuple):
    """What is handed to `fit`: a classifier takes the labels, a regressor the target."""

    X: Any
    labels: Any
    target: Any
    weights: Any = None

    def with_rows(self, X: Any) -> Data:
        """Return other rows, and as many of the targets as there are rows, repeated if needed."""
        if hasattr(X, "shape"):
            n = X.shape[0] if X.shape else 1
        else:
            n = len(X) if hasattr(X, "__len__") else 1
        return self._replace(
            X=X, labels=np.resize(self.labels, n), target=np.resize(self.target, n)
        )

    def with_y(self, y: Any) -> Data:
        """Return other targets of both kinds."""
        return self._replace(labels=y, target=y)


Kind = Callable[[Data, np.random.Generator], Data]
ROWS: dict[str, Kind] = {}
TARGETS: dict[str, Kind] = {}
WEIGHTS: dict[str, Kind] = {}


def sane(rng: np.random.Generator) -> Data:
    """Return three clouds that nothing is wrong with."""
    labels = np.arange(N_ROWS) % 3
    X = rng.normal(size=(N_ROWS, N_COLUMNS)) + 3 * labels[:, None]
    return Data(X, labels, X[:, 0] + rng.normal(size=N_ROWS))


def rows(change: Callable[[Any, np.random.Generator], Any], name: str) -> None:
    """Register a kind that changes the rows alone."""
    ROWS[name] = lambda data, rng: data.with_rows(change(data.X.copy(), rng))


def targets(change: Callable[[Data, np.random.Generator], Any], name: str) -> None:
    """Register a kind that changes the targets alone, or rows and targets."""

    def kind(data: Data, rng: np.random.Generator) -> Data:
        found = change(data, rng)
        return found if isinstance(found, Data) else data.with_y(found)

    TARGETS[name] = kind


def weights(change: Callable[[int], Any], name: str) -> None:
    """Register a kind that changes the weights alone."""
    WEIGHTS[name] = lambda data, rng: data._replace(weights=change(len(data.X)))


def place(X: Any, where: Any, value: Any) -> Any:
    """Return X with a value in one place."""
    X[where] = value
    return X


def unaligned(X: Any) -> Any:
    """Return X one byte off the places that a processor likes."""
    memory = np.zeros(X.nbytes + 1, np.uint8)
    view = memory[1:].view(np.float64).reshape(X.shape)
    view[:] = X
    return view


def mapped(X: Any) -> Any:
    """Return X in a file."""
    with tempfile.NamedTemporaryFile() as file:
        found = np.memmap(file.name, dtype=float, mode="w+", shape=X.shape)
        found[:] = X
        return found


def frozen(X: Any) -> Any:
    """Return X read-only."""
    X.flags.writeable = False
    return X


def structured(X: Any) -> Any:
    """Return rows of named fields."""
    return np.array([tuple(row) for row in X], dtype=[(name, float) for name in "abcd"])


def framed(X: Any, **columns: Any) -> pd.DataFrame:
    """Return a frame with columns "a" to "d" and those named."""
    return pd.DataFrame(X, columns=list("abcd")[: X.shape[1]]).assign(**columns)


def positive(X: Any) -> Any:
    """Return the positive numbers of X, and zeros."""
    return np.where(X > 1, X, 0)


def unsorted(X: Any) -> Any:
    """Return sparse rows whose entries stand in reverse order."""
    S = sparse.csr_array(positive(X))
    for low, high in zip(S.indptr, S.indptr[1:], strict=False):
        S.indices[low:high], S.data[low:high] = S.indices[low:high][::-1], S.data[low:high][::-1]
    S.has_sorted_indices = False
    return S


def wide_indices(X: Any) -> Any:
    """Return sparse rows with indices of 64 bits."""
    S = sparse.csr_array(positive(X))
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def doubled_entries(X: Any) -> Any:
    """Return sparse rows each entry of which is the sum of two."""
    S = sparse.csr_array(positive(X))
    return sparse.csr_array(
        (np.repeat(S.data / 2, 2), np.repeat(S.indices, 2), 2 * S.indptr), shape=S.shape
    )


def explicit_zeros(X: Any) -> Any:
    """Return sparse rows that store some zeros."""
    S = sparse.csr_array(np.ones_like(X))
    S.data[:] = positive(X).ravel()
    return S


def sparse_with(X: Any, value: float) -> Any:
    """Return sparse rows with a value somewhere."""
    S = sparse.csr_array(positive(X))
    S.data[3] = value
    return S


def raising(*_: Any, **__: Any) -> None:
    """Raise what a user's own function may raise."""
    raise CalledError("raised by the function that was handed over")


class CalledError(Exception):
    """Of the user's own function, which is to come through."""


for name, change in {
    "plain": lambda X, rng: X,
    "no_rows": lambda X, rng: X[:0],
    "no_columns": lambda X, rng: X[:, :0],
    "nothing": lambda X, rng: np.empty((0, 0)),
    "one_row": lambda X, rng: X[:1],
    "two_rows": lambda X, rng: X[:2],
    "one_column": lambda X, rng: X[:, :1],
    "one_number": lambda X, rng: X[:1, :1],
    "constant": lambda X, rng: np.full_like(X, 3.7),
    "zeros": lambda X, rng: np.zeros_like(X),
    "constant_column": lambda X, rng: place(X, (slice(None), 1), -2.5),
    "equal_columns": lambda X, rng: X[:, [0, 0, 1, 1]],
    "repeated_rows": lambda X, rng: np.repeat(X[:3], 10, axis=0),
    "one_row_repeated": lambda X, rng: np.repeat(X[:1], 30, axis=0),
    "huge": lambda X, rng: 1e300 * X,
    "largest": lambda X, rng: np.full_like(X, np.finfo(float).max),
    "large": lambda X, rng: 1e160 * X,
    "half_large": lambda X, rng: 1e120 * X,
    "huge_entry": lambda X, rng: place(X, (3, 1), 1e300),
    "huge_column": lambda X, rng: X * [1, 1e200, 1, 1],
    "far_away": lambda X, rng: X + 1e15,
    "small": lambda X, rng: 1e-120 * X,
    "tiny": lambda X, rng: 1e-160 * X,
    "denormal": lambda X, rng: 1e-310 * X,
    "denormal_entry": lambda X, rng: place(X, (3, 1), 5e-324),
    "many_scales": lambda X, rng: X * [1e-100, 1e-9, 1e9, 1e100],
    "gap": lambda X, rng: place(X, (3, 1), np.nan),
    "gap_row": lambda X, rng: place(X, 3, np.nan),
    "gap_column": lambda X, rng: place(X, (slice(None), 1), np.nan),
    "all_gaps": lambda X, rng: np.full_like(X, np.nan),
    "infinite": lambda X, rng: place(X, (3, 1), np.inf),
    "minus_infinite": lambda X, rng: place(X, (3, 1), -np.inf),
    "float32": lambda X, rng: X.astype(np.float32),
    "float32_huge": lambda X, rng: (1e30 * X).astype(np.float32),
    "float32_tiny": lambda X, rng: (1e-40 * X).astype(np.float32),
    "float16": lambda X, rng: X.astype(np.float16),
    "longdouble": lambda X, rng: X.astype(np.longdouble),
    "int8": lambda X, rng: X.astype(np.int8),
    "int_largest": lambda X, rng: np.full(X.shape, np.iinfo(np.int64).max),
    "uint64": lambda X, rng: np.abs(X * 1e18).astype(np.uint64),
    "bool": lambda X, rng: X > 1,
    "complex": lambda X, rng: X + 1j,
    "objects": lambda X, rng: X.astype(object),
    "objects_none": lambda X, rng: place(X.astype(object), (3, 1), None),
    "objects_mixed": lambda X, rng: place(X.astype(object), (3, 1), "word"),
    "objects_list": lambda X, rng: place(X.astype(object), (3, 1), [1, 2]),
    "objects_large_int": lambda X, rng: place(X.astype(object), (3, 1), 10**400),
    "words": lambda X, rng: np.array(list("abcd"))[(X > 1).astype(int)],
    "number_words": lambda X, rng: X.round(3).astype(str),
    "bytes": lambda X, rng: X.round(3).astype(bytes),
    "dates": lambda X, rng: X.astype(int).astype("datetime64[D]"),
    "times": lambda X, rng: X.astype(int).astype("timedelta64[s]"),
    "fields": lambda X, rng: structured(X),
    "lists": lambda X, rng: X.tolist(),
    "ragged": lambda X, rng: [[1.0, 2.0], [3.0], *X.tolist()],
    "empty_list": lambda X, rng: [],
    "lists_of_empty": lambda X, rng: [[]],
    "vector": lambda X, rng: X[:, 0],
    "cube": lambda X, rng: X.reshape(len(X), 2, 2),
    "scalar": lambda X, rng: np.float64(3.0),
    "none": lambda X, rng: None,
    "word": lambda X, rng: "X",
    "dictionary": lambda X, rng: {"a": 1},
    "iterator": lambda X, rng: iter(X.tolist()),
    "sequences": lambda X, rng: [X[:10], X[10:30]],
    "sequence_empty": lambda X, rng: [X[:10], X[:0]],
    "fortran": lambda X, rng: np.asfortranarray(X),
    "strided": lambda X, rng: np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda X, rng: X[::-1, ::-1],
    "read_only": lambda X, rng: frozen(X),
    "big_endian": lambda X, rng: X.astype(">f8"),
    "unaligned": lambda X, rng: unaligned(X),
    "mapped": lambda X, rng: mapped(X),
    "matrix": lambda X, rng: np.asmatrix(X),
    "masked": lambda X, rng: np.ma.masked_greater(X, 5),
    "broadcast": lambda X, rng: np.broadcast_to(X[:1], X.shape),
    "frame": lambda X, rng: framed(X),
    "frame_words": lambda X, rng: framed(X, b="word"),
    "frame_same_names": lambda X, rng: pd.DataFrame(X, columns=list("aabb")),
    "frame_mixed_names": lambda X, rng: pd.DataFrame(X, columns=["a", 1, None, (2, 3)]),
    "frame_nullable": lambda X, rng: framed(X, b=pd.array([1, None] * 15, dtype="Int64")),
    "frame_categories": lambda X, rng: framed(X, b=pd.Categorical(["u", "v", "w"] * 10)),
    "frame_dates": lambda X, rng: framed(X, b=pd.Timestamp("2020-02-02")),
    "frame_empty": lambda X, rng: pd.DataFrame(),
    "frame_levels": lambda X, rng: pd.DataFrame(
        X, columns=pd.MultiIndex.from_product([["a", "b"], ["c", "d"]])
    ),
    "csr": lambda X, rng: sparse.csr_array(positive(X)),
    "csr_matrix": lambda X, rng: sparse.csr_matrix(positive(X)),
    "csc": lambda X, rng: sparse.csc_array(positive(X)),
    "coo": lambda X, rng: sparse.coo_array(positive(X)),
    "lil": lambda X, rng: sparse.lil_array(positive(X)),
    "csr_unsorted": lambda X, rng: unsorted(X),
    "csr_wide_indices": lambda X, rng: wide_indices(X),
    "csr_doubled": lambda X, rng: doubled_entries(X),
    "csr_stored_zeros": lambda X, rng: explicit_zeros(X),
    "csr_zero": lambda X, rng: sparse.csr_array(X.shape),
    "csr_zero_int": lambda X, rng: sparse.csr_array(X.shape, dtype=int),
    "csr_no_rows": lambda X, rng: sparse.csr_array((0, 4)),
    "csr_bool": lambda X, rng: sparse.csr_array(X > 1),
    "csr_float32": lambda X, rng: sparse.csr_array(positive(X).astype(np.float32)),
    "csr_gap": lambda X, rng: sparse_with(X, np.nan),
    "csr_infinite": lambda X, rng: sparse_with(X, np.inf),
    "csr_huge": lambda X, rng: sparse.csr_array(1e300 * positive(X)),
    "csr_huge_entry": lambda X, rng: sparse_with(X, 1e300),
    "csr_denormal": lambda X, rng: sparse.csr_array(1e-310 * positive(X)),
    "coo_vector": lambda X, rng: sparse.coo_array(positive(X)[:, 0]),
    "wide": lambda X, rng: rng.normal(size=(6, 400)),
    "wide_row": lambda X, rng: rng.normal(size=(1, 400)),
    "counts": lambda X, rng: rng.multinomial(12, [0.1, 0.2, 0.3, 0.4], size=len(X)),
    "outlier": lambda X, rng: place(X, 3, 1e6),
    "sorted": lambda X, rng: np.sort(X, axis=0),
}.items():
    rows(change, name)


def labelled(data: Data, words: list[Any]) -> Any:
    """Return labels by other names."""
    return np.array(words)[data.labels]


def objects(values: Any) -> Any:
    """Return an array of any objects."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def thousand_classes(data: Data, rng: np.random.Generator) -> Data:
    """Return two rows for each of a thousand classes."""
    labels = np.repeat(np.arange(1000), 2)
    X = rng.normal(size=(2000, 2)) + labels[:, None]
    return Data(X, labels, labels.astype(float))


for name, change in {
    "one_class": lambda data, rng: data._replace(
        labels=np.zeros(N_ROWS, int), target=np.full(N_ROWS, 2.5)
    ),
    "two_classes": lambda data, rng: data._replace(labels=data.labels % 2),
    "rare_class": lambda data, rng: data._replace(labels=(np.arange(N_ROWS) == 3).astype(int)),
    "class_each": lambda data, rng: data._replace(labels=np.arange(N_ROWS)),
    "thousand_classes": thousand_classes,
    "negative_labels": lambda data, rng: data.labels - 1,
    "float_labels": lambda data, rng: data.labels.astype(float),
    "fractions": lambda data, rng: data.labels + 0.5,
    "bool_labels": lambda data, rng: data.labels > 0,
    "byte_labels": lambda data, rng: labelled(data, [b"a", b"b", b"c"]),
    "word_labels": lambda data, rng: labelled(data, ["a", "", "ä ö\n"]),
    "long_labels": lambda data, rng: labelled(data, ["a" * 10_000, "b" * 10_000, "c"]),
    "mixed_labels": lambda data, rng: objects(["a", 1, 2.5] * 10),
    "object_ints": lambda data, rng: data.labels.astype(object),
    "large_ints": lambda data, rng: data.labels + np.iinfo(np.int64).max - 3,
    "unsigned": lambda data, rng: data.labels.astype(np.uint8),
    "tuple_labels": lambda data, rng: objects([(1, 2), (3, 4), (5, 6)] * 10),
    "list_labels": lambda data, rng: [[1], [2, 3], [4]] * 10,
    "date_labels": lambda data, rng: data.labels.astype("datetime64[D]"),
    "missing_date": lambda data, rng: np.array(["2020-01-01", "NaT", "2021-01-01"] * 10, "M8[D]"),
    "complex_y": lambda data, rng: data.labels + 1j,
    "none_in_y": lambda data, rng: objects([0, 1, None] * 10),
    "none_in_numbers": lambda data, rng: place(data.target.astype(object), 3, None),
    "none_in_words": lambda data, rng: objects(["a", "b", None] * 10),
    "nan_in_y": lambda data, rng: place(data.labels.astype(float), 3, np.nan),
    "nan_in_objects": lambda data, rng: objects([0, 1, np.nan] * 10),
    "na_in_series": lambda data, rng: pd.Series([0, 1, None] * 10, dtype="Int64"),
    "infinite_y": lambda data, rng: place(data.labels.astype(float), 3, np.inf),
    "huge_y": lambda data, rng: 1e300 * data.target,
    "large_y": lambda data, rng: 1e160 * data.target,
    "tiny_y": lambda data, rng: 1e-310 * data.target,
    "float32_huge_y": lambda data, rng: data._replace(
        X=data.X.astype(np.float32), target=1e100 * data.target
    ),
    "float16_y": lambda data, rng: data.target.astype(np.float16),
    "zero_y": lambda data, rng: np.zeros(N_ROWS),
    "short_y": lambda data, rng: data.with_y(data.labels[:-1]),
    "long_y": lambda data, rng: data.with_y(np.resize(data.labels, N_ROWS + 5)),
    "no_y": lambda data, rng: data.with_y(data.labels[:0]),
    "y_is_none": lambda data, rng: data.with_y(None),
    "y_is_scalar": lambda data, rng: data.with_y(3),
    "y_is_word": lambda data, rng: data.with_y("y"),
    "y_is_list": lambda data, rng: data._replace(
        labels=data.labels.tolist(), target=data.target.tolist()
    ),
    "column_y": lambda data, rng: data._replace(
        labels=data.labels[:, None], target=data.target[:, None]
    ),
    "two_outputs": lambda data, rng: data._replace(
        labels=np.c_[data.labels, data.labels % 2], target=data.X[:, :2]
    ),
    "no_outputs": lambda data, rng: data.with_y(np.empty((N_ROWS, 0))),
    "cube_y": lambda data, rng: data.with_y(data.labels.reshape(-1, 1, 1)),
    "sparse_y": lambda data, rng: data.with_y(sparse.csr_array(data.labels[:, None])),
    "series_of_other_index": lambda data, rng: data._replace(
        labels=pd.Series(data.labels, index=np.arange(N_ROWS) + 7),
        target=pd.Series(data.target, index=np.arange(N_ROWS) + 7),
    ),
    "category_y": lambda data, rng: pd.Series(pd.Categorical(["u", "v", "w"] * 10)),
    "masked_y": lambda data, rng: np.ma.masked_equal(data.labels, 1),
    "backwards_y": lambda data, rng: data._replace(
        labels=data.labels[::-1], target=data.target[::-1]
    ),
    "big_endian_y": lambda data, rng: data._replace(
        labels=data.labels.astype(">i8"), target=data.target.astype(">f8")
    ),
}.items():
    targets(change, name)

for name, change in {
    "weights": lambda n: np.linspace(0.5, 2, n),
    "weights_negative": lambda n: np.linspace(-1, 1, n),
    "weights_nan": lambda n: place(np.ones(n), 3, np.nan),
    "weights_infinite": lambda n: place(np.ones(n), 3, np.inf),
    "weights_zero": lambda n: np.zeros(n),
    "weights_one_row": lambda n: place(np.zeros(n), 3, 1.0),
    "weights_one_class": lambda n: (np.arange(n) % 3 == 0).astype(float),
    "weights_short": lambda n: np.ones(n - 1),
    "weights_column": lambda n: np.ones((n, 1)),
    "weights_words": lambda n: np.full(n, "a"),
    "weights_none": lambda n: objects([None] * n),
    "weights_tiny": lambda n: np.full(n, 1e-310),
    "weights_huge": lambda n: np.full(n, 1e300),
    "weights_uneven": lambda n: np.logspace(-200, 200, n),
    "weights_scalar": lambda n: 2.0,
    "weights_bool": lambda n: np.arange(n) % 2 == 0,
    "weights_complex": lambda n: np.full(n, 1 + 1j),
}.items():
    weights(change, name)

KINDS = {**ROWS, **TARGETS, **WEIGHTS}
