import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import dblquad

from shallows.validate import Comparison, compare, compare_bayes

# C4.5 without and with tuned minimal leaf size on 14 data sets: Demsar (2006), Table 2
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972]
C45 += [0.957]
C45_M = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981]
C45_M += [0.978]


def scores(seed, n=12, shift=0.3):
    rng = np.random.default_rng(seed)
    return rng.normal(shift, 1, n), rng.normal(0, 1, n)


def test_paired_t_is_scipys():
    a, b = scores(0)
    ours, theirs = compare(a, b, "paired-t", level=0.9), stats.ttest_rel(a, b)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)))


def test_corrected_t_inflates_the_variance():
    a, b = scores(1, n=10)
    corrected, naive = compare(a, b, test_train_ratio=1 / 9), compare(a, b, "paired-t")
    assert corrected.statistic == pytest.approx(
        naive.statistic * np.sqrt((1 / 10) / (1 / 10 + 1 / 9))
    )
    nearly = compare(a, b, test_train_ratio=1e-12)
    assert nearly.p_value == pytest.approx(naive.p_value)


def test_corrected_t_is_exact_for_equally_correlated_differences_and_naive_is_not():
    # J normal differences with correlation n_test / (n_test + n_train)
    rng = np.random.default_rng(2)
    J, ratio, runs = 10, 1 / 9, 2000
    rho = ratio / (1 + ratio)
    rejected = {"corrected-t": 0, "paired-t": 0}
    for _ in range(runs):
        d = np.sqrt(rho) * rng.normal() + np.sqrt(1 - rho) * rng.normal(size=J)
        for test in rejected:
            given_ratio = {"test_train_ratio": ratio} if test == "corrected-t" else {}
            rejected[test] += compare(d, np.zeros(J), test, **given_ratio).significant
    # binomial with 2,000 runs: each bound fails with probability below 1e-4
    assert stats.binomtest(rejected["corrected-t"], runs, 0.05).pvalue > 1e-4
    critical = stats.t.ppf(0.975, J - 1) / np.sqrt(1 + J * ratio)
    predicted = 2 * stats.t.sf(critical, J - 1)
    assert predicted > 0.14
    assert stats.binomtest(rejected["paired-t"], runs, predicted).pvalue > 1e-4


def test_five_by_two_follow_their_definitions():
    a, b = (values.reshape(5, 2) for values in scores(3, n=10))
    p = a - b
    s2 = [(p[i, 0] - p[i].mean()) ** 2 + (p[i, 1] - p[i].mean()) ** 2 for i in range(5)]
    t = compare(a, b, "5x2cv-t")
    assert t.statistic == pytest.approx(p[0, 0] / np.sqrt(sum(s2) / 5))
    assert t.p_value == pytest.approx(2 * stats.t.sf(abs(t.statistic), 5))
    f = compare(a.ravel(), b.ravel(), "5x2cv-f")
    assert f.statistic == pytest.approx(np.sum(p**2) / (2 * sum(s2)))
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5))
    for end in (f.low, f.high):
        assert compare(a - end, b, "5x2cv-f").p_value == pytest.approx(0.05)


def test_sign_is_the_binomial():
    ours = compare([3, 3, 3, 3, 1, 2], [1, 1, 1, 1, 2, 2], "sign")
    theirs = stats.binomtest(4, 5)
    assert (ours.statistic, ours.effect, ours.p_value) == (4, 0.8, theirs.pvalue)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.proportion_ci(method="exact")))


def test_demsars_worked_example():
    found = compare(C45_M, C45, "wilcoxon")
    assert found.statistic == 12  # R+ = 93, R- = 12, zeros split
    assert found.significant
    assert compare(C45_M, C45, "sign").statistic == 10  # and two ties


@pytest.mark.parametrize("n", [5, 9, 40, 200])
def test_wilcoxon_is_scipys_and_its_interval_comes_from_walsh_means(n):
    a, b = scores(4, n=n)
    ours = compare(a, b, "wilcoxon", level=0.9)
    theirs = stats.wilcoxon(a, b)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    d = a - b
    walsh = sorted((x + y) / 2 for x, y in itertools.combinations_with_replacement(d, 2))
    assert ours.effect == pytest.approx(np.median(walsh))
    assert ours.low == pytest.approx(min(walsh, key=lambda mean: abs(mean - ours.low)), abs=1e-12)
    assert ours.high == pytest.approx(min(walsh, key=lambda mean: abs(mean - ours.high)), abs=1e-12)


def test_wilcoxon_with_too_few_pairs_has_no_bounds():
    found = compare([1, 2, 3], [0, 0.5, 0.7], "wilcoxon")
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert not found.significant


def test_mcnemar():
    # approval of a president at two surveys (Agresti): 150 and 86 changed their mind of 1,600
    right_a = np.repeat([1, 1, 0, 0], [794, 150, 86, 570])
    right_b = np.repeat([1, 0, 1, 0], [794, 150, 86, 570])
    exact = compare(right_a, right_b, "mcnemar")
    assert exact.p_value == stats.binomtest(86, 236).pvalue
    assert exact.effect == pytest.approx((150 - 86) / 1600)
    approximate = compare(right_a, right_b, "mcnemar-chi2")
    assert approximate.statistic == pytest.approx((150 - 86 - 1) ** 2 / 236)
    assert approximate.p_value == pytest.approx(stats.chi2.sf(approximate.statistic, 1))
    assert approximate.p_value == pytest.approx(exact.p_value, rel=0.2)


def test_mcnemar_keeps_its_level():
    rng = np.random.default_rng(5)
    rejected = 0
    for _ in range(1000):
        a, b = rng.random((2, 100)) < 0.8
        rejected += compare(a, b, "mcnemar").significant
    # the exact test rejects in at most 5 %: more than 78 of 1,000 with probability 6e-5
    assert 5 <= rejected <= 78


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 1.5), st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_leaves_out_no_difference_exactly_where_the_test_rejects(seed, shift, level):
    a, b = scores(seed, n=10, shift=shift)
    right_a, right_b = a > -0.5, b > 0
    for test, none in {
        "paired-t": 0,
        "5x2cv-t": 0,
        "5x2cv-f": 0,
        "wilcoxon": 0,
        "sign": 0.5,
        "corrected-t": 0,
    }.items():
        ratio = {"test_train_ratio": 0.1} if test == "corrected-t" else {}
        found = compare(a, b, test, level=level, **ratio)
        if np.isfinite(found.low) and found.low != none:
            assert found.significant == (not found.low <= none <= found.high), test
    if (right_a != right_b).any():
        for test in ("mcnemar", "mcnemar-chi2"):
            found = compare(right_a, right_b, test, level=level)
            assert found.significant == (not found.low <= 0 <= found.high), test


@pytest.mark.parametrize("test", ["paired-t", "5x2cv-t", "5x2cv-f", "wilcoxon", "sign"])
def test_exchange_mirrors(test):
    a, b = scores(6, n=10)
    there, back = compare(a, b, test), compare(b, a, test)
    assert there.p_value == pytest.approx(back.p_value)
    middle = 1 if test == "sign" else 0
    assert (back.low, back.high) == pytest.approx((middle - there.high, middle - there.low))


def test_sentence_says_it_in_words():
    found = compare(C45_M, C45, "wilcoxon", names=("tuned", "plain"))
    assert found.sentence == str(found)
    assert found.sentence.startswith("tuned against plain: typical difference of the scores")
    assert "tuned and plain differ at the 5 % level (Wilcoxon signed-rank test, p = " in str(found)
    none = Comparison("sign test", 2, 0.6, 0.5, 0.1, 0.9, "share", level=0.9)
    assert "no difference at the 10 % level (sign test, p = 0.6); that is no proof" in str(none)


def test_bad_input():
    good = [0.1, 0.2, 0.4]
    with pytest.raises(ValueError, match="come in pairs, got lengths 3 and 2"):
        compare(good, good[:2], "sign")
    with pytest.raises(ValueError, match=r"at least 2 numbers, got shape \(1,\)"):
        compare([1], [2], "paired-t")
    with pytest.raises(ValueError, match="scores_b must be finite"):
        compare(good, [0, np.nan, 1], "wilcoxon")
    with pytest.raises(ValueError, match=r"differences that vary, got 3 times 0\.1"):
        compare(good, np.array(good) - 0.1, "paired-t")
    with pytest.raises(ValueError, match="differences that vary"):
        compare(good, good, test_train_ratio=0.1)
    for test in ("sign", "wilcoxon"):
        with pytest.raises(ValueError, match="one pair of scores that differ, got 3 ties"):
            compare(good, good, test)
    with pytest.raises(ValueError, match=r"\(5, 2\) or 10 in a row, got shapes \(3,\)"):
        compare(good, good, "5x2cv-t")
    with pytest.raises(ValueError, match="vary within a halving"):
        compare(np.ones((5, 2)), np.zeros((5, 2)), "5x2cv-f")
    with pytest.raises(ValueError, match="takes 1 for each correctly predicted"):
        compare(good, good, "mcnemar")
    with pytest.raises(ValueError, match="none among 2"):
        compare([1, 0], [1, 0], "mcnemar")
    with pytest.raises(ValueError, match="needs test_train_ratio"):
        compare(good, good)
    with pytest.raises(ValueError, match="belongs to test='corrected-t'"):
        compare(good, good, "sign", test_train_ratio=0.1)
    with pytest.raises(ValueError, match="test must be one of 'corrected-t', 'paired-t'"):
        compare(good, good, "t")


def test_bayes_is_the_posterior_of_correlated_normal_differences():
    difference = np.array([0.02, -0.01, 0.03, 0.015, 0.01])
    n, ratio, rope = 5, 0.25, 0.01
    rho = ratio / (1 + ratio)
    inverse = np.linalg.inv((1 - rho) * np.eye(n) + rho)

    def posterior(log_sigma, mean):
        rest = difference - mean
        return np.exp(-0.5 * rest @ inverse @ rest * np.exp(-2 * log_sigma) - n * log_sigma) * 1e-9

    def mass(low, high):
        return dblquad(posterior, low, high, -7, 0, epsabs=0, epsrel=1e-6)[0]

    total = mass(-1, -rope), mass(-rope, rope), mass(rope, 1)
    found = compare_bayes(difference, np.zeros(n), test_train_ratio=ratio, rope=rope)
    expected = np.array(total) / sum(total)
    np.testing.assert_allclose([found.worse, found.equivalent, found.better], expected, atol=2e-4)
    classical = compare(difference, np.zeros(n), test_train_ratio=ratio)
    assert (found.low, found.high) == pytest.approx((classical.low, classical.high))


def test_bayes_can_speak_for_equality():
    rng = np.random.default_rng(7)
    a = rng.normal(0.9, 0.01, 100)
    b = a + rng.normal(0, 0.002, 100)
    found = compare_bayes(a, b, test_train_ratio=1 / 9)
    assert found.equivalent > 0.99
    assert found.better + found.equivalent + found.worse == pytest.approx(1)
    flipped = compare_bayes(b, a, test_train_ratio=1 / 9)
    assert (flipped.better, flipped.worse) == pytest.approx((found.worse, found.better))
    exact = compare_bayes(a, b, test_train_ratio=1 / 9, rope=0)
    assert exact.equivalent == 0 and "at most" not in str(exact)
    with pytest.raises(ValueError, match="differences that vary"):
        compare_bayes([1, 2], [0, 1], test_train_ratio=0.1)


@pytest.mark.parametrize("test", ["5x2cv-t", "5x2cv-f"])
def test_error_rate_of_five_halvings(test):
    """Equal algorithms with independent normal scores are told apart in fewer than 5 % of cases.

    Numerator and denominator of both statistics share scores, so their laws are not quite
    Student's and Fisher's: simulated from the definitions, the tests reject about 2.8 % and
    1.8 %. A true implementation fails this test once in ten thousand.
    """
    rng = np.random.default_rng(0)
    p = rng.normal(size=(100_000, 5, 2))
    s2 = ((p - p.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
    if test == "5x2cv-t":
        chance = 2 * stats.t.sf(np.abs(p[:, 0, 0]) / np.sqrt(s2.mean(axis=1)), 5)
    else:
        chance = stats.f.sf((p**2).sum(axis=(1, 2)) / (2 * s2.sum(axis=1)), 10, 5)
    rate = np.mean(chance < 0.05)
    assert rate < 0.05
    pairs = rng.normal(size=(1000, 2, 5, 2))
    rejected = sum(compare(a, b, test).p_value < 0.05 for a, b in pairs)
    low, high = stats.binom.interval(1 - 1e-4, 1000, rate)
    assert low <= rejected <= high
