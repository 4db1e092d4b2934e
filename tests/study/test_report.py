import re
import shutil

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_blobs

from chromium import CHROMIUM, visit
from shallows._core.showing.pages import scripts
from shallows.study import Study, Survey
from shallows.study._charts import _few_colors, complexity_chart
from shallows.study._report import report_html, report_markdown
from shallows.study._survey_report import survey_html

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=200) > 0, EVIL, "plain")
    columns = {"a": x[:, 0], EVIL: x[:, 1], "c": x[:, 2], "y": y}
    return Study(columns, "y", only=["logistic regression", "GMLVQ", "SVC"], repeats=1).run()


def test_a_heading_keeps_the_letters_of_its_measure():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    columns = {"x": x, "y": np.where(x + rng.normal(size=80) > 0, "p", "q")}
    result = Study(columns, "y", measure="auc", only=["least squares"], repeats=1).run()
    assert ">Area under the ROC curve</th>" in report_html(result)


def test_a_report_says_everything(result):
    text = report_html(result).replace(str(scripts()), "")
    for part in (
        "Can “y” be predicted?",
        "Yes, better than by always giving the same answer",
        "On new data expect",
        "Methods compared",
        "logistic regression",
        "The choice on the locked rows",
        "times the locked rows were used",
        "recall",
        "What matters",
        "Prototypes of GMLVQ",
        "Repeat and use",
        "shallows study --repeats 1 --only",
        "@media print",
        "prefers-color-scheme: dark",
    ):
        assert part in text, part
    assert "<img" not in text
    assert "default-src 'none'" in text
    assert not re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=", text)


def test_figures_stand_where_the_script_draws_them(result):
    from shallows.study._charts import figures_of

    text = report_html(result).partition("<script>")[0]
    titles = [spec["title"]["text"] for specs in figures_of(result).values() for spec in specs]
    starts = [title.split("'")[0].replace("?", "") for title in titles if EVIL not in title]
    places = [text.index(start) for start in starts]
    assert places == sorted(places)


def test_markdown_holds_the_numbers(result):
    text = report_markdown(result)
    assert result.summary() in text
    assert f"| {result.chosen.name} |" in text


def test_noise_is_reported_as_nothing():
    rng = np.random.default_rng(5)
    columns = {f"x{i}": rng.normal(size=120) for i in range(4)}
    found = Study({**columns, "y": rng.choice(["a", "b"], 120)}, "y", only=["least squares"]).run()
    text = report_html(found)
    assert "Nothing was found" in text
    assert "Which columns matter" not in text


def regression():
    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True), y=data.target)
    return report_html(Study(columns, "y", only=["ridge"], repeats=1).run())


def survey():
    X, _ = make_blobs(200, centers=3, cluster_std=0.5, random_state=1)
    return survey_html(Survey({"a": X[:, 0], "b": X[:, 1]}).run())


PAGES = {"classes": report_html, "numbers": lambda _: regression(), "survey": lambda _: survey()}
CHARTS = "document.querySelectorAll('.chart').length"
DRAWN = "document.querySelectorAll('.chart[data-drawn=yes]').length"
WIDTH = "document.documentElement.scrollWidth"
GROUND = "getComputedStyle(document.body).backgroundColor"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}


@pytest.fixture(scope="module")
def pages(result, tmp_path_factory):
    """One page of each kind, as a study writes it."""
    folder = tmp_path_factory.mktemp("pages")
    for kind, page in PAGES.items():
        (folder / f"{kind}.html").write_text(page(result), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which(CHROMIUM), reason=f"{CHROMIUM} is not installed")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 400)])
@pytest.mark.parametrize("kind", PAGES)
def test_reports_open_without_errors_or_network(pages, kind, scheme, width, tmp_path):
    url = (pages / f"{kind}.html").as_uri()
    questions = (CHARTS, DRAWN, WIDTH, GROUND)
    found = visit(url, tmp_path, questions=questions, scheme=scheme, width=width)
    outside = [u for u in found.requests if u != url and not u.startswith(("data:", "blob:"))]
    assert url in found.requests
    assert outside == []
    assert found.messages == []
    assert found.values[CHARTS] >= 3
    assert found.values[DRAWN] == found.values[CHARTS]
    assert found.values[WIDTH] == width
    assert found.values[GROUND] == GROUNDS[scheme]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which(CHROMIUM), reason=f"{CHROMIUM} is not installed")
def test_a_page_with_errors_and_network_would_be_noticed(tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><link rel=icon href=data:,><img src='http://127.0.0.1:9/x.png'>"
        "<script>console.error('no'); throw Error('never');</script>"
    )
    found = visit(page.as_uri(), tmp_path / "profile")
    assert "http://127.0.0.1:9/x.png" in found.requests
    assert len(found.messages) >= 3


def test_many_classes_have_colors_of_their_own():
    points = [{"target": f"c{i % 30}", "first": 0.0} for i in range(100)]
    names = [f"c{i}" for i in range(30)]
    few, scale = _few_colors(points[:5], names[:5])
    assert few == points[:5] and scale == {"domain": names[:5]}
    _, scale = _few_colors(points[:12], names[:12])
    assert scale == {"domain": names[:12], "scheme": "tableau20"}
    drawn, scale = _few_colors(points, names)
    assert len(scale["domain"]) == 20 and scale["domain"][-1] == "11 others"
    assert {row["target"] for row in drawn} == set(scale["domain"])


def test_lines_of_a_panel_have_a_legend(result):
    chart = complexity_chart(result)
    for panel in chart["concat"]:
        others = {row["others"] for row in panel["data"]["values"]}
        assert ("color" in panel["encoding"]) == (others != {""})
