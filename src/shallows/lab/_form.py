"""The form of an experiment: fields made from its parameters, and what was typed into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args, get_origin

from shallows._core.contract.params import describe
from shallows.lab._declaration import Declaration
from shallows.lab._parameters import convert, kinds_of
from shallows.lab._values import Value

ANSWERS = {"yes": True, "no": False}


class Field(NamedTuple):
    """One field: what stands in it, what it allows and means, and what is wrong with it."""

    name: str
    text: str
    kind: Literal["check", "choice", "text"]
    options: list[str]
    keyboard: str
    allowed: str
    default: str
    help: str
    error: str


class Reading(NamedTuple):
    """The values that were typed, and one sentence for each that can't be taken."""

    values: dict[str, Value]
    errors: dict[str, str]


def fields(
    experiment: Declaration, typed: Mapping[str, str], errors: Mapping[str, str]
) -> list[Field]:
    """Return a field per parameter, holding what was typed or else the default."""
    return [
        Field(
            name=name,
            text=typed.get(name, as_text(item.default)),
            kind=_kind(item.hint),
            options=_options(item.hint),
            keyboard=_keyboard(item.hint),
            allowed="" if item.hint is bool else describe(item.hint),
            default=as_text(item.default),
            help=item.help,
            error=errors.get(name, ""),
        )
        for name, item in experiment.parameters.items()
    ]


def read(experiment: Declaration, typed: Mapping[str, str]) -> Reading:
    """Return what was typed as values, each judged as the command line would."""
    found = Reading({}, {})
    for name, text in typed.items():
        known = experiment.parameters.get(name)
        value = _value(known.hint, text) if known else text
        try:
            experiment.check({name: value})
        except ValueError as error:
            found.errors[name] = str(error)
        else:
            found.values[name] = value
    return found


def as_text(value: Value) -> str:
    """Return a value as it is typed into its field."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _value(hint: Any, text: str) -> Any:
    if bool in kinds_of(hint) and text in ANSWERS:
        return ANSWERS[text]
    return convert(hint, text)


def _kind(hint: Any) -> Literal["check", "choice", "text"]:
    if hint is bool:
        return "check"
    return "choice" if _options(hint) else "text"


def _options(hint: Any) -> list[str]:
    """Return all values that a hint allows, or none where they can't be listed."""
    found: list[str] = []
    for kind in kinds_of(hint):
        if get_origin(kind) is Literal:
            found += map(str, get_args(kind))
        elif kind is type(None):
            found.append("None")
        else:
            return []
    return found


def _keyboard(hint: Any) -> str:
    """Return which keys a telephone shows first; those for numbers may lack minus and e."""
    return "numeric" if kinds_of(hint) == [int] else "text"
