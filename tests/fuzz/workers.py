"""Processes that run cases within limits of time and memory, replaced when they die."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from fuzz.cases import Outcome

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Limits(NamedTuple):
    """What one case may take, and how many cases a process runs before another takes over."""

    seconds: float = 10.0  # of the processor
    wall_seconds: float = 90.0  # for a process that waits, on a machine that may be busy
    memory: int = 4 << 30  # bytes of addresses
    cases: int = 500


class Worker:
    """One process and the case that it runs."""

    def __init__(self, context: Any, run: Callable[[str], Outcome], limits: Limits):
        self.limits = limits
        self.connection, inner = context.Pipe()
        self.process = context.Process(target=serve, args=(inner, run, limits), daemon=True)
        self.process.start()
        inner.close()
        self.case: str | None = None
        self.since, self.done = time.monotonic(), 0

    def send(self, case: str) -> None:
        self.case, self.since = case, time.monotonic()
        self.connection.send(case)

    def receive(self) -> Outcome:
        """Return the outcome; that of a dead process says how it died."""
        try:
            outcome = self.connection.recv()
        except (EOFError, OSError):
            outcome = self._post_mortem()
        self.case, self.done = None, self.done + 1
        return outcome

    def is_late(self) -> bool:
        return self.case is not None and time.monotonic() - self.since > self.limits.wall_seconds

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    def _post_mortem(self) -> Outcome:
        self.process.join(5)
        code = self.process.exitcode
        if code in (-signal.SIGPROF, -signal.SIGXCPU):
            return Outcome("slow", f"more than {self.limits.seconds:g} seconds")
        name = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
        return Outcome("crash", f"the process died: {name}")


def serve(connection: Connection, run: Callable[[str], Outcome], limits: Limits) -> None:
    """Run cases until the parent is gone."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # also ends a compiled loop
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            case = connection.recv()
            signal.setitimer(signal.ITIMER_PROF, limits.seconds)
            outcome = run(case)
            signal.setitimer(signal.ITIMER_PROF, 0)
            connection.send(outcome)


def run_all(
    run: Callable[[str], Outcome],
    cases: list[str],
    jobs: int,
    seconds: float,
    limits: Limits = Limits(),  # noqa: B008  it can't change
) -> Iterator[tuple[str, Outcome]]:
    """Yield each case with its outcome, until all are done or the time is over."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # for the processes
    context = get_context("forkserver")
    context.set_forkserver_preload(["fuzz.cases"])
    left, until = list(reversed(cases)), time.monotonic() + seconds
    workers = [Worker(context, run, limits) for _ in range(jobs)]
    try:
        while True:
            for place, worker in enumerate(workers):
                if worker.case is None and worker.done >= limits.cases:
                    worker.end()
                    workers[place] = worker = Worker(context, run, limits)
                if worker.case is None and left and time.monotonic() < until:
                    worker.send(left.pop())
            busy = {worker.connection: place for place, worker in enumerate(workers) if worker.case}
            if not busy:
                return
            ready = {busy[connection] for connection in wait(list(busy), timeout=1.0)}
            for place, worker in enumerate(workers):
                case = worker.case
                if case is None or not (place in ready or worker.is_late()):
                    continue
                late = place not in ready
                outcome = Outcome("slow", "waits without end") if late else worker.receive()
                if late or outcome.verdict in ("slow", "crash"):
                    worker.end()
                    workers[place] = Worker(context, run, limits)
                yield case, outcome
    finally:
        for worker in workers:
            worker.end()
