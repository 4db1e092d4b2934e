"""A result as one HTML page that needs no network, and an index of many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from shallows.lab._result import Result
from shallows.lab._style import figure_svg
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
    figures = [
        {"svg": inline_svg(spec, f"figure{index}"), "spec": spec}
        for index, spec in enumerate(result.figures)
    ]
    return _templates().get_template("result.html").render(
        result=result, figures=figures, scripts=Markup(_scripts()), most_rows=MOST_ROWS
    )  # fmt: skip


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
    return _templates().get_template("index.html").render(chapters=chapters, claims=claims)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("shallows.lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shorten": shorten, "paragraphs": paragraphs}
    return environment


@cache
def _scripts() -> str:
    """Return vega, vega-lite and vega-embed as one script that may stand inside a page."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace(
        "</script", "<\\/script"
    )


def paragraphs(text: str) -> Markup:
    """Return plain text as paragraphs, with `code` set as such."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text.strip())]
    marked = [re.sub(r"`+([^`]+)`+", r"<code>\1</code>", str(escape(block))) for block in blocks]
    return Markup("\n".join(f"<p>{block}</p>" for block in marked if block))


def inline_svg(spec: dict[str, Any], prefix: str) -> Markup:
    """Return the figure with names that no other figure on the page has."""
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", figure_svg(spec))
    return Markup(svg)
