"""Runs that a server starts, follows, cancels and keeps: each in a process of its own."""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.context import SpawnProcess
from threading import Lock
from typing import Any, Literal

import joblib

from shallows._core.contract.registry import Entry
from shallows.lab._limits import Limits, usual_limits
from shallows.lab._progress import Loop
from shallows.lab._result import Result
from shallows.lab._values import Value
from shallows.lab._worker import Failure, work

# Two at least, so that a long run does not keep a short one waiting; not many more, because a
# run may use several threads itself.
AT_ONCE = min(4, max(2, joblib.cpu_count() - 1))
MOST_WAITING = 20
MOST_KEPT = 50
LEAVE_SECONDS = 5


class QueueFullError(Exception):
    """As many runs are waiting as may."""


@dataclass(frozen=True)
class Job:
    """One run as it stands at a moment.

    Parameters
    ----------
    id : str
        Its name in addresses; no other run of this or another server has it.
    entry : Entry
        The experiment.
    parameters : mapping
        Values by name; the others are at their defaults.
    state : str
        Where it stands.
    loops : tuple of Loop
        How far it is, the outermost loop first.
    result : Result, optional
        What it found, if done.
    failure : Failure, optional
        Why it found nothing, if failed.
    started, ended : float
        Seconds of a clock that only differences mean something of.
    """

    id: str
    entry: Entry
    parameters: Mapping[str, Value]
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    loops: tuple[Loop, ...] = ()
    result: Result | None = None
    failure: Failure | None = None
    started: float = 0.0
    ended: float = 0.0

    @property
    def active(self) -> bool:
        """Whether it will still change."""
        return self.state in ("waiting", "running")

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (self.ended or time.monotonic()) - self.started if self.started else 0.0


class Runs:
    """Runs at most a few experiments at once; the others wait in line.

    Parameters
    ----------
    at_once : int
        Processes at the same time.
    most_waiting : int
        Length of the line; `start` refuses more.
    most_kept : int
        Ended runs that are remembered; the oldest are forgotten first.
    limits : Limits, optional
        Seconds and bytes that one run may take; unless given, 15 minutes and a share of the
        memory that leaves room for the rest of the machine.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        most_waiting: int = MOST_WAITING,
        most_kept: int = MOST_KEPT,
        limits: Limits | None = None,
    ) -> None:
        self.at_once = at_once
        self.most_waiting = most_waiting
        self.most_kept = most_kept
        self.limits = limits or usual_limits(at_once)
        self._lock = Lock()
        self._jobs: dict[str, Job] = {}
        self._processes: dict[str, SpawnProcess] = {}
        self._followers = ThreadPoolExecutor(at_once, "shallows-run", _block_interrupts)

    def start(self, entry: Entry, parameters: Mapping[str, Value]) -> Job:
        """Put a run in line; it starts as soon as its turn comes."""
        with self._lock:
            waiting = sum(job.state == "waiting" for job in self._jobs.values())
            if waiting >= self.most_waiting:
                raise QueueFullError(
                    f"No more than {waiting} runs may wait, and as many do; cancel one, or run "
                    f"{entry.name} once one has ended."
                )
            job = Job(secrets.token_hex(6), entry, dict(parameters))
            self._jobs[job.id] = job
            self._followers.submit(self._follow, job.id)
        return job

    def find(self, id: str) -> Job | None:
        """Return a run as it stands, or None if it is not, or no longer, known."""
        with self._lock:
            return self._jobs.get(id)

    def all(self) -> list[Job]:
        """Return all known runs in the order in which they came, or else ended."""
        with self._lock:
            return list(self._jobs.values())

    def cancel(self, id: str) -> None:
        """End a run that waits or is under way; leave an ended one as it is."""
        with self._lock:
            job = self._jobs.get(id)
            if job is None or not job.active:
                return
            self._kill(id)
            self._end(id, state="cancelled")

    def close(self) -> None:
        """End all runs and wait until their processes are gone."""
        for job in self.all():
            self.cancel(job.id)
        self._followers.shutdown()

    def _follow(self, id: str) -> None:
        """Attend to one run from its start to its end."""
        outcome: object
        try:
            pipe = self._spawn(id)
            if pipe is None:
                return
            outcome = self._listen(id, pipe)
        except Exception as error:
            outcome = Failure(f"Its process could not be started: {error}")
        exit_code = self._leave(id)
        with self._lock:
            job = self._jobs.get(id)
            if job is None or not job.active:
                return
            if isinstance(outcome, Result):
                self._end(id, state="done", result=outcome)
            else:
                failure = outcome if isinstance(outcome, Failure) else _death(exit_code)
                self._end(id, state="failed", failure=failure)

    def _spawn(self, id: str) -> connection.Connection[Any, Any] | None:
        """Start the process, unless the run was cancelled while it waited."""
        context = get_context("spawn")
        with self._lock:
            job = self._jobs.get(id)
            if job is None or job.state != "waiting":
                return None
            ours, theirs = context.Pipe(duplex=False)
            arguments = (job.entry, job.parameters, self.limits, theirs)
            process = context.Process(target=work, args=arguments, name=f"shallows-{id}")
            with theirs:
                process.start()
            self._processes[id] = process
            self._change(id, state="running", started=time.monotonic())
        return ours

    def _listen(self, id: str, pipe: connection.Connection[Any, Any]) -> object:
        """Return what the process sends last, or None if it ends without a word."""
        deadline = time.monotonic() + self.limits.seconds
        with pipe:
            try:
                while pipe.poll(max(0.0, deadline - time.monotonic())):
                    message = pipe.recv()
                    if not isinstance(message, tuple):
                        return message
                    with self._lock:
                        self._change(id, loops=message)
            except (EOFError, OSError):
                return None
        self._kill(id)
        return Failure(
            f"It took longer than the {self.limits.seconds:g} s that a run may take; choose "
            "smaller sizes, or run it on the command line, where nothing limits it.",
            limit="time",
        )

    def _leave(self, id: str) -> int | None:
        """Wait until the process is gone, and return its exit code."""
        process = self._processes.get(id)
        if process is None:
            return None
        connection.wait([process.sentinel], LEAVE_SECONDS)
        with self._lock:
            _kill(process)
            process.join()
            del self._processes[id]
        return process.exitcode

    def _kill(self, id: str) -> None:
        if id in self._processes:
            _kill(self._processes[id])

    def _end(self, id: str, **changes: Any) -> None:
        self._change(id, ended=time.monotonic(), loops=(), **changes)
        self._jobs[id] = self._jobs.pop(id)  # behind those that ended before
        ended = [job.id for job in self._jobs.values() if not job.active]
        for oldest in ended[: max(0, len(ended) - self.most_kept)]:
            del self._jobs[oldest]

    def _change(self, id: str, **changes: Any) -> None:
        if id in self._jobs:
            self._jobs[id] = replace(self._jobs[id], **changes)


def _block_interrupts() -> None:
    """Keep Ctrl-C from processes that this thread starts, from their first moment."""
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # else it starts with the first process, and unblocks
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _kill(process: SpawnProcess) -> None:
    """End a process and those it has started, if it is still there."""
    if not process.is_alive() or process.pid is None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):  # so young that it has not left our group yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _death(exit_code: int | None) -> Failure:
    if exit_code is not None and exit_code < 0:
        name = signal.strsignal(-exit_code)
        hint = "; perhaps there was too little memory" if name == "Killed" else ""
        return Failure(f"Its process was ended by the system ({name}){hint}.")
    return Failure(f"Its process ended with exit code {exit_code} and without a result.")
