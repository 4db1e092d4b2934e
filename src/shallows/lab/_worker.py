"""A process that does one task after the other, as that process sees it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import connection, parent_process
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, TypeAlias

from threadpoolctl import threadpool_limits

from shallows._core.numerics.threads import n_threads
from shallows.lab._failure import Failure, failure_of
from shallows.lab._limits import GIGABYTE, Limits, data_bytes, limit_memory
from shallows.lab._progress import Loop

TELL_SECONDS = 0.2
KEPT_BYTES = GIGABYTE // 4  # that tasks may leave behind before the process is replaced

Pipe: TypeAlias = "connection.Connection[Any, Any]"


class Task(NamedTuple):
    """A function of `_tasks` and what it is called with."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Outcome(NamedTuple):
    """What a task returned, or its Failure, and whether the process ends itself now."""

    value: Any
    last: bool


def work(limits: Limits, environment: Mapping[str, str | None], pipe: Pipe) -> None:
    """Do tasks until the pipe is closed; send loops while they turn, then each outcome."""
    _leave_the_terminal()
    _use_threads(environment)
    limit_memory(limits.bytes)
    at_start = data_bytes()
    teller = _Teller(pipe)
    with suppress(EOFError, OSError):
        last = False
        while not last:
            task: Task = pipe.recv()
            value = _do(task, limits, teller)
            left_behind = data_bytes() - at_start
            last = left_behind > KEPT_BYTES or isinstance(value, Failure) or _has_children()
            teller.end(Outcome(value, last))


def _do(task: Task, limits: Limits, teller: _Teller) -> Any:
    teller.begin()
    try:
        return task.function(teller.note, *task.arguments)
    except MemoryError as error:
        sentence = (
            f"It needed more than the {limits.bytes / GIGABYTE:.3g} GB of memory that a run may "
            "take; choose smaller sizes."
        )
        return Failure(sentence, failure_of(error).trace, "memory")
    except Exception as error:
        return failure_of(error)


class _Teller:
    """Sends the newest state of the loops now and then: a loop may turn a million times a second.

    It also ends the process once nobody is left to listen.
    """

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._busy = Event()
        self._loops: tuple[Loop, ...] = ()
        Thread(target=self._keep_telling, daemon=True).start()

    def note(self, loops: tuple[Loop, ...]) -> None:
        self._loops = loops

    def begin(self) -> None:
        self._loops = ()
        self._busy.set()

    def end(self, outcome: Outcome) -> None:
        with self._lock:
            self._busy.clear()
            self._pipe.send(outcome)

    def _keep_telling(self) -> None:
        parent = parent_process()
        told: tuple[Loop, ...] = ()
        with suppress(OSError):
            while self._busy.wait() and parent is not None:
                if connection.wait([parent.sentinel], TELL_SECONDS):
                    break
                with self._lock:
                    if self._busy.is_set() and self._loops != told:
                        told = self._loops
                        self._pipe.send(told)
        _end_all()


def _use_threads(environment: Mapping[str, str | None]) -> None:
    """Use all threads again: the process that this one is forked from had to have none."""
    for name, value in environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    threadpool_limits(limits=n_threads(), user_api="blas")


def _has_children() -> bool:
    """Tell whether a task has left processes behind; known on Linux only."""
    found = Path(f"/proc/self/task/{os.getpid()}/children")
    return found.exists() and bool(found.read_text().strip())


def _leave_the_terminal() -> None:
    """Keep Ctrl-C for the server, and be a group that ends as one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()


def _end_all() -> None:
    """End this process and those it has started, whatever they are doing."""
    if hasattr(os, "killpg"):
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
