"""One look for all figures, on light and dark ground, and their rendering to files."""

from __future__ import annotations

from typing import Any

from shallows._core.contract.extras import from_extra

# After Okabe and Ito, whose colours the colour-blind can tell apart; without the yellow, and with
# a blue that also shows on dark ground.
PALETTE = ["#1A80BB", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
# Axes and text take the colour of the page's text.
INK = "currentColor"

# A figure made of small ones has no width of its own, which reads as 0.
_TICKS = "ceil((width || 240) / 60)"
_TEXT = {"labelColor": INK, "titleColor": INK, "labelFontSize": 13, "titleFontSize": 13}
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    "axis": {
        **_TEXT,
        "titleFontWeight": 500,
        "titlePadding": 8,
        "domainColor": INK,
        "domainOpacity": 0.5,
        "tickColor": INK,
        "tickOpacity": 0.5,
        "gridColor": INK,
        "gridOpacity": 0.12,
    },
    "axisX": {"labelFlush": False},
    "axisXQuantitative": {"labelSeparation": 8, "tickCount": {"expr": _TICKS}},
    "legend": {**_TEXT, "titleFontWeight": 500, "symbolSize": 90, "symbolOpacity": 1},
    "header": {**_TEXT, "titleFontWeight": 500, "labelFontWeight": 600},
    "title": {
        "anchor": "start",
        "color": INK,
        "subtitleColor": INK,
        "fontSize": 15,
        "fontWeight": 600,
        "subtitleFontSize": 13,
        "offset": 12,
    },
    "view": {"stroke": None},
    "range": {"category": PALETTE, "ramp": {"scheme": "viridis"}, "heatmap": {"scheme": "viridis"}},
    "mark": {"color": PALETTE[0]},
    "line": {"strokeWidth": 2.2, "strokeJoin": "round"},
    "point": {"filled": True, "size": 55, "opacity": 0.9},
    "errorbar": {"ticks": {"size": 10}},
}


def figure_png(spec: dict[str, Any], scale: float = 2) -> bytes:
    r"""Render a figure as PNG on white.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification, as in `Result.figures`.
    scale : float
        Pixels per point.

    Returns
    -------
    bytes
        The image file's content.

    Examples
    --------
    >>> figure_png({"mark": "point", "data": {"values": [{}]}}).startswith(b"\x89PNG")
    True
    """
    with from_extra("lab", "A picture"):
        import vl_convert

    png: bytes = vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=scale)
    return png


def figure_svg(spec: dict[str, Any]) -> str:
    """Render a figure as SVG with a transparent ground and text in the page's colour.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification, as in `Result.figures`.

    Returns
    -------
    str
        The image's XML.

    Examples
    --------
    >>> figure_svg({"mark": "point", "data": {"values": [{}]}})[:4]
    '<svg'
    """
    with from_extra("lab", "A picture"):
        import vl_convert

    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg
