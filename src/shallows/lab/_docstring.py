"""Title, text and parameter descriptions of a numpydoc docstring."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ITEM = re.compile(r"^(\w+)(?: *:.*)?\n((?:[ ]+.*\n|\n)*)", re.MULTILINE)


class Docstring(NamedTuple):
    """The parts that a page and a command line show."""

    title: str
    text: str
    parameters: dict[str, str]


def parse_docstring(text: str | None) -> Docstring:
    r"""Split a docstring into its first line, the text below, and each parameter's words.

    Parameters
    ----------
    text : str or None
        The docstring as written.

    Returns
    -------
    Docstring
        The parts; empty where the docstring says nothing.

    Examples
    --------
    >>> parse_docstring("Toss.\n\nParameters\n----------\nn : int\n    How often.").parameters
    {'n': 'How often.'}
    """
    head, *sections = _SECTION.split(inspect.cleandoc(text or "") + "\n")
    title, _, body = head.strip().partition("\n\n")
    named = dict(zip(sections[::2], sections[1::2], strict=True))
    items = _ITEM.findall(named.get("Parameters", ""))
    return Docstring(
        " ".join(title.split()),
        body.strip(),
        {name: " ".join(words.split()) for name, words in items},
    )
