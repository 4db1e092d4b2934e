"""Holes: made, counted, dropped. Statistical tests fail by chance in 1 of 10,000 runs."""

import warnings

import numpy as np
import pytest
from scipy import stats

from shallows.prepare import drop_incomplete, mask_missing, missing_report

FALSE_ALARM = 1e-4


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5000, 1))
    return z + rng.normal(size=(5000, 3))


@pytest.mark.parametrize("kind", ["mcar", "mar", "mnar"])
def test_share_of_holes_is_as_asked_and_values_stay(X, kind):
    masked = mask_missing(X, kind, 0.2, random_state=0)
    gaps = np.isnan(masked)
    columns = slice(1, None) if kind == "mar" else slice(None)
    expected = stats.binomtest(int(gaps[:, columns].sum()), gaps[:, columns].size, 0.2)
    assert expected.pvalue > FALSE_ALARM
    assert np.array_equal(masked[~gaps], X[~gaps])
    assert not gaps[:, 0].any() or kind != "mar"


def test_kinds_differ_in_what_the_holes_depend_on(X):
    gaps = {k: np.isnan(mask_missing(X, k, 0.2, random_state=1)) for k in ("mcar", "mar", "mnar")}

    def differs(where, values):
        return stats.ttest_ind(values[where], values[~where]).pvalue < FALSE_ALARM

    assert not differs(gaps["mcar"][:, 1], X[:, 1])
    assert differs(gaps["mar"][:, 1], X[:, 0])
    assert differs(gaps["mnar"][:, 1], X[:, 1])
    within = np.abs(X[:, 0]) < 0.05
    rest = X[within, 1] - np.polyval(np.polyfit(X[within, 0], X[within, 1], 1), X[within, 0])
    assert not differs(gaps["mar"][within, 1], rest), "given the driver, at random"


def test_observed_means_are_right_or_biased(X):
    at_random = mask_missing(X, "mcar", 0.2, random_state=2)
    not_at_random = mask_missing(X, "mnar", 0.2, random_state=2)
    error = X.std() / np.sqrt(5000 * 0.8)
    assert abs(np.nanmean(at_random[:, 1]) - X[:, 1].mean()) < 4 * error
    assert np.nanmean(not_at_random[:, 1]) < X[:, 1].mean() - 0.2
    weak = mask_missing(X, "mnar", 0.2, strength=0.0, random_state=2)
    assert abs(np.nanmean(weak[:, 1]) - X[:, 1].mean()) < 4 * error


def test_mask_errors():
    with pytest.raises(ValueError, match="must be complete"):
        mask_missing([[np.nan, 1.0]], "mcar", 0.1)
    with pytest.raises(ValueError, match="driver must be one of at least two"):
        mask_missing([[1.0, 2.0]], "mar", 0.1, driver=2)
    with pytest.raises(ValueError, match="fraction must be float in"):
        mask_missing([[1.0, 2.0]], "mcar", 1.0)


def test_report_counts_and_patterns():
    table = [[1, np.nan, 3], [np.nan, np.nan, 3], [1, 2, 3], [1, 2, 3]]
    report = missing_report(table)
    assert report.counts.tolist() == [1, 2, 0]
    assert report.shares.tolist() == [0.25, 0.5, 0]
    assert report.complete_rows == 2
    assert report.patterns == {(): 2, (1,): 1, (0, 1): 1}


def test_a_marker_inside_the_range_warns():
    with pytest.warns(UserWarning, match="marker 0 .* inside the range -1 to 2 of column 0"):
        report = missing_report([[-1.0, 5.0], [0.0, 6.0], [2.0, 7.0]], marker=0)
    assert report.counts.tolist() == [1, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        missing_report([[1.0], [0.0], [2.0]], marker=0)
        missing_report([[1.0], [np.nan], [2.0]])


def test_repeated_usual_markers_are_suspects():
    rng = np.random.default_rng(0)
    X = rng.uniform(20, 80, size=(100, 3))
    X[:8, 1] = -999
    X[:, 2] = rng.integers(0, 3, size=100)
    assert missing_report(X).suspects == {1: -999.0}


def test_drop_incomplete_rows_and_columns():
    X = np.array([[1, np.nan, np.nan], [1, 2, np.nan], [1, 2, 3]])
    rows = drop_incomplete(X, ["a", "b", "c"])
    assert rows.X.tolist() == [[1, 2, 3]] and rows.y.tolist() == ["c"]
    assert drop_incomplete(X, max_missing=0.4).kept.tolist() == [False, True, True]
    columns = drop_incomplete(X, axis="columns")
    assert columns.X.tolist() == [[1], [1], [1]] and columns.kept.tolist() == [True, False, False]
    with pytest.raises(ValueError, match="all columns have"):
        drop_incomplete(X[:, 1:], axis="columns")
