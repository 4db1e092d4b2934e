import signal
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from shallows.study import StudyError
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate, design_of, plain
from shallows.study._facts import read_data
from shallows.study._journal import Evaluation, Journal
from shallows.study._measures import MEASURES
from shallows.study._problem import build_problem
from shallows.study._rank import choose, corrected_error, rank
from shallows.study._roles import infer_schema
from shallows.study._search import Entry, Search, Standing, plan_rungs, search


def problem(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, "p", "q")
    table = read_data({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y}, None, 0, {})
    return build_problem(table, infer_schema(table, "y"))


def tree(design, setting):
    return plain(design, DecisionTreeClassifier(random_state=0, **setting))


CANDIDATES = [
    Candidate("majority class", "scikit-learn", 0, lambda d, s: DummyClassifier()),
    Candidate("tree", "scikit-learn", 5, tree, tuple({"max_leaf_nodes": k} for k in (2, 4, 50))),
]


def run(journal=None, budget=None, jobs=1, candidates=CANDIDATES, rungs=None, watch=None):
    data = problem()
    return search(
        data,
        candidates,
        design_of(data, 0),
        MEASURES["accuracy"],
        rungs or plan_rungs(data, 5, 3, 0),
        journal=journal or Journal(None),
        stage="selection",
        budget=budget or Budget(None),
        jobs=jobs,
        watch=watch or (lambda *words: None),
    )


def test_scores_are_those_of_plain_cross_validation():
    data = problem()
    found = run()
    design = design_of(data, 0)
    standing = next(s for s in found.standings if s.entry.candidate.name == "tree")
    splits = [split for rung in plan_rungs(data, 5, 3, 0) for split in rung.splits]
    assert len(standing.scores) == len(splits) == 15
    expected = []
    for train, test in splits:
        model = tree(design, standing.entry.setting).fit(data.X[train], data.y[train])
        expected.append(np.mean(model.predict(data.X[test]) == data.y[test]))
    np.testing.assert_allclose(standing.scores, expected)


def test_only_the_best_setting_of_a_method_goes_on():
    found = run()
    by_rung = [[entry.setting for entry, n, _ in found.tried if n == rung] for rung in (0, 1)]
    assert len(by_rung[0]) == 4 and len(by_rung[1]) == 2
    first = {str(e.setting): np.mean(r.scores) for e, n, r in found.tried if n == 0}
    best = max((s for s in by_rung[0] if s), key=lambda s: first[str(s)])
    assert best in by_rung[1]
    assert found.finished


def test_workers_do_not_change_the_result():
    alone, together = run(), run(jobs=2)
    assert [s.scores for s in alone.standings] == [s.scores for s in together.standings]


def test_large_data_begin_with_small_samples():
    data = problem(9000)
    rungs = plan_rungs(data, 5, None, 0)
    assert [rung.title for rung in rungs] == ["1,000 rows", "4,000 rows", "all rows", "more folds"]
    rows = np.concatenate([test for _, test in rungs[0].splits])
    assert len(rows) == len(set(rows)) == 1000
    assert [rung.full for rung in rungs] == [False, False, True, True]


def test_a_journal_continues_where_it_was(tmp_path):
    journal = Journal(tmp_path)
    seen = []

    def stop_soon(*words):
        seen.append(words)
        if len(seen) == 3:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        run(journal, watch=stop_soon)
    journal.close()
    again = Journal(tmp_path)
    counted = []
    found = run(again, watch=lambda *words: counted.append(words))
    again.close()
    assert len(counted) == 4 + 2 - 3  # three of all evaluations were on disk
    assert [s.scores for s in found.standings] == [s.scores for s in run().standings]


def test_budget_ends_the_search_with_what_is_known():
    slow = replace(CANDIDATES[1], build=lambda d, s: (time.sleep(0.05), tree(d, s))[1])
    found = run(budget=Budget(1.2), candidates=[CANDIDATES[0], slow])
    assert not found.finished and len(found.standings) == 2
    assert "stopped by its budget" in found.why_stopped
    assert Budget(10, spent=11).is_spent and not Budget(None).is_spent


def test_what_would_not_end_in_time_is_left_behind():
    class Slow:
        def fit(self, X, y):
            time.sleep(len(X) / 500)
            self.model = DecisionTreeClassifier(max_depth=1).fit(X, y)
            return self

        def predict(self, X):
            return self.model.predict(X)

    slow = Candidate("slow", "here", 9, lambda d, s: Slow())
    found = run(budget=Budget(4.4), candidates=[*CANDIDATES, slow])
    assert found.finished and found.left_behind == ("slow",)
    assert [s.entry.candidate.name for s in found.standings] == ["majority class", "tree"]


def test_an_interrupt_that_a_method_swallows_ends_the_search():
    class Deaf:
        def fit(self, X, y):
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            self.model = DecisionTreeClassifier(max_depth=1).fit(X, y)
            return self

        def predict(self, X):
            return self.model.predict(X)

    before = signal.getsignal(signal.SIGINT)
    deaf = Candidate("deaf", "here", 9, lambda d, s: Deaf())
    found = run(candidates=[*CANDIDATES, deaf, replace(deaf, name="never tried")])
    assert found.interrupted and not found.finished
    assert "never tried" not in {entry.candidate.name for entry, _, _ in found.tried}
    assert signal.getsignal(signal.SIGINT) is before


def test_a_failing_method_does_not_end_the_search():
    def fail(design, setting):
        return plain(design, DecisionTreeClassifier(max_depth=-1))

    found = run(candidates=[*CANDIDATES, Candidate("broken", "here", 1, fail)])
    assert "broken" not in [s.entry.candidate.name for s in found.standings]
    notes = [each.note for entry, _, each in found.tried if entry.candidate.name == "broken"]
    assert len(notes) == 1 and "max_depth" in notes[0]


def standing(name, complexity, scores):
    candidate = Candidate(name, "here", complexity, lambda d, s: None)
    return Standing(Entry(candidate, {}), tuple(scores), 1.0)


def test_the_simplest_within_one_standard_error_is_chosen():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.02, 15)
    best = standing("best", 9, 0.9 + noise)
    error = corrected_error(best.scores, 0.25)
    assert error == pytest.approx(np.std(best.scores, ddof=1) * np.sqrt(1 / 15 + 1 / 4))
    near = standing("near", 3, 0.9 + noise - 0.9 * error)
    far = standing("far", 0, 0.9 + noise - 1.1 * error)
    assert choose([far, near, best], 0.25) is near
    ranked = rank(Search((far, near, best), (), True, "all rows"), 0.25)
    assert [each.name for each in ranked] == ["best", "near", "far"]
    assert [each.chosen for each in ranked] == [False, True, False]
    assert ranked[1].p_value == 0.0  # a constant difference leaves no doubt
    twin = standing("twin", 1, best.scores)
    assert rank(Search((twin, best), (), True, ""), 0.25)[1].p_value == 1.0


def test_journals_do_not_mix(tmp_path):
    journal = Journal(tmp_path)
    journal.begin({"target": "y", "seed": 0}, resume=False)
    journal.record("selection", "tree", {"k": 1}, 0, Evaluation((0.5, 0.25), 0.1))
    with pytest.raises(StudyError, match="in use by another study"):
        Journal(tmp_path)
    journal.close()
    other = Journal(tmp_path)
    with pytest.raises(StudyError, match=r"holds another study \(target was 'y', is 'z'\)"):
        other.begin({"target": "z", "seed": 0}, resume=True)
    with pytest.raises(StudyError, match="continue it with --resume"):
        other.begin({"target": "y", "seed": 0}, resume=False)
    other.begin({"target": "y", "seed": 0}, resume=True)
    known = other.known("selection")
    assert known == {("tree", '{"k": 1}', 0): Evaluation((0.5, 0.25), 0.1)}
    assert other.known("outer fold 1") == {} and other.seconds() == 0.1
    other.close()
    (tmp_path / "journal.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StudyError, match="is not the journal of a study"):
        Journal(tmp_path)
