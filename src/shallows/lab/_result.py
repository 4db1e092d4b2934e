"""What an experiment leaves behind: plain values that survive a trip through JSON."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import asdict, dataclass
from typing import Any

from shallows._core.showing.figures import Drawing
from shallows._core.showing.figures.chart import ROWS
from shallows.lab._claim import Claim
from shallows.lab._values import Value

Row = dict[str, Value]


@dataclass(frozen=True)
class Result:
    """One run of an experiment.

    Parameters
    ----------
    name, chapter : str
        Of the experiment.
    title, text : str
        First line and body of its docstring.
    sources : str
        Where the claims come from.
    parameters : dict
        Values by name.
    seed : int
        Where the random numbers started.
    tables : dict of str to list of dict
        Recorded rows by table.
    figures : list of Drawing
        They show themselves in a notebook; `save` writes one as PNG, SVG or HTML.
    claims : list of Claim
        What theory says, and whether it holds.
    notes : list of str
        Findings where the literature is mistaken.
    seconds : float
        Time of the run.
    versions : dict of str to str
        Of Python and the packages that took part.

    Examples
    --------
    >>> from shallows import lab
    >>> result = lab.run("gradient_regimes", n=3)
    >>> result.command
    'shallows run gradient_regimes --n=3 --condition=10.0 --steps=20 --seed=0'
    >>> Result.from_json(result.to_json()) == result
    True
    """

    name: str
    chapter: str
    title: str
    text: str
    sources: str
    parameters: dict[str, Value]
    seed: int
    tables: dict[str, list[Row]]
    figures: list[Drawing]
    claims: list[Claim]
    notes: list[str]
    seconds: float
    versions: dict[str, str]

    @property
    def rows(self) -> list[Row]:
        """The rows of the main table."""
        return self.tables.get(ROWS, [])

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(claim.holds for claim in self.claims)

    @property
    def command(self) -> str:
        """The command that repeats this run."""
        flags = [_flag(name, value) for name, value in self.parameters.items()]
        return shlex.join(["shallows", "run", self.name, *flags, f"--seed={self.seed}"])

    def to_json(self) -> str:
        """Return the result as JSON; a non-finite number becomes `{"float": "nan"}`."""
        return json.dumps(_tag(asdict(self)), indent=1, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Return the result that `to_json` wrote."""
        values = json.loads(text, object_hook=_untag)
        values["claims"] = [Claim(**claim) for claim in values["claims"]]
        values["figures"] = list(map(Drawing, values["figures"]))
        return cls(**values)


def _flag(name: str, value: Value) -> str:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag}={value}"


def _tag(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tag(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_tag(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _untag(values: dict[str, Any]) -> Any:
    return float(values["float"]) if values.keys() == {"float"} else values
