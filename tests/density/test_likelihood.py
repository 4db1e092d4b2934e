"""Likelihood, maximum likelihood and the mode of the posterior."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm, poisson

from shallows.density import (
    Gaussian,
    Multinomial,
    Poisson,
    fit_maximum_likelihood,
    log_likelihood,
)

RNG = np.random.default_rng(0)


def test_sum_of_logs_survives_where_the_product_underflows():
    X = RNG.normal(size=(5000, 1))
    assert np.prod(norm.pdf(X)) == 0
    assert log_likelihood(norm(0, 1), X) == pytest.approx(norm.logpdf(X).sum(), rel=1e-12)
    weights = RNG.random(5000)
    expected = weights @ norm.logpdf(X[:, 0])
    assert log_likelihood(Gaussian(0.0, 1.0), X, weights) == pytest.approx(expected, rel=1e-12)


def test_distributions_of_scipy_in_several_dimensions():
    X = RNG.normal(size=(20, 3))
    law = multivariate_normal(np.zeros(3), np.eye(3))
    assert log_likelihood(law, X) == pytest.approx(law.logpdf(X).sum())
    assert log_likelihood(norm(0, 1), X) == pytest.approx(norm.logpdf(X).sum())
    assert log_likelihood(poisson(2.0), [[1], [2]]) == pytest.approx(
        poisson.logpmf([1, 2], 2).sum()
    )


def test_maximum_likelihood_of_families_in_closed_form():
    X = RNG.normal(3.0, 2.0, size=(200, 2))
    found = fit_maximum_likelihood(Gaussian(), X)
    np.testing.assert_allclose(found.parameters["mean"], X.mean(axis=0))
    np.testing.assert_allclose(found.parameters["covariance"], np.cov(X.T, ddof=0))
    assert found.risk == pytest.approx(-found.log_likelihood / 200)
    counts = [[3, 0, 1], [2, 2, 0]]
    frequencies = fit_maximum_likelihood(Multinomial(), counts).parameters["p"]
    np.testing.assert_allclose(frequencies, np.array([5, 2, 1]) / 8)


def test_no_other_parameters_are_likelier():
    counts = RNG.poisson(4.0, size=50)
    best = fit_maximum_likelihood(Poisson(), counts)
    for factor in (0.9, 0.99, 1.01, 1.1):
        rate = float(best.parameters["rate"][0]) * factor
        assert log_likelihood(Poisson(rate), counts[:, None]) < best.log_likelihood


def normal(X, theta):
    return norm.logpdf(X[:, 0], theta[0], np.exp(theta[1]))


def test_numerical_maximum_is_the_closed_form():
    x = RNG.normal(3.0, 2.0, size=300)
    weights = RNG.integers(1, 4, size=300)
    found = fit_maximum_likelihood(normal, x, start=[0.0, 0.0], sample_weight=weights)
    repeated = np.repeat(x, weights)
    np.testing.assert_allclose(
        found.parameters, [repeated.mean(), np.log(repeated.std())], atol=1e-6
    )


@pytest.mark.parametrize("n", [2, 20])
def test_gaussian_prior_shrinks_the_mean_as_known(n):
    x = RNG.normal(2.0, 1.0, size=n)
    prior = lambda mean: norm.logpdf(mean, 0.0, 0.5)  # noqa: E731
    found = fit_maximum_likelihood(
        lambda X, mean: norm.logpdf(X[:, 0], mean[0]), x, prior, start=[0.0]
    )
    assert found.parameters[0] == pytest.approx(x.sum() / (n + 4), abs=1e-6)


def test_bad_input_is_refused_by_name():
    with pytest.raises(TypeError, match="int is no density"):
        log_likelihood(3, [[1.0]])
    with pytest.raises(ValueError, match="prior and start go with"):
        fit_maximum_likelihood(Gaussian(), [[1.0], [2.0]], prior=norm.logpdf)
    with pytest.raises(ValueError, match="start must be"):
        fit_maximum_likelihood(normal, [1.0, 2.0])
    with pytest.raises(ValueError, match="impossible under the parameters in start"):
        fit_maximum_likelihood(lambda X, a: np.full(len(X), -np.inf), [1.0], start=[0.0])
