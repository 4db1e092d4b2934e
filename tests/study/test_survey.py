import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

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
