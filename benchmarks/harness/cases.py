"""What a benchmark case is made of."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.harness.sides import Run, RunApart


@dataclass(frozen=True)
class Quality:
    """A number read off a result, so that speed bought with a worse answer is seen.

    Ours counts as worse when it loses more than the fraction `within` of the peer's value.
    """

    name: str
    of: Callable[[Any], float]
    better: Literal["smaller", "larger"]
    within: float = 1e-3


@dataclass(frozen=True)
class Comparison:
    """Our method and its peers, on the same data with the same stopping rule."""

    ours: Run
    peers: list[Run | RunApart]
    quality: list[Quality]

    def sides(self) -> dict[str, Run | RunApart]:
        """Return every side by name, ours first."""
        sides = {"ours": self.ours, **{peer.name: peer for peer in self.peers}}
        if len(sides) != 1 + len(self.peers):
            raise ValueError(f"Peers need different names, got {[p.name for p in self.peers]}.")
        return sides


@dataclass(frozen=True)
class Case:
    """A comparison that can be built at several sizes, smallest first."""

    name: str
    sizes: list[dict[str, Any]]
    build: Callable[..., Comparison]


def case(name: str, sizes: list[dict[str, Any]]) -> Callable[[Callable[..., Comparison]], Case]:
    """Make a case of a function that takes a size and returns a comparison."""
    return lambda build: Case(name, sizes, build)


def load_cases(path: str | Path) -> dict[str, Case]:
    """Return the cases of a file by name, in the order in which they are written."""
    # By path, because a family called `signal` would hide a module of Python's own.
    spec = importlib.util.spec_from_file_location(f"benchmark_{Path(path).stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {value.name: value for value in vars(module).values() if isinstance(value, Case)}
