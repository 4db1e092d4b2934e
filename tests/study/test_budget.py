import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from shallows.study import Study
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate
from shallows.study._explain import curve_of_rungs
from shallows.study._fits import Entry
from shallows.study._journal import Evaluation
from shallows.study._rungs import Rung
from shallows.study._schedule import Schedule
from shallows.study._search import Search


def columns(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0, "p", "q")
    return {**{f"x{i}": X[:, i] for i in range(4)}, "y": y}


def rung(rows, folds=5):
    split = (np.arange(rows), np.arange(rows // 4))
    return Rung(f"{rows} rows", (split,) * folds, full=False)


def evaluation(scores, seconds):
    return Evaluation(tuple(scores), tuple(np.ones(1) for _ in scores), seconds)


@pytest.mark.parametrize(("power", "expected"), [(0.2, 0.6), (1, 1), (2, 2), (5, 2.6)])
def test_times_are_foreseen_by_the_power_with_which_they_grew(power, expected):
    entry = Entry(Candidate("m", "here", 1, lambda d, s: DummyClassifier()), {})
    rungs = [rung(1000), rung(4000), Rung("all rows", rung(16_000).splits, full=True)]
    clock = Schedule([entry], rungs, "classification", lambda r, f: 1.0, Budget(9), 16_000, 1)
    for place, seconds in enumerate([0.1 * 5, 0.1 * 5 * 4.0**power]):
        clock.learn(entry, place, evaluation([0.5] * 5, seconds))
    ahead = clock.foreseen(entry, 16_000)
    assert ahead == pytest.approx(0.1 * 4.0**power * 4.0**expected)


def test_a_budget_keeps_a_part_for_the_end():
    budget = Budget(100, spent=60)
    assert 39 < budget.left <= 40 and budget.for_report == 12
    assert 27 < budget.left_to_search <= 28
    assert Budget(4).for_report == 1.0 and Budget(20).for_report == 3.0
    assert Budget(10, spent=11).is_spent and not Budget(None).is_spent
    assert Budget(None).left_to_search == np.inf and not Budget(None).is_limited


def test_a_large_study_draws_its_learning_curve_from_the_search():
    entry = Entry(Candidate("m", "here", 1, lambda d, s: DummyClassifier()), {"k": 1})
    other = Entry(entry.candidate, {"k": 2})
    results = {
        (entry.key, 0): evaluation((0.5, 0.7), 1.0),
        (other.key, 0): evaluation((0.1, 0.1), 1.0),
        (entry.key, 1): evaluation((0.8, 0.8), 1.0),
    }
    found = Search(results, ((entry, 0), (other, 0), (entry, 1)), True)
    curve = curve_of_rungs(found, entry, [rung(800), rung(3200)])
    assert [row["rows"] for row in curve] == [800, 3200]
    assert [row["score"] for row in curve] == pytest.approx([0.6, 0.8])
    assert [row["spread"] for row in curve] == pytest.approx([0.1, 0.0])


def test_what_there_is_no_time_for_is_left_out_and_named(tmp_path):
    result = Study(columns(200), "y", budget=0.01, out=tmp_path).run()
    note = next(note for note in result.notes if note.startswith("Left out, since the budget"))
    assert "what each column is worth" in note and "the learning curve" in note
    stopped = next(note for note in result.notes if "stopped by its budget" in note)
    assert "Not tried: " in stopped and "gradient boosting" in stopped
    assert result.explanation["relevances"] == [] and result.explanation["learning"] == []
    text = (tmp_path / "report.html").read_text().partition("<script>")[0]
    assert "What matters" not in text and "found (recall)" in text


@pytest.mark.fuzz  # seconds of a wall clock: nothing else may run
@pytest.mark.parametrize("rows", [500, 30_000])
def test_a_study_keeps_its_budget(rows, tmp_path):
    data = columns(rows)
    start = time.monotonic()
    result = Study(data, "y", budget=8, out=tmp_path).run()
    assert time.monotonic() - start < 8 + 1
    assert result.learned
    assert len(result.explanation["details"]["confusion"]) == 2
