"""A drawn figure: its specification with the data inside, which shows and saves itself."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

from shallows._core.contract.extras import MissingExtraError, from_extra
from shallows._core.showing.figures.style import figure_png, figure_svg
from shallows._core.showing.files import write_bytes

VEGA_LITE = "application/vnd.vegalite.v6+json"
ENDINGS = (".html", ".json", ".png", ".svg")


class Drawing(dict[str, Any]):
    """A figure with its data: a Vega-Lite specification that shows and saves itself.

    At the end of a notebook's cell it is drawn. It is a dict, so `altair.Chart.from_dict` and
    other tools of Vega-Lite take it, too.

    Examples
    --------
    >>> from shallows.lab import scatter
    >>> drawing = scatter("x", "y", title="Two points").spec([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
    >>> drawing
    <Drawing 'Two points': save it as .html, .json, .png or .svg>
    >>> drawing.to_dict()["data"]["values"][0]
    {'x': 1, 'y': 2}
    >>> drawing.to_svg()[:4]
    '<svg'
    """

    @property
    def title(self) -> str:
        """Words above the figure, or what it is a chart of."""
        first = self["hconcat"][0] if "hconcat" in self else self
        title = first.get("title") or first.get("description", "")
        if isinstance(title, dict):
            title = title.get("text", "")
        return " ".join(title) if isinstance(title, list) else str(title)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows that are drawn, one dict each."""
        rows: list[dict[str, Any]] = self["data"]["values"]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the specification as a plain dict."""
        return dict(self)

    def to_svg(self) -> str:
        """Return an SVG image with a transparent ground and text in the page's colour."""
        return figure_svg(self)

    def to_png(self, scale: float = 2) -> bytes:
        """Return a PNG image on white, with so many pixels per point."""
        return figure_png(self, scale)

    def to_html(self) -> str:
        """Return a page that needs no network; its figure shows values under the pointer."""
        with from_extra("lab", "A page"):
            from shallows._core.showing.pages import figure_page

        return figure_page(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure to a file, in the format that the ending of its name says.

        Parameters
        ----------
        path : str or path-like
            Ends in .png, .svg, .html (a page that needs no network) or .json (the
            specification).

        Returns
        -------
        pathlib.Path
            The path of the written file.
        """
        ending = Path(path).suffix.lower()
        if ending not in ENDINGS:
            raise ValueError(
                f"Drawing.save: path must end in {', '.join(ENDINGS)}, got {os.fspath(path)!r}."
            )
        if ending == ".png":
            return write_bytes(path, self.to_png())
        text = {".svg": self.to_svg, ".html": self.to_html, ".json": self._to_json}[ending]()
        return write_bytes(path, text.encode())

    def _to_json(self) -> str:
        return json.dumps(self, ensure_ascii=False, indent=1)

    def __repr__(self) -> str:
        return f"<Drawing {self.title!r}: save it as .html, .json, .png or .svg>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return what a notebook shows: the figure where it knows Vega-Lite, else an image."""
        shown: dict[str, Any] = {"text/plain": repr(self), VEGA_LITE: self.to_dict()}
        with suppress(MissingExtraError):  # vl-convert belongs to the extras
            shown["image/png"] = b64encode(self.to_png()).decode()
        return shown
