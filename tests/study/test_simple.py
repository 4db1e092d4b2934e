import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from shallows.linear import Ridge
from shallows.prototype import KNeighborsClassifier
from shallows.study import Study, baselines, model_card, report
from shallows.study._candidates import classifiers, regressors
from shallows.study._prepare import Design


def test_baselines_stand_beside_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] > 0).astype(int)
    found = baselines(X, y)
    assert list(found) == ["always the same", "linear", "k-NN", "PCA and linear"]
    splits = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = cross_val_score(DummyClassifier(), X, y, cv=splits).mean()
    assert found["always the same"].estimate == pytest.approx(expected)
    assert found["linear"].low > found["always the same"].high
    numbers = baselines(X, X @ [1.0, 2, 3, 4])
    assert numbers["linear"].estimate > 0.99 > numbers["k-NN"].estimate


def test_rare_classes_show_the_trivial_accuracy():
    X = np.random.default_rng(0).normal(size=(500, 3))
    y = np.arange(500) % 100 == 0
    assert baselines(X, y)["always the same"].estimate == pytest.approx(0.99)


def test_lazy_methods_work_when_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 20)), rng.integers(2, size=20_000)
    for model in (KNeighborsClassifier(), Ridge()):
        model.fit(X[:100], y[:100]).predict(X[:10])  # loads the compiled parts
        times = []
        for _ in range(5):  # the shortest are those that nothing else has disturbed
            start = time.process_time()
            model.fit(X, y)
            middle = time.process_time()
            model.predict(X)
            times.append((middle - start, time.process_time() - middle))
        training, asking = np.min(times, axis=0)
        assert model_card(model).eager == (training > asking)


def test_every_candidate_has_a_card():
    design = Design((0,), (), 1, 2, 0)
    for candidate in (*classifiers(), *regressors()):
        card = model_card(candidate.build(design, candidate.settings[0]))
        assert card.assumptions and str(card).startswith(card.name)
    assert model_card(Ridge()).search == "small weights"
    with pytest.raises(ValueError, match="model_card knows Dummy"):
        model_card(object())
    assert model_card(LinearRegression()).eager


def test_reports_are_written_where_wanted(tmp_path, iris, quick):
    result = Study(iris, "species", **quick).run()
    assert report(result, tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert report(result, tmp_path / "r.md").read_text().lstrip().startswith("# Can")
