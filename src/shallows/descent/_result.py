"""Result and running record of a minimisation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shallows.descent._stopping import StoppingRule
from shallows.descent._types import Array

Measure = Callable[[Array], Mapping[str, float]]


@dataclass(frozen=True)
class Minimum:
    """Result of a minimisation.

    Attributes
    ----------
    x : array
        Final parameters.
    value : float
        Loss at x.
    gradient_norm : float
        Norm of the gradient at x, or the method's substitute for it.
    n_iter : int
        Number of iterations.
    history : dict of lists
        "loss", "gradient_norm" and further measures, at the start and after each iteration.
    stopped_by : str
        The limit of the `StoppingRule` that was met, or "precision" if rounding prevents any
        further decrease.
    """

    x: Array
    value: float
    gradient_norm: float
    n_iter: int
    history: dict[str, list[float]]
    stopped_by: str


@dataclass
class Record:
    """History of a running minimisation, checked against a stopping rule."""

    stopping: StoppingRule
    measure: Measure | None = None
    history: dict[str, list[float]] = field(default_factory=dict)
    stopped_by: str | None = None

    def add(self, x: Array, value: float, gradient_norm: float) -> bool:
        """Record a point; return whether to stop."""
        seen = {"loss": value, "gradient_norm": gradient_norm}
        if self.measure is not None:
            seen.update(self.measure(x))
        for name, number in seen.items():
            self.history.setdefault(name, []).append(float(number))
        self.stopped_by = self.stopping.met_by(self.history, self.n_iter)
        return self.stopped_by is not None

    @property
    def n_iter(self) -> int:
        """Number of points recorded after the start."""
        return len(self.history["loss"]) - 1

    def finish(self, x: Array) -> Minimum:
        """Return the result; a run not ended by any limit was ended by limited precision."""
        return Minimum(
            x,
            self.history["loss"][-1],
            self.history["gradient_norm"][-1],
            self.n_iter,
            self.history,
            self.stopped_by or "precision",
        )
