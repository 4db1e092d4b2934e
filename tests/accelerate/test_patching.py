"""Names are replaced and restored, whichever way one asks for it."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from accelerate.cases import data
from shallows.accelerate import (
    load_ipython_extension,
    patch,
    patched,
    report,
    unload_ipython_extension,
    unpatch,
)
from shallows.accelerate._table import load
from shallows.accelerate.tables import all_tables


def public_names():
    return [load(table.theirs) for table in all_tables() if table.patches]


def test_unpatch_restores_every_name():
    before = public_names()
    patch()
    patch()  # a second time changes nothing
    inside = public_names()
    unpatch()
    assert not set(inside) & set(before)
    assert all(issubclass(new, old) for new, old in zip(inside, before, strict=True))
    assert public_names() == before
    unpatch()
    assert public_names() == before


def test_a_block_inside_a_patch_leaves_the_patch_alone():
    own = sklearn.cluster.KMeans
    with pytest.raises(ZeroDivisionError), patched():
        with patched():
            pass
        assert sklearn.cluster.KMeans is not own
        1 / 0  # noqa: B018
    assert sklearn.cluster.KMeans is own


def test_only_public_names_change():
    inner = importlib.import_module("sklearn.cluster._kmeans").KMeans
    with patched():
        assert importlib.import_module("sklearn.cluster._kmeans").KMeans is inner
        assert sklearn.cluster.KMeans.__mro__[1] is inner


def test_a_notebook_loads_and_unloads_it():
    own = sklearn.cluster.KMeans
    load_ipython_extension(None)
    assert sklearn.cluster.KMeans is not own
    unload_ipython_extension(None)
    assert sklearn.cluster.KMeans is own


@pytest.mark.parametrize("way", ["script", "module"])
def test_a_script_runs_patched_with_its_arguments(tmp_path, way):
    script = tmp_path / "job.py"
    script.write_text(
        "import sys\nfrom sklearn.cluster import KMeans\n"
        "KMeans(2, random_state=0).fit([[0.0], [1.0], [5.0]])\n"
        "print(sys.argv[1:], KMeans.__module__, __name__)\n"
    )
    what = [str(script)] if way == "script" else ["-m", "job"]
    command = [sys.executable, "-m", "shallows.accelerate", "--report", *what, "a", "--b"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.split("\n")[0] == "['a', '--b'] sklearn.cluster __main__"
    assert "KMeans.fit" in done.stderr


def test_a_model_fits_without_the_patch_once_it_is_undone(always):
    X, _ = data()
    model = sklearn.cluster.KMeans(3, n_init=1, random_state=0)
    unpatch()
    try:
        model.fit(X)
        assert [line.where for line in report().lines] == ["scikit-learn"]
    finally:
        patch()


@pytest.mark.usefixtures("always")
def test_pipelines_searches_and_frames_take_patched_classes():
    pd = pytest.importorskip("pandas")
    X, y = data()
    X = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    pipeline = make_pipeline(StandardScaler(), load("sklearn.svm.SVC")())
    pipeline.set_output(transform="pandas")
    search = GridSearchCV(pipeline, {"svc__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert list(search.best_estimator_[-1].feature_names_in_) == list(X.columns)
    found = sklearn.decomposition.PCA(2).set_output(transform="pandas").fit_transform(X)
    assert list(found.columns) == ["pca0", "pca1"]
    with pytest.raises(ValueError, match="feature names should match"):
        search.predict(X.rename(columns={"x0": "other"}))


@pytest.mark.slow
@pytest.mark.usefixtures("always")
def test_worker_processes_use_our_kernels_too():
    X, y = data()
    model = load("sklearn.svm.SVC")()
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=2, n_jobs=2).fit(X, y)
    assert type(search.best_estimator_) is type(model)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
