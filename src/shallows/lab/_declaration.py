"""What an experiment asks and takes, without the function that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shallows._core.contract.params import check_value
from shallows.lab._parameters import Parameter
from shallows.lab._values import Value


@dataclass(frozen=True)
class Declaration:
    """All that a page needs of an experiment; it can be sent to another process.

    Parameters
    ----------
    name, chapter, sources, title, text : str
        As in `Experiment`.
    parameters : mapping
        What it takes, by name.
    quick : mapping
        Values for a run of a second or two.
    """

    name: str
    chapter: str
    sources: str
    title: str
    text: str
    parameters: Mapping[str, Parameter]
    quick: Mapping[str, Value]

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise ValueError for an unknown parameter or a value outside its hint."""
        for name, value in values.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters)
                raise ValueError(f"{self.name} has no parameter {name!r}; it takes {known}.")
            check_value(self.name, name, self.parameters[name].hint, value)
