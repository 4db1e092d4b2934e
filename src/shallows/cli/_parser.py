"""An argument parser that raises one-sentence errors."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from shallows.cli._errors import UsageError, closest


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` where others print and exit."""

    def __init__(self, **settings: Any):
        super().__init__(
            allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings
        )

    def error(self, message: str) -> NoReturn:
        """Raise the message."""
        raise UsageError(f"{message}; `{self.prog} --help` explains.")

    def parse(self, words: list[str]) -> argparse.Namespace:
        """Parse all words; for an unknown flag name the closest one."""
        values, unknown = self.parse_known_args(_hyphens(words))
        for word in unknown:
            if word.startswith("-"):
                flags = [flag for action in self._actions for flag in action.option_strings]
                hint = closest(word.partition("=")[0], [f for f in flags if f.startswith("--")])
                raise UsageError(f"`{self.prog}` has no option {word!r}; {hint}")
        if unknown:
            raise UsageError(
                f"`{self.prog}` has no use for the word {unknown[0]!r}; a name with spaces needs "
                f"quotes, and `{self.prog} --help` explains."
            )
        return values


def _hyphens(words: list[str]) -> list[str]:
    """Let --n_hidden stand for --n-hidden."""
    return [
        flag.replace("_", "-") + equals + value if word.startswith("--") else word
        for word in words
        for flag, equals, value in [word.partition("=")]
    ]
