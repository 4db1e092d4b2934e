"""A fitted model as a flat list of nodes, and back; nothing in such a list can run code.

A node is a list: its kind, then its parts. A part is a plain value (None, a truth value, a number,
a text) or ``[i]``, the value of the earlier node i. So nodes are read one after the other without
recursion, what two parents share is stored once, and nothing can contain itself. The numbers of
arrays are not in the nodes: each array is the next piece of one block of bytes.

What a file may make is decided here and in `_trusted_classes`: plain values, arrays of numbers or
text, and objects of classes on a list, which are made by ``__new__`` and get their attributes.
There is no node for a function, a method, a module or a call.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array

from shallows.study._sound_trees import fits_its_features, is_sound
from shallows.study._trusted_classes import name_of, trusted_class, with_set_state

Node = list[Any]
MOST_DEPTH = 100  # of values within values; the models of a study need about 12
MOST_REPEATED = 10_000_000  # values, if what nodes share were written out each time
NUMBER = re.compile(r"[<>|][biuf][1248]")
DTYPE = re.compile(NUMBER.pattern + r"|[<>]U[1-9]\d{0,6}")
LAST_LETTER = 0x10FFFF  # of Unicode
SPARSE = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
# scikit-learn's gradient boosting holds this one function where there are categories; a file can
# name it, but say nothing about it.
NAMED = {
    "check numbers": partial(check_array, dtype=[np.float64], ensure_all_finite=False),
}


class UnfitError(ValueError):
    """A value that a model file can't hold, or a file that is none."""


class NodeWriter:
    """Turns values into nodes and pieces of bytes."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.pieces: list[NDArray[Any]] = []
        self._places: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no id comes twice
        self._open: set[int] = set()

    def add(self, value: Any) -> Any:
        """Return the part that stands for a value; its nodes are added where it needs any."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and math.isfinite(value):
            return value
        key = id(value)
        if key not in self._places:
            if key in self._open or len(self._open) > MOST_DEPTH:
                raise UnfitError(f"a {name_of(type(value))} contains itself or lies too deep")
            self._open.add(key)
            node = self._node(value)
            self._open.discard(key)
            self.nodes.append(node)
            self._places[key] = len(self.nodes) - 1
            self._kept.append(value)
        return [self._places[key]]

    def _node(self, value: Any) -> Node:
        kind = type(value)
        if kind in (list, tuple):
            return [kind.__name__, *map(self.add, value)]
        if kind is dict:
            if strange := [key for key in value if type(key) not in (str, bool, int)]:
                raise UnfitError(f"a dictionary has a {name_of(type(strange[0]))} as a key")
            return ["dict", *(part for pair in value.items() for part in map(self.add, pair))]
        if kind is float:
            return ["float", str(value)]
        if kind is slice:
            return ["slice", *map(self.add, (value.start, value.stop, value.step))]
        if kind is np.ndarray:
            return self._array(value)
        if isinstance(value, np.dtype):
            return ["dtype", _dtype_to_json(value)]
        if isinstance(value, np.generic):
            return ["number", *self._array(np.asarray(value))[1:2]]
        if isinstance(value, type) and issubclass(value, np.generic):
            return ["number type", _dtype_to_json(np.dtype(value))]
        if kind is np.random.Generator:
            return ["generator", *_state_of(value)]
        if kind.__name__ in SPARSE and kind is SPARSE[kind.__name__]:
            parts = (value.data, value.indices, value.indptr)
            return ["sparse", kind.__name__, *value.shape, *map(self.add, parts)]
        for name, known in NAMED.items():
            if kind is partial and _alike(value, known):
                return ["named", name]
        return self._object(value)

    def _array(self, value: NDArray[Any]) -> Node:
        """Give the numbers of an array to the block, in the order that it has in memory."""
        dtype = _dtype_to_json(value.dtype)
        order: Literal["C", "F"] = (
            "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        )
        self.pieces.append(np.ascontiguousarray(value.ravel(order=order)))
        return ["array", dtype, list(value.shape), order]

    def _object(self, value: Any) -> Node:
        kind = type(value)
        name = name_of(kind)
        try:
            trusted_class(name)
        except LookupError:
            raise UnfitError(f"it contains a {name}, which is not on the list of classes") from None
        if isinstance(value, tuple):
            return ["record", name, *map(self.add, value)]
        if with_set_state(name):
            return ["object", name, self.add(value.__getstate__())]
        return ["object", name, self.add(dict(vars(value))) if hasattr(value, "__dict__") else None]


class NodeReader:
    """Makes the values of nodes, one node after the other.

    Parameters
    ----------
    take : callable
        Gives the next numbers of the block: it fills the array that it is handed.
    n_bytes : int
        Length of the block.
    """

    def __init__(self, take: Callable[[NDArray[Any]], None], n_bytes: int):
        self.bytes_left = n_bytes
        self._take = take
        self._values: list[Any] = []
        self._depths: list[int] = []
        self._sizes: list[int] = []
        self._depth = self._size = 0

    def read(self, node: Any) -> Any:
        """Make the value of the next node, or raise UnfitError."""
        if not isinstance(node, list) or not node or type(node[0]) is not str:
            raise UnfitError("a node is no list that begins with its kind")
        kind, *parts = node
        if kind not in self._MAKERS:
            raise UnfitError(f"there is no kind of node {kind[:40]!r}")
        self._depth, self._size = 0, 1
        value = self._MAKERS[kind](self, parts)
        if self._depth >= MOST_DEPTH:
            raise UnfitError(f"values lie more than {MOST_DEPTH} deep")
        if self._size > MOST_REPEATED:
            raise UnfitError("nodes share too many values")
        self._values.append(value)
        self._depths.append(self._depth + 1)
        self._sizes.append(self._size)
        return value

    def _part(self, part: Any) -> Any:
        """Return the value of a part: itself, or that of an earlier node."""
        if part is None or type(part) in (bool, int, float, str):
            self._size += 1
            return part
        if type(part) is not list or len(part) != 1 or type(part[0]) is not int:
            raise UnfitError("a part is neither a plain value nor the number of a node")
        place = part[0]
        if not 0 <= place < len(self._values):
            raise UnfitError(f"node {place} is named before it is there")
        self._depth = max(self._depth, self._depths[place])
        self._size += self._sizes[place]
        return self._values[place]

    def _list(self, parts: Node) -> Any:
        return [self._part(part) for part in parts]

    def _tuple(self, parts: Node) -> Any:
        return tuple(self._part(part) for part in parts)

    def _dict(self, parts: Node) -> Any:
        keys = parts[::2]
        if len(parts) % 2 or any(type(key) not in (str, bool, int) for key in keys):
            raise UnfitError("a dictionary needs pairs of a plain key and a value")
        if any(abs(key) >= 2**53 for key in keys if type(key) is int):
            raise UnfitError("a dictionary has a key that is too large")
        found = {key: self._part(part) for key, part in zip(keys, parts[1::2], strict=True)}
        if len(found) != len(keys):
            raise UnfitError("a dictionary has a key twice")
        return found

    def _float(self, parts: Node) -> Any:
        if len(parts) != 1 or parts[0] not in ("nan", "inf", "-inf"):
            raise UnfitError("a float is no nan, inf or -inf")
        return float(parts[0])

    def _slice(self, parts: Node) -> Any:
        if len(parts) != 3 or any(part is not None and type(part) is not int for part in parts):
            raise UnfitError("a slice needs three whole numbers")
        return slice(*parts)

    def _array(self, parts: Node) -> Any:
        if len(parts) != 3 or not isinstance(parts[1], list) or parts[2] not in ("C", "F"):
            raise UnfitError("an array needs its type, its shape and C or F")
        dtype, shape = _dtype_from_json(parts[0]), parts[1]
        if len(shape) > 32 or any(type(n) is not int or not 0 <= n < 2**48 for n in shape):
            raise UnfitError("the shape of an array is no short list of lengths")
        size = math.prod(shape) * dtype.itemsize
        if size > self.bytes_left:
            raise UnfitError("an array is longer than the bytes in the file")
        self.bytes_left -= size
        flat = np.empty(math.prod(shape), dtype)
        self._take(flat)
        _check_content(flat)
        return flat.reshape(shape, order=parts[2])

    def _number(self, parts: Node) -> Any:
        if len(parts) != 1 or not isinstance(parts[0], str):
            raise UnfitError("a number needs its type")
        return self._array([parts[0], [], "C"])[()]

    def _dtype(self, parts: Node) -> Any:
        if len(parts) != 1:
            raise UnfitError("a type has one part")
        return _dtype_from_json(parts[0])

    def _number_type(self, parts: Node) -> Any:
        return self._dtype(parts).type

    def _generator(self, parts: Node) -> Any:
        if len(parts) != 4 or any(type(part) is not int for part in parts):
            raise UnfitError("a generator needs four whole numbers")
        bits = np.random.PCG64(0)
        state, inc, has_uint32, uinteger = parts
        bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": inc},
            "has_uint32": has_uint32,
            "uinteger": uinteger,
        }
        return np.random.Generator(bits)

    def _sparse(self, parts: Node) -> Any:
        if len(parts) != 6 or not isinstance(parts[0], str) or parts[0] not in SPARSE:
            raise UnfitError("a sparse matrix needs its kind, its shape and three arrays")
        arrays = [self._part(part) for part in parts[3:]]
        if any(type(n) is not int for n in parts[1:3]) or any(
            type(array) is not np.ndarray or array.ndim != 1 for array in arrays
        ):
            raise UnfitError("a sparse matrix needs its kind, its shape and three arrays")
        found = SPARSE[parts[0]]((arrays[0], arrays[1], arrays[2]), shape=(parts[1], parts[2]))
        found.check_format(full_check=True)
        return found

    def _named(self, parts: Node) -> Any:
        if len(parts) != 1 or not isinstance(parts[0], str) or parts[0] not in NAMED:
            raise UnfitError("a name is none of the known ones")
        return NAMED[parts[0]]

    def _object(self, parts: Node) -> Any:
        """Make an object of a trusted class and give it its attributes."""
        if len(parts) != 2 or not isinstance(parts[0], str):
            raise UnfitError("an object needs a class and its attributes")
        state, kind = self._part(parts[1]), _trusted(parts[0])
        if issubclass(kind, tuple) or not isinstance(state, dict | None):
            raise UnfitError("an object needs a class and its attributes")
        found = kind.__new__(kind)
        if state is None:
            return _sound(parts[0], found)
        for name in state:
            if type(name) is not str or _is_method(kind, name):
                raise UnfitError(
                    f"an object has an attribute {str(name)[:40]!r} that it can't have"
                )
        if with_set_state(parts[0]):
            found.__setstate__(state)
        else:
            vars(found).update(state)
        if not fits_its_features(state):
            raise UnfitError("a tree asks for a column that its model does not have")
        return _sound(parts[0], found)

    def _record(self, parts: Node) -> Any:
        """Make a named tuple."""
        if not parts or not isinstance(parts[0], str):
            raise UnfitError("a record needs a class")
        kind = _trusted(parts[0])
        values = [self._part(part) for part in parts[1:]]
        if not issubclass(kind, tuple) or len(values) != len(kind._fields):
            raise UnfitError("a record has not the parts of its class")
        return _sound(parts[0], tuple.__new__(kind, values))

    _MAKERS: ClassVar[dict[str, Callable[[NodeReader, Node], Any]]] = {
        "array": _array,
        "dict": _dict,
        "dtype": _dtype,
        "float": _float,
        "generator": _generator,
        "list": _list,
        "named": _named,
        "number": _number,
        "number type": _number_type,
        "object": _object,
        "record": _record,
        "slice": _slice,
        "sparse": _sparse,
        "tuple": _tuple,
    }


def _trusted(name: str) -> Any:
    try:
        return trusted_class(name)
    except LookupError:
        raise UnfitError(
            f"it asks for {name[:80]!r}, which is not on the list of classes that a model may have"
        ) from None


def _sound(name: str, value: Any) -> Any:
    if not is_sound(name, value):
        raise UnfitError("a tree leads in a circle or out of its nodes")
    return value


@lru_cache(1000)
def _is_method(kind: Any, name: str) -> bool:
    """Tell whether a name is that of a method or property, which an attribute would replace."""
    if name.startswith("__"):
        return True
    there = inspect.getattr_static(kind, name, None)
    return hasattr(type(there), "__get__") and not isinstance(there, cached_property)


def _dtype_to_json(dtype: np.dtype[Any]) -> Any:
    """Return a type of numbers or text, or of records of them, as JSON can say it."""
    if dtype.names is None:
        if not DTYPE.fullmatch(dtype.str):
            raise UnfitError(f"it contains an array of type {dtype}")
        return dtype.str
    parts = [[name, _dtype_to_json(dtype[name])] for name in dtype.names]
    if _dtype_from_json(parts) != dtype:
        raise UnfitError(f"it contains an array of type {dtype}")
    return parts


def _dtype_from_json(said: Any) -> np.dtype[Any]:
    if isinstance(said, str) and DTYPE.fullmatch(said):
        return np.dtype(said)
    if not isinstance(said, list) or not 0 < len(said) <= 100:
        raise UnfitError("an array is not of numbers or text")
    fields = []
    for each in said:
        plain = isinstance(each, list) and len(each) == 2 and all(type(s) is str for s in each)
        if not plain or not each[0] or not NUMBER.fullmatch(each[1]):
            raise UnfitError("an array is not of numbers or text")
        fields.append((each[0], each[1]))
    return np.dtype(fields)


def _check_content(flat: NDArray[Any]) -> None:
    """Refuse bytes that are no truth values or letters; any bytes are numbers."""
    if flat.dtype.kind == "b" and (flat.view(np.uint8) > 1).any():
        raise UnfitError("an array of truth values contains something else")
    if flat.dtype.kind == "U":
        letters = flat.view(flat.dtype.byteorder.replace("|", "=") + "u4")
        if (letters > LAST_LETTER).any():
            raise UnfitError("an array of text contains something else")


def _alike(value: partial[Any], known: partial[Any]) -> bool:
    return (value.func, value.args, value.keywords) == (known.func, known.args, known.keywords)


def _state_of(generator: np.random.Generator) -> tuple[int, int, int, int]:
    state = generator.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise UnfitError("it contains a generator of random numbers that is not PCG64")
    inner = state["state"]
    return inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]
