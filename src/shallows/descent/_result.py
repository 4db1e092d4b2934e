"""What a minimiser returns, and the record it keeps on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array

Measure = Callable[[Array], Mapping[str, float]]


@dataclass(frozen=True)
class Minimum:
    """The end of a minimisation.

    Attributes
    ----------
    x : array
        The last place.
    value : float
        Loss there.
    gradient_norm : float
        Norm of the gradient there, or of what the method uses instead.
    n_iter : int
        Iterations made.
    history : dict of lists
        "loss", "gradient_norm" and everything measured, at the start and after each iteration.
    stopped_by : str
        The limit of the `StoppingRule` that was met, or "precision" when no lower value could
        be found any more.
    """

    x: Array
    value: float
    gradient_norm: float
    n_iter: int
    history: dict[str, list[float]]
    stopped_by: str


@dataclass
class Record:
    """History of a running minimisation that knows when to stop."""

    stopping: StoppingRule
    measure: Measure | None = None
    history: dict[str, list[float]] = field(default_factory=dict)
    stopped_by: str | None = None

    def add(self, x: Array, value: float, gradient_norm: float) -> bool:
        """Record a place; return whether to stop there."""
        seen = {"loss": value, "gradient_norm": gradient_norm}
        if self.measure is not None:
            seen.update(self.measure(x))
        for name, number in seen.items():
            self.history.setdefault(name, []).append(float(number))
        self.stopped_by = self.stopping.met_by(self.history, self.n_iter)
        return self.stopped_by is not None

    @property
    def n_iter(self) -> int:
        """Places recorded after the start."""
        return len(self.history["loss"]) - 1

    def finish(self, x: Array) -> Minimum:
        """Return the result; a run that no limit ended was ended by the precision."""
        return Minimum(
            x,
            self.history["loss"][-1],
            self.history["gradient_norm"][-1],
            self.n_iter,
            self.history,
            self.stopped_by or "precision",
        )
