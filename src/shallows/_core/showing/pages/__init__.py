"""Self-contained HTML pages: one look, figures that draw themselves without a network."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import vl_convert
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from shallows._core.showing.figures.style import figure_svg


@cache
def templates(package: str) -> Environment:
    """Return the templates of a package, which may extend and include the common ones here."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__name__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["paragraphs"] = paragraphs
    environment.globals["scripts"] = scripts
    return environment


@cache
def scripts() -> Markup:
    """Return vega, vega-lite and vega-embed as one script that may stand inside a page."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(bundle.replace("</script", "<\\/script"))


def paragraphs(text: str) -> Markup:
    """Return plain text as paragraphs, with `code` set as such."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text.strip())]
    marked = [re.sub(r"`+([^`]+)`+", r"<code>\1</code>", str(escape(block))) for block in blocks]
    return Markup("\n".join(f"<p>{block}</p>" for block in marked if block))


def inline_svg(spec: dict[str, Any], prefix: str) -> Markup:
    """Return the figure with names that no other figure on the page has."""
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", figure_svg(spec))
    return Markup(svg)
