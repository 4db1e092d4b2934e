"""The parameters of an experiment, read from its function, and their values, read from text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from shallows._core.contract.params import NonNegativeInt, hints_of
from shallows.lab._values import Value

RESERVED = {"all", "help", "json", "out", "quick", "seed"}


class Parameter(NamedTuple):
    """One parameter of an experiment: what it allows, where it starts, what it means."""

    name: str
    hint: Any
    default: Value
    help: str


def parameters_of(function: Callable[..., None], words: Mapping[str, str]) -> list[Parameter]:
    """Return an experiment function's parameters, `seed` added; refuse what no flag can set."""
    hints = hints_of(function)
    found = []
    for name, item in inspect.signature(function).parameters.items():
        if name == "run":
            continue
        owner = f"{function.__name__}: parameter {name}"
        if name in RESERVED:
            raise TypeError(f"{owner} must have another name; `{name}` belongs to the lab.")
        if item.default is item.empty:
            raise TypeError(f"{owner} must have a default.")
        if not _expressible(hints.get(name)):
            raise TypeError(f"{owner} must have a hint that a command line can express.")
        found.append(Parameter(name, hints[name], item.default, words.get(name, "")))
    seed = Parameter("seed", NonNegativeInt, 0, "Where the random numbers start.")
    return [*found, seed]


def convert(hint: Any, text: Any) -> Any:
    """Return text as the first type of the hint that can read it, or unchanged."""
    for kind in kinds_of(hint):
        if get_origin(kind) is Literal:
            for option in get_args(kind):
                if str(option) == text:
                    return option
        elif kind is type(None):
            if text in ("None", "none"):
                return None
        elif kind is not bool:
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def kinds_of(hint: Any) -> list[Any]:
    """Return the plain types and choices that a hint is made of; text comes last."""
    if get_origin(hint) is Annotated:
        return kinds_of(get_args(hint)[0])
    if get_origin(hint) is Literal or not get_args(hint):
        return [hint]
    kinds = [kind for option in get_args(hint) for kind in kinds_of(option)]
    return sorted(kinds, key=lambda kind: kind is str)


def _expressible(hint: Any) -> bool:
    """Tell whether a hint is a number, bool, string, choice or a union of them."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _expressible(get_args(hint)[0])
    if origin in (Union, UnionType):
        return all(map(_expressible, get_args(hint)))
    return origin is Literal or hint in (bool, int, float, str, type(None))
