"""Puts subclasses that use our kernels in the place of scikit-learn's public names."""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from shallows.accelerate import _served
from shallows.accelerate._report import forget
from shallows.accelerate._table import Table, load
from shallows.accelerate.tables import all_tables

_plain: dict[str, type] = {}  # scikit-learn's own classes while others are in their place


def patch() -> None:
    """Let scikit-learn's classes use our kernels, under their own public names.

    Each is replaced in scikit-learn's public module by a subclass of itself; what was imported
    from there before keeps its meaning, so call this before ``from sklearn... import ...``.

    Examples
    --------
    >>> import shallows.accelerate
    >>> shallows.accelerate.patch()
    >>> from sklearn.cluster import KMeans
    >>> KMeans(2).fit([[0.0], [1.0], [5.0], [6.0]]).n_features_in_
    1
    >>> shallows.accelerate.unpatch()
    """
    if _plain:
        return
    forget()
    found = [(table, load(table.theirs)) for table in all_tables() if table.patches]
    _plain.update((table.theirs, own) for table, own in found)
    for table, own in found:
        module, _, name = table.theirs.rpartition(".")
        setattr(sys.modules[module], name, _subclass(table, own))


def unpatch() -> None:
    """Restore scikit-learn's classes.

    Examples
    --------
    >>> from shallows.accelerate import patch, unpatch
    >>> patch()
    >>> unpatch()
    """
    for path, own in _plain.items():
        module, _, name = path.rpartition(".")
        setattr(sys.modules[module], name, own)
    _plain.clear()


@contextmanager
def patched() -> Iterator[None]:
    """Let scikit-learn's classes use our kernels inside a block.

    Examples
    --------
    >>> from shallows.accelerate import patched
    >>> with patched():
    ...     from sklearn.decomposition import PCA
    >>> PCA.__module__
    'sklearn.decomposition'
    """
    already = bool(_plain)
    patch()
    try:
        yield
    finally:
        if not already:
            unpatch()


def plain(path: str) -> type:
    """Return scikit-learn's own class, patched or not."""
    return _plain.get(path) or load(path)


@cache
def _subclass(table: Table, own: Any) -> type:
    """Return a subclass that asks our code first.

    Its module is the public one: a pickle names the class there, and is read without us.
    """

    class Meta(type(own)):  # type: ignore[misc]
        """Takes the plain class's objects for its own: scikit-learn's other classes make some."""

        def __instancecheck__(cls, thing: Any) -> bool:
            return super().__instancecheck__(thing) or (cls is built and own in type(thing).__mro__)

        def __subclasscheck__(cls, kind: type) -> bool:
            return super().__subclasscheck__(kind) or (cls is built and own in kind.__mro__)

    def reduced(model: Any, protocol: int) -> Any:
        if type(model) is not built or _plain.get(table.theirs) is own:
            return own.__reduce_ex__(model, protocol)
        rebuild, (_, *rest), *state = own.__reduce_ex__(model, 1)
        return rebuild, (own, *rest), *state  # the public name is the plain class's again

    body: dict[str, Any] = {
        "__doc__": own.__doc__,
        "__module__": table.theirs.rpartition(".")[0],
        "__qualname__": own.__qualname__,
        "__reduce_ex__": reduced,
    }
    body |= _served.methods(table, own)
    built: type = Meta(own.__name__, (own,), body)
    _served.kinds[table] = built
    _send_to_workers(built, table.theirs)
    return built


def is_patched() -> bool:
    """Tell whether our subclasses are in place."""
    return bool(_plain)


def _send_to_workers(kind: type, path: str) -> None:
    """Let joblib's worker processes use our kernels for models that they are sent."""
    try:
        from joblib.externals.loky.backend.reduction import register  # noqa: PLC0415
    except ImportError:  # a joblib without it: workers run scikit-learn's own code
        return

    def reduced(model: Any) -> Any:
        if not _plain:
            return model.__reduce_ex__(5)
        return _awake, (path,), model.__getstate__()

    register(kind, reduced)


def _awake(path: str) -> Any:
    """Return an empty model in a worker process."""
    patch()
    return copyreg.__newobj__(load(path))  # type: ignore[attr-defined]
