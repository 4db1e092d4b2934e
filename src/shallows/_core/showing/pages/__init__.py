"""Self-contained HTML pages: one look, figures that draw themselves without a network."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache, partial
from hashlib import sha256
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
    environment.globals["source"] = partial(_source, environment)
    environment.globals["fingerprint"] = fingerprint
    return environment


@cache
def scripts() -> Markup:
    """Return vega, vega-lite and vega-embed as one script that may stand inside a page."""
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(bundle.replace("</script", "<\\/script"))


@cache
def fingerprint(text: str) -> Markup:
    """Return what a Content-Security-Policy calls a script or style that stands inside a page."""
    return Markup("'sha256-{}'").format(b64encode(sha256(text.encode()).digest()).decode())


def paragraphs(text: str) -> Markup:
    """Return plain text as paragraphs, with `code` set as such."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text.strip())]
    marked = [re.sub(r"`+([^`]+)`+", r"<code>\1</code>", str(escape(block))) for block in blocks]
    return Markup("\n".join(f"<p>{block}</p>" for block in marked if block))


def _source(environment: Environment, name: str) -> Markup:
    """Return a script or style of ours word for word."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0].strip())


def figure_page(spec: dict[str, Any]) -> str:
    """Return a self-contained page with one figure."""
    figures = [{"svg": inline_svg(spec, "figure"), "spec": spec}]
    title = getattr(spec, "title", "")
    return templates(__name__).get_template("figure.html").render(figures=figures, title=title)


def inline_svg(spec: dict[str, Any], prefix: str) -> Markup:
    """Return the figure with names that no other figure on the page has."""
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{prefix}-", figure_svg(spec))
    return Markup(svg)
