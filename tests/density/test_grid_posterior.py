"""Posteriors on a grid against conjugate laws and the worked example."""

import numpy as np
import pytest
from scipy.stats import bernoulli, beta, gamma, norm, poisson

from shallows.density import GridPosterior


def test_gaussian_mean_with_uniform_prior():
    model = GridPosterior(norm.logpdf, None, np.linspace(0, 1, 1001))
    after = model.update([0.9, 1.0])
    assert after.maximum_likelihood() == pytest.approx(0.95)
    assert after.expectation()[0] == pytest.approx(0.56930, abs=5e-6)
    assert np.exp(after.log_evidence) == pytest.approx(0.123427, abs=5e-7)
    assert after.density[0] == pytest.approx(0.5216, abs=5e-5)
    assert after.density[950] == pytest.approx(1.2862, abs=5e-5)
    assert after.mode() == pytest.approx(0.95)


def test_beta_and_gamma_posteriors():
    coin = GridPosterior(bernoulli.logpmf, lambda q: beta.pdf(q, 2, 2), np.linspace(0, 1, 2001))
    exact = beta(2 + 55, 2 + 45)
    after = coin.update(np.repeat([1, 0], [55, 45]))
    assert after.expectation()[0] == pytest.approx(exact.mean(), abs=1e-8)
    assert after.variance()[0] == pytest.approx(exact.var(), abs=1e-8)
    assert after.interval(0.9)[:2] == pytest.approx(exact.interval(0.9), abs=1e-5)
    drawn = after.sample(20000, random_state=0)
    assert drawn.mean() == pytest.approx(exact.mean(), abs=5 * exact.std() / np.sqrt(20000))
    rates = GridPosterior(poisson.logpmf, lambda r: gamma.pdf(r, 2.0), np.linspace(0, 20, 4001))
    found = rates.update([3, 5, 4])
    assert found.expectation()[0] == pytest.approx(gamma(14, scale=1 / 4).mean(), abs=1e-6)


def test_data_in_two_parts_give_the_same_posterior():
    model = GridPosterior(norm.logpdf, norm.pdf, np.linspace(-6, 6, 601))
    at_once, in_two = model.update([0.3, 2.0, 1.0]), model.update([0.3]).update([2.0, 1.0])
    np.testing.assert_allclose(in_two.density, at_once.density, atol=1e-12)
    assert in_two.log_evidence == pytest.approx(at_once.log_evidence)
    assert in_two.maximum_likelihood() == at_once.maximum_likelihood()
    assert at_once.expectation()[0] == pytest.approx(3.3 / 4, abs=1e-8)
    assert np.trapezoid(at_once.density, model.grids[0]) == pytest.approx(1, abs=1e-6)


def test_two_parameters():
    x = np.random.default_rng(0).normal(2.0, 1.5, size=60)
    log = lambda data, theta: norm.logpdf(data, theta[0], theta[1])  # noqa: E731
    grid = [np.linspace(0.5, 3.5, 81), np.linspace(0.8, 3.0, 91)]
    after = GridPosterior(log, None, grid).update(x)
    assert after.expectation()[0] == pytest.approx(x.mean(), abs=1e-3)
    assert after.maximum_likelihood() == pytest.approx([x.mean(), x.std()], abs=0.03)
    for axis in range(2):
        assert np.trapezoid(after.marginal(axis), grid[axis]) == pytest.approx(1, abs=1e-4)
    drawn = after.sample(5000, random_state=0)
    assert drawn.mean(axis=0) == pytest.approx(after.expectation(), abs=0.05)


def test_many_data_do_not_underflow():
    x = np.random.default_rng(0).normal(0.3, 1.0, size=5000)
    after = GridPosterior(norm.logpdf, None, np.linspace(0, 1, 2001)).update(x)
    assert after.expectation()[0] == pytest.approx(x.mean(), abs=1e-6)
    assert after.log_evidence < -6000


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="three increasing values"):
        GridPosterior(norm.logpdf, None, [1.0, 0.0, 2.0])
    with pytest.raises(ValueError, match="prior must be"):
        GridPosterior(norm.logpdf, lambda m: -1.0, [0.0, 1.0, 2.0])
    impossible = GridPosterior(lambda d, q: bernoulli.logpmf(d, q), None, [1.0, 1.5, 2.0])
    with pytest.raises(ValueError, match="not a number"):
        impossible.update([0])
    with pytest.raises(ValueError, match="impossible at every value"):
        GridPosterior(lambda d, q: -np.inf, None, [0.0, 1.0, 2.0]).update([1.0])
