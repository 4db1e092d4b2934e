"""What the application works with: experiments, runs, warm processes and finished pages."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import ExitStack, suppress
from hashlib import sha256
from threading import Event
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from shallows._core.contract.registry import Entry
from shallows.lab._assets import VEGA, find_asset
from shallows.lab._declaration import Declaration
from shallows.lab._failure import Failure, failure_of
from shallows.lab._limits import GIGABYTE, Limits
from shallows.lab._playground import PlayDeclaration
from shallows.lab._runs import Job, Runs
from shallows.lab._tasks import describe, play
from shallows.lab._workers import Workers

MOST_PAGES = 256
DESCRIBE_SECONDS = 60.0
CALL_LIMITS = Limits(seconds=20.0, bytes=GIGABYTE)


class ImportFailedError(Exception):
    """An experiment can't be imported here."""


class Page(NamedTuple):
    """A page as it is sent."""

    content: bytes
    compressed: bytes
    tag: str


class Lab:
    """The parts of a served lab.

    Parameters
    ----------
    entries : iterable of Entry
        The only experiments that it runs.
    runs : Runs
        Starts and keeps the runs.
    playgrounds : iterable of Entry
        The only playgrounds that it offers.
    """

    def __init__(
        self, entries: Iterable[Entry], runs: Runs, playgrounds: Iterable[Entry] = ()
    ) -> None:
        self.entries = {entry.name: entry for entry in entries}
        self.playgrounds = {entry.name: entry for entry in playgrounds}
        self.runs = runs
        self.workers = Workers(os.cpu_count() or 1, CALL_LIMITS)  # for what must answer at once
        self._pages: dict[Hashable, asyncio.Future[Page]] = {}
        self._declared: dict[tuple[str, str], Declaration | PlayDeclaration | Failure] = {}
        self._described = Event()
        self._closed = False

    def warm(self) -> None:
        """Do what takes seconds before anybody asks for it."""
        self._describe()
        self.workers.fill()
        self.runs.workers.fill()
        find_asset(VEGA)
        for name in self.playgrounds:
            self._warm_playground(name)

    def close(self) -> None:
        """End all runs and processes."""
        self._closed = True
        self._described.set()
        self.runs.close()
        self.workers.close()

    async def page(self, key: Hashable, write: Callable[[], str]) -> Page:
        """Return the page of this key; it is written once, for all who ask at the same time."""
        found = self._pages.get(key)
        if found is None:
            found = asyncio.ensure_future(run_in_threadpool(_make_page, write))
            self._pages[key] = found
            if len(self._pages) > MOST_PAGES:
                del self._pages[next(iter(self._pages))]
        try:
            return await asyncio.shield(found)
        except Exception:
            self._pages.pop(key, None)
            raise

    def declaration(self, entry: Entry) -> Declaration:
        """Return what an experiment asks and takes; raise if it can't be imported."""
        found = self._find_declaration(entry)
        assert isinstance(found, Declaration)
        return found

    def play_declaration(self, entry: Entry) -> PlayDeclaration:
        """Return what a playground offers; raise if it can't be imported."""
        found = self._find_declaration(entry)
        assert isinstance(found, PlayDeclaration)
        return found

    def play(self, name: str, typed: Mapping[str, str]) -> bytes | Failure:
        """Return the scene of a playground as JSON."""
        with self.workers.lend() as worker:
            answer: bytes | Failure = worker.do(play, name, typed, report=_ignore)
        return answer

    def jobs_of(self, entry: Entry) -> list[Job]:
        """Return the known runs of an experiment."""
        return [job for job in self.runs.all() if job.entry == entry]

    def ahead_of(self, job: Job) -> int:
        """Return how many runs wait before this one."""
        waiting = [other.id for other in self.runs.all() if other.state == "waiting"]
        return waiting.index(job.id) if job.id in waiting else 0

    def _find_declaration(self, entry: Entry) -> Declaration | PlayDeclaration:
        self._described.wait(DESCRIBE_SECONDS)
        late = Failure("The experiments are still being imported; try again in a few seconds.")
        found = self._declared.get((entry.kind, entry.name), late)
        if isinstance(found, Failure):
            raise ImportFailedError(found.message)
        return found

    def _describe(self) -> None:
        """Ask a worker for all declarations at once: here their imports would take seconds."""
        for entries in (list(self.entries.values()), list(self.playgrounds.values())):
            try:
                with self.runs.workers.lend() as worker:
                    found = worker.do(describe, entries, report=_ignore) if entries else {}
            except Exception as error:
                found = failure_of(error)
            for entry in entries:
                answer = found if isinstance(found, Failure) else found[entry.name]
                self._declared[entry.kind, entry.name] = answer
        self._described.set()

    def _warm_playground(self, name: str) -> None:
        """Let every worker play once, so that no reader waits for its compiled functions."""
        with ExitStack() as stack, suppress(RuntimeError, OSError):
            workers = [stack.enter_context(self.workers.lend()) for _ in range(self.workers.most)]
            if not self._closed:
                for worker in workers:
                    worker.do(play, name, {}, report=_ignore)


def _ignore(loops: object) -> None:
    """Take no notice of how far a short task is."""


def _make_page(write: Callable[[], str]) -> Page:
    content = write().encode()
    return Page(content, gzip.compress(content, 5), f'"{sha256(content).hexdigest()[:20]}"')
