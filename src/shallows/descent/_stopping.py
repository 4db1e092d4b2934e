"""Stopping rules of all iterative minimisers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class StoppingRule:
    """Limits of an iteration; None disables a limit. The first one met, in this order, is
    reported.

    Parameters
    ----------
    loss : float or None
        Stop when the loss is at most this. Never met if the minimum is higher.
    gradient_norm : float or None
        Stop when the Euclidean norm of the gradient is at most this.
    mistakes : int or None
        Stop when at most this many examples are misclassified.
    max_error : float or None
        Stop when the largest error of any example is at most this.
    change : float or None
        Stop when the loss changed by at most this share (0.001 is 0.1 %) in each of the last
        `patience` iterations. Too small a rate meets this limit early.
    patience : int
        See `change`.
    max_iter : int
        Stop after this many iterations.

    Examples
    --------
    >>> rule = StoppingRule(loss=0.1, max_iter=3)
    >>> rule.met_by({"loss": [1.0, 0.5]}, n_iter=1)
    >>> rule.met_by({"loss": [1.0, 0.5, 0.05]}, n_iter=2)
    'loss'
    """

    loss: float | None = None
    gradient_norm: float | None = None
    mistakes: int | None = None
    max_error: float | None = None
    change: float | None = None
    patience: int = 5
    max_iter: int = 1000

    def met_by(self, history: Mapping[str, Sequence[float]], n_iter: int) -> str | None:
        """Return the name of the limit that is met, or None.

        Parameters
        ----------
        history : mapping from str to sequence of floats
            Recorded values, newest last: "loss", and everything for which a limit is set.
        n_iter : int
            Number of iterations.

        Returns
        -------
        str or None
            Name of the parameter.
        """
        losses = history["loss"]
        if not math.isfinite(losses[-1]):
            raise FloatingPointError(
                f"The loss became {losses[-1]} in iteration {n_iter}. "
                "Lower the learning rate or scale the data."
            )
        for name in ("loss", "gradient_norm", "mistakes", "max_error"):
            limit = getattr(self, name)
            if limit is not None and _recorded(history, name)[-1] <= limit:
                return name
        if self.change is not None and _settled(losses, self.change, self.patience):
            return "change"
        return "max_iter" if n_iter >= self.max_iter else None


def _recorded(history: Mapping[str, Sequence[float]], name: str) -> Sequence[float]:
    if name not in history:
        raise ValueError(
            f"StoppingRule: {name} has a limit but was not recorded, only "
            f"{', '.join(history)}. Record it, for example with `measure`."
        )
    return history[name]


def _settled(losses: Sequence[float], change: float, patience: int) -> bool:
    last = losses[-patience - 1 :]
    return len(last) > patience and all(
        abs(new - old) <= change * abs(old) for old, new in pairwise(last)
    )
