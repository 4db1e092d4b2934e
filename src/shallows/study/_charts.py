"""The figures of a report, drawn from a result alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shallows._core.showing.figures import line, scatter
from shallows._core.showing.figures.chart import SCHEMA, WIDTH, Spec
from shallows._core.showing.figures.style import CONFIG, INK, PALETTE
from shallows.study._explain import MANY_ROWS
from shallows.study._result import StudyResult

Rows = Sequence[dict[str, Any]]
MOST_BARS = 25
BY_NAME: Spec = {"type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}


def ranking_chart(result: StudyResult) -> Spec:
    """Methods from best to worst with the intervals of their means."""
    sign, share = result.kind.sign, 100 if result.kind.is_share else 1
    ends = [
        (each, sorted((sign * each.low * share, sign * each.high * share)))
        for each in result.ranking
    ]
    rows = [
        {
            "method": each.name,
            "score": sign * each.mean * share,
            "low": low,
            "high": min(high, 100.0) if result.kind.is_share else high,
            "choice": "chosen" if each.chosen else "other",
        }
        for each, (low, high) in ends
    ]
    title = f"{result.kind.title} in cross-validation" + (", %" if result.kind.is_share else "")
    across = _number("score", title)
    method = {**BY_NAME, "field": "method"}
    look = {
        "field": "choice",
        "type": "nominal",
        "title": None,
        "scale": {"domain": ["chosen", "other"], "range": [PALETTE[1], PALETTE[0]]},
    }
    place = {"y": method, "color": look}
    spread = {**place, "x": {**across, "field": "low"}, "x2": {"field": "high"}}
    layers = [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": spread},
        {"mark": {"type": "point", "tooltip": True}, "encoding": {**place, "x": across}},
    ]
    return _spec(rows, layers, "Methods compared", "lines: 95 % intervals of the means")


def learning_chart(result: StudyResult) -> Spec:
    """Score against the number of training rows."""
    rows = _scaled(result, result.explanation["learning"], "score", "spread")
    figure = line(
        "rows",
        "score",
        error="spread",
        title=f"Would more rows help {result.chosen.name}?",
        x_title="training rows",
        y_title=_unit(result),
    )
    return figure.spec(rows)


def complexity_chart(result: StudyResult) -> Spec:
    """Scores along the main parameter of each method."""
    panels: dict[str, list[dict[str, Any]]] = {}
    for row in _scaled(result, result.explanation["complexity"], "score", "spread"):
        panels.setdefault(f"{row['method']}: {row['parameter']}", []).append(row)
    x = {"field": "value", "type": "ordinal", "title": None, "sort": None}
    y = _number("score", _unit(result))
    legend = {"orient": "bottom", "title": None, "columns": 1}
    color = {"field": "others", "type": "nominal", "legend": legend, "sort": None}
    several = [any(row["others"] for row in rows) for rows in panels.values()]
    specs = [
        {
            "title": {"text": title, "fontSize": 12},
            "data": {"values": rows},
            "mark": {"type": "line", "point": True, "tooltip": True},
            "encoding": {
                "x": x,
                "y": y,
                **({"color": color} if split else {}),
            },
            "width": 185,
            "height": 120,
        }
        for (title, rows), split in zip(panels.items(), several, strict=True)
    ]
    return {
        "$schema": SCHEMA,
        "concat": specs,
        "columns": 3,
        "resolve": {"scale": {"color": "independent"}},
        "title": {"text": "How settings matter", "subtitle": "from simple on the left to complex"},
        "config": CONFIG,
    }


def relevance_chart(result: StudyResult) -> Spec:
    """What each column is worth to the chosen model."""
    scale = 100 if result.kind.is_share else 1
    rows = [
        {
            "column": row["column"],
            "fall": scale * row["fall"],
            "low": scale * (row["fall"] - row["spread"]),
            "high": scale * (row["fall"] + row["spread"]),
        }
        for row in result.explanation["relevances"][:MOST_BARS]
    ]
    points = " in points" if result.kind.is_share else ""
    column = {**BY_NAME, "field": "column"}
    across = _number("fall", f"fall of the score{points} when the column is shuffled")
    spread = {"y": column, "x": {**across, "field": "low"}, "x2": {"field": "high"}}
    layers = [
        {"mark": {"type": "bar", "tooltip": True}, "encoding": {"y": column, "x": across}},
        {"mark": {"type": "rule", "color": INK}, "encoding": spread},
    ]
    said = "on held-out folds; lines: spread over folds"
    if result.n_train > MANY_ROWS:
        said += f"; models of {MANY_ROWS:,} rows"
    return _spec(rows, layers, "Which columns matter", said)


def map_chart(result: StudyResult) -> Spec:
    """The two leading directions of the data, with test errors marked."""
    found = result.explanation["map"]
    share = f"{100 * found['share']:.0f} % of the variance"
    title = f"Map of the data ({share})"
    if not result.classes:
        figure = scatter(
            "first",
            "second",
            shade="target",
            title=title,
            x_title="first direction",
            y_title="second direction",
        )
        spec = figure.spec(found["points"])
        spec["layer"][0]["encoding"]["color"]["title"] = result.data["target"]
        return spec
    points, scale = _few_colors(found["points"], result.classes)
    color = {"field": "target", "type": "nominal", "title": result.data["target"], "scale": scale}
    encoding = {
        "x": _number("first", "first direction"),
        "y": _number("second", "second direction"),
        "color": color,
    }
    wrong = {"type": "point", "shape": "cross", "size": 130, "filled": False, "color": INK}
    layers: list[Spec] = [
        {
            "mark": {"type": "point", "tooltip": True, "size": 28},
            "encoding": {
                **encoding,
                "opacity": {
                    "field": "part",
                    "type": "ordinal",
                    "sort": ["training", "test"],
                    "scale": {"domain": ["training", "test"], "range": [0.35, 0.95]},
                },
            },
        },
        {
            "transform": [{"filter": "datum.wrong"}],
            "mark": {**wrong, "strokeWidth": 2, "tooltip": True},
            "encoding": {key: encoding[key] for key in ("x", "y")},
        },
    ]
    return _spec(points, layers, title, "crosses: wrong answers on the test part", 420)


def _few_colors(points: Rows, classes: Sequence[str]) -> tuple[Rows, Spec]:
    """Return points and a scale without two classes in one color; the rarer ones share one."""
    if len(classes) <= len(PALETTE):
        return points, {"domain": list(classes)}
    named = [name for name, _ in Counter(row["target"] for row in points).most_common(19)]
    domain = [name for name in classes if name in named]
    if len(domain) < len(classes):
        others = f"{len(classes) - len(domain)} others"
        points = [
            row if row["target"] in named else {**row, "class": row["target"], "target": others}
            for row in points
        ]
        domain.append(others)
    return points, {"domain": domain, "scheme": "tableau20"}


def confusion_chart(result: StudyResult) -> Spec:
    """True against predicted classes on the test part."""
    counts = result.explanation["details"]["confusion"]
    rows = [
        {"truth": true, "answer": said, "rows": n, "share": n / max(sum(line), 1)}
        for true, line in zip(result.classes, counts, strict=True)
        for said, n in zip(result.classes, line, strict=True)
    ]
    place = {
        "x": {"field": "answer", "type": "ordinal", "sort": None, "title": "predicted"},
        "y": {"field": "truth", "type": "ordinal", "sort": None, "title": "true"},
    }
    shade = {
        "field": "share",
        "type": "quantitative",
        "legend": None,
        "scale": {"scheme": "blues", "domain": [0, 1]},
    }
    ink = {"condition": {"test": "datum.share > 0.5", "value": "white"}, "value": "#1b1f24"}
    many = len(result.classes) > 10
    layers: list[Spec] = [
        {"mark": {"type": "rect", "tooltip": True}, "encoding": {**place, "color": shade}},
        {
            "transform": [{"filter": "datum.rows > 0"}] if many else [],
            "mark": {"type": "text", "fontSize": 11 if many else 13},
            "encoding": {**place, "text": {"field": "rows"}, "color": ink},
        },
    ]
    side = min(90 + 45 * len(result.classes), max(420, 22 * len(result.classes)))
    return _spec(rows, layers, "Right and wrong on the test part", "", side, side)


def roc_chart(result: StudyResult) -> Spec:
    """The ROC curve with its band."""
    details = result.explanation["details"]
    across = _number("fpr", "false positive rate")
    layers = [
        {
            "mark": {"type": "area", "opacity": 0.2},
            "encoding": {"x": across, "y": _number("low", ""), "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "tooltip": True},
            "encoding": {"x": across, "y": _number("tpr", "true positive rate")},
        },
    ]
    title = f"ROC curve for {result.classes[1]!r}, area {details['auc']:.3f}"
    return _spec(details["roc"], layers, title, "band: 95 % for the whole curve", 320, 320)


def pr_chart(result: StudyResult) -> Spec:
    """Precision against recall."""
    figure = line("recall", "precision", title="Precision and recall")
    return {**figure.spec(result.explanation["details"]["pr"]), "width": 320, "height": 320}


def calibration_chart(result: StudyResult) -> Spec:
    """Observed frequency against predicted probability."""
    rows = result.explanation["details"]["calibration"]
    across = _number("predicted", f"predicted probability of {result.classes[1]!r}")
    across["scale"] = {"domain": [0, 1]}
    up = {**_number("observed", "observed share"), "scale": {"domain": [0, 1]}}
    layers: list[Spec] = [
        {
            "data": {"values": [{"predicted": 0, "observed": 0}, {"predicted": 1, "observed": 1}]},
            "mark": {"type": "line", "strokeDash": [5, 4], "color": INK, "opacity": 0.6},
            "encoding": {"x": across, "y": up},
        },
        {
            "mark": "rule",
            "encoding": {"x": across, "y": {**up, "field": "low"}, "y2": {"field": "high"}},
        },
        {"mark": {"type": "point", "tooltip": True}, "encoding": {"x": across, "y": up}},
    ]
    return _spec(rows, layers, "Do the probabilities mean what they say?", "", 320, 320)


def residual_charts(result: StudyResult) -> list[Spec]:
    """Observed and left-over against predicted values."""
    rows = result.explanation["details"]["residuals"]
    first = scatter("predicted", "observed", title="Observed against predicted")
    second = scatter(
        "predicted", "rest", y_rule=0, title="What is left over", y_title="observed less predicted"
    )
    return [first.spec(rows), second.spec(rows)]


def prototype_chart(result: StudyResult) -> Spec:
    """Relevances of the GMLVQ model."""
    rows = result.explanation["prototypes"]["relevances"]
    column = {**BY_NAME, "field": "column"}
    bar = {"y": column, "x": _number("relevance", "relevance")}
    layers = [{"mark": {"type": "bar", "tooltip": True}, "encoding": bar}]
    return _spec(rows, layers, "What GMLVQ finds relevant", "diagonal of its relevance matrix")


def figures_of(result: StudyResult) -> dict[str, list[Spec]]:
    """Return all figures of a report by section."""
    details = result.explanation["details"]
    answers = []
    if result.classes:
        answers.append(confusion_chart(result))
        for name, chart in (
            ("roc", roc_chart),
            ("pr", pr_chart),
            ("calibration", calibration_chart),
        ):
            if name in details:
                answers.append(chart(result))
    else:
        answers += residual_charts(result)
    curves = [learning_chart(result)] if len(result.explanation["learning"]) > 1 else []
    if result.explanation["complexity"]:
        curves.append(complexity_chart(result))
    known = result.learned and result.explanation["relevances"]
    relevant = [relevance_chart(result)] if known else []
    if "prototypes" in result.explanation and result.learned:
        relevant.append(prototype_chart(result))
    # in the order of the page, since its script draws them in this order
    return {
        "ranking": [ranking_chart(result)],
        "answers": answers,
        "relevances": relevant,
        "curves": curves,
        "map": [map_chart(result)] if result.explanation["map"] else [],
    }


def _spec(
    rows: Rows, layers: list[Spec], title: str, subtitle: str, height: int = 0, width: int = WIDTH
) -> Spec:
    text: Spec = {"text": title, **({"subtitle": subtitle} if subtitle else {})}
    size = {"width": width, **({"height": height} if height else {})}
    head = {"$schema": SCHEMA, "data": {"values": list(rows)}, "description": title}
    return {**head, **size, "layer": layers, "title": text, "config": CONFIG}


def _number(field: str, title: str) -> Spec:
    scale = {"zero": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def _scaled(result: StudyResult, rows: Rows, *names: str) -> list[dict[str, Any]]:
    """Give scores the unit in which they are said."""
    factor = 100 if result.kind.is_share else 1
    signs = [result.kind.sign if name == "score" else 1 for name in names]
    return [
        {**row, **{n: factor * s * row[n] for n, s in zip(names, signs, strict=True)}}
        for row in rows
    ]


def _unit(result: StudyResult) -> str:
    return result.kind.title + (", %" if result.kind.is_share else "")
