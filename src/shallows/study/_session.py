"""What the steps of one study share: journal, budget and who fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shallows.study._budget import Budget
from shallows.study._journal import Journal
from shallows.study._problem import Problem
from shallows.study._rungs import Rung


@dataclass(frozen=True)
class Session:
    """Journal, budget and workers of a study; `plan` gives the rungs of other training rows."""

    journal: Journal
    budget: Budget
    jobs: int
    client: Any
    seed: int
    plan: Callable[[Problem], list[Rung]]
