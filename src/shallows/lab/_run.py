"""The recorder that an experiment writes to while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from shallows._core.showing.figures.chart import ROWS
from shallows.lab._claim import Claim, judge
from shallows.lab._progress import Bars, Cancelled, Report
from shallows.lab._result import Row
from shallows.lab._values import plain

if TYPE_CHECKING:
    from shallows._core.showing.figures import Drawing, Figure

Item = TypeVar("Item")


class Run:
    """Collects what an experiment finds.

    Parameters
    ----------
    name : str
        The experiment's name, for messages.
    seed : int
        Where the random numbers of `rng` start.
    cancelled : callable, optional
        Asked before every step and row; once it returns True the run ends with `Cancelled`.
        The `is_set` of a threading.Event fits.
    report : callable, optional
        Told how far the loops of `progress` are, instead of a terminal.

    Examples
    --------
    >>> run = Run("demo")
    >>> run.row(step=1, error=0.5)
    >>> run.claim("the error is small", 0.5, at_most=1)
    True
    """

    def __init__(
        self,
        name: str,
        seed: int = 0,
        cancelled: Callable[[], bool] | None = None,
        report: Report | None = None,
    ):
        self.name = name
        self.seed = seed
        self.tables: dict[str, list[Row]] = {}
        self.figures: list[Drawing] = []
        self.claims: list[Claim] = []
        self.notes: list[str] = []
        self._cancelled = cancelled
        self._bars = Bars(report)

    @cached_property
    def rng(self) -> np.random.Generator:
        """The run's random numbers."""
        return np.random.default_rng(self.seed)

    def progress(self, items: Iterable[Item], text: str = "") -> Iterator[Item]:
        """Iterate, with a bar on a terminal and a chance to cancel before every step.

        Parameters
        ----------
        items : iterable
            What the loop runs over.
        text : str
            Shown beside the bar; the experiment's name unless told.

        Yields
        ------
        object
            The items.
        """
        for item in self._bars.track(items, text or self.name):
            self._stop_if_cancelled()
            yield item

    def row(self, table: str = ROWS, **values: Any) -> None:
        """Record one row of plain values; all rows of a table have the same columns.

        Parameters
        ----------
        table : str
            Name of the table.
        **values : number, str, bool or None
            One value per column; NumPy scalars become Python's.
        """
        self._stop_if_cancelled()
        rows = self.tables.setdefault(table, [])
        if rows and rows[0].keys() != values.keys():
            raise ValueError(
                f"{self.name}: a row of table {table!r} must have the columns "
                f"{', '.join(rows[0])}, got {', '.join(values)}."
            )
        rows.append({name: plain(f"{self.name}: {name}", value) for name, value in values.items()})

    def rows(self, table: str = ROWS, **columns: Any) -> None:
        """Record many rows at once.

        Parameters
        ----------
        table : str
            Name of the table.
        **columns : array-like or scalar
            Columns of one common length; a scalar is repeated.
        """
        arrays = np.broadcast_arrays(*map(np.atleast_1d, columns.values()))
        for values in zip(*arrays, strict=True):
            self.row(table, **dict(zip(columns, values, strict=True)))

    def columns(self, table: str = ROWS) -> dict[str, np.ndarray[Any, Any]]:
        """Return what a table holds by now.

        Parameters
        ----------
        table : str
            Name of the table.

        Returns
        -------
        dict of str to ndarray
            One array per column.
        """
        rows = self.tables[table]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def figure(self, figure: Figure) -> None:
        """Draw what a table holds by now.

        Parameters
        ----------
        figure : Figure
            From `line`, `scatter`, `bars`, `heatmap` or `histogram`.
        """
        self.figures.append(figure.spec(self.tables.get(figure.table, [])))

    def note(self, text: str) -> None:
        """State a finding where the literature is mistaken.

        Parameters
        ----------
        text : str
            What is written, and what is right.
        """
        self.notes.append(text)

    def claim(
        self,
        text: str,
        measured: Any,
        expected: float | None = None,
        *,
        within: float | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
        holds: bool | None = None,
        probability: float | None = None,
    ) -> bool:
        """Compare a measured value with the theory's.

        Give `expected` with its tolerance `within`, or `at_least` and/or `at_most`, or, for a
        claim that no number decides, `holds`. NaN never holds. A claim that can't fail is
        refused.

        Parameters
        ----------
        text : str
            The claim as a sentence.
        measured : number, bool or str
            What the run found.
        expected : float, optional
            What the theory says.
        within : float, optional
            Largest accepted distance to `expected`.
        at_least, at_most : float, optional
            Bounds on the measured value.
        holds : bool, optional
            The experiment's own verdict.
        probability : float in (0, 1), optional
            Chance that the claim fails although the theory is right, if the run is random.

        Returns
        -------
        bool
            Whether the claim holds.
        """
        limits = {"expected": expected, "within": within, "at_least": at_least, "at_most": at_most}
        claim = judge(self.name, text, measured, holds=holds, probability=probability, **limits)
        self.claims.append(claim)
        return claim.holds

    def close(self) -> None:
        """Take the progress bars off the terminal."""
        self._bars.close()

    def _stop_if_cancelled(self) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled(f"{self.name} was cancelled.")
