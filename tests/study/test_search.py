import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from shallows.study import Study, StudyError
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate, design_of
from shallows.study._evidence import gather
from shallows.study._facts import read_data
from shallows.study._fits import Shared
from shallows.study._journal import Evaluation, Journal
from shallows.study._measures import MEASURES
from shallows.study._prepare import plain
from shallows.study._problem import build_problem
from shallows.study._rank import choose, corrected_error, rank
from shallows.study._roles import infer_schema
from shallows.study._rungs import plan_rungs
from shallows.study._schedule import Schedule
from shallows.study._search import entries_of, loss_on, search
from shallows.study._workers import open_workers


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
MEASURE = MEASURES["accuracy"]


def shared_of(candidates=CANDIDATES, n=200, repeats=2):
    data = problem(n)
    by_name = {candidate.name: candidate for candidate in candidates}
    return Shared(data, design_of(data, 0), plan_rungs(data, 5, repeats, 0), by_name)


def run(journal=None, budget=None, jobs=1, candidates=CANDIDATES, watch=None, shared=None):
    shared, budget = shared or shared_of(candidates), budget or Budget(None)
    schedule = Schedule(
        entries_of(candidates),
        shared.rungs,
        "classification",
        lambda rung, found: loss_on(shared, rung, found, MEASURE),
        budget,
        len(shared.problem.y),
        jobs,
    )
    with open_workers(shared, jobs) as workers:
        return search(
            shared,
            schedule,
            workers,
            measure=MEASURE,
            journal=journal or Journal(None),
            stage="selection",
            budget=budget,
            watch=watch or (lambda *words: None),
        )


def outcome(found):
    return {(*entry.key, rung): (each.scores, each.note) for entry, rung, each in found.tried}


def test_answers_and_scores_are_those_of_plain_cross_validation():
    shared, found = shared_of(), run()
    data = shared.problem
    entry, _, evaluation = next(each for each in found.tried if each[0].candidate.name == "tree")
    splits = shared.rungs[0].splits
    assert len(evaluation.scores) == len(splits) == 5
    for (train, test), answers, score in zip(
        splits, evaluation.answers, evaluation.scores, strict=True
    ):
        model = tree(shared.design, entry.setting).fit(data.X[train], data.y[train])
        np.testing.assert_allclose(answers, model.predict_proba(data.X[test]))
        assert score == pytest.approx(np.mean(model.predict(data.X[test]) == data.y[test]))


def test_without_a_budget_only_the_better_settings_go_on():
    found = run()
    by_rung = [[entry.setting for entry, n, _ in found.tried if n == rung] for rung in (0, 1)]
    assert len(by_rung[0]) == 4 and len(by_rung[1]) == 2
    assert found.finished
    shared = shared_of()
    losses = {
        str(e.setting): loss_on(shared, 0, each, MEASURE)
        for e, rung, each in found.tried
        if rung == 0 and e.setting
    }
    assert str(max(by_rung[1], key=len)) == min(losses, key=losses.get)


def test_workers_do_not_change_the_result():
    assert outcome(run()) == outcome(run(jobs=3))


def test_large_data_begin_with_small_samples():
    rungs = plan_rungs(problem(9000), 5, None, 0)
    assert [rung.title for rung in rungs] == ["1,000 rows", "first fold", "all rows"]
    assert [len(rung.splits) for rung in rungs] == [1, 1, 4]
    assert [rung.full for rung in rungs] == [False, True, True]
    (few, test), (many, same) = rungs[0].splits[0], rungs[1].splits[0]
    assert len(few) == 1000 and set(few) < set(many)
    np.testing.assert_array_equal(test, same)
    answered = np.concatenate([test for rung in rungs[1:] for _, test in rung.splits])
    assert sorted(answered) == list(range(9000))
    for rung in rungs:
        assert not any(set(train) & set(test) for train, test in rung.splits)


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
    assert outcome(found) == outcome(run())


def sleeper(seconds):
    class Sleeper(DecisionTreeClassifier):
        def fit(self, X, y):
            time.sleep(seconds)
            return super().fit(X, y)

    return lambda design, setting: Sleeper(max_depth=1)


def test_a_budget_ends_the_search_in_time_even_within_a_fit():
    slow = Candidate("slow", "here", 9, sleeper(60))
    start = time.monotonic()
    found = run(budget=Budget(3.0), candidates=[*CANDIDATES, slow], jobs=2)
    assert time.monotonic() - start < 3.0
    assert not found.finished
    assert {entry.candidate.name for entry, _ in found.order} == {"majority class", "tree"}


def test_a_budget_that_does_not_bind_tries_everything_that_could_help():
    found = run(budget=Budget(300.0), jobs=2)
    first = {entry.key for entry, rung in found.order if rung == 0}
    assert found.finished and len(first) == 4


def test_the_most_hope_per_second_comes_first():
    """After one look at each, the better of two equally slow methods goes on first."""
    shared = shared_of(n=3000, repeats=1)
    entries = entries_of(CANDIDATES)
    losses = {"2": 0.5, "4": 0.3, "50": 0.6}
    schedule = Schedule(
        entries,
        shared.rungs,
        "classification",
        lambda rung, found: found.scores[0],
        Budget(1000.0),
        3000,
        1,
    )
    first = [schedule.next(busy=False) for _ in entries]
    assert first[0][0].is_constant and {rung for _, rung in first} == {0}
    for entry, rung in first:
        loss = losses.get(str(entry.setting.get("max_leaf_nodes")), 0.7)
        schedule.learn(entry, rung, Evaluation((loss,), (np.ones(1),), 0.1))
    wishes = [schedule.next(busy=True) for _ in range(2)]
    assert wishes[0][0].is_constant  # costs nothing, and all are compared with it
    assert wishes[1][0].setting == {"max_leaf_nodes": 4} and wishes[1][1] == 1


def test_an_interrupt_ends_the_search_with_what_is_known():
    slow = Candidate("slow", "here", 9, sleeper(60))

    def interrupt(*words):
        if words[3].candidate.name == "tree":
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    assert threading.current_thread() is threading.main_thread()
    found = run(candidates=[*CANDIDATES, slow], watch=interrupt)
    assert found.interrupted and not found.finished
    assert "slow" not in {entry.candidate.name for entry, _ in found.order}
    assert signal.getsignal(signal.SIGINT) is before


def test_a_failing_method_does_not_end_the_search():
    def fail(design, setting):
        return plain(design, DecisionTreeClassifier(max_depth=-1))

    found = run(candidates=[*CANDIDATES, Candidate("broken", "here", 1, fail)])
    notes = [each.note for entry, _, each in found.tried if entry.candidate.name == "broken"]
    assert len(notes) == 1 and "max_depth" in notes[0]


def test_a_method_that_kills_its_process_does_not_end_the_search():
    class Crash(DecisionTreeClassifier):
        def fit(self, X, y):
            os._exit(11)

    found = run(candidates=[*CANDIDATES, Candidate("crash", "here", 1, lambda d, s: Crash())])
    notes = [each.note for entry, _, each in found.tried if entry.candidate.name == "crash"]
    assert notes == ["its process ended with code 11"]
    assert found.finished


def test_the_strongest_has_the_smallest_loss_and_the_simplest_is_not_worse():
    shared = shared_of()
    found = run(shared=shared)
    evidence = gather(shared, found.results, entries_of(CANDIDATES), MEASURE)
    choice = choose(evidence, None)
    assert [each.loss for each in choice.standings] == sorted(e.loss for e in choice.standings)
    assert choice.strongest.name == choice.simplest.name == "tree"
    ranked = rank(choice, evidence, MEASURE, choice.strongest)
    assert [each.name for each in ranked] == ["tree", "majority class"]
    assert ranked[0].strongest and ranked[0].chosen and ranked[1].p_value < 0.01
    # With an uninformative complex method the constant answer is as good and simpler.
    noise = replace(evidence, y=np.random.default_rng(0).permutation(evidence.y))
    constant = evidence.constant
    copies = [constant, replace(evidence.seen[1], losses=constant.losses - 1e-6)]
    choice = choose(replace(noise, seen=copies), None)
    assert choice.strongest.name == "tree" and choice.simplest.name == "tree"
    wavy = constant.losses - 0.001 + 0.02 * np.sign(np.sin(evidence.parts))
    choice = choose(replace(noise, seen=[constant, replace(copies[1], losses=wavy)]), None)
    assert choice.simplest.name == "majority class"


def test_the_error_of_a_mean_knows_that_folds_share_rows():
    scores = np.random.default_rng(0).normal(0.9, 0.02, 15)
    expected = np.std(scores, ddof=1) * np.sqrt(1 / 15 + 1 / 4)
    assert corrected_error(scores, 0.25) == pytest.approx(expected)
    assert corrected_error([0.5], 0.25) == 0.0


def test_a_study_always_ends_with_a_model():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 3))
    columns = {**{f"x{i}": x[:, i] for i in range(3)}, "y": np.where(x[:, 0] > 0, "a", "b")}
    result = Study(columns, "y", budget=1e-6).run()
    assert result.model.predict(columns).shape == (3000,)
    assert any("stopped by its budget" in note for note in result.notes)


def test_journals_do_not_mix(tmp_path):
    journal = Journal(tmp_path)
    journal.begin({"target": "y", "seed": 0}, resume=False)
    answers = (np.array([[0.25, 0.75]]), np.array([[1.0, 0.0]]))
    journal.record("selection", ("tree", '{"k": 1}'), 0, Evaluation((0.5, 0.25), answers, 0.1))
    with pytest.raises(StudyError, match="in use by another study"):
        Journal(tmp_path)
    journal.close()
    other = Journal(tmp_path)
    with pytest.raises(StudyError, match=r"holds another study \(target was 'y', is 'z'\)"):
        other.begin({"target": "z", "seed": 0}, resume=True)
    with pytest.raises(StudyError, match="continue it with --resume"):
        other.begin({"target": "y", "seed": 0}, resume=False)
    other.begin({"target": "y", "seed": 0}, resume=True)
    (key, found), *more = other.known("selection").items()
    assert (key, more, found.scores) == (("tree", '{"k": 1}', 0), [], (0.5, 0.25))
    for read, written in zip(found.answers, answers, strict=True):
        np.testing.assert_array_equal(read, written)
    assert other.known("outer fold 1") == {} and other.fitting_seconds() == 0.1
    other.spend(2.5)
    assert other.seconds() == 2.5
    other.close()
    (tmp_path / "journal.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(StudyError, match="is not the journal of a study"):
        Journal(tmp_path)
