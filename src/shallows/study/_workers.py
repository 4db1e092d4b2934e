"""Who fits: processes of this machine that can be stopped at once, threads, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_futures
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from shallows._core.numerics.threads import limit_threads
from shallows.study._errors import StudyError

MISTAKES = (ValueError, ArithmeticError, RuntimeError, MemoryError, TypeError, LookupError)
POLL = 1.0  # seconds after which an idle process looks whether its parent lives
Call = Callable[..., Any]  # gets what is shared, then its own arguments


@dataclass(frozen=True)
class Failure:
    """Why a task has no result."""

    reason: str


class Workers(Protocol):
    """Runs tasks on what is shared; at most `size` at the same time."""

    @property
    def size(self) -> int:
        """How many tasks can run at the same time."""

    def submit(self, key: Any, call: Call, *arguments: Any) -> None:
        """Begin a task; a worker is free."""

    def wait(self, timeout: float | None) -> list[tuple[Any, Any]]:
        """Return tasks that have ended with their results, none if time runs out."""

    def running(self) -> int:
        """Return the number of tasks at work."""

    def stop(self) -> None:
        """Give up all tasks at work."""


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def open_workers(shared: Any, jobs: int, cluster: Any = None) -> Iterator[Workers]:
    """Provide workers that know what is shared, and stop them in the end."""
    found: Workers
    if cluster is not None:
        found = ClusterWorkers(shared, cluster)
    elif sys.platform == "linux":
        found = Processes(shared, jobs)
    else:
        found = Threads(shared, jobs)
    try:
        yield found
    finally:
        found.stop()


class Processes:
    """Forked processes: they see all that is shared at once, and can be killed in the midst."""

    def __init__(self, shared: Any, jobs: int):
        self._size, self._shared = jobs, shared
        self._idle: list[_Worker] = []
        self._busy: dict[Any, _Worker] = {}

    @property
    def size(self) -> int:
        return self._size

    def submit(self, key: Any, call: Call, *arguments: Any) -> None:
        worker = self._idle.pop() if self._idle else self._new()
        worker.pipe.send((call, arguments))
        self._busy[key] = worker

    def wait(self, timeout: float | None) -> list[tuple[Any, Any]]:
        pipes = {worker.pipe: key for key, worker in self._busy.items()}
        found = []
        for pipe in wait(list(pipes), timeout):
            key = pipes[pipe]  # type: ignore[index]
            worker = self._busy.pop(key)
            try:
                found.append((key, worker.pipe.recv()))
                self._idle.append(worker)
            except (EOFError, OSError):
                worker.end()
                code = worker.process.exitcode
                found.append((key, Failure(f"its process ended with code {code}")))
        return found

    def running(self) -> int:
        return len(self._busy)

    def stop(self) -> None:
        for worker in (*self._busy.values(), *self._idle):
            worker.end()
        self._busy, self._idle = {}, []

    def _new(self) -> _Worker:
        context = multiprocessing.get_context("fork")
        here, there = context.Pipe()
        others = [worker.pipe for worker in (*self._busy.values(), *self._idle)]
        process = context.Process(
            target=_serve, args=(self._shared, there, [here, *others], os.getpid()), daemon=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads: a child uses none of them
            process.start()
        there.close()
        return _Worker(process, here)


@dataclass(frozen=True)
class _Worker:
    process: Any
    pipe: Connection

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(shared: Any, pipe: Connection, others: list[Connection], parent: int) -> None:
    """Run tasks until the parent is gone; one thread each, so that bits depend on no machine."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in others:  # held open here they would hide that the parent has closed them
        other.close()
    warnings.simplefilter("ignore")
    with threadpool_limits(1), limit_threads(1):
        while True:
            while not pipe.poll(POLL):
                if os.getppid() != parent:
                    return
            try:
                call, arguments = pipe.recv()
                pipe.send(run(call, shared, *arguments))
            except (EOFError, OSError):
                return


def run(call: Call, shared: Any, *arguments: Any) -> Any:
    """Return the result of a task, or why there is none."""
    try:
        return call(shared, *arguments)
    except MISTAKES as error:
        if os.environ.get("SHALLOWS_TRACEBACK"):
            traceback.print_exc()
        return Failure(f"{type(error).__name__}: {error}".split("\n")[0])


class Threads:
    """Threads, where processes can't be forked; a task at work can't be stopped."""

    def __init__(self, shared: Any, jobs: int):
        self._size, self._shared = jobs, shared
        self._pool = ThreadPoolExecutor(jobs)
        self._tasks: dict[Future[Any], Any] = {}

    @property
    def size(self) -> int:
        return self._size

    def submit(self, key: Any, call: Call, *arguments: Any) -> None:
        self._tasks[self._pool.submit(_run_quietly, call, self._shared, *arguments)] = key

    def wait(self, timeout: float | None) -> list[tuple[Any, Any]]:
        done, _ = wait_futures(self._tasks, timeout, FIRST_COMPLETED)
        return [(self._tasks.pop(future), future.result()) for future in done]

    def running(self) -> int:
        return len(self._tasks)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._tasks = {}


def _run_quietly(call: Call, shared: Any, *arguments: Any) -> Any:
    with warnings.catch_warnings(), threadpool_limits(1), limit_threads(1):
        warnings.simplefilter("ignore")
        return run(call, shared, *arguments)


class ClusterWorkers:
    """The workers of a Dask scheduler."""

    def __init__(self, shared: Any, client: Any):
        self._client, self._shared = client, client.scatter(shared, broadcast=True)
        self._tasks: dict[Any, Any] = {}

    @property
    def size(self) -> int:
        """Threads of all workers that there are now."""
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, key: Any, call: Call, *arguments: Any) -> None:
        future = self._client.submit(_run_quietly, call, self._shared, *arguments, pure=False)
        self._tasks[future] = key

    def wait(self, timeout: float | None) -> list[tuple[Any, Any]]:
        end = None if timeout is None else time.monotonic() + timeout
        while self._tasks:
            done = [future for future in self._tasks if future.done()]
            if done:
                return [(self._tasks.pop(future), future.result()) for future in done]
            if end is not None and time.monotonic() >= end:
                break
            time.sleep(0.005)
        return []

    def running(self) -> int:
        return len(self._tasks)

    def stop(self) -> None:
        for future in self._tasks:
            future.cancel()
        self._tasks = {}


def connect(address: str) -> Any:
    """Return a client of the Dask scheduler at an address."""
    from shallows._core.contract.extras import from_extra

    with from_extra("cluster", "A study on a cluster"):
        from distributed import Client
    try:
        return Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise StudyError(f"No Dask scheduler answers at {address!r} ({error}).") from None
