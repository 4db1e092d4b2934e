"""Confidence intervals: coverage, and agreement with SciPy."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t

from shallows.density import (
    Bernoulli,
    Binomial,
    Exponential,
    Gaussian,
    Histogram,
    Poisson,
    UniformBox,
    confidence_interval,
)

RNG = np.random.default_rng(0)
TRIALS = 2000


@pytest.mark.parametrize(
    ("family", "draw", "truth", "exact"),
    [
        (Gaussian(ddof=1), lambda r: r.normal(3, 2, 12), {"mean": 3, "variance": 4}, True),
        (Exponential(), lambda r: r.exponential(1 / 2.34, 9), {"rate": 2.34}, True),
        (Poisson(), lambda r: r.poisson(1.7, 10), {"rate": 1.7}, False),
        (Bernoulli(), lambda r: r.random(30) < 0.3, {"q": 0.3}, False),
        (Binomial(5), lambda r: r.binomial(5, 0.3, 8), {"q": 0.3}, False),
    ],
)
def test_interval_covers_the_truth_as_often_as_it_says(family, draw, truth, exact):
    """Five standard errors; laws of counts may cover more often but not less."""
    rng = np.random.default_rng(1)
    covered = dict.fromkeys(truth, 0)
    for _ in range(TRIALS):
        found = confidence_interval(family, draw(rng).astype(float), 0.9)
        for name, value in truth.items():
            covered[name] += found[name].low <= value <= found[name].high
    error = 5 * np.sqrt(0.09 / TRIALS)
    for times in covered.values():
        assert times / TRIALS > 0.9 - error
        assert not exact or times / TRIALS < 0.9 + error


def test_known_intervals():
    x = RNG.normal(size=15)
    mean = confidence_interval(Gaussian(ddof=1), x)["mean"]
    expected = t.interval(0.95, 14, x.mean(), x.std(ddof=1) / np.sqrt(15))
    assert (mean.low, mean.high) == pytest.approx(expected)
    ones = np.repeat([1.0, 0.0], [7, 13])
    found = confidence_interval(Bernoulli(), ones)["q"]
    peer = binomtest(7, 20).proportion_ci(0.95)
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high))
    zero = confidence_interval(Poisson(), np.zeros(10))["rate"]
    assert zero.low == 0 and zero.high == pytest.approx(-np.log(0.025) / 10)
    assert "with confidence 0.95" in str(mean)


def test_other_families_by_the_bootstrap():
    x = RNG.normal(1.0, 1.0, size=40)
    found = confidence_interval(Gaussian(covariance=1.0), x, n_resamples=500, random_state=0)
    assert found["mean"].method == "bootstrap"
    half = norm.ppf(0.975) * x.std() / np.sqrt(40)
    assert found["mean"].low == pytest.approx(x.mean() - half, abs=0.1)
    box = confidence_interval(UniformBox(), x, n_resamples=200, random_state=0)
    assert set(box) == {"low", "high"} and box["high"].estimate == x.max()


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="at least two values"):
        confidence_interval(Poisson(), [1.0])
    with pytest.raises(ValueError, match="level must be"):
        confidence_interval(Poisson(), [1.0, 2.0], 1.5)
    with pytest.raises(ValueError, match="Histogram learns no single numbers"):
        confidence_interval(Histogram(3), [1.0, 2.0, 5.0], n_resamples=5)
