"""Flags made from an experiment's hints, and their values read back."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from shallows._core.params import describe
from shallows.cli._parser import Parser
from shallows.lab._parameters import Parameter


def add_parameters(parser: Parser, parameters: Iterable[Parameter]) -> None:
    """Give the parser one flag per parameter; values stay text until `read_parameters`."""
    group = parser.add_argument_group("parameters")
    for item in parameters:
        flag = "--" + item.name.replace("_", "-")
        words = f"{item.help} " if item.help else ""
        settings: dict[str, Any] = {"dest": item.name, "default": None}
        if item.hint is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings["metavar"] = _metavar(item.hint)
        text = f"{words}{describe(item.hint)}, default {item.default}".replace("%", "%%")
        group.add_argument(flag, help=text, **settings)


def read_parameters(values: Mapping[str, Any], parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Return the parameters that were given, converted as their hints say."""
    given = [item for item in parameters if values[item.name] is not None]
    return {item.name: convert(item.hint, values[item.name]) for item in given}


def convert(hint: Any, text: Any) -> Any:
    """Return text as the first type of the hint that can read it, or unchanged."""
    for kind in _kinds(hint):
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


def _kinds(hint: Any) -> list[Any]:
    """Return the plain types and choices that a hint is made of; text comes last."""
    if get_origin(hint) is Annotated:
        return _kinds(get_args(hint)[0])
    if get_origin(hint) is Literal or not get_args(hint):
        return [hint]
    kinds = [kind for option in get_args(hint) for kind in _kinds(option)]
    return sorted(kinds, key=lambda kind: kind is str)


def _metavar(hint: Any) -> str:
    kinds = [kind for kind in _kinds(hint) if kind is not type(None)]
    return "|".join(
        "|".join(map(str, get_args(kind))) if get_args(kind) else kind.__name__.upper()
        for kind in kinds
    )
