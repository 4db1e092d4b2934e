import re

import numpy as np
import pytest

from shallows.study import audit
from shallows.study._audit import look_over
from shallows.study._facts import read_data
from shallows.study._problem import build_problem, lock_test_part
from shallows.study._roles import infer_schema


def findings(columns):
    return audit(columns, "y")


def clean(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return {"a": rng.normal(size=n), "b": rng.normal(10, 1, n), "y": rng.choice(["p", "q"], n)}


def test_clean_data_have_no_finding():
    assert findings(clean()) == []


def plant_missing(data):
    data["a"][::2] = np.nan


def plant_constant(data):
    data["unit"] = np.full(200, 3.0)


def plant_marker(data):
    data["b"][::9] = 0


def plant_marker_among_both_signs(data):
    data["a"][::9] = -999


def plant_marker_above(data):
    data["b"][::9] = 999


def plant_range(data):
    data["a"][5] = 1e6


def plant_duplicates(data):
    for name in ("a", "b", "y"):
        data[name][100:] = data[name][:100]


def plant_contradictions(data):
    for name in ("a", "b"):
        data[name][100:] = data[name][:100]


def plant_leak(data):
    data["copy"] = np.where(data["y"] == "p", 1.0, 2.0) + data["a"] / 100


def plant_imbalance(data):
    data["y"][:] = np.where(np.arange(200) % 20 == 0, "p", "q")


def plant_order(data):
    data["y"][:] = np.where(np.arange(200) < 100, "p", "q")


def plant_outlier(data):
    data["a"][3], data["b"][3] = 7, 17


def plant_gaps_in_target(data):
    data["y"] = data["y"].astype(object)
    data["y"][:7] = None


@pytest.mark.parametrize(
    ("plant", "kind", "words"),
    [
        (plant_missing, "missing", "'a' (50.0 %)"),
        (plant_constant, "left out", "one value only: 'unit'"),
        (plant_marker, "marker", "of 'b' are 0, far from all other"),
        (plant_marker_among_both_signs, "marker", "of 'a' are -999, far from all other"),
        (plant_marker_above, "marker", "of 'b' are 999, far from all other"),
        (plant_range, "range", "spread in 'a'"),
        (plant_duplicates, "duplicates", "100 rows are copies"),
        (plant_duplicates, "overlap", "are also training rows"),
        (plant_contradictions, "duplicates", "the targets differ"),
        (plant_leak, "leak", "'copy' alone gives the target away"),
        (plant_imbalance, "imbalance", "Rare classes: 'p'"),
        (plant_order, "order", "follows the order of the rows"),
        (plant_outlier, "outliers", "(gamma index): 3, counted"),
        (plant_gaps_in_target, "target", "7 rows without a target"),
    ],
)
def test_planted_faults_are_reported(plant, kind, words):
    data = clean()
    plant(data)
    texts = {found.kind: found.text for found in findings(data)}
    assert kind in texts, texts
    assert words in texts[kind]


def test_a_leak_in_a_regression():
    data = clean()
    data["y"] = np.round(np.random.default_rng(3).normal(50, 10, 200))
    data["copy"] = 2 * data["y"] + 1
    leaks = [found for found in findings(data) if found.kind == "leak"]
    assert [found.columns for found in leaks] == [("copy",)]
    assert leaks[0].severity == "alarm"


def test_the_audit_of_the_target_does_not_look_at_test_rows():
    data = clean()
    table = read_data(data, None, 0, {})
    schema = infer_schema(table, "y")
    problem = build_problem(table, schema)
    train, test = lock_test_part(problem, 0.25, 0)
    before = look_over(table, problem, problem.part(train), problem.part(test))
    other = problem.part(test)
    other.y[:] = 0
    assert look_over(table, problem, problem.part(train), other) == before


@pytest.mark.parametrize("name", ["note", "when"])
def test_rows_that_differ_in_what_is_not_learned_from_are_no_copies(name):
    place = np.arange(400)
    data = {"a": place // 300 + 2.0 * (place % 15), "y": np.where(place % 7 < 3, "p", "q")}
    data["note"] = np.array([f"word{k}" for k in place % 300], dtype=object)
    data["when"] = np.datetime64("2024-01-01") + place.astype("timedelta64[D]")
    del data["when" if name == "note" else "note"]
    table = read_data(data, None, 0, {})
    schema = infer_schema(table, "y", time=name if name == "when" else None)
    problem = build_problem(table, schema)
    parts = [problem.part(places) for places in lock_test_part(problem, 0.25, 0)]
    kinds = {found.kind for found in look_over(table, problem, *parts)}
    assert not kinds & {"duplicates", "overlap"}


def test_wild_targets_are_named():
    data = clean()
    data["y"] = 10 + data["a"]
    data["y"][[7, 21]] = 5000
    texts = [found.text for found in findings(data) if found.kind == "target"]
    assert texts[0].startswith("The target is skewed")
    assert re.search("spread: (7|21|7, 21), counted from 0. If these are mistakes", texts[1])


def rows_of_patients(n_patients=30, n_each=8, seed=0):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_patients * n_each)
    patient = np.repeat(np.arange(n_patients), n_each)[order]
    state = rng.choice(["ill", "well"], n_patients)[patient]
    return {"a": rng.normal(size=len(order)), "patient_id": patient, "y": state}


@pytest.mark.parametrize("kind", [int, str])
def test_rows_that_belong_together_are_noticed(kind):
    data = rows_of_patients()
    data["patient_id"] = data["patient_id"].astype(kind).astype(object if kind is str else int)
    (found,) = [each for each in findings(data) if each.kind == "group"]
    assert (found.severity, found.columns) == ("alarm", ("patient_id",))
    assert "--group 'patient_id'" in found.text


def test_a_number_that_belongs_to_a_group_is_noticed():
    data = rows_of_patients()
    data["y"] = 10.0 * data["patient_id"] + 0.1 * data["a"]
    data["patient_id"] = np.array([f"P{i}" for i in data["patient_id"]], dtype=object)
    assert "group" in [found.kind for found in findings(data)]


def test_the_target_in_other_words_is_noticed():
    data = clean()
    codes = {"p": ["A1", "C3", "E5"], "q": ["B2", "D4"]}
    data["code"] = np.array(
        [codes[y][i % len(codes[y])] for i, y in enumerate(data["y"])], dtype=object
    )
    data["code"][:2] = "A1"
    (found,) = findings(data)
    assert (found.kind, found.columns) == ("leak", ("code",))
    assert "nearly gives the target away" in found.text


def test_words_that_tell_little_are_not_suspected():
    data = clean(400)
    rng = np.random.default_rng(1)
    data["town"] = rng.choice([f"t{i}" for i in range(60)], 400).astype(object)
    data["hint"] = np.where(rng.random(400) < 0.9, data["y"], "p").astype(object)
    assert [found.kind for found in findings(data)] in ([], ["outliers"])
    data["y"] = np.where(rng.random(400) < 0.02, "p", "q")
    assert "group" not in [found.kind for found in findings(data)]


def test_numbers_among_words_are_noticed():
    data = clean()
    cells = [f"{value:.2f}" for value in data["b"]]
    cells[::20] = ["<5"] * 10
    data["dose"] = np.array(cells, dtype=object)
    (found,) = [each for each in findings(data) if each.kind == "mixed"]
    assert "95.0 % of 'dose' are numbers, the others such as '<5'" in found.text
    data["dose"] = np.array([f"0{i % 40:02d}" for i in range(199)] + ["K1"], dtype=object)
    assert "mixed" not in [each.kind for each in findings(data)]


def test_equal_rows_of_categories_are_no_alarm():
    rng = np.random.default_rng(0)
    data = {name: rng.choice(["u", "v", "w"], 300).astype(object) for name in "abc"}
    data["y"] = rng.choice(["p", "q"], 300)
    (found,) = [each for each in findings(data) if each.kind == "overlap"]
    assert found.severity == "note" and "all are categories" in found.text
