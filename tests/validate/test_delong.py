import time

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from shallows.validate import bootstrap_interval, delong


def naive_delong(y, scores):
    """All pairs, as DeLong writes it."""
    positive, negative = scores[y == 1], scores[y == 0]
    k, m, n = scores.shape[1], len(positive), len(negative)
    v10, v01 = np.zeros((m, k)), np.zeros((n, k))
    for r in range(k):
        for i in range(m):
            for j in range(n):
                psi = (positive[i, r] > negative[j, r]) + 0.5 * (positive[i, r] == negative[j, r])
                v10[i, r] += psi / n
                v01[j, r] += psi / m
    auc = v10.mean(axis=0)
    s10 = (v10 - auc).T @ (v10 - auc) / (m - 1)
    s01 = (v01 - auc).T @ (v01 - auc) / (n - 1)
    return auc, s10 / m + s01 / n


def scored(seed, n=60, k=3, ties=False):
    rng = np.random.default_rng(seed)
    y = np.append([0, 0, 1, 1], rng.integers(2, size=n - 4))
    scores = y[:, None] * np.linspace(0.3, 1.5, k) + rng.normal(size=(n, k))
    return y, np.round(scores) if ties else scores


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [1, 3])
def test_equals_the_definition_over_all_pairs(ties, k):
    y, scores = scored(0, k=k, ties=ties)
    estimate = delong(y, scores)
    auc, covariance = naive_delong(y, scores)
    np.testing.assert_allclose(estimate.auc, auc, rtol=1e-12)
    np.testing.assert_allclose(estimate.covariance, covariance, rtol=1e-10, atol=1e-15)
    assert (estimate.n_positive, estimate.n_negative) == (np.sum(y == 1), np.sum(y == 0))


@pytest.mark.parametrize("ties", [False, True])
def test_area_is_that_of_scikit_learn_and_mann_whitney(ties):
    y, scores = scored(1, ties=ties)
    pairs = np.sum(y == 1) * np.sum(y == 0)
    for column, area in zip(scores.T, delong(y, scores).auc, strict=True):
        assert area == pytest.approx(roc_auc_score(y, column))
        assert area == pytest.approx(mannwhitneyu(column[y == 1], column[y == 0])[0] / pairs)


def test_mirrored_scores_mirror_the_interval():
    y, scores = scored(2, k=1)
    there, back = delong(y, scores).interval(), delong(y, -scores).interval()
    assert (back.low, back.high) == pytest.approx((1 - there.high, 1 - there.low))


def test_standard_error_agrees_with_the_bootstrap():
    y, scores = scored(3, n=400, k=2)
    estimate = delong(y, scores)
    for column in range(2):
        drawn = bootstrap_interval(
            "roc_auc", y, scores[:, column], stratify=y, random_state=0, n_resamples=4000
        )
        # 4,000 resamples give a standard error to within 1.1 % (one standard deviation), and
        # the two differ by about 1 / n_positive besides
        assert drawn.standard_error == pytest.approx(
            estimate.interval(column).standard_error, rel=0.06
        )
    both = bootstrap_interval(
        lambda y, a, b: roc_auc_score(y, a) - roc_auc_score(y, b),
        y,
        *scores.T,
        stratify=y,
        random_state=0,
        n_resamples=200,
        method="percentile",
    )
    difference = estimate.difference()
    width = difference.high - difference.low
    assert both.estimate == pytest.approx(difference.effect)
    assert both.high - both.low == pytest.approx(width, rel=0.25)


def test_equal_classifiers_are_told_apart_at_the_nominal_rate():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 60)
    common = rng.normal(size=(1000, 120))
    rejected = global_rejected = 0
    for base in common:
        scores = y[:, None] + base[:, None] + rng.normal(size=(120, 3))
        estimate = delong(y, scores)
        rejected += estimate.difference().significant
        global_rejected += estimate.equality()[1] <= 0.05
    # 1,000 runs at 5 %: outside 22 to 80 with probability 6e-5, if the level is exact
    assert 22 <= rejected <= 80
    assert 22 <= global_rejected <= 80


def test_equality_of_two_is_the_square_of_their_difference():
    y, scores = scored(5, k=2)
    estimate = delong(y, scores)
    statistic, p_value = estimate.equality()
    assert statistic == pytest.approx(estimate.difference().statistic ** 2)
    assert p_value == pytest.approx(estimate.difference().p_value)


def test_perfect_separation_keeps_an_honest_interval():
    y = np.repeat([0, 1], [5, 8])
    perfect, inverted = delong(y, y).interval(), delong(y, -y).interval()
    assert (perfect.low, perfect.high) == (pytest.approx(0.025 ** (1 / 5)), 1.0)
    assert (inverted.low, inverted.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 5)))


def test_constant_scores():
    interval = delong([0, 0, 1, 1], [2, 2, 2, 2]).interval()
    assert (interval.estimate, interval.low, interval.high) == (0.5, 0.5, 0.5)


def test_a_million_samples_take_seconds_at_most():
    rng = np.random.default_rng(6)
    y = rng.integers(2, size=1_000_000)
    scores = y + rng.normal(size=len(y))
    start = time.process_time()
    area = delong(y, scores).auc[0]
    assert time.process_time() - start < 5
    assert area == pytest.approx(0.76025, abs=0.0025)  # Phi(1 / sqrt 2), five standard errors


def test_bad_input():
    with pytest.raises(ValueError, match="needs both classes"):
        delong([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="at least 2 samples of each class, got 1 positive and 2"):
        delong([1, 0, 0], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"one row per label, 4 here.*got shape \(3,\)"):
        delong([1, 0, 1, 0], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="must not be NaN"):
        delong([1, 0, 1, 0], [0.1, 0.2, 0.3, np.nan])
    with pytest.raises(ValueError, match="rank the samples differently"):
        delong([1, 0, 1, 0, 1], [[1, 2], [0, 0], [3, 6], [2, 4], [5, 10]]).difference()
    with pytest.raises(ValueError, match="at least 2 classifiers"):
        delong([1, 0, 1, 0], [1, 2, 3, 4]).equality()
    assert delong([1, 0, 1, 0], [np.inf, -np.inf, 1, 0]).auc[0] == 1
