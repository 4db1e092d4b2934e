"""Runs that a server starts, follows, cancels and keeps: each has a worker to itself."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from threading import Condition, Lock, Thread
from typing import Any, Literal

import joblib

from shallows._core.contract.registry import Entry
from shallows.lab._failure import Failure
from shallows.lab._limits import Limits, usual_limits
from shallows.lab._progress import Loop
from shallows.lab._result import Result
from shallows.lab._tasks import run_experiment
from shallows.lab._values import Value
from shallows.lab._workers import LEAVE_SECONDS, Worker, Workers

# Two at least, so that a long run does not keep a short one waiting; not many more, because a
# run may use several threads itself.
AT_ONCE = min(4, max(2, joblib.cpu_count() - 1))
MOST_WAITING = 20
MOST_KEPT = 50


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
        self.workers = Workers(at_once, limits or usual_limits(at_once))
        self.version = 0  # grows with each start and end
        self._lock = Lock()
        self._ended = Condition(self._lock)
        self._jobs: dict[str, Job] = {}
        self._at_work: dict[str, Worker] = {}
        self._line: SimpleQueue[str | None] = SimpleQueue()
        self._followers = [Thread(target=self._attend, daemon=True) for _ in range(at_once)]
        for follower in self._followers:
            follower.start()

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
            self.version += 1
            self._line.put(job.id)
        return job

    def wait(self, id: str, seconds: float) -> None:
        """Wait until a run has ended, but not longer than so many seconds."""
        with self._ended:
            self._ended.wait_for(lambda: id not in self._jobs or not self._jobs[id].active, seconds)

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
            if id in self._at_work:
                self._at_work[id].kill()
            self._end(id, state="cancelled")

    def close(self) -> None:
        """End all runs and wait until their processes are gone."""
        for job in self.all():
            self.cancel(job.id)
        self.workers.close()
        for _ in self._followers:
            self._line.put(None)
        for follower in self._followers:
            follower.join(LEAVE_SECONDS)

    def _attend(self) -> None:
        """Take one run after the other from the line."""
        while (id := self._line.get()) is not None:
            self._follow(id)

    def _follow(self, id: str) -> None:
        """Attend to one run from its start to its end."""
        try:
            with self.workers.lend() as worker:
                job = self._begin(id, worker)
                if job is None:
                    return
                report = partial(self._note, id)
                try:
                    outcome = worker.do(run_experiment, job.entry, job.parameters, report=report)
                finally:
                    with self._lock:  # before the worker goes to another run
                        del self._at_work[id]
        except Exception as error:
            outcome = Failure(f"Its process could not be started: {error}")
        with self._lock:
            current = self._jobs.get(id)
            if current is None or not current.active:
                return
            if isinstance(outcome, Result):
                self._end(id, state="done", result=outcome)
            else:
                self._end(id, state="failed", failure=outcome)

    def _begin(self, id: str, worker: Worker) -> Job | None:
        """Note that a run starts, unless it was cancelled while it waited."""
        with self._lock:
            job = self._jobs.get(id)
            if job is None or job.state != "waiting":
                return None
            self._at_work[id] = worker
            self._change(id, state="running", started=time.monotonic())
            return job

    def _note(self, id: str, loops: tuple[Loop, ...]) -> None:
        with self._lock:
            if id in self._jobs and self._jobs[id].active:
                self._jobs[id] = replace(self._jobs[id], loops=loops)

    def _end(self, id: str, **changes: Any) -> None:
        self._change(id, ended=time.monotonic(), loops=(), **changes)
        self._jobs[id] = self._jobs.pop(id)  # behind those that ended before
        ended = [job.id for job in self._jobs.values() if not job.active]
        for oldest in ended[: max(0, len(ended) - self.most_kept)]:
            del self._jobs[oldest]
        self._ended.notify_all()

    def _change(self, id: str, **changes: Any) -> None:
        self.version += 1
        if id in self._jobs:
            self._jobs[id] = replace(self._jobs[id], **changes)
