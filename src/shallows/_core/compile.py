"""How shallows compiles the loops that carry state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function of arrays and scalars on its first call, and cache it on disk.

    The GIL is released, so that `shallows._core.threads.map_blocks` can run a kernel on several
    blocks at once. Sums may be reordered and multiply-adds fused, which lets loops
    vectorise; NaN and infinity keep their meaning, and division by zero gives them.

    A kernel calls only kernels of its own file: the cache watches that file alone. It has
    no ``while True``: numba 0.68 gives wrong results where a branch that leaves such a loop
    reassigns a variable.
    """
    return _compile(kernel, {"reassoc", "contract"})


def compiled_in_order(kernel: Kernel) -> Kernel:
    """Compile like `compiled`, but round as written: for sums that carry their own errors."""
    return _compile(kernel, False)


def compiled_inside(kernel: Kernel) -> Kernel:
    """Compile like `compiled`, as a part of each kernel that calls it.

    For what is called so often, with so many arrays, that handing them over takes longer than
    the work.
    """
    return _compile(kernel, {"reassoc", "contract"}, inside=True)


def unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    """Return a view as unsigned integers, which a kernel need not test for being negative.

    A negative index counts from the end, so a loop over ``x[k]`` vectorises only where `k` can't
    be one: it starts at a literal 0, or is unsigned. Else cut the rows off before the loop.
    """
    view: NDArray[Any] = indices.view(f"u{indices.itemsize}")
    return view


def _compile(kernel: Kernel, fastmath: set[str] | bool, *, inside: bool = False) -> Kernel:
    compile_ = numba.njit(
        cache=True, nogil=True, error_model="numpy", fastmath=fastmath, forceinline=inside
    )
    return cast(Kernel, compile_(kernel))
