import csv

import numpy as np
import pytest

from shallows.data import read_table
from shallows.study import (
    Study,
    StudyError,
    explain_row,
    load_model,
    predict,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 300
    x, z = rng.normal(size=(2, n))
    town = rng.choice(["Oslo", "Rome"], n)
    y = np.where(x + (town == "Rome") + 0.3 * rng.normal(size=n) > 0.5, "ill", "well")
    out = tmp_path_factory.mktemp("study")
    columns = {"x": x, "z": z, "town": town, "y": y}
    Study(columns, "y", out=out / "a", only=["logistic regression"], repeats=1).run()
    return out


def write(path, **columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def test_predictions_are_those_of_the_model(folder, tmp_path):
    saved = load_model(folder / "a" / "model.shallows")
    new = write(tmp_path / "new.csv", town=["Rome", "Oslo", ""], x=[2.5, -1, 0.1], z=[0.5, 1, 2])
    found = predict(saved, new, proba=True)
    X = np.array([[2.5, 0.5, 1], [-1, 1, 0], [0.1, 2, np.nan]])
    np.testing.assert_array_equal(found.chances, saved.model.predict_proba(X))
    assert found.answers[:2].tolist() == ["ill", "well"]
    lines = found.to_csv().splitlines()
    assert lines[0] == "y,probability of ill,probability of well" and len(lines) == 4


def test_data_that_do_not_fit_are_refused_by_column(folder, tmp_path):
    saved = load_model(folder / "a" / "model.shallows")
    file = tmp_path / "new.csv"
    with pytest.raises(StudyError, match="lack column 'z'"):
        predict(saved, write(file, x=[1], town=["Rome"]))
    with pytest.raises(StudyError, match="have column 'w', which the model does not know"):
        predict(saved, write(file, x=[1], z=[1], town=["Rome"], w=[1]))
    with pytest.raises(StudyError, match=r"'x' was number when .* here it is text"):
        predict(saved, write(file, x=["much"], z=[1], town=["Rome"]))
    strange = write(file, x=[1], z=[1], town=["Lima"])
    assert len(predict(saved, strange).answers) == 1
    with pytest.raises(StudyError, match="'town' holds 'Lima'"):
        predict(saved, strange, unknown="error")
    with_target = write(file, x=[1], z=[1], town=["Rome"], y=["well"])
    assert len(predict(saved, with_target).answers) == 1


def test_shares_of_columns_sum_to_the_answer(folder, tmp_path):
    saved = load_model(folder / "a" / "model.shallows")
    table = read_table(write(tmp_path / "new.csv", x=[2, -2], z=[0.5, 0.5], town=["Rome", "Oslo"]))
    found = explain_row(saved, table)
    assert found.answer == "ill"
    total = sum(share for _, _, share in found.parts)
    assert found.usual + total == pytest.approx(found.value)
    shares = {name: share for name, _, share in found.parts}
    assert shares["x"] > shares["town"] > abs(shares["z"])
    assert explain_row(saved, table, row=1).answer == "well"
    with pytest.raises(StudyError, match="There is no row 2"):
        explain_row(saved, table, row=2)


def test_a_linear_model_shares_are_its_terms(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200))
    columns = {"a": a, "b": b, "y": 3 * a - 2 * b}
    Study(columns, "y", out=tmp_path / "s", only=["ridge"], repeats=1).run()
    saved = load_model(tmp_path / "s" / "model.shallows")
    table = read_table(write(tmp_path / "new.csv", a=[1.5], b=[-0.5]))
    shares = {name: share for name, _, share in explain_row(saved, table).parts}
    means = saved.background.mean(axis=0)
    assert shares["a"] == pytest.approx(3 * (1.5 - means[0]), rel=0.01)
    assert shares["b"] == pytest.approx(-2 * (-0.5 - means[1]), rel=0.01)
