import json
import pickle
import xml.etree.ElementTree as ElementTree
from base64 import b64decode

import pytest

from shallows.cluster import dendrogram, elbow_curve, linkage, silhouette
from shallows.lab import Drawing, Result, line, run
from shallows.prototype import GLVQ, GMLVQ, region_chart
from shallows.tree import DecisionTreeClassifier
from shallows.validate import compare_ranks, critical_difference_chart

ROWS = [{"x": x, "y": float(x * x)} for x in range(5)]
X = [[0.0, 1.0], [1.0, 0.0], [4.0, 5.0], [5.0, 4.0]]
LABELS = [0, 0, 1, 1]
SCORES = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]


@pytest.fixture
def drawing():
    return line("x", "y", title="Squares <&>").spec(ROWS)


def test_a_notebook_gets_the_specification_an_image_and_words(drawing):
    shown = drawing._repr_mimebundle_()
    assert shown["application/vnd.vegalite.v6+json"] == drawing.to_dict()
    assert b64decode(shown["image/png"]).startswith(b"\x89PNG")
    assert (
        shown["text/plain"]
        == repr(drawing)
        == ("<Drawing 'Squares <&>': save it as .html, .json, .png or .svg>")
    )


def test_without_the_extra_that_draws_a_notebook_gets_the_specification(drawing, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert set(drawing._repr_mimebundle_()) == {"text/plain", "application/vnd.vegalite.v6+json"}


def test_it_saves_itself_in_the_format_of_the_ending(drawing, tmp_path):
    assert drawing.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = ElementTree.parse(drawing.save(tmp_path / "new" / "a.SVG")).getroot()
    assert svg.tag.endswith("svg")
    assert json.loads(drawing.save(tmp_path / "a.json").read_text()) == drawing.to_dict()
    page = drawing.save(tmp_path / "a.html").read_text()
    assert "<title>Squares &lt;&amp;&gt;</title>" in page
    assert "<svg" in page and "vegaEmbed" in page
    with pytest.raises(ValueError, match=r"path must end in \.html, \.json, \.png, \.svg, got"):
        drawing.save(tmp_path / "a.jpg")


def test_it_is_a_dict_and_survives_pickle_and_json(drawing):
    assert type(drawing.to_dict()) is dict
    assert drawing.rows == ROWS
    assert pickle.loads(pickle.dumps(drawing)) == drawing
    result = run("gradient_regimes", n=3)
    assert all(isinstance(figure, Drawing) for figure in result.figures)
    assert all(isinstance(f, Drawing) for f in Result.from_json(result.to_json()).figures)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: region_chart(GLVQ().fit(X, LABELS), X, LABELS, cells=5),
        lambda: GMLVQ().fit(X, LABELS).chart(),
        lambda: DecisionTreeClassifier().fit(X, LABELS).chart(),
        lambda: dendrogram(linkage(X)).chart(),
        lambda: elbow_curve(X, [1, 2, 3], random_state=0).chart(),
        lambda: silhouette(X, LABELS).chart(),
        lambda: critical_difference_chart(compare_ranks(SCORES)),
    ],
    ids=["regions", "relevances", "tree", "dendrogram", "elbow", "silhouette", "ranks"],
)
def test_what_is_drawn_in_public_is_a_drawing(draw):
    drawing = draw()
    assert isinstance(drawing, Drawing)
    assert drawing.title
    assert drawing.to_svg().startswith("<svg")
