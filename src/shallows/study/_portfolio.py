"""The settings that studies try, in the order that was found to pay most over many tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shallows.study._candidates import Candidate

FILE = Path(__file__).with_name("portfolio.json")


TYPICAL = 0.5  # seconds of a setting that the file does not know


@cache
def portfolio(task: str) -> tuple[tuple[str, dict[str, Any], float], ...]:
    """Return method, setting and seconds on a small table, the most valuable first.

    "how" in the file says how the order was found.
    """
    found = json.loads(FILE.read_text(encoding="utf-8"))[task]
    return tuple((name, setting, seconds) for name, setting, seconds in found)


def with_settings(candidates: Sequence[Candidate], task: str) -> list[Candidate]:
    """Return the methods with their settings, in the order of the portfolio."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for name, setting, _ in portfolio(task):
        by_name.setdefault(name, []).append(setting)
    return [replace(each, settings=tuple(by_name.get(each.name, [{}]))) for each in candidates]


def place_of(task: str, name: str, setting: dict[str, Any]) -> int:
    """Return the place of a method with a setting in the portfolio; others come last."""
    known = portfolio(task)
    return next((i for i, each in enumerate(known) if each[:2] == (name, setting)), len(known))


def seconds_of(task: str, name: str, setting: dict[str, Any]) -> float:
    """Return the seconds that a fit took on the tables of the portfolio, in the middle."""
    place = place_of(task, name, setting)
    known = portfolio(task)
    return known[place][2] if place < len(known) else TYPICAL
