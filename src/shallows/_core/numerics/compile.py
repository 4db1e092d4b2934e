"""How shallows compiles the loops that carry state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.kernel_cache import KernelCache

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
CACHE_LINE = 64  # bytes


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function of arrays and scalars on its first call, and cache it on disk.

    The GIL is released, so that `map_blocks` in `threads` can run a kernel on several blocks at
    once. Sums may be reordered and multiply-adds fused, which lets loops
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
    return _compile(kernel, {"reassoc", "contract"}, forceinline=True)


def compiled_in_place(kernel: Kernel) -> Kernel:
    """Compile like `compiled`, as text of the one kernel that calls it.

    For a long kernel with one caller, which else is compiled alone and again with its caller.
    """
    return _compile(kernel, {"reassoc", "contract"}, inline="always")


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that can't be written to, so that kernels compile for one kind of array."""
    view = array.view()
    view.flags.writeable = False
    return view


def unsigned(indices: NDArray[Any]) -> NDArray[Any]:
    """Return a view as unsigned integers, which a kernel need not test for being negative.

    A negative index counts from the end, so a loop over ``x[k]`` vectorises only where `k` can't
    be one: it starts at a literal 0, or is unsigned. Else cut the rows off before the loop.
    """
    view: NDArray[Any] = indices.view(f"u{indices.itemsize}")
    return view


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that begins where a cache line does.

    Vectors as long as a cache line else lie across two, which takes up to a third longer: worth
    a copy where a kernel goes through a small array very often.
    """
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _compile(kernel: Kernel, fastmath: set[str] | bool, **how: Any) -> Kernel:
    how["no_cfunc_wrapper"] = True  # which only functions that are handed over need
    kernel_: Any = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath, **how)(kernel)
    if kernel_ is not kernel:  # the same where the environment switches numba off
        options = sorted(fastmath) if isinstance(fastmath, set) else fastmath
        kernel_._cache = KernelCache(kernel, repr((options, sorted(how.items()))))
    return cast(Kernel, kernel_)
