"""Libraries that only some functions need, and the extras of this package that bring them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "dask": ("cluster",),
    "distributed": ("cluster",),
    "duckdb": ("study",),
    "imblearn": ("lab",),
    "jinja2": ("study", "lab"),
    "markupsafe": ("study", "lab"),
    "openpyxl": ("study",),
    "pandas": ("lab",),
    "starlette": ("lab",),
    "uvicorn": ("lab",),
    "vl_convert": ("study", "lab"),
}


class MissingExtraError(ImportError):
    """A library is not installed; the message names the extra that brings it."""


@contextmanager
def from_extra(extra: str, who: str) -> Iterator[None]:
    """Name the extra to install where a library is missing.

    Parameters
    ----------
    extra : str
        The extra that the caller belongs to, since several may bring the same library.
    who : str
        What needs it; the sentence begins with it.

    Examples
    --------
    >>> with from_extra("study", "The report"):
    ...     raise ModuleNotFoundError(name="jinja2")
    Traceback (most recent call last):
    shallows...MissingExtraError: The report needs jinja2; install it with: pip install ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise MissingExtraError(f"{who} needs {package}; {how_to_install(extra)}") from None


def how_to_install(extra: str) -> str:
    """Return the command that brings an extra."""
    return f"install it with: pip install 'shallows[{extra}]'"
