import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from shallows._core.numerics.threads import limit_threads
from shallows.validate import bootstrap_interval
from shallows.validate._bootstrap_interval import (
    _acceleration,
    _evaluator,
    resampled_auc,
    resampled_average_precision,
)


def scored(seed, n=80, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    scores = y + rng.normal(size=n)
    return y, np.round(scores) if ties else scores


@pytest.mark.kernel
@pytest.mark.parametrize("ties", [False, True])
def test_resampled_measures_equal_scikit_learns_on_the_resampled_rows(ties):
    y, scores = scored(0, ties=ties)
    order = np.argsort(-scores)
    y, scores = y[order], scores[order]
    last = np.append(scores[1:] != scores[:-1], True)
    rows = np.random.default_rng(1).integers(len(y), size=(20, len(y)), dtype=np.int32)
    areas = resampled_auc(rows, y == 1, last)
    averages = resampled_average_precision(rows, y == 1, last)
    for row, area, average in zip(rows, areas, averages, strict=True):
        assert area == pytest.approx(roc_auc_score(y[row], scores[row]))
        assert average == pytest.approx(average_precision_score(y[row], scores[row]))


@pytest.mark.kernel
def test_resample_of_one_class_is_undefined():
    rows = np.zeros((1, 2), dtype=np.int32)
    signs, last = np.array([True, False]), np.array([True, True])
    assert np.isnan(resampled_auc(rows, signs, last)).all()
    assert np.isnan(resampled_average_precision(rows, signs, last)).all()


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_agrees_with_scipy(method):
    values = np.random.default_rng(2).exponential(size=60)
    ours = bootstrap_interval("mean", values, method=method, n_resamples=9999, random_state=0)
    theirs = stats.bootstrap(
        (values,), np.mean, method={"bca": "BCa"}.get(method, method), rng=0, n_resamples=9999
    )
    # either end has a Monte Carlo error of about 1 % of the width
    width = ours.high - ours.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06 * width)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.04)


def test_acceleration_of_a_mean_is_its_skewness():
    values = np.random.default_rng(3).exponential(size=400)
    evaluate, _ = _evaluator("test", "mean", [values])
    rows = [np.arange(400, dtype=np.int32)]
    exact = stats.skew(values) / (6 * np.sqrt(400))
    rng = np.random.default_rng(0)
    assert _acceleration(evaluate, rows, rng) == pytest.approx(exact, rel=1e-9)
    strata = [np.arange(150, dtype=np.int32), np.arange(150, 400, dtype=np.int32)]
    # leaving out one of n moves the mean of a stratum by 1 / (n - 1) of its deviation
    apart = [(values[s] - values[s].mean()) * (1 - 1 / len(s)) for s in strata]
    cubes, squares = (sum(np.sum(part**power) for part in apart) for power in (3, 2))
    assert _acceleration(evaluate, strata, rng) == pytest.approx(cubes / (6 * squares**1.5))


def test_acceleration_from_groups_is_close():
    values = np.random.default_rng(4).exponential(size=5000)
    evaluate, _ = _evaluator("test", "mean", [values])
    found = _acceleration(evaluate, [np.arange(5000, dtype=np.int32)], np.random.default_rng(0))
    # noise of 0.65 / 500; five standard deviations
    assert found == pytest.approx(stats.skew(values) / (6 * np.sqrt(5000)), abs=0.0065)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_named_metrics_are_the_callable_ones(name):
    metric = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}[name]
    y, scores = scored(5, n=40)
    named = bootstrap_interval(name, y, scores, stratify=y, n_resamples=400, random_state=0)
    called = bootstrap_interval(metric, y, scores, stratify=y, n_resamples=400, random_state=1)
    assert named.estimate == pytest.approx(called.estimate)
    assert named.low == pytest.approx(called.low, abs=0.05)
    assert named.high == pytest.approx(called.high, abs=0.05)


def test_same_seed_same_bits_on_any_number_of_threads():
    y, scores = scored(6, n=3000)
    several = bootstrap_interval("roc_auc", y, scores, random_state=7)
    with limit_threads(1):
        alone = bootstrap_interval("roc_auc", y, scores, random_state=7)
    assert several == alone
    assert several != bootstrap_interval("roc_auc", y, scores, random_state=8)


def test_strata_keep_their_sizes():
    y = np.repeat([0, 1, 2], [2, 5, 11])
    sizes = []

    def metric(labels):
        sizes.append(tuple(np.bincount(labels)))
        return float(len(sizes))

    bootstrap_interval(metric, y, stratify=y, n_resamples=50, method="percentile", random_state=0)
    assert set(sizes) == {(2, 5, 11)}


def test_interval_covers():
    rng = np.random.default_rng(8)
    truth = stats.norm.cdf(1 / np.sqrt(2))
    y = np.repeat([0, 1], 40)
    held = {"bca": 0, "percentile": 0}
    for _ in range(200):
        scores = y + rng.normal(size=80)
        for method in held:
            found = bootstrap_interval(
                "roc_auc", y, scores, stratify=y, n_resamples=400, method=method, random_state=rng
            )
            held[method] += found.low <= truth <= found.high
    # nominally 190 of 200; below 173 with probability 1e-6 at 95 %, 4e-4 at 92.5 %
    assert min(held.values()) >= 173


def test_any_metric_of_any_arrays():
    rng = np.random.default_rng(9)
    y_true, y_pred = rng.integers(3, size=(2, 90))
    found = bootstrap_interval(
        lambda a, b: f1_score(a, b, average="macro"),
        y_true,
        y_pred,
        n_resamples=100,
        random_state=0,
    )
    assert found.low < found.estimate < found.high
    constant = bootstrap_interval("mean", np.ones(9), random_state=0)
    assert (constant.low, constant.high, constant.standard_error) == (1, 1, 0)


def test_bad_input():
    y = [0, 1] * 10
    with pytest.raises(ValueError, match=r"one common length, at least 2, got lengths \[20, 3\]"):
        bootstrap_interval("roc_auc", y, [1, 2, 3])
    with pytest.raises(ValueError, match="takes labels and scores, got 1 arrays"):
        bootstrap_interval("roc_auc", y)
    with pytest.raises(ValueError, match="metric must be one of 'mean', 'roc_auc'"):
        bootstrap_interval("accuracy", y, y)
    with pytest.raises(ValueError, match=r"undefined on \d+ of 200 resamples.*as stratify"):
        bootstrap_interval("roc_auc", [0, 0, 0, 1], [1, 2, 3, 4], n_resamples=200, random_state=0)
    with pytest.raises(ValueError, match="needs both classes"):
        bootstrap_interval("roc_auc", [1, 1], [1, 2])
    with pytest.raises(ValueError, match=r"stratify must contain 20 classes, got shape \(2,\)"):
        bootstrap_interval("mean", y, stratify=[0, 1])
    with pytest.raises(ValueError, match="method must be one of 'bca', 'percentile', 'basic'"):
        bootstrap_interval("mean", y, method="BCa")
    with pytest.raises(ValueError, match="all resamples lie on one side"):
        bootstrap_interval(lambda a: -len(np.unique(a)), np.arange(20), random_state=0)
