"""The page of a survey."""

from __future__ import annotations

from typing import Any

from shallows._core.showing.figures import line, scatter
from shallows._core.showing.figures.chart import SCHEMA, Spec
from shallows._core.showing.figures.style import CONFIG
from shallows.study._pages import pages
from shallows.study._survey import STABLE, SurveyResult

# Years are numbers of four digits, too.
SHORT_NUMBERS = "abs(datum.value) < 10000 ? replace(datum.label, ',', '') : datum.label"


def survey_html(result: SurveyResult) -> str:
    """Return the report of a survey as one HTML page.

    Parameters
    ----------
    result : SurveyResult
        What a survey found.

    Returns
    -------
    str
        The page; its figures are drawn by scripts inside it.
    """
    specs = [_map(result), *([_stability(result)] if result.clusters else [])]
    if result.histograms:
        specs.append(_histograms(result))
    figures = [
        {"svg": pages().inline_svg(spec, f"figure{place}"), "spec": spec}
        for place, spec in enumerate(specs)
    ]
    template = pages().templates("shallows.study").get_template("survey.html")
    return template.render(result=result, figures=figures)


def _map(result: SurveyResult) -> Spec:
    share = sum(result.directions[:2])
    figure = scatter(
        "first",
        "second",
        color="cluster" if result.n_clusters > 1 else None,
        title=f"Map of the data ({100 * share:.0f} % of the variance)",
        x_title="first direction",
        y_title="second direction",
    )
    return figure.spec(result.points)


def _stability(result: SurveyResult) -> Spec:
    rows: list[dict[str, Any]] = [
        {
            "clusters": row["k"],
            "agreement_of_halves": row["stability"],
            "on_a_single_cloud": row["cloud_stability"],
        }
        for row in result.clusters
    ]
    figure = line(
        "clusters",
        ["agreement_of_halves", "on_a_single_cloud"],
        title="How many clusters? Dashed: the least agreement that counts",
        x_title="number of clusters",
        y_title="adjusted Rand index",
        y_rule=STABLE,
    )
    return figure.spec(rows)


def _histograms(result: SurveyResult) -> Spec:
    rows = [
        {"column": name, **part}
        for found in (result.histograms, result.densities)
        for name, parts in found.items()
        for part in parts
    ]
    height = {"type": "quantitative", "title": None}
    across = {**height, "axis": {"labelExpr": SHORT_NUMBERS}}
    bars = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "bar", "tooltip": True, "opacity": 0.6},
        "encoding": {
            "x": {"field": "low", "bin": "binned", **across},
            "x2": {"field": "high"},
            "y": {"field": "rows", **height},
        },
    }
    curve = {
        "transform": [{"filter": "isValid(datum.at)"}],
        "mark": {"type": "line", "strokeWidth": 1.5},
        "encoding": {
            "x": {"field": "at", **across},
            "y": {"field": "expected", **height},
        },
    }
    return {
        "$schema": SCHEMA,
        "data": {"values": rows},
        "facet": {"field": "column", "type": "nominal", "title": None, "sort": None},
        "columns": 4,
        "spec": {"layer": [bars, curve], "width": 130, "height": 80},
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
        "title": {"text": "How values are spread", "subtitle": "lines: smooth densities"},
        "config": CONFIG,
    }
