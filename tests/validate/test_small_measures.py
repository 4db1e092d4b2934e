import warnings

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, pearsonr
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.mixture import GaussianMixture

from shallows.validate import aic, bic, error_bar, r_score, ranked_predictions


def test_r_score_is_the_root_of_the_determination_and_the_correlation_of_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
    fitted = LinearRegression().fit(X, y).predict(X)
    assert r_score(y, fitted) == pytest.approx(np.sqrt(r2_score(y, fitted)))
    assert r_score(y, fitted) == pytest.approx(pearsonr(y, fitted).statistic)
    assert r_score(y, np.full(60, y.mean())) == 0


def test_r_score_says_where_it_is_undefined():
    with pytest.warns(UndefinedMetricWarning, match=r"worse than the mean \(R squared is -3\)"):
        assert np.isnan(r_score([1, 2, 3], [3, 2, 1]))
    with pytest.warns(UndefinedMetricWarning, match="all targets are equal"):
        assert np.isnan(r_score([1, 1], [1, 2]))
    with pytest.raises(ValueError, match="lengths 2 and 3"):
        r_score([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="y_pred must be finite"):
        r_score([1, 2], [1, np.nan])


def test_criteria_are_scikit_learns():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = GaussianMixture(2, random_state=0).fit(X)
    likelihood, k = model.score(X) * 50, 2 * 2 + 2 * 3 + 1
    assert aic(likelihood, k) == pytest.approx(model.aic(X))
    assert bic(likelihood, k, 50) == pytest.approx(model.bic(X))
    assert aic(likelihood, k, n_samples=10**9) == pytest.approx(aic(likelihood, k))


def test_bic_picks_the_true_degree():
    rng = np.random.default_rng(1)
    n, picks = 2000, []
    for _ in range(50):
        x = rng.uniform(-1, 1, n)
        y = 1 - x + 2 * x**2 + rng.normal(0, 0.5, n)
        scores = []
        for degree in range(6):
            residual = y - np.polyval(np.polyfit(x, y, degree), x)
            likelihood = norm.logpdf(residual, scale=residual.std()).sum()
            scores.append(bic(likelihood, degree + 2, n))
        picks.append(int(np.argmin(scores)))
    # one degree more wins where chi-square(1) exceeds ln n = 7.6, in about 0.7 % of the runs;
    # 5 of 50 or more happen with probability 3e-5
    assert picks.count(2) >= 46


def test_criteria_refuse():
    with pytest.raises(ValueError, match="more than n_parameters"):
        aic(-1.0, 3, n_samples=4)
    with pytest.raises(ValueError, match="log_likelihood must be finite"):
        bic(np.nan, 1, 10)
    with pytest.raises(ValueError, match="n_samples must be int"):
        bic(-1.0, 1, 0)


@pytest.mark.parametrize("n", [1, 7, 100])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_error_bars_are_scipys(n, level):
    for wrong in {0, n // 3, n}:
        for method, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
            ours = error_bar(wrong, n, level=level, method=method)
            theirs = binomtest(wrong, n).proportion_ci(level, method=name)
            assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1e-12)
    assert error_bar(20, 100).standard_error == pytest.approx(0.04)


def test_error_bar_covers_as_often_as_it_says():
    # exact coverage over the binomial distribution, no simulation
    n, rate = 50, 0.13
    counts = np.arange(n + 1)
    for method, least in (("wilson", 0.93), ("clopper-pearson", 0.95)):
        bars = [error_bar(int(k), n, method=method) for k in counts]
        held = [bar.low <= rate <= bar.high for bar in bars]
        assert binom.pmf(counts, n, rate) @ held >= least


def test_error_bar_refuses():
    with pytest.raises(ValueError, match="at most n = 5"):
        error_bar(6, 5)
    with pytest.raises(ValueError, match="wrong must be int"):
        error_bar(0.2, 5)
    with pytest.raises(ValueError, match="level must be float in"):
        error_bar(1, 5, level=95)


class Fixed:
    """A classifier whose probabilities are given, up to a factor."""

    classes_ = np.array(["a", "b", "c"])

    def __init__(self, probability):
        self.probability = np.asarray(probability)

    def predict_proba(self, X):
        return self.probability[: len(X)]


def test_ranked_predictions_do_not_need_normalised_probabilities():
    probability = np.array([[0.2, 0.5, 0.3], [0.0, 0.25, 0.75]])
    plain = ranked_predictions(Fixed(probability), [0, 1])
    scaled = ranked_predictions(Fixed(probability * [[7.0], [0.01]]), [0, 1])
    assert plain.labels.tolist() == [["b", "c", "a"], ["c", "b", "a"]]
    np.testing.assert_array_equal(plain.labels, scaled.labels)
    np.testing.assert_allclose(plain.ratio, [[1, 5 / 3, 2.5], [1, 3, np.inf]])
    np.testing.assert_allclose(scaled.ratio, plain.ratio)
    assert ranked_predictions(Fixed(probability), [0, 1], k=2).labels.shape == (2, 2)


def test_ranked_predictions_refuse():
    with pytest.raises(TypeError, match="predict_proba, got LinearRegression"):
        ranked_predictions(LinearRegression(), [[0]])
    for bad in ([[-1, 2, 0]], [[0, 0, 0]], [[np.nan, 1, 0]]):
        with pytest.raises(ValueError, match="one above 0 in every row"):
            ranked_predictions(Fixed(bad), [0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranked_predictions(Fixed([[1, 0, 0]]), [0])
