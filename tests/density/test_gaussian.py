"""The normal law against SciPy and its theory."""

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal, norm

from shallows.density import Gaussian

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 3))
COVARIANCE = A @ A.T + np.eye(3)
MEAN = np.array([1.0, -2.0, 5.0])


@pytest.mark.parametrize("ddof", [0, 1])
def test_estimates(ddof):
    X = RNG.multivariate_normal(MEAN, COVARIANCE, size=200)
    model = Gaussian(ddof=ddof).fit(X)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0))
    np.testing.assert_allclose(model.covariance_, np.cov(X.T, ddof=ddof), rtol=1e-10)
    weights = RNG.integers(1, 4, size=200)
    weighted, repeated = Gaussian(ddof=ddof), Gaussian(ddof=ddof)
    weighted.fit(X, sample_weight=weights)
    repeated.fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.covariance_, repeated.covariance_, rtol=1e-10)


def test_known_mean_gives_the_scatter_about_it():
    X = RNG.normal(size=(50, 2))
    found = Gaussian(mean=[1.0, 0.0]).fit(X).covariance_
    np.testing.assert_allclose(found, (X - [1, 0]).T @ (X - [1, 0]) / 50)


def test_unbiased_variance_is_right_on_average():
    samples = RNG.normal(size=(4000, 5))
    means = [
        np.mean([Gaussian(ddof=ddof).fit(x[:, None]).covariance_[0, 0] for x in samples])
        for ddof in (0, 1)
    ]
    # The variance of an estimate is 2/4; five standard errors.
    assert abs(means[1] - 1) < 5 * np.sqrt(0.5 / 4000)
    assert abs(means[0] - 0.8) < 5 * 0.8 * np.sqrt(0.5 / 4000)


def test_log_density_far_out_and_ill_conditioned():
    covariance = np.diag([1e-8, 1.0, 1e8])
    X = np.array([[0.0, 50.0, 1e5], [1e-3, 0.0, -1e6]])
    expected = norm.logpdf(X, 0, np.sqrt(covariance.diagonal())).sum(axis=1)
    found = Gaussian(np.zeros(3), covariance).score_samples(X)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    law = multivariate_normal(MEAN, COVARIANCE)
    Y = RNG.normal(size=(50, 3)) * 10
    np.testing.assert_allclose(Gaussian(MEAN, COVARIANCE).score_samples(Y), law.logpdf(Y))


def test_interval_probability():
    law = Gaussian(2.0, 9.0)
    for k, inside in ((1, 0.6827), (2, 0.9545), (3, 0.9973)):
        assert law.interval_probability(2 - 3 * k, 2 + 3 * k) == pytest.approx(inside, abs=5e-5)
    assert law.interval_probability(-np.inf, np.inf) == 1
    far = law.interval_probability(32.0, np.inf)
    assert far == pytest.approx(norm.sf(10), rel=1e-12)
    box = Gaussian([0.0, 0.0], np.eye(2)).interval_probability([-1, -1], [1, 1])
    assert box == pytest.approx(0.6826895**2, abs=1e-5)


def test_sum_of_independent_laws():
    X, Y = Gaussian(1.0, 4.0), Gaussian(-3.0, 9.0)
    both = X.combine(Y, 2.0, -0.5)
    assert both.expectation()[0] == pytest.approx(3.5)
    assert both.variance()[0] == pytest.approx(4 * 4 + 0.25 * 9)
    drawn = 2 * X.sample(20000, 1) - 0.5 * Y.sample(20000, 2)
    assert drawn.var() == pytest.approx(both.variance()[0], rel=5 * np.sqrt(2 / 20000))


def test_ellipsoid_encloses_its_probability_and_is_a_level_surface():
    law = Gaussian(MEAN, COVARIANCE)
    center, axes, lengths = law.ellipsoid(0.9)
    tips = center + axes * lengths[:, None]
    assert np.ptp(law.score_samples(tips)) < 1e-10
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    X = law.sample(20000, random_state=0)
    inside = ((((X - center) @ axes.T) / lengths) ** 2).sum(axis=1) <= 1
    assert inside.mean() == pytest.approx(0.9, abs=5 * 0.3 / np.sqrt(20000))
    assert lengths[0] == pytest.approx(
        np.sqrt(chi2.ppf(0.9, 3) * np.linalg.eigvalsh(COVARIANCE)[-1])
    )


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="not positive definite"):
        Gaussian().fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match=r"Gaussian: covariance must be .* of finite numbers.*nan"):
        Gaussian([0.0, 0.0], [[1.0, np.nan], [np.nan, 1.0]]).score_samples([[0.0, 0.0]])
    with pytest.raises(ValueError, match="Gaussian: the covariance holds NaN or infinity"):
        Gaussian(covariance=np.inf).fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="ddof=1 needs samples"):
        Gaussian(ddof=1).fit([[1.0, 2.0]])
    with pytest.raises(ValueError, match="mean is neither given nor learned"):
        Gaussian(covariance=1.0).sample()
    with pytest.raises(ValueError, match="mean must be one number or 2"):
        Gaussian(mean=[1.0, 2.0, 3.0]).fit(RNG.normal(size=(9, 2)))
    with pytest.raises(ValueError, match="covariance must be of shape"):
        Gaussian(mean=[0.0, 0.0], covariance=1.0).score_samples([[0.0, 0.0]])
    with pytest.raises(ValueError, match="ddof must be"):
        Gaussian(ddof=2).fit([[1.0], [2.0]])
