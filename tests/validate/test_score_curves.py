"""ROC band, precision-recall with intervals, calibration table."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from shallows.validate import calibration_table, precision_recall, roc_band


def scored(seed, n=300, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    scores = y + rng.normal(size=n)
    return y, np.round(2 * scores) if ties else scores


@pytest.mark.parametrize("ties", [False, True])
def test_curve_is_scikit_learns_with_ties_in_one_step(ties):
    y, scores = scored(0, ties=ties)
    band = roc_band(y, scores)
    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    between = ~np.isin(band.fpr, fpr)
    np.testing.assert_allclose(
        band.tpr[between], np.interp(band.fpr, fpr, tpr)[between], atol=1e-12
    )
    assert band.auc == pytest.approx(roc_auc_score(y, scores))
    assert np.all(band.low <= band.tpr) and np.all(band.tpr <= band.high)
    assert np.all(np.diff(band.low) >= 0) and np.all(np.diff(band.high) >= 0)


def test_constant_scores_are_the_diagonal():
    band = roc_band([0, 1, 1, 0], [3, 3, 3, 3])
    assert band.auc == 0.5
    np.testing.assert_allclose(band.tpr, band.fpr)


def test_band_is_invariant_to_increasing_transforms_and_narrows():
    y, scores = scored(1)
    np.testing.assert_array_equal(roc_band(y, scores).low, roc_band(y, np.exp(scores)).low)
    widths = []
    for n in (100, 10_000):
        band = roc_band(*scored(2, n=n))
        widths.append(np.mean(band.high - band.low))
    assert widths[1] < 0.15 * widths[0] + 0.02


@pytest.mark.parametrize("ties", [False, True])
def test_band_holds_the_whole_true_curve_as_often_as_it_says(ties):
    rng = np.random.default_rng(3)
    edges = np.linspace(-4, 6, 11)[::-1]  # where rounded scores change
    points = np.linspace(6, -6, 4001) if not ties else edges
    true_fpr = np.concatenate([[0], norm.sf(points), [1]])
    true_tpr = np.concatenate([[0], norm.sf(points - 1), [1]])
    y = np.repeat([0, 1], [70, 40])
    held = {0.5: 0, 0.9: 0}
    for _ in range(300):
        scores = y + rng.normal(size=110)
        scores = np.searchsorted(edges[::-1], scores) if ties else scores
        for level in held:
            band = roc_band(y, scores, level=level)
            truth = np.interp(band.fpr, true_fpr, true_tpr)
            held[level] += np.all((band.low <= truth + 1e-9) & (truth <= band.high + 1e-9))
    # guaranteed in 90 %: fewer than 248 of 300 would happen with probability 4e-5
    assert held[0.9] >= 248
    assert held[0.5] < 300


@pytest.mark.parametrize("ties", [False, True])
def test_precision_and_recall_are_scikit_learns(ties):
    y, scores = scored(4, ties=ties)
    curve = precision_recall(y, scores, level=0.9)
    precision, recall, thresholds = precision_recall_curve(y, scores)
    np.testing.assert_allclose(curve.threshold, thresholds[::-1])
    np.testing.assert_allclose(curve.precision, precision[-2::-1])
    np.testing.assert_allclose(curve.recall, recall[-2::-1])
    assert curve.average_precision.estimate == pytest.approx(average_precision_score(y, scores))
    for k in (0, len(thresholds) // 2, -1):
        called = scores >= curve.threshold[k]
        found = int(y[called].sum())
        ends = binomtest(found, int(called.sum())).proportion_ci(0.9, method="wilson")
        assert (curve.precision_low[k], curve.precision_high[k]) == pytest.approx(tuple(ends))
        ends = binomtest(found, int(y.sum())).proportion_ci(0.9, method="wilson")
        assert (curve.recall_low[k], curve.recall_high[k]) == pytest.approx(tuple(ends))


def test_average_precision_interval_covers():
    rng = np.random.default_rng(5)
    large = np.repeat([0, 1], [300_000, 100_000])
    truth = average_precision_score(large, large + rng.normal(size=400_000))
    y = np.repeat([0, 1], [150, 50])
    held = 0
    for _ in range(400):
        interval = precision_recall(y, y + rng.normal(size=200)).average_precision
        held += interval.low <= truth <= interval.high
    # 95 % nominal, approximate: below 90 % by chance with probability 2e-5
    assert held >= 360


def test_perfect_ranking_keeps_an_interval():
    perfect = precision_recall([0, 0, 1, 1], [0, 1, 2, 3]).average_precision
    assert perfect.estimate == perfect.high == 1
    assert perfect.low == pytest.approx(0.025 ** (1 / 2))


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_calibration_is_scikit_learns(strategy):
    rng = np.random.default_rng(6)
    chance = rng.beta(2, 3, size=500)
    y = rng.random(500) < chance
    table = calibration_table(y, chance, n_bins=8, strategy=strategy)
    observed, predicted = calibration_curve(y, chance, n_bins=8, strategy=strategy)
    np.testing.assert_allclose(table.observed, observed)
    np.testing.assert_allclose(table.predicted, predicted)
    assert table.count.sum() == 500
    inside = (table.edge_low <= table.predicted) & (table.predicted <= table.edge_high)
    assert inside.all()
    gaps = np.abs(observed - predicted)
    assert table.expected_error == pytest.approx(np.sum(table.count * gaps) / 500)
    assert table.largest_error == pytest.approx(gaps.max())


def test_calibration_intervals_hold_the_truth_of_calibrated_forecasts():
    rng = np.random.default_rng(7)
    held = total = 0
    for _ in range(100):
        chance = rng.random(1000)
        table = calibration_table(rng.random(1000) < chance, chance)
        held += np.sum((table.low <= table.predicted) & (table.predicted <= table.high))
        total += len(table.count)
    # nearly binomial with 95 % of 1,000 bins; below 92 % with probability 3e-5
    assert total == 1000 and held >= 920


def test_calibration_of_few_values():
    table = calibration_table([0, 1, 1], [1.0, 1.0, 1.0], strategy="quantile")
    assert table.count.tolist() == [3] and table.expected_error == pytest.approx(1 / 3)
    table = calibration_table([0, 1], [0.0, 1.0])
    assert table.edge_low.tolist() == [0, 0.9] and table.expected_error == 0


@pytest.mark.parametrize("function", [roc_band, precision_recall, calibration_table])
def test_bad_input(function):
    with pytest.raises(ValueError, match="both classes in y_true, got only 0"):
        function([0, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"one number per label, shape \(2,\), got shape \(3,\)"):
        function([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="must not be NaN"):
        function([0, 1], [0.1, np.nan])
    with pytest.raises(ValueError, match="y_true must not contain NaN"):
        function([0, np.nan], [0.1, 0.2])
    with pytest.raises(ValueError, match="level must be float"):
        function([0, 1], [0.1, 0.2], level=1)
    assert function(["no", "yes"], [0.1, 0.2]) is not None


def test_scores_are_no_probabilities():
    with pytest.raises(ValueError, match=r"lie in \[0, 1\], got values from -1 to 2"):
        calibration_table([0, 1], [-1, 2])
