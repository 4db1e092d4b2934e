"""The critical-difference diagram as a Vega-Lite specification."""

from __future__ import annotations

from typing import Any

from shallows._core.showing.figures import Drawing
from shallows.validate._compare_ranks import RankComparison

WIDTH, LINE = 560, 24  # points: width of the figure, distance between two names
INK = "currentColor"


def critical_difference_chart(comparison: RankComparison) -> Drawing:
    """Draw mean ranks on an axis; bars join algorithms without significant difference.

    Parameters
    ----------
    comparison : RankComparison
        From `compare_ranks`.

    Returns
    -------
    drawing : Drawing
        Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.

    Examples
    --------
    >>> from shallows.validate import compare_ranks, critical_difference_chart
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> critical_difference_chart(compare_ranks(scores))["title"]["text"]
    'Mean rank over 4 data sets'
    """
    k, gap = len(comparison.names), comparison.critical_difference
    ranks = dict(zip(comparison.names, map(float, comparison.mean_ranks), strict=True))
    ordered = sorted(ranks, key=ranks.__getitem__)
    groups = comparison.groups()
    first_row = 1.2 + 0.5 * len(groups)

    # The ruler of the critical difference, and the axis with its ticks.
    segments = [_segment(1, k, 0, 0), _segment(1, 1 + gap, -1.6, -1.6)]
    segments += [_segment(tick, tick, -0.25, 0) for tick in range(1, k + 1)]
    words = [_word(f"CD = {gap:.2f}", 1 + gap / 2, -2.1, "center")]
    words += [_word(str(tick), tick, -0.65, "center") for tick in range(1, k + 1)]
    # The better half of the names goes to the left margin, the other half to the right.
    for place, name in enumerate(ordered):
        left = place < (k + 1) // 2
        row = first_row + (place if left else k - 1 - place)
        rank, side = ranks[name], 0.95 if left else k + 0.05
        segments += [_segment(rank, rank, 0, row), _segment(side, rank, row, row)]
        words += [_word(name, side, row, "right" if left else "left")]
    bars = [
        _segment(ranks[group[0]] - 0.03, ranks[group[-1]] + 0.03, row, row)
        for row, group in zip([0.7 + 0.5 * i for i in range(len(groups))], groups, strict=True)
    ]

    bottom = first_row + (k + 1) // 2 - 0.5
    across = {"scale": {"domain": [0, k + 1], "nice": False, "zero": False}, "axis": None}
    down = {"scale": {"domain": [bottom, -2.6], "nice": False, "zero": False}, "axis": None}
    position = {
        "x": {"field": "x", "type": "quantitative", **across},
        "y": {"field": "y", "type": "quantitative", **down},
    }
    ends = {**position, "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    thin = {"type": "rule", "color": INK, "strokeWidth": 1.2, "strokeCap": "round"}
    layers: list[dict[str, Any]] = [
        {"data": {"values": segments}, "mark": thin, "encoding": ends},
        {"data": {"values": bars}, "mark": {**thin, "strokeWidth": 5}, "encoding": ends},
    ]
    for align, shift in (("center", 0), ("left", 5), ("right", -5)):
        look = {"type": "text", "align": align, "dx": shift, "color": INK, "fontSize": 13}
        chosen = [word for word in words if word["align"] == align]
        encoding = {**position, "text": {"field": "text"}}
        layers.append({"data": {"values": chosen}, "mark": look, "encoding": encoding})
    joined = "Bars join algorithms without significant difference" if bars else "All differ"
    return Drawing(
        {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "width": WIDTH,
            "height": round(LINE * (bottom + 2.6)),
            "layer": layers,
            "title": {"text": f"Mean rank over {comparison.n_sets} data sets", "subtitle": joined},
            "description": comparison.sentence,
            "config": {"view": {"stroke": None}, "background": "transparent"},
        }
    )


def _segment(x: float, x2: float, y: float, y2: float) -> dict[str, float]:
    return {"x": x, "x2": x2, "y": y, "y2": y2}


def _word(text: str, x: float, y: float, align: str) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "align": align}
