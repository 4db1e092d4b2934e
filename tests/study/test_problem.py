import numpy as np
import pytest

from shallows.study import StudyError
from shallows.study._facts import read_data
from shallows.study._problem import build_problem, lock_test_part, make_folds, subsample
from shallows.study._roles import infer_schema


def problem_of(columns, target="y", *, group=None, time=None, **options):
    table = read_data(columns, None, 0, {})
    schema = infer_schema(table, target, group=group, time=time)
    return build_problem(table, schema, **options)


def table(n=120, **more):
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.arange(n) % 3]
    return {"x": rng.normal(size=n), "z": rng.normal(size=n), "y": y} | more


def test_targets_that_mean_classes_and_numbers():
    n = 120
    assert problem_of(table()).classes == ("a", "b", "c")
    assert problem_of(table(y=np.arange(n) % 4)).classes == ("0", "1", "2", "3")
    assert problem_of(table(y=np.arange(n) % 4), task="regression").classes == ()
    assert problem_of(table(y=np.arange(n) % 40)).task == "regression"
    assert problem_of(table(y=np.linspace(0, 1, n))).task == "regression"
    flags = problem_of(table(y=np.arange(n) % 2 == 0), positive="no")
    assert flags.classes == ("yes", "no")


def test_rows_without_target_and_rare_classes_are_left_out_and_told():
    y = table()["y"].astype(object)
    y[:10] = None
    y[10:13] = "rare"
    problem = problem_of(table(y=y))
    assert len(problem.y) == 107 and problem.classes == ("a", "b", "c")
    np.testing.assert_array_equal(problem.rows, np.arange(13, 120))
    assert problem.notes[0].startswith("10 rows without a target")
    assert "'rare' were left out" in problem.notes[1]


def test_parts_do_not_share_rows_and_keep_shares():
    problem = problem_of(table())
    train, test = lock_test_part(problem, 0.25, 0)
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(120))
    np.testing.assert_array_equal(np.bincount(problem.y[test]), [10, 10, 10])
    again = lock_test_part(problem, 0.25, 0)
    np.testing.assert_array_equal(again[1], test)
    assert not np.array_equal(lock_test_part(problem, 0.25, 1)[1], test)


def test_groups_stay_together_and_time_runs_forward():
    people = np.array([f"p{i}" for i in np.arange(120) // 4])
    problem = problem_of(table(who=people), group="who")
    for train, test in [lock_test_part(problem, 0.25, 0), *make_folds(problem, 5, 1, 0)[0]]:
        assert not set(problem.groups[train]) & set(problem.groups[test])
    part = subsample(problem, 60, 0)
    assert set(np.bincount(problem.groups[part])) <= {0, 4}

    series = problem_of(table(t=np.random.default_rng(1).permutation(120)), time="t")
    for train, test in [lock_test_part(series, 0.25, 0), *make_folds(series, 5, 3, 0)[0]]:
        assert series.order[train].max() < series.order[test].min()
    assert len(make_folds(series, 5, 3, 0)) == 1


def test_folds_fit_the_smallest_class():
    y = np.array(["a"] * 54 + ["b"] * 6)
    problem = problem_of(table(n=60, y=y))
    train, _ = lock_test_part(problem, 0.5, 0)
    small = problem.part(train)
    assert len(make_folds(small, 5, 1, 0)[0]) == 3


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"y": np.full(120, None)}, {}, "'y' has no value in any row"),
        ({"y": np.full(120, "a")}, {}, "one class only, 'a'"),
        ({"y": np.full(120, 1.5)}, {}, "the same value in every row"),
        ({}, {"task": "regression"}, "text cells, which can't be regressed"),
        ({}, {"positive": "a"}, "--positive must name one of two classes"),
        ({"y": np.array([f"k{i}" for i in np.arange(120) // 2])}, {}, "60 classes in 120 rows"),
        ({"g": np.array(["one", "two"] * 60)}, {"group": "g"}, "has 2 values; 10 are the least"),
        ({"t": np.array(["x", "y"] * 60)}, {"time": "t"}, "must be dates or numbers, it is text"),
    ],
)
def test_bad_targets_groups_and_times(changes, options, message):
    with pytest.raises(StudyError, match=message):
        problem_of(table(**changes), **options)


def test_too_few_rows():
    with pytest.raises(StudyError, match="15 rows with a target are too few"):
        problem_of(table(n=15))
