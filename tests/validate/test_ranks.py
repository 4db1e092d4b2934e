import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shallows.lab import figure_svg
from shallows.validate import adjust_p_values, compare_ranks, critical_difference_chart

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# AUC of four versions of C4.5 on 14 data sets: Demsar (2006), Table 6. He ranks the 0.975 of
# C4.5+cf on "voting" before that of C4.5+m+cf: the tie is one of printing.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]


def test_demsars_worked_example():
    found = compare_ranks(DEMSAR, NAMES)
    np.testing.assert_allclose(found.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    ninety = compare_ranks(DEMSAR, NAMES, level=0.9)
    assert ninety.critical_difference == pytest.approx(1.12, abs=0.005)
    # he leaves ties uncorrected: 9.28 and 3.69
    n, k = 14, 4
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(found.mean_ranks**2) - k * (k + 1) ** 2 / 4)
    assert chi2 == pytest.approx(9.28, abs=0.005)
    ties = (3 * (2**3 - 2) + 4**3 - 4) / (n * (k**3 - k))  # three pairs and four of a kind
    corrected = chi2 / (1 - ties)
    assert found.friedman == pytest.approx(corrected)
    assert found.friedman == pytest.approx(stats.friedmanchisquare(*np.transpose(DEMSAR)).statistic)
    assert found.iman_davenport == pytest.approx((n - 1) * corrected / (n * (k - 1) - corrected))
    # at 10 % both +m versions differ from C4.5, and nothing else does but +m+cf and +cf nearly
    low = ninety.pairwise()[0] < 0.1
    assert low.tolist() == [False, True, False, True]


def test_friedman_is_scipys():
    table = np.round(np.random.default_rng(0).normal(size=(12, 4)), 1)
    found, theirs = compare_ranks(table), stats.friedmanchisquare(*table.T)
    assert (found.friedman, found.friedman_p) == pytest.approx((theirs.statistic, theirs.pvalue))
    f = found.iman_davenport
    assert found.iman_davenport_p == pytest.approx(stats.f.sf(f, 3, 33))
    assert compare_ranks(-table, higher_is_better=False).friedman == pytest.approx(found.friedman)


def test_tests_keep_their_level():
    rng = np.random.default_rng(1)
    runs = 1000
    iman = nemenyi = holm = 0
    for _ in range(runs):
        found = compare_ranks(rng.normal(size=(15, 4)))
        iman += found.iman_davenport_p <= 0.05
        ranks = found.mean_ranks
        nemenyi += ranks.max() - ranks.min() > found.critical_difference
        holm += min(found.against("1").values()) <= 0.05
    # 1,000 runs at 5 % at most, nearly: more than 80 with probability 2e-5
    assert min(iman, nemenyi, holm) >= 15 and max(iman, nemenyi, holm) <= 80


def test_critical_difference_and_pairwise_agree():
    found = compare_ranks(np.random.default_rng(2).normal(size=(10, 5)) + np.arange(5) / 2)
    p_values = found.pairwise()
    np.testing.assert_array_equal(p_values, p_values.T)
    gaps = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    np.testing.assert_array_equal(p_values < 0.05, gaps > found.critical_difference)


def test_groups_are_the_largest_that_are_not_told_apart():
    rng = np.random.default_rng(3)
    names = list("abcdefg")
    for _ in range(20):
        found = compare_ranks(rng.normal(size=(25, 7)) + rng.normal(size=7), names)
        place = dict(zip(names, found.mean_ranks, strict=True))
        groups = [set(group) for group in found.groups()]
        together = {
            frozenset((one, other))
            for one in names
            for other in names
            if one != other and abs(place[one] - place[other]) <= found.critical_difference
        }
        covered = {
            frozenset((one, other)) for g in groups for one in g for other in g if one != other
        }
        assert covered == together
        assert not any(one < other for one in groups for other in groups)


def test_perfect_agreement():
    found = compare_ranks([[1, 2, 3]] * 8)
    assert found.iman_davenport == np.inf and found.iman_davenport_p == 0
    assert found.sentence.startswith("Over 8 data sets 3 has the best mean rank, 1 of 3; ")
    even = compare_ranks(np.random.default_rng(4).normal(size=(4, 3)))
    assert "show no difference" in str(even)


def test_chart_is_drawn():
    found = compare_ranks(DEMSAR, NAMES, level=0.9)
    spec = critical_difference_chart(found)
    assert json.loads(json.dumps(spec)) == spec
    picture = figure_svg(spec)
    for text in (*NAMES, "CD = 1.12", "Mean rank over 14 data sets"):
        assert text in picture
    alone = compare_ranks([[1, 2, 3]] * 100, ["bad", "fair", "good"])
    assert critical_difference_chart(alone)["title"]["subtitle"] == "All differ"
    assert "good" in figure_svg(critical_difference_chart(alone))


def test_known_adjustments():
    p = [0.01, 0.02, 0.03, 0.04, 0.05]
    np.testing.assert_allclose(adjust_p_values(p), [0.05, 0.08, 0.09, 0.09, 0.09])
    np.testing.assert_allclose(adjust_p_values(p, "hochberg"), [0.05] * 5)
    np.testing.assert_allclose(adjust_p_values(p, "bonferroni"), [0.05, 0.1, 0.15, 0.2, 0.25])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_adjusted_values_reject_what_the_step_procedures_reject(p_values, alpha):
    p = np.array(p_values)
    order = np.argsort(p, kind="stable")
    m = len(p)
    passes = p[order] * np.arange(m, 0, -1) <= alpha
    down = m if passes.all() else int(np.argmin(passes))
    up = 0 if not passes.any() else m - int(np.argmax(passes[::-1]))
    assert np.sum(adjust_p_values(p) <= alpha) == down
    assert np.sum(adjust_p_values(p, "hochberg") <= alpha) == up
    holm, hochberg, plain = (adjust_p_values(p, m) for m in ("holm", "hochberg", "bonferroni"))
    assert np.all(p <= hochberg) and np.all(hochberg <= holm) and np.all(holm <= plain + 1e-15)


def test_holm_keeps_the_family_wise_error():
    rng = np.random.default_rng(5)
    wrong = sum(adjust_p_values(p).min() <= 0.05 for p in rng.random((2000, 6)))
    # independent tests: 1 - (1 - 0.05 / 6)^6
    assert stats.binomtest(int(wrong), 2000, 1 - (1 - 0.05 / 6) ** 6).pvalue > 1e-4


def test_bad_input():
    with pytest.raises(ValueError, match=r"at least 3 algorithms, got shape \(5, 2\)"):
        compare_ranks(np.zeros((5, 2)))
    with pytest.raises(ValueError, match="got only ties"):
        compare_ranks(np.zeros((5, 3)))
    with pytest.raises(ValueError, match="must not be NaN"):
        compare_ranks([[1, 2, np.nan], [1, 2, 3]])
    with pytest.raises(ValueError, match="names must be 3 different ones"):
        compare_ranks([[1, 2, 3], [1, 2, 3]], ["a", "b", "b"])
    with pytest.raises(ValueError, match="no algorithm 'x'; there are 1, 2, 3"):
        compare_ranks([[1, 2, 3], [1, 2, 3]]).against("x")
    with pytest.raises(ValueError, match=r"lie in \[0, 1\]"):
        adjust_p_values([0.5, 1.2])
    with pytest.raises(ValueError, match="must be finite"):
        adjust_p_values([0.5, np.nan])
