import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from shallows.study import Study
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate
from shallows.study._explain import curve_of_rungs
from shallows.study._journal import Evaluation
from shallows.study._search import Entry, Foresight, Rung, Search
from study.results import without_times


def columns(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0, "p", "q")
    return {**{f"x{i}": X[:, i] for i in range(4)}, "y": y}


def rung(rows, folds=5):
    split = (np.arange(rows), np.arange(rows // 4))
    return Rung(f"{rows} rows", (split,) * folds, full=False)


@pytest.mark.parametrize(("power", "expected"), [(0.2, 0.7), (1, 1), (2, 2), (5, 3)])
def test_times_are_foreseen_by_the_power_with_which_they_grew(power, expected):
    entry = Entry(Candidate("m", "here", 1, lambda d, s: DummyClassifier()), {})
    times = [0.1 * 5, 0.1 * 5 * 4.0**power]
    found = [{entry.key: Evaluation((0.5,) * 5, seconds)} for seconds in times]
    clock = Foresight([rung(1000), rung(4000)], found)
    ahead = clock.seconds(entry, 16_000)
    assert ahead == pytest.approx(0.1 * 4.0**power * 4.0**expected)
    assert clock.can_end(entry, 16_000, Budget(ahead / 0.18 * 1.01))
    assert not clock.can_end(entry, 16_000, Budget(ahead / 0.18 * 0.99))
    assert clock.can_end(entry, 10**9, Budget(None))


def test_a_budget_keeps_a_part_for_the_end():
    budget = Budget(100, spent=60)
    assert 39 < budget.left <= 40 and 9 < budget.left_to_search <= 10
    assert Budget(100, spent=71).left_to_search < 0 < Budget(100, spent=71).left
    assert Budget(None).left_to_search == np.inf


def test_a_large_study_draws_its_learning_curve_from_the_search():
    entry = Entry(Candidate("m", "here", 1, lambda d, s: DummyClassifier()), {"k": 1})
    other = Entry(entry.candidate, {"k": 2})
    tried = [
        (entry, 0, Evaluation((0.5, 0.7), 1.0)),
        (other, 0, Evaluation((0.1, 0.1), 1.0)),
        (entry, 1, Evaluation((0.8, 0.8), 1.0)),
    ]
    curve = curve_of_rungs(Search((), tuple(tried), True, ""), entry, [rung(800), rung(3200)])
    assert [row["rows"] for row in curve] == [800, 3200]
    assert [row["score"] for row in curve] == pytest.approx([0.6, 0.8])
    assert [row["spread"] for row in curve] == pytest.approx([0.1, 0.0])


def test_what_there_is_no_time_for_is_left_out_and_named(monkeypatch, tmp_path):
    import shallows.study._protocol as protocol

    only = ["least squares", "GMLVQ"]
    Study(columns(200), "y", only=only, repeats=1).run()  # compiles what the budget is not for
    fit = protocol.Setup.fit

    def slow(self, entry):
        time.sleep(2.1)  # the final fit takes all that is left
        return fit(self, entry)

    monkeypatch.setattr(protocol.Setup, "fit", slow)
    result = Study(columns(200), "y", only=only, repeats=1, budget=4, out=tmp_path).run()
    note = next(note for note in result.notes if note.startswith("Left out, since the budget"))
    assert "what each column is worth" in note and "the learning curve" in note
    assert result.explanation["relevances"] == [] and result.explanation["learning"] == []
    text = (tmp_path / "report.html").read_text().partition("<script>")[0]
    assert "Which columns matter" not in text and "Right and wrong" in text


def test_a_budget_that_does_not_bind_changes_nothing():
    quick = {"only": ["least squares", "decision tree"], "repeats": 2}
    free = without_times(Study(columns(200), "y", **quick).run())
    bound = without_times(Study(columns(200), "y", budget=600, **quick).run())
    assert free.pop("command") != bound.pop("command")
    assert free == bound


@pytest.mark.slow
def test_a_study_keeps_its_budget():
    data = columns(30_000)
    start = time.monotonic()
    result = Study(data, "y", budget=12).run()
    assert time.monotonic() - start < 1.15 * 12 + 4
    assert any("budget" in note for note in result.notes)
    assert len(result.explanation["details"]["confusion"]) == 2
