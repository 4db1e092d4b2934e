"""What a look at the data found, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that a reader of the data should know.

    Parameters
    ----------
    kind : str
        Such as "missing" or "leak".
    text : str
        What was found, in words.
    severity : str
        "note", "caution" or "alarm".
    columns : tuple of str
        The columns it is about.

    Examples
    --------
    >>> from shallows.study import Finding
    >>> Finding("constant", "Column 'unit' has one value only.").severity
    'note'
    """

    kind: str
    text: str
    severity: str = "note"
    columns: tuple[str, ...] = ()
