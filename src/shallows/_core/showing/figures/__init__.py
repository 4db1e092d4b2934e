"""Figures as data: described by column names, written as Vega-Lite, drawn where they are shown."""

from shallows._core.showing.figures.blocks import bars, heatmap, histogram
from shallows._core.showing.figures.chart import Figure
from shallows._core.showing.figures.curves import line, scatter
from shallows._core.showing.figures.drawing import Drawing
from shallows._core.showing.figures.regions import region_columns, regions
from shallows._core.showing.figures.style import figure_png, figure_svg

__all__ = [
    "Drawing",
    "Figure",
    "bars",
    "figure_png",
    "figure_svg",
    "heatmap",
    "histogram",
    "line",
    "region_columns",
    "regions",
    "scatter",
]
