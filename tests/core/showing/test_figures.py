import json
import math
import re

import numpy as np
import pytest

from shallows.lab import (
    bars,
    figure_png,
    figure_svg,
    heatmap,
    histogram,
    line,
    region_columns,
    regions,
    scatter,
)

ROWS = [
    {"x": x, "y": x**2 + 1.0, "theory": x**2 + 0.5, "error": 0.3, "kind": kind, "name": f"n{x}"}
    for kind in ("late", "early")
    for x in range(1, 6)
]
FIGURES = {
    "line": line("x", "y", facet="kind"),
    "lines": line("x", ["y", "theory"], x_log=True, y_log=True, title="Two"),
    "band": line("x", "y", error="error", color="kind"),
    "against theory": line("x", "y", theory="theory", error="error", color="kind", x_rule=2),
    "series against theory": line("x", "y", theory="theory", y_rule=3.5),
    "scatter": scatter("x", "y", color="kind", facet="kind"),
    "shaded": scatter("x", "y", shade="theory"),
    "bars": bars("name", "y", error="error", theory="theory", color="kind"),
    "heatmap": heatmap("x", "kind", "y"),
    "diverging": heatmap("x", "kind", "y", diverging=True),
    "histogram": histogram("y", theory="theory", color="kind", bins=5),
    "histograms": histogram("y", facet="kind"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_draws(name):
    spec = json.loads(json.dumps(FIGURES[name].spec(ROWS), allow_nan=False))
    svg = figure_svg(spec)
    assert svg.count("<path") > 3
    assert "NaN" not in svg
    assert "Infinity" not in svg


def test_png():
    assert figure_png(FIGURES["line"].spec(ROWS)).startswith(b"\x89PNG\r\n")


def test_only_needed_columns_travel():
    spec = line("x", "y").spec(ROWS)
    assert spec["data"]["values"][0] == {"x": 1, "y": 2.0}


def test_non_finite_numbers_are_left_out():
    spec = line("x", "y").spec([{"x": 1, "y": math.nan}, {"x": 2, "y": math.inf}])
    assert [row["y"] for row in spec["data"]["values"]] == [None, None]


@pytest.mark.parametrize(
    ("rows", "message"),
    [(ROWS, r"column 'z' of table 'rows'; it has x, y,"), ([], "it has no rows yet")],
)
def test_missing_columns_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        line("z", "z").spec(rows)


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="no option 'colour'"):
        line("x", "y", colour="kind")


def test_errors_belong_to_series():
    with pytest.raises(ValueError, match="zip"):
        line("x", ["y", "theory"], error="error")


def test_facets_keep_the_order_of_the_rows():
    figure = line("x", "y", facet="kind")
    assert figure.spec(ROWS)["facet"]["column"]["sort"] == ["late", "early"]
    assert "sort" not in figure.layout["facet"]


def test_many_facets_wrap():
    spec = line("x", "y", facet="name").spec(ROWS)
    assert spec["columns"] == 3
    assert spec["facet"]["sort"] == ["n1", "n2", "n3", "n4", "n5"]


def marks(spec):
    return [
        layer["mark"] if isinstance(layer["mark"], str) else layer["mark"]["type"]
        for layer in spec["layer"]
    ]


def test_measurement_is_points_and_theory_a_line():
    assert marks(line("x", "y", theory="theory", error="error").layout) == [
        "errorbar",
        "line",
        "point",
    ]
    assert marks(line("x", "y", error="error").layout) == ["errorband", "line"]


def test_histogram_is_a_density():
    spec = histogram("y", bins=4).spec([{"y": value} for value in (0.1, 0.2, 0.6, 1.4)])
    densities = re.findall(r"density: ([\d.]+)", figure_svg(spec))
    assert [float(value) for value in densities] == [1.0, 0.5, 0.5]  # bins of width 0.5


def test_text_is_escaped():
    rows = [{"x": 1, "y": 2, "kind": "<script>alert(1)</script>"}]
    assert "<script" not in figure_svg(scatter("x", "y", color="kind", title="<b>&").spec(rows))


def test_bars_on_a_logarithmic_axis_have_heights():
    rows = [{"m": "a", "v": 0.01}, {"m": "b", "v": 10.0}]
    picture = figure_svg(bars("m", "v", y_log=True).spec(rows))
    shapes = re.findall(r'aria-roledescription="bar" d="([^"]+)"', picture)
    assert len(shapes) == len(set(shapes)) == 2
    assert not any("NaN" in shape for shape in shapes)


def test_a_missing_value_has_no_error_bar():
    rows = [{"x": x, "v": v, "e": 0.1, "t": 1.0} for x, v in [(1, 1.0), (2, math.nan), (3, 2.0)]]
    picture = figure_svg(line("x", "v", theory="t", error="e").spec(rows))
    bars_at = re.findall(
        r'aria-label="x: (\d)[^"]*" role="graphics-symbol" aria-roledescription="errorbar', picture
    )
    assert set(bars_at) == {"1", "3"}, picture


def test_regions_cover_the_plane_once_with_the_decided_labels():
    rng = np.random.default_rng(0)
    points, places = rng.normal(size=(30, 2)), np.array([[-0.5, 0.0], [0.6, 0.2]])

    def decide(z):
        return ((z[:, None] - places) ** 2).sum(axis=2).argmin(axis=1)

    table = region_columns(decide, points, decide(points), places, np.array([0, 1]), cells=25)
    cells = table["part"] == "region"
    wide, high = (table[f"{x}_end"][cells] - table[x][cells] for x in ("x1", "x2"))
    span = 1.2 * np.ptp(points, axis=0)
    assert np.sum(wide * high) == pytest.approx(np.prod(span)) and wide.min() > 0
    width = span[0] / 25
    for end, inwards in (("x1", width / 2), ("x1_end", -width / 2)):
        centres = np.column_stack([table[end] + inwards, (table["x2"] + table["x2_end"]) / 2])
        assert np.array_equal(decide(centres[cells]).astype(str), table["label"][cells])
    assert (table["part"] == "sample").sum() == 30 and (table["part"] == "prototype").sum() == 2
    rows = [
        dict(zip(table, row, strict=True))
        for row in zip(*map(np.ndarray.tolist, table.values()), strict=True)
    ]
    assert figure_svg(regions(title="Plane").spec(rows)).count("<path") > cells.sum()


def test_equal_axes_reach_equally_far_in_every_small_figure():
    rows = [
        {"x": x, "y": y, "kind": kind}
        for kind, wide in (("a", 10.0), ("b", 2.0))
        for x, y in ((0.0, 0.0), (wide, 1.0), (wide / 2, 0.5))
    ]
    spec = scatter("x", "y", facet="kind", equal=True).spec(rows)
    assert len(rows) == 6 and spec["spec"]["width"] == spec["spec"]["height"]
    for kind, wide in (("a", 10.0), ("b", 2.0)):
        corners = [row for row in spec["data"]["values"] if row["kind"] == kind and "frame" in row]
        for side, middle in (("x", wide / 2), ("y", 0.5)):
            ends = sorted(row[side] for row in corners)
            assert ends == pytest.approx([middle - 0.53 * wide, middle + 0.53 * wide])
    places = spec["spec"]["layer"][0]["encoding"]
    assert not places["x"]["scale"]["nice"] and not places["y"]["scale"]["nice"]
    assert figure_svg(spec).count('aria-roledescription="point"') == 6 + 4  # the corners unseen
    assert "frame" not in scatter("x", "y").spec(rows)["data"]["values"][-1]


def test_regions_can_reach_equally_far():
    points = np.array([[0.0, 0.0], [10.0, 1.0]])
    table = region_columns(lambda z: z[:, 0] > 5, points, [0, 1], cells=4, square=True)
    assert table["x1_end"].max() - table["x1"].min() == pytest.approx(12)
    assert table["x2_end"].max() - table["x2"].min() == pytest.approx(12)


def test_a_heatmap_of_words_is_a_matrix_in_the_order_of_the_rows():
    names = ["zeta", "alpha", "mid"]
    values = np.array([[0.7, -0.16, 0.0], [-0.16, 0.1, 0.2], [0.0, 0.2, 0.2]])
    rows = [
        {"row": a, "column": b, "v": float(values[i, j])}
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    ]
    spec = heatmap("column", "row", "v", diverging=True).spec(rows)
    encoding = spec["layer"][0]["encoding"]
    assert encoding["x"]["sort"] is None and encoding["y"]["sort"] is None
    assert encoding["color"]["scale"]["domain"] == [-0.7, 0.7]
    picture = figure_svg(spec)
    label = re.findall(r"translate\((-?[\d.]+),([\d.]+)\)[^>]*>(zeta|alpha|mid)<", picture)
    assert len(label) == 6
    for side, column in ((0, label[:3]), (1, label[3:])):
        assert [name for *_, name in sorted(column, key=lambda at: float(at[side]))] == names
    grid = heatmap("x", "kind", "y").spec(ROWS)["layer"][0]["encoding"]
    assert grid["x"]["sort"] == "ascending" and grid["y"]["sort"] is None


def test_whole_numbers_have_no_ticks_between_them():
    rows = [{"x": x, "y": 1.0 / x} for x in (1, 2, 3)]
    picture = figure_svg(line("x", "y").spec(rows))
    labels = picture.split("role-axis-label")[1].split("role-axis-title")[0]
    assert re.findall(r">([\d.]+)<", labels) == ["1", "2", "3"]
    assert picture.count('aria-roledescription="point"') == 3
    many = line("x", "y").spec([{"x": x, "y": 1.0} for x in range(30)])
    assert marks(many) == ["line"] and "point" not in many["layer"][0]["mark"]
    halves = line("x", "y").spec([{"x": x / 2, "y": 1.0} for x in range(30)])
    assert "axis" not in halves["layer"][0]["encoding"]["x"]


@pytest.mark.parametrize("equal", [False, True])
def test_small_figures_have_numbers_along_both_axes(equal):
    rows = [{"x": x + 0.5, "y": x**2 + 0.5, "kind": k} for x in range(5) for k in "abcd"]
    svg = figure_svg(scatter("x", "y", facet="kind", equal=equal).spec(rows))
    axes = re.split(r'aria-roledescription="axis"', svg)[1:]
    across = [axis for axis in axes if 'aria-label="X-axis' in axis.split(">")[0]]
    assert len(across) == 4
    assert all(len(re.findall(r">[\d.−]+</text>", axis)) >= 3 for axis in across)


def test_every_bar_keeps_its_name():
    names = [f"a method with a long name, number {i}" for i in range(8)]
    spec = bars("name", "y").spec([{"name": name, "y": 1.0} for name in names])
    labels = figure_svg(spec).partition('role-axis-label"')[2].partition("</g>")[0]
    drawn = re.findall(r"<text[^>]*>", labels)
    assert len(drawn) == 8 and not [text for text in drawn if 'opacity="0"' in text]


def test_numbers_below_bars_stand_upright():
    spec = bars("x", "y").spec(ROWS)
    assert spec["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] == 0


def test_numbered_groups_are_named_in_their_order_and_once():
    rows = [{"x": x, "y": 1.0, "cluster": name} for x, name in enumerate(["2", "10", "0", "1"])]
    svg = figure_svg(scatter("x", "y", color="cluster").spec(rows))
    assert svg.count('aria-roledescription="legend"') == 1
    named = re.findall(r">(\d+)</text>", svg.partition('aria-roledescription="legend"')[2])
    assert named == ["0", "1", "2", "10"]
