"""What ran where, why, and what it saved."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from threading import Lock

LOG = logging.getLogger("shallows")
HERE, THERE = "shallows", "scikit-learn"


@dataclass(frozen=True)
class Line:
    """Calls of one method that ran in one place for one reason.

    Parameters
    ----------
    call : str
        Class and method.
    where : {"shallows", "scikit-learn"}
        Whose code ran.
    why : str
        Why it was not ours; empty if it was.
    calls : int
        How often.
    seconds : float
        Time of all calls.
    saved : float
        Estimate of the seconds that scikit-learn would have taken more, from the measured ratios.
    """

    call: str
    where: str
    why: str
    calls: int
    seconds: float
    saved: float


@dataclass(frozen=True)
class Report:
    """Calls of patched methods since `patch`.

    Parameters
    ----------
    lines : tuple of Line
        One per method, place and reason.
    """

    lines: tuple[Line, ...]

    @property
    def saved(self) -> float:
        """Seconds saved by all calls together, an estimate."""
        return sum(line.saved for line in self.lines)

    def __str__(self) -> str:
        if not self.lines:
            return "No patched method has been called."
        width = max(len(line.call) for line in self.lines)
        rows = [
            f"{line.call:<{width}}  {line.where:<12}  {line.calls:>6}  {line.seconds:>9.3f}  "
            f"{line.saved:>9.3f}  {line.why}".rstrip()
            for line in self.lines
        ]
        head = f"{'call':<{width}}  {'where':<12}  {'calls':>6}  {'seconds':>9}  {'saved':>9}  why"
        return "\n".join([head, *rows])


_lock = Lock()
_lines: dict[tuple[str, str, str], list[float]] = {}


def report() -> Report:
    """Return what ran where, why not here, and what it saved.

    Returns
    -------
    report : Report
        Its text is a table; `lines` has the values.

    Examples
    --------
    >>> from shallows.accelerate import patched, report
    >>> with patched():
    ...     from sklearn.cluster import KMeans
    ...
    ...     model = KMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]])
    >>> report().lines[0].call, report().lines[0].where, report().lines[0].why
    ('KMeans.fit', 'scikit-learn', 'X is a list')
    """
    with _lock:
        found = [Line(*key, int(calls), *rest) for key, (calls, *rest) in sorted(_lines.items())]
    return Report(tuple(found))


def note(call: str, where: str, why: str, seconds: float, saved: float = 0.0) -> None:
    """Add a call to the report, and log it."""
    with _lock:
        line = _lines.setdefault((call, where, why), [0, 0.0, 0.0])
        line[0] += 1
        line[1] += seconds
        line[2] += saved
    if LOG.isEnabledFor(logging.INFO):
        LOG.info("%s ran in %s, %.4f s%s", call, where, seconds, f" ({why})" if why else "")


def forget() -> None:
    """Begin the report anew."""
    with _lock:
        _lines.clear()
