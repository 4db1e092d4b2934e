import json
import re

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_blobs

from shallows._core.showing.figures.style import figure_svg
from shallows.study import Survey


def test_clusters_and_outliers_are_found(tmp_path):
    X, _ = make_blobs(240, centers=[[0, 0], [8, 0], [0, 8], [8, 8]], random_state=0)
    X[17] = [40, 40]
    found = Survey({"a": X[:, 0], "b": X[:, 1]}, out=tmp_path).run()
    assert found.n_clusters in (4, 5)  # the lone row may count as a cluster
    assert found.outliers[0]["row"] == 17 and found.outliers[0]["ratio"] > 10
    assert "clusters stand out" in found.summary()
    assert json.loads((tmp_path / "results.json").read_text())["n_clusters"] == found.n_clusters
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_noise_has_no_clusters(seed, kind):
    X = getattr(np.random.default_rng(seed), kind)(size=(200, 3))
    found = Survey({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}).run()
    assert found.n_clusters == 1
    assert "No number of clusters stands out" in found.summary()


def test_the_gamma_index_is_the_mean_distance_to_the_neighbours():
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = Survey({"a": X[:, 0], "b": X[:, 1]}).run()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    row = found.outliers[0]["row"]
    nearest = np.sort(np.linalg.norm(Z - Z[row], axis=1))[1:6]
    assert found.outliers[0]["gamma"] == pytest.approx(nearest.mean())


def test_columns_that_go_together(mixed):
    table = {**mixed, "double": 2 * mixed["age"] + 1}
    found = Survey(table).run()
    assert {found.pairs[0]["one"], found.pairs[0]["other"]} == {"age", "double"}
    assert found.pairs[0]["correlation"] == pytest.approx(1)
    assert sum(bin_["rows"] for bin_ in found.histograms["age"]) == np.isfinite(mixed["age"]).sum()


def test_columns_full_of_ties_do_not_seem_to_go_together():
    rng = np.random.default_rng(0)
    ones, others = (rng.permutation(1.0 * (np.arange(400) % 10 == 0)) for _ in range(2))
    x = rng.normal(size=400)
    found = Survey({"one": ones, "other": others, "x": x, "y": x + 0.1 * ones}).run()
    assert {(pair["one"], pair["other"]) for pair in found.pairs} == {("x", "y")}


def test_missing_values_weaken_a_correlation_but_do_not_turn_it():
    rng = np.random.default_rng(0)
    x = rng.normal(5, 1, size=300)
    gaps = np.where(rng.random(300) < 0.3, np.nan, x)
    pair = Survey({"x": x, "gaps": gaps}).run().pairs[0]
    kept = np.isfinite(gaps).mean()
    assert kept - 0.1 < pair["correlation"] < 1


def test_densities_are_smooth_histograms():
    x = np.random.default_rng(0).normal(size=2000)
    found = Survey({"x": x, "constant": np.ones(2000), "z": -x}).run()
    at = np.array([point["at"] for point in found.densities["x"]])
    expected = np.array([point["expected"] for point in found.densities["x"]])
    width = found.histograms["x"][0]["high"] - found.histograms["x"][0]["low"]
    true = 2000 * width * norm.pdf(at)
    assert np.abs(expected - true).max() < 0.1 * true.max()
    assert found.densities.get("constant", []) == []


def test_the_agreement_that_counts_is_drawn_and_years_have_no_comma():
    from shallows.study._survey_report import _histograms, _stability

    X = np.random.default_rng(0).normal(size=(60, 2))
    days = np.datetime64("2020-01-01") + np.arange(60).astype("timedelta64[D]") * 20
    found = Survey({"a": X[:, 0], "b": X[:, 1], "day": days}).run()
    rules = [layer["encoding"]["y"].get("datum") for layer in _stability(found)["layer"]]
    assert 0.8 in rules
    svg = figure_svg(_histograms(found))
    assert re.search(r">202\d(\.\d)?</text>", svg) and not re.search(r">2,02", svg)
