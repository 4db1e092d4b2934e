import csv
from datetime import date, timedelta

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shallows.data import read_table
from shallows.linear import LeastSquaresClassifier, Ridge
from shallows.study import Study, StudyError, baselines, explain_row, load_model, predict
from shallows.study._candidates import choose_candidates
from shallows.study._facts import read_data
from shallows.study._over_windows import OverWindows, window_of, windows_of
from shallows.study._predict import encode
from shallows.study._problem import build_problem
from shallows.study._roles import infer_schema


def test_windows_are_those_of_a_loop():
    X = np.random.default_rng(0).normal(size=(20, 3))
    found = windows_of(X, 4)
    for t in range(20):
        past = [X[max(t - back, 0)] for back in (3, 2, 1, 0)]
        np.testing.assert_array_equal(found[t], np.concatenate(past))


def test_weights_solve_the_normal_equations_of_whole_windows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = OverWindows(Ridge(0.7), window=3).fit(X, y)
    rows = np.array([X[t - 2 : t + 1].ravel() for t in range(2, 60)])  # T + 1 - (d - 1) of them
    Z, late = rows - rows.mean(axis=0), y[2:] - y[2:].mean()
    weights = np.linalg.solve(Z.T @ Z + 0.7 * np.eye(6), Z.T @ late)
    np.testing.assert_allclose(model.estimator_.coef_, weights)
    expected = (rows - rows.mean(axis=0)) @ weights + y[2:].mean()
    np.testing.assert_allclose(model.predict(X)[2:], expected)


def test_a_linear_recurrence_within_the_window_is_predicted_exactly():
    series = [1.0, 0.5]
    for _ in range(200):
        series.append(1.9 * series[-1] - 0.98 * series[-2])
    X, y = np.array(series[:-1])[:, None], np.array(series[1:])
    short, enough = (OverWindows(Ridge(0.0), w).fit(X[:150], y[:150]) for w in (1, 2))
    np.testing.assert_allclose(enough.predict(X)[1:], y[1:], atol=1e-9)
    assert np.abs(short.predict(X)[150:] - y[150:]).max() > 0.01


def test_memory_ends_with_the_window():
    X = np.random.default_rng(0).normal(size=(600, 1))
    late = np.roll(X[:, 0], 3)
    assert baselines(X, late, window=3)["window ridge"].high < 0.1
    found = baselines(X, late, window=4)
    assert list(found)[-1] == "window ridge" and found["window ridge"].estimate > 0.9
    assert found["linear"].high < 0.1
    classes = np.where(late > 0, "up", "down")
    assert baselines(X, classes, window=4)["window ridge"].low > 0.8
    assert "window ridge" not in baselines(X, classes)


def test_it_is_an_estimator():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(2, size=50)
    model = make_pipeline(StandardScaler(), OverWindows(LeastSquaresClassifier(), 4))
    assert clone(model)[-1].get_params()["window"] == 4
    model.fit(X, y)
    assert window_of(model) == 4 and window_of(Ridge()) == 1
    assert model.decision_function(X).shape == (50,)
    assert not hasattr(OverWindows(Ridge()), "decision_function")
    with pytest.raises(ValueError, match="window of 4 rows needs more than as many rows, got 3"):
        model.fit(X[:3], y[:3])


def names_of(columns, **roles):
    table = read_data(columns, None, 0, {})
    problem = build_problem(table, infer_schema(table, "y", **roles))
    return [candidate.name for candidate in choose_candidates(problem)[0]]


def test_only_a_single_series_is_seen_through_windows():
    rng = np.random.default_rng(0)
    n = 60
    columns = {"x": rng.normal(size=n), "t": np.arange(n) * 2.5, "y": rng.normal(size=n)}
    assert "window ridge" in names_of(columns, time="t")
    assert "window ridge" not in names_of(columns)
    assert "window ridge" not in names_of({**columns, "t": np.arange(n) // 2}, time="t")
    who = np.array([f"p{i % 12}" for i in range(n)])
    assert "window ridge" not in names_of({**columns, "who": who}, time="t", group="who")


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """A study of a target two days behind its cause, rows not in order."""
    rng = np.random.default_rng(0)
    n = 400
    x, z = rng.normal(size=(2, n))
    y = np.roll(x, 2) + 0.1 * rng.normal(size=n)
    days = np.array([str(date(2024, 1, 1) + timedelta(days=int(i))) for i in range(n)])
    folder = tmp_path_factory.mktemp("series")
    order = rng.permutation(n)
    write(folder / "old.csv", order, x=x, z=z, day=days, y=y)
    only = ["ridge", "window ridge", "decision tree"]
    result = Study(
        folder / "old.csv", "y", time="day", out=folder / "out", only=only, refit=True
    ).run()
    return result, folder, (x, z, days, y)


def write(path, rows, **columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(cells)[rows] for cells in columns.values()), strict=True))
    return path


def test_a_study_of_a_series_looks_back(series):
    result, _, _ = series
    assert result.chosen.name == "window ridge" and result.chosen.setting["window"] >= 3
    assert result.assessment.score > 0.9
    worth = {row["column"]: row["fall"] for row in result.explanation["relevances"]}
    assert worth["x"] > 1 > abs(worth["z"])
    learning = result.explanation["learning"]
    assert learning[-1]["score"] > 0.9


def test_predictions_do_not_depend_on_the_order_of_the_file(series, tmp_path):
    _, folder, (x, z, days, y) = series
    saved = load_model(folder / "out" / "model.shallows")
    sorted_rows = np.arange(300, 400)
    mixed = np.random.default_rng(1).permutation(sorted_rows)
    first = predict(saved, write(tmp_path / "a.csv", sorted_rows, x=x, z=z, day=days)).answers
    second = predict(saved, write(tmp_path / "b.csv", mixed, x=x, z=z, day=days)).answers
    np.testing.assert_allclose(second, first[mixed - 300])
    assert np.corrcoef(first[2:], y[302:])[0, 1] > 0.98
    with pytest.raises(StudyError, match="lack column 'day'; window ridge needs it"):
        predict(saved, write(tmp_path / "c.csv", sorted_rows, x=x, z=z))


def test_large_files_are_predicted_in_blocks_that_know_their_past(series, tmp_path, monkeypatch):
    _, folder, (x, z, days, _) = series
    saved = load_model(folder / "out" / "model.shallows")
    file = write(tmp_path / "a.csv", np.arange(100), x=x, z=z, day=days)
    whole = predict(saved, file).answers
    monkeypatch.setattr("shallows.study._predict.BLOCK", 7)
    np.testing.assert_allclose(predict(saved, file).answers, whole)


def test_shares_of_a_row_sum_over_its_window(series, tmp_path):
    _, folder, (x, z, days, _) = series
    saved = load_model(folder / "out" / "model.shallows")
    table = read_table(write(tmp_path / "a.csv", np.arange(50)[::-1], x=x, z=z, day=days))
    found = explain_row(saved, table, row=9)
    answers = saved.model.predict(encode(saved, table)[::-1])  # rows in order of time
    assert found.value == pytest.approx(answers[40])
    assert found.usual + sum(share for _, _, share in found.parts) == pytest.approx(found.value)
    shares = {name: share for name, _, share in found.parts}
    assert abs(shares["x"] - (found.value - found.usual)) < 0.1
