"""What the application works with: experiments, runs, warm processes and finished pages."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Callable, Hashable, Iterable
from hashlib import sha256
from threading import Event
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from shallows._core.contract.registry import Entry
from shallows.lab._assets import VEGA, find_asset
from shallows.lab._declaration import Declaration
from shallows.lab._failure import Failure, failure_of
from shallows.lab._limits import GIGABYTE, Limits
from shallows.lab._runs import Job, Runs
from shallows.lab._tasks import describe
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
    """

    def __init__(self, entries: Iterable[Entry], runs: Runs) -> None:
        self.entries = {entry.name: entry for entry in entries}
        self.runs = runs
        self.workers = Workers(os.cpu_count() or 1, CALL_LIMITS)  # for what must answer at once
        self._pages: dict[Hashable, asyncio.Future[Page]] = {}
        self._declared: dict[str, Declaration | Failure] = {}
        self._described = Event()

    def warm(self) -> None:
        """Do what takes seconds before anybody asks for it."""
        find_asset(VEGA)
        self._describe()
        self.workers.fill()
        self.runs.workers.fill()

    def close(self) -> None:
        """End all runs and processes."""
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
        self._described.wait(DESCRIBE_SECONDS)
        late = Failure("The experiments are still being imported; try again in a few seconds.")
        found = self._declared.get(entry.name, late)
        if isinstance(found, Failure):
            raise ImportFailedError(found.message)
        return found

    def jobs_of(self, entry: Entry) -> list[Job]:
        """Return the known runs of an experiment."""
        return [job for job in self.runs.all() if job.entry == entry]

    def ahead_of(self, job: Job) -> int:
        """Return how many runs wait before this one."""
        waiting = [other.id for other in self.runs.all() if other.state == "waiting"]
        return waiting.index(job.id) if job.id in waiting else 0

    def _describe(self) -> None:
        """Ask a worker for all declarations at once: here their imports would take seconds."""
        entries = list(self.entries.values())
        try:
            with self.runs.workers.lend() as worker:
                found = worker.do(describe, entries, report=lambda loops: None)
        except Exception as error:
            found = failure_of(error)
        if isinstance(found, Failure):
            found = {entry.name: found for entry in entries}
        self._declared = found
        self._described.set()


def _make_page(write: Callable[[], str]) -> Page:
    content = write().encode()
    return Page(content, gzip.compress(content, 5), f'"{sha256(content).hexdigest()[:20]}"')
