"""A run in a process of its own, as that process sees it."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, parent_process
from threading import Lock, Thread
from typing import Literal

from shallows._core.contract.registry import Entry
from shallows.lab._limits import GIGABYTE, Limits, limit_memory
from shallows.lab._progress import Loop
from shallows.lab._values import Value

TELL_SECONDS = 0.2


@dataclass(frozen=True)
class Failure:
    """Why a run has no result: a sentence, where it happened, and the limit that was hit."""

    message: str
    trace: str = ""
    limit: Literal["", "time", "memory"] = ""


def work(
    entry: Entry,
    parameters: Mapping[str, Value],
    limits: Limits,
    pipe: connection.Connection[object, object],
) -> None:
    """Run an experiment and send its loops while they turn, then its result or failure."""
    _leave_the_terminal()
    limit_memory(limits.bytes)
    teller = _Teller(pipe)
    Thread(target=teller.keep_telling, daemon=True).start()
    try:
        outcome = entry.load().run(parameters, report=teller.note)
    except MemoryError:
        outcome = Failure(
            f"It needed more than the {limits.bytes / GIGABYTE:.3g} GB of memory that a run may "
            "take; choose smaller sizes.",
            traceback.format_exc(),
            "memory",
        )
    except Exception as error:
        text = " ".join(str(error).split())
        name = type(error).__name__
        outcome = Failure(f"{name}: {text}" if text else name, traceback.format_exc())
    teller.close_with(outcome)


class _Teller:
    """Sends the newest state of the loops now and then: a loop may turn a million times a second.

    It also ends the process once nobody is left to listen.
    """

    def __init__(self, pipe: connection.Connection[object, object]) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._loops: tuple[Loop, ...] = ()

    def note(self, loops: tuple[Loop, ...]) -> None:
        self._loops = loops

    def keep_telling(self) -> None:
        parent = parent_process()
        told: tuple[Loop, ...] = ()
        with suppress(BrokenPipeError):
            while parent is not None and not connection.wait([parent.sentinel], TELL_SECONDS):
                with self._lock:
                    if self._pipe.closed:
                        return
                    if self._loops != told:
                        told = self._loops
                        self._pipe.send(told)
        _end_all()

    def close_with(self, outcome: object) -> None:
        with self._lock, suppress(BrokenPipeError):
            self._pipe.send(outcome)
            self._pipe.close()


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
