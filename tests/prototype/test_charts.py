"""Drawings: decision regions, and names and words that have room."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from shallows._core.showing.figures import figure_svg
from shallows._core.showing.figures.chart import layers_of
from shallows.prototype import (
    GLVQ,
    GRLVQ,
    LVQ1,
    KNeighborsClassifier,
    SelfOrganizingMap,
    region_chart,
)

FRAME = load_iris(as_frame=True)
PLANE = FRAME.data[["petal length (cm)", "petal width (cm)"]]
NAMES = FRAME.target_names[FRAME.target]


@pytest.mark.parametrize("model", [GLVQ(2, random_state=0), KNeighborsClassifier()], ids=repr)
def test_regions_are_those_of_the_model(model):
    model.fit(PLANE, NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spec = region_chart(model, PLANE, NAMES, cells=40, title="Iris")
    table = pd.DataFrame(spec["data"]["values"])
    parts = table.groupby("part")
    assert parts.get_group("sample")["label"].tolist() == NAMES.tolist()
    np.testing.assert_allclose(parts.get_group("sample")[["x1", "x2"]], PLANE)
    found = parts.get_group("region")
    middle = pd.DataFrame(
        {name: (found[f"x{j}"] + found[f"x{j}_end"]) / 2 for j, name in enumerate(PLANE, 1)}
    )
    np.testing.assert_array_equal(model.predict(middle), found["label"])
    reach = np.prod(found[["x1_end", "x2_end"]].to_numpy() - found[["x1", "x2"]].to_numpy(), axis=1)
    whole = 1.2 * np.ptp(PLANE.to_numpy(), axis=0)
    assert reach.sum() == pytest.approx(np.prod(whole))
    if isinstance(model, GLVQ):
        drawn = parts.get_group("prototype")
        np.testing.assert_allclose(drawn[["x1", "x2"]], model.prototypes_)
        assert drawn["label"].tolist() == np.repeat(FRAME.target_names, 2).tolist()
    else:
        assert "prototype" not in parts.groups
    place = spec["layer"][0]["encoding"]
    assert [place[side]["title"] for side in "xy"] == list(PLANE)
    assert spec["title"]["text"] == "Iris" and "<svg" in figure_svg(spec)


def test_regions_of_a_foreign_classifier():
    X, y = PLANE.to_numpy(), FRAME.target
    spec = region_chart(LogisticRegression().fit(X, y), X, y, cells=5)
    assert spec["layer"][0]["encoding"]["x"]["title"] == "x0"


def test_regions_that_cannot_be_drawn_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"two features, got a model of 4 and X with 4\. Fit"):
        region_chart(GLVQ().fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        region_chart(GLVQ(), X[:, :2], y)
    flat = GLVQ().fit(X[:, :2], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        region_chart(flat, X[:, :2], y[:9])
    several = KNeighborsClassifier().fit(X[:, :2], np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="the classes of one output, got a model of 2"):
        region_chart(several, X[:, :2], y)
    with pytest.raises(ValueError, match=r"region_chart: cells must be int .* got 0"):
        region_chart(flat, X[:, :2], y, cells=0)


def test_names_of_many_features_do_not_overlap():
    X, y = load_digits(return_X_y=True)
    model = GRLVQ(max_iter=1, tol=None)
    few, many = (
        layers_of(model.fit(scale(X[:, :n]), y).chart())[0]["encoding"]["x"]["axis"]
        for n in (20, 64)
    )
    assert few["labelOverlap"] is False and many["labelOverlap"] == "greedy"


def test_relevances_of_lvq1_are_drawn_where_it_learns_some():
    X, y = load_iris(return_X_y=True)
    model = LVQ1(relevance="diagonal", random_state=0).fit(X, y)
    bars = [row["relevance"] for row in model.chart()["data"]["values"]]
    np.testing.assert_allclose(bars, model.relevances_)
    profile, pairs = model.set_params(relevance="matrix").fit(X, y).chart()["hconcat"]
    values = [row["relevance"] for row in pairs["data"]["values"]]
    np.testing.assert_allclose(values, model.relevance_matrix_.ravel())
    assert [row["feature"] for row in profile["data"]["values"]] == ["x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match=r"LVQ1\.chart draws relevances, and relevance=None"):
        model.set_params(relevance=None).fit(X, y).chart()


def test_words_on_a_map_fit_their_units():
    som = SelfOrganizingMap((6, 8), max_iter=5).fit(FRAME.data)
    labels = som.label_map(FRAME.data, FRAME.target).labels
    named = np.ma.masked_array(FRAME.target_names[labels.data.astype(int)], labels.mask)
    short, long = (layers_of(som.chart(labels=words))[1]["mark"] for words in (labels, named))
    assert short["fontSize"] == 15 > long["fontSize"] >= 7
    assert 0.62 * long["fontSize"] * len("versicolor") <= long["limit"] + 1e-9


def parts_of(spec):
    return pd.DataFrame(spec["data"]["values"]).groupby("part")


class OneWay(TransformerMixin, BaseEstimator):
    """A step that knows no way back."""

    def fit(self, X, y=None):
        self.n_features_in_ = 2
        return self

    def transform(self, X):
        return X


def test_prototypes_of_a_pipeline_are_drawn_in_the_units_of_the_data():
    model = make_pipeline(StandardScaler(), GLVQ(2, random_state=0)).fit(PLANE, NAMES)
    drawn = parts_of(region_chart(model, PLANE, NAMES, cells=10)).get_group("prototype")
    spread = PLANE.std(ddof=0).to_numpy()
    expected = model[-1].prototypes_ * spread + PLANE.mean().to_numpy()
    np.testing.assert_allclose(drawn[["x1", "x2"]], expected)
    one_way = make_pipeline(OneWay(), GLVQ(random_state=0))
    spec = region_chart(one_way.fit(PLANE, NAMES), PLANE, NAMES, cells=10)
    assert "prototype" not in parts_of(spec).groups


def test_prototypes_far_off_the_samples_do_not_shrink_them():
    model = GLVQ(random_state=0).fit(PLANE, NAMES)
    model.prototypes_[0] = [0.0, -1.0]  # a little off
    model.prototypes_[1] = 1e9
    parts = parts_of(region_chart(model, PLANE, NAMES, cells=10))
    drawn, found = parts.get_group("prototype"), parts.get_group("region")
    assert drawn["label"].tolist() == ["setosa", "virginica"]
    low, high = np.array([0.0, -1.0]), PLANE.max().to_numpy()
    np.testing.assert_allclose(found[["x1", "x2"]].min(), low - 0.1 * (high - low))
    np.testing.assert_allclose(found[["x1_end", "x2_end"]].max(), high + 0.1 * (high - low))


def test_regions_of_a_constant_feature_have_a_width():
    flat = np.c_[np.ones(150), FRAME.data.iloc[:, 2]]
    spec = region_chart(KNeighborsClassifier().fit(flat, NAMES), flat, NAMES, cells=8)
    found = parts_of(spec).get_group("region")
    assert (found["x1_end"] > found["x1"]).all()
    assert found["x1"].min() == 0.5 and found["x1_end"].max() == 1.5


def test_many_classes_have_a_colour_each():
    plane, digits = load_digits(return_X_y=True)
    plane = plane[:, [20, 43]] + np.random.default_rng(0).normal(size=(len(plane), 2))
    for n_classes, scheme in ((6, None), (10, "tableau10")):
        rows = digits < n_classes
        model = GLVQ(max_iter=2, tol=None, random_state=0).fit(plane[rows], digits[rows])
        spec = region_chart(model, plane[rows], digits[rows], cells=10)
        found = {
            layer["encoding"]["color"].get("scale", {}).get("scheme") for layer in spec["layer"]
        }
        assert found == {scheme}
