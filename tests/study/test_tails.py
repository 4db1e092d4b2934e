"""A few rows that decide a score: found, said, and not hidden behind an interval."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from shallows.study import Study, TestSet, compare_studies
from shallows.study._measures import MEASURES
from shallows.study._report import report_html
from shallows.study._tails import few_decide, is_heavy, largest_rows, losses_of, studentised

QUICK = {"only": ["ridge"], "repeats": 1}


def assess(y, answers, measure):
    problem = SimpleNamespace(X=answers, y=y, groups=None, classes=(), is_classification=False)
    mean = SimpleNamespace(predict=lambda X: np.full(len(X), y.mean()))
    return TestSet(problem).assess(SimpleNamespace(predict=lambda X: X), mean, MEASURES[measure])[0]


@pytest.mark.parametrize("measure", ["r2", "rmse", "mae"])
@pytest.mark.parametrize("n", [20, 100, 600])
def test_normal_errors_keep_their_interval(measure, n):
    rng = np.random.default_rng(0)
    x, error = rng.permuted(np.tile(norm.ppf((np.arange(n) + 0.5) / n), (2, 1)), axis=1)
    found = assess(x + error, x, measure)
    draws = np.random.default_rng(0)
    places = [draws.integers(n, size=n) for _ in range(2000)]
    values = [MEASURES[measure].score((x + error)[rows], x[rows]) for rows in places]
    assert [found.low, found.high] == pytest.approx(np.quantile(values, [0.025, 0.975]))


@pytest.mark.parametrize("n", [20, 100, 149, 150, 600])
def test_normal_errors_seldom_seem_heavy(n):
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(400, n))
    assert sum(map(is_heavy, errors)) <= 35  # at most 20 expected; more with probability 0.001
    assert sum(few_decide([row**2])[0] > 0 for row in errors) <= 3


def test_shares_of_the_largest_rows():
    assert largest_rows(np.array([1.0] * 150 + [50.0])) == (2, 51 / 200)
    assert largest_rows(np.arange(5.0)) == (1, 0.4)
    assert largest_rows(np.zeros(7)) == (1, 0.0)


@pytest.mark.parametrize(("degrees", "least"), [(1.5, 45), (2.0, 35)])
def test_infinite_variance_is_noticed(degrees, least):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(50):
        x, error = rng.normal(size=400), rng.standard_t(degrees, size=400)
        found.append(assess_share(x + error, x))
    assert sum(share > 1 / 3 for share in found) >= least


def assess_share(y, answers):
    return few_decide(losses_of("r2", y, answers))[1]


def test_the_studentised_interval_covers_the_mean_more_often_than_percentiles():
    rng = np.random.default_rng(0)
    hits = np.zeros(2, dtype=int)
    for seed in range(60):
        losses = rng.lognormal(0, 1.5, size=80)
        low, high = studentised(losses, None, 0.95, 400, seed)
        means = rng.choice(losses, (400, 80)).mean(axis=1)
        hits += [low <= np.exp(1.125) <= high, abs(np.mean(means <= np.exp(1.125)) - 0.5) < 0.475]
    assert hits[0] >= 52 and hits[0] > hits[1]


def test_groups_of_one_row_are_rows_and_larger_ones_count_as_one():
    losses = np.random.default_rng(0).lognormal(0, 1, size=60)
    alone = studentised(losses, None, 0.95, 300, 0)
    assert studentised(losses, np.arange(60), 0.95, 300, 0) == pytest.approx(alone)
    twice = studentised(np.repeat(losses, 2), np.repeat(np.arange(60), 2), 0.95, 300, 0)
    assert twice == pytest.approx(alone)
    assert studentised(np.ones(9), None, 0.95, 50, 0) == (1.0, 1.0)


@pytest.fixture(scope="module")
def wild():
    """A study whose errors have no variance."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=1600)
    data = {"x": x, "z": rng.normal(size=1600), "y": 6 * x + rng.standard_t(1.5, size=1600)}
    return data, Study(data, "y", **QUICK).run()


def test_the_first_sentence_says_that_a_few_rows_decide(wild):
    result = wild[1]
    found = result.assessment
    assert found.n_decisive == 4 and found.decisive_share > 1 / 3
    first = result.summary().split(". ")[0]
    assert "4 rows of 400 make" in first and "with --measure mae they" in first
    assert "95 % interval" not in result.summary()
    assert "no interval, since a few rows decide it" in report_html(result)
    assert "A few rows decide these scores" in compare_studies(result, result).text


def test_the_proposed_measure_has_an_interval(wild):
    result = Study(wild[0], "y", measure="mae", **QUICK).run()
    assert result.assessment.n_decisive == 0
    ends = re.search(r"95 % interval ([\d.]+) to ([\d.]+)", result.summary())
    assert float(ends[1]) < -result.assessment.score < float(ends[2])


def test_nothing_found_says_so_too():
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=800), "y": rng.standard_t(1, size=800)}
    text = Study(data, "y", **QUICK).run().summary()
    assert text.startswith("Nothing was found") and "That says little: 2 rows of 200 make" in text


def test_the_logarithm_is_proposed_for_positive_targets():
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    result = Study({"x": x, "y": np.exp(x + 2 * rng.normal(size=800))}, "y", **QUICK).run()
    assert "with --measure mae or the logarithm as the target they weigh less" in result.summary()
