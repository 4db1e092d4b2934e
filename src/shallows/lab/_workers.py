"""Warm processes: forked from one that has imported everything, replaced once they are spent."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import forkserver, get_all_start_methods, get_context, resource_tracker
from threading import Lock, Semaphore
from typing import Any

from shallows.lab._failure import Failure
from shallows.lab._limits import Limits
from shallows.lab._progress import Report
from shallows.lab._worker import Outcome, Task, work

PRELOAD = "shallows.lab._preload"
LEAVE_SECONDS = 5
_STARTING = Lock()
THREAD_NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Worker:
    """A process that does one task after the other.

    Parameters
    ----------
    limits : Limits
        What one task may take.
    """

    def __init__(self, limits: Limits) -> None:
        context, environment = _nursery()
        self.limits = limits
        self.spent = False
        self._pipe, theirs = context.Pipe()
        with theirs:
            self._process = context.Process(target=work, args=(limits, environment, theirs))
            self._process.start()

    @property
    def pid(self) -> int | None:
        """Its number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it takes another task."""
        return not self.spent and self._process.is_alive()

    def do(self, function: Callable[..., Any], *arguments: Any, report: Report) -> Any:
        """Return what a function of `_tasks` returns, or a Failure; pass reports on meanwhile."""
        deadline = time.monotonic() + self.limits.seconds
        try:
            self._pipe.send(Task(function, arguments))
            while self._pipe.poll(max(0.0, deadline - time.monotonic())):
                message = self._pipe.recv()
                if isinstance(message, Outcome):
                    self.spent = message.last
                    return message.value
                report(message)
        except (EOFError, OSError):
            return _death(self._leave())
        self.kill()
        return Failure(
            f"It took longer than the {self.limits.seconds:g} s that a run may take; choose "
            "smaller sizes, or run it on the command line, where nothing limits it.",
            limit="time",
        )

    def kill(self) -> None:
        """End the process and those it has started, whatever they are doing."""
        self.spent = True
        if self._process.pid is not None and self._process.is_alive():
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError):  # so young that it has not left our group yet
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()

    def close(self) -> None:
        """Kill the process and wait until it is gone."""
        self.kill()
        self._leave()
        self._pipe.close()

    def _leave(self) -> int | None:
        self.spent = True
        self._process.join(LEAVE_SECONDS)
        return self._process.exitcode


class Workers:
    """At most so many workers, each lent to one user at a time.

    Parameters
    ----------
    most : int
        How many.
    limits : Limits
        What one task may take.
    """

    def __init__(self, most: int, limits: Limits) -> None:
        self.most = most
        self.limits = limits
        self._free = Semaphore(most)
        self._lock = Lock()
        self._idle: list[Worker] = []
        self._closed = False

    @contextmanager
    def lend(self) -> Iterator[Worker]:
        """Lend the worker that was busy last; wait while all are busy."""
        with self._free:
            if self._closed:
                raise RuntimeError("The lab is being closed.")
            worker = self._take() or Worker(self.limits)
            try:
                yield worker
            finally:
                self._give(worker)

    def fill(self) -> None:
        """Start workers until there are as many as may be."""
        while not self._closed and len(self._idle) < self.most:
            try:
                self._keep(Worker(self.limits))
            except OSError:
                return

    def close(self) -> None:
        """End all idle workers; one that is lent ends when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def _take(self) -> Worker | None:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.close()
        return None

    def _give(self, worker: Worker) -> None:
        """Keep a worker for the next user, or put a fresh one in the place of a spent one."""
        if not worker.alive or self._closed:
            worker.close()
            if self._closed:
                return
            try:
                worker = Worker(self.limits)
            except OSError:
                return
        self._keep(worker)

    def _keep(self, worker: Worker) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return
        worker.close()


def _nursery() -> tuple[Any, dict[str, str | None]]:
    """Return the context that workers are started from, and our environment for them."""
    with _STARTING:
        return _start_nursery()


@cache
def _start_nursery() -> tuple[Any, dict[str, str | None]]:
    """Start the process that others are forked from; return its context and our environment.

    It must have no threads, so BLAS is told to start none. Where nothing can be forked, each
    process starts by itself.
    """
    environment = {name: os.environ.get(name) for name in THREAD_NAMES}
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn"), environment
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOAD])
    resource_tracker.ensure_running()  # else it starts with the fork server, and unblocks
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.environ.update(dict.fromkeys(THREAD_NAMES, "1"))
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in environment.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value
    return context, environment


def _death(exit_code: int | None) -> Failure:
    if exit_code is not None and exit_code < 0:
        name = signal.strsignal(-exit_code)
        hint = "; perhaps there was too little memory" if name == "Killed" else ""
        return Failure(f"Its process was ended by the system ({name}){hint}.")
    return Failure(f"Its process ended with exit code {exit_code} and without a result.")
