"""A result as one HTML page that needs no network, and an index of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Template

from shallows._core.showing.pages import inline_svg, templates
from shallows.lab._result import Result
from shallows.lab._values import shorten

MOST_ROWS = 500


def page(result: Result) -> str:
    """Return a self-contained HTML page: text, claims, figures, rows and how to repeat it.

    Parameters
    ----------
    result : Result
        What to show.

    Returns
    -------
    str
        The page; its figures are drawn by scripts inside it, and stand there as plain SVG
        where scripts don't run.
    """
    return template("result.html").render(shown(result))


def shown(result: Result) -> dict[str, Any]:
    """Return what the template of a result shows."""
    figures = [
        {"svg": inline_svg(spec, f"figure{index}"), "spec": spec}
        for index, spec in enumerate(result.figures)
    ]
    return {"result": result, "figures": figures, "most_rows": MOST_ROWS}


def index(results: Sequence[Result]) -> str:
    """Return an HTML page that leads to the page of every result.

    Parameters
    ----------
    results : sequence of Result
        Those whose pages stand beside it as ``<name>.html``.

    Returns
    -------
    str
        The page.
    """
    chapters: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        picture = inline_svg(result.figures[0], result.name) if result.figures else ""
        chapters.setdefault(result.chapter, []).append({"result": result, "picture": picture})
    claims = [claim for result in results for claim in result.claims]
    return template("index.html").render(chapters=chapters, claims=claims)


def template(name: str) -> Template:
    """Return a template of the lab."""
    environment = templates("shallows.lab")
    environment.filters["shorten"] = shorten
    return environment.get_template(name)
