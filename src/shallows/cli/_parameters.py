"""Flags made from an experiment's hints, and their values read back."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from shallows._core.contract.params import describe
from shallows.cli._parser import Parser
from shallows.lab._parameters import Parameter, convert, kinds_of


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


def _metavar(hint: Any) -> str:
    kinds = [kind for kind in kinds_of(hint) if kind is not type(None)]
    return "|".join(
        "|".join(map(str, get_args(kind))) if get_args(kind) else kind.__name__.upper()
        for kind in kinds
    )
