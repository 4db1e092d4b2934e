"""What the hand may set in a playground: sliders, drawn points, painted strokes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from shallows._core.contract.params import Range, check_value
from shallows.lab._parameters import Parameter, convert

MOST_TEXT = 12_000  # letters of one value; an address must fit into a request


@dataclass(frozen=True)
class Slider(Range):
    """A numeric interval with the step of its slider; the step of a logarithmic one is a factor."""

    step: float = 1.0
    log: bool = False


@dataclass(frozen=True)
class Points:
    """Points of the plane, each with the number of its class; written ``x,y,class;x,y,class``."""

    most: int = 60
    classes: int = 2
    reach: float = 2.0
    least: int = 0

    def __contains__(self, value: Any) -> bool:
        return self.least <= len(value) <= self.most and all(map(self._allows, value))

    def __str__(self) -> str:
        return (
            f"of {self.least} to {self.most} points x,y,class with coordinates in "
            f"[-{self.reach:g}, {self.reach:g}] and a class below {self.classes}"
        )

    def _allows(self, point: Any) -> bool:
        if not isinstance(point, tuple) or len(point) != 3:
            return False
        x, y, label = point
        return abs(x) <= self.reach and abs(y) <= self.reach and label in range(self.classes)


@dataclass(frozen=True)
class Text:
    """Text of limited length, such as a painted pattern."""

    most: int = MOST_TEXT

    def __contains__(self, value: Any) -> bool:
        return len(value) <= self.most

    def __str__(self) -> str:
        return f"of at most {self.most} letters"


def read_value(owner: str, parameter: Parameter, text: str) -> Any:
    """Return the value that a text means; raise ValueError if it is not allowed."""
    hint = parameter.hint
    value: Any
    if hint is bool:
        value = {"yes": True, "no": False}.get(text, text)
    elif points_of(hint):
        value = read_points(text)
    else:
        value = convert(hint, text)
    check_value(owner, parameter.name, hint, value)
    return value


def read_points(text: str) -> list[tuple[float, ...]] | str:
    """Return ``x,y,class;x,y,class`` as tuples, or the text itself if it can't be read."""
    try:
        rows = [tuple(map(float, part.split(","))) for part in text.split(";") if part]
    except ValueError:
        return text[:80]
    fine = all(map(math.isfinite, (number for row in rows for number in row)))
    return rows if fine else text[:80]


def text_of(value: Any) -> str:
    """Return a value as an address has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ";".join(",".join(f"{number:g}" for number in row) for row in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def points_of(hint: Any) -> Points | None:
    """Return what a hint says of points, if it is one of points."""
    if get_origin(hint) is Annotated:
        return next((part for part in get_args(hint)[1:] if isinstance(part, Points)), None)
    return None


def control_of(parameter: Parameter) -> Mapping[str, Any]:
    """Return what a page needs to offer a parameter."""
    hint, kind = parameter.hint, "text"
    about: dict[str, Any] = {}
    extra = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    slider = next((part for part in extra if isinstance(part, Slider)), None)
    points = points_of(hint)
    if hint is bool:
        kind = "check"
    elif get_origin(hint) is Literal:
        kind, about = "choice", {"options": [str(option) for option in get_args(hint)]}
    elif slider:
        kind = "slider"
        about = {name: getattr(slider, name) for name in ("low", "high", "step", "log")}
    elif points:
        kind = "points"
        about = {name: getattr(points, name) for name in ("most", "classes", "reach", "least")}
    return {
        "name": parameter.name,
        "label": parameter.name.replace("_", " "),
        "kind": kind,
        "start": text_of(parameter.default),
        "help": parameter.help,
        **about,
    }
