"""Run work over fixed blocks of rows on threads.

Blocks depend on the size of the data alone, never on the number of workers. BLAS computes each
block on one thread, and the results come back in order: the bits of a result don't depend on the
number of threads.

The caller takes blocks along with the threads of one pool and waits for no thread that has not
begun, so calls are safe from several threads at once and inside joblib and Dask workers. A call
from within a block runs on the caller's thread. A forked child has a pool of its own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, wraps
from numbers import Integral
from threading import Lock
from typing import Any, TypeVar

import joblib
import scipy.linalg  # noqa: F401  so that SciPy's BLAS is loaded when it is looked for
from threadpoolctl import ThreadpoolController

Result = TypeVar("Result")
MOST_THREADS = 64  # more than a machine has, for calls from many threads at once

_limit: ContextVar[int | None] = ContextVar("shallows_threads", default=None)


def n_threads() -> int:
    """Return how many threads a call may use here.

    The cores this process is allowed, less where OMP_NUM_THREADS or NUMBA_NUM_THREADS
    say so: joblib and Dask set these in their workers.
    """
    limit = _limit.get()
    if limit is not None:
        return limit
    named = (os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"))
    return min([_cores(), *(int(text) for text in named if text.isdecimal() and int(text))])


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Let calls inside the block use at most this many threads."""
    token = _limit.set(threads)
    try:
        yield
    finally:
        _limit.reset(token)


def uses_jobs(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method use as many threads as the `n_jobs` of its estimator says."""

    @wraps(method)
    def limited(self: Any, *args: Any, **options: Any) -> Any:
        if self.n_jobs is None or not isinstance(self.n_jobs, Integral):  # fit refuses others
            return method(self, *args, **options)
        with limit_threads(threads_of(int(self.n_jobs))):
            return method(self, *args, **options)

    return limited


def threads_of(n_jobs: int) -> int:
    """Return how many threads `n_jobs` means here: -1 all cores, -2 all but one, and so on.

    A call inside a limited block never gets more threads than the block.
    """
    wanted = n_jobs if n_jobs >= 0 else max(_cores() + 1 + n_jobs, 1)
    limit = _limit.get()
    return wanted if limit is None else min(wanted, limit)


def block_slices(n_rows: int, block_rows: int) -> list[slice]:
    """Cut `n_rows` into slices of `block_rows`; the last may be shorter."""
    starts = range(0, n_rows, block_rows)
    return [slice(start, min(start + block_rows, n_rows)) for start in starts]


def map_blocks(
    task: Callable[[slice], Result], n_rows: int, block_rows: int = 4096
) -> list[Result]:
    """Return ``[task(rows) for rows in blocks]``, computed on several threads.

    Parameters
    ----------
    task : callable
        Takes a slice of rows. It gains from threads where it releases the GIL, as
        compiled kernels and BLAS do. Tasks must not write to shared rows.
    n_rows : int
        Number of rows.
    block_rows : int, default=4096
        Rows in a block. It sets the order of summation, so keep it fixed.

    Returns
    -------
    results : list
        One per block, in order.
    """
    blocks = block_slices(n_rows, block_rows)
    workers = min(n_threads(), len(blocks)) if len(blocks) > 1 else 1
    with _one_blas_thread:
        if workers <= 1:
            return [task(rows) for rows in blocks]
        return _run_all(workers, task, blocks)


@contextmanager
def quick_lapack(size: int) -> Iterator[None]:
    """Keep BLAS at one thread for decompositions of matrices that are soon done.

    Up to a size of about 1000 a second thread gains little, and where other programs keep the
    cores busy the threads wait for one another many times longer than they work.
    """
    if size > 1000:
        yield
        return
    with _one_blas_thread:
        yield


@contextmanager
def hold_threads() -> Iterator[None]:
    """Keep BLAS at one thread, for many short calls of it and of `map_blocks`."""
    with _one_blas_thread:
        yield


def _run_all(workers: int, task: Callable[[slice], Result], blocks: list[slice]) -> list[Result]:
    """Let the caller and threads of the pool take one block after the other."""
    results: list[Any] = [None] * len(blocks)
    waiting = deque(range(len(blocks)))

    def work() -> None:
        try:
            with limit_threads(1):
                while (place := _take(waiting)) is not None:
                    results[place] = task(blocks[place])
        except BaseException:
            waiting.clear()
            raise

    jobs = [_pool().submit(copy_context().run, work) for _ in range(workers - 1)]
    try:
        work()
    finally:
        begun = [job for job in jobs if not job.cancel()]
        wait(begun)
    for job in begun:
        job.result()
    return results


def _take(waiting: deque[int]) -> int | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the pool of this process, which has as many threads as were busy at once."""
    return ThreadPoolExecutor(max(MOST_THREADS, _cores()), "shallows")


@cache
def _cores() -> int:
    return int(joblib.cpu_count())


class _OneBlasThread:
    """Holds BLAS to one thread while at least one call is under way.

    The setting belongs to the whole process, so calls are counted, the first sets it and the last
    restores it. threadpoolctl lets one thread at a time change it, so there a keeper thread does
    both; OpenBLAS with threads of its own is asked directly, in a tenth of the time.
    """

    def __init__(self) -> None:
        self._lock, self._calls = Lock(), 0
        self._keeper: ThreadPoolExecutor | None = None
        self._restore: Callable[[], Any] = _nothing

    def __enter__(self) -> None:
        with self._lock:
            self._calls += 1
            if self._calls == 1:
                self._restore = self._limit()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._calls -= 1
            if self._calls == 0:
                self._restore()

    def _limit(self) -> Callable[[], Any]:
        """Hold BLAS to one thread; returns what undoes it."""
        switches = _openblas_switches()
        if switches is None:
            keeper = self._keeper = self._keeper or ThreadPoolExecutor(1, "shallows-blas")
            limits = keeper.submit(_limit_blas).result()
            return lambda: keeper.submit(limits.__exit__, None, None, None).result()
        before = [current() for current, _ in switches]
        for _, change in switches:
            change(1)
        return lambda: [change(n) for (_, change), n in zip(switches, before, strict=True)]


def _nothing() -> None:
    pass


def _limit_blas() -> Any:
    return _blas_libraries().limit(limits=1, user_api="blas").__enter__()


@cache
def _openblas_switches() -> list[tuple[Any, Any]] | None:
    """Return what reads and sets the threads of each BLAS; None unless all are such OpenBLAS."""
    switches = []
    for library in _blas_libraries().select(user_api="blas").lib_controllers:
        names = [
            (f"{first}openblas_get_num_threads{last}", f"{first}openblas_set_num_threads{last}")
            for first in ("", "scipy_")
            for last in ("", "64_", "_64")
        ]
        found = [pair for pair in names if all(hasattr(library.dynlib, name) for name in pair)]
        if getattr(library, "threading_layer", "") != "pthreads" or not found:
            return None
        current, change = (getattr(library.dynlib, name) for name in found[0])
        switches.append((current, change))
    return switches


@cache
def _blas_libraries() -> ThreadpoolController:
    """Finding them takes milliseconds, so it is done once."""
    return ThreadpoolController()


_one_blas_thread = _OneBlasThread()


def _start_afresh() -> None:
    """Forget in a forked child the calls, the keeper and the pool that only its parent has."""
    global _one_blas_thread
    _pool.cache_clear()
    _one_blas_thread = _OneBlasThread()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
