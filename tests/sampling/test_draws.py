"""Draws against their laws, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from shallows.sampling import (
    BoltzmannDistribution,
    box_muller,
    check_sampler,
    inverse_transform,
    inverse_transform_nd,
    multivariate_normal,
    partition_function,
    rejection,
    uniform_sampler,
)

KINDS = "independent", "paired", "halves", "rotation", "walk"


def p_value(draws, cdf):
    return stats.kstest(draws, cdf).pvalue


@pytest.mark.parametrize("kind", KINDS)
def test_frequencies_of_every_sampler_become_uniform(kind):
    gaps = [
        np.mean(
            [check_sampler(uniform_sampler(kind, n, eps=0.1, random_state=s)).gap for s in range(5)]
        )
        for n in (300, 30_000)
    ]
    assert gaps[1] < 0.3 * gaps[0]
    assert gaps[1] < 0.05


def test_a_walk_is_the_slowest_and_a_rotation_the_best():
    gaps = {
        kind: np.mean(
            [check_sampler(uniform_sampler(kind, 5000, random_state=s)).gap for s in range(8)]
        )
        for kind in KINDS
    }
    assert max(gaps, key=gaps.get) == "walk"
    assert min(gaps, key=gaps.get) == "rotation"
    assert (
        uniform_sampler("paired", 5, random_state=0)[0]
        == uniform_sampler("paired", 5, random_state=0)[1]
    )


def test_check_sampler_knows_other_laws():
    draws = np.random.default_rng(0).normal(size=50_000)
    check = check_sampler(draws, stats.norm.cdf, bins=np.linspace(-4, 4, 9))
    assert check.gap < 0.01
    np.testing.assert_allclose(check.expected.sum(), 1, atol=1e-4)


@pytest.mark.parametrize("given", ["pdf", "cdf"])
@pytest.mark.parametrize("law", [stats.norm(), stats.beta(2, 5), stats.uniform(), stats.gamma(3)])
def test_inverse_transform_follows_its_law(given, law):
    ends = law.ppf([1e-12, 1 - 1e-12])
    options = {given: getattr(law, given), "support": ends, "random_state": 0}
    assert p_value(inverse_transform(20_000, **options), law.cdf) > 1e-3


def test_shares_of_intervals_are_differences_of_the_distribution_function():
    draws = inverse_transform(200_000, pdf=lambda x: x**2, support=(0, 2), random_state=1)
    assert np.mean((draws > 0.5) & (draws < 1)) == pytest.approx((1 - 0.125) / 8, abs=3e-3)


def test_inverse_transform_of_a_density_with_gaps():
    draws = inverse_transform(
        5000, pdf=lambda x: (np.abs(x) > 1).astype(float), support=(-2, 2), random_state=0
    )
    assert (np.abs(draws) > 1 - 1e-2).all()


def test_several_dimensions_one_after_the_other():
    cov = np.array([[1.0, 0.7], [0.7, 1.0]])
    law = stats.multivariate_normal([0, 0], cov)
    draws = inverse_transform_nd(law.pdf, [(-6, 6), (-6, 6)], 5000, random_state=0)
    assert p_value(draws[:, 0], stats.norm.cdf) > 1e-3
    rest = (draws[:, 1] - 0.7 * draws[:, 0]) / np.sqrt(1 - 0.49)
    assert p_value(rest, stats.norm.cdf) > 1e-3
    assert abs(np.corrcoef(rest, draws[:, 0])[0, 1]) < 0.06


def test_three_dimensions():
    draws = inverse_transform_nd(lambda x: x[:, 0] * x[:, 2], [(0, 1)] * 3, 400, random_state=0)
    assert p_value(draws[:, 0], lambda x: x**2) > 1e-3
    assert p_value(draws[:, 1], lambda x: x) > 1e-3
    assert p_value(draws[:, 2], lambda x: x**2) > 1e-3


def test_box_muller_gives_two_independent_normals():
    draws = box_muller(40_001, random_state=0)
    assert draws.shape == (40_001,)
    assert p_value(draws, "norm") > 1e-3
    pairs = draws[:-1].reshape(2, -1)
    assert abs(np.corrcoef(pairs)[0, 1]) < 0.03
    assert abs(np.corrcoef(pairs**2)[0, 1]) < 0.03


@pytest.mark.parametrize("rank", [3, 2])
def test_covariances_are_as_asked(rank):
    factor = np.random.default_rng(0).normal(size=(3, rank))
    cov = factor @ factor.T
    draws = multivariate_normal([1.0, -1.0, 0.0], cov, 100_000, random_state=0)
    np.testing.assert_allclose(draws.mean(axis=0), [1, -1, 0], atol=0.03)
    np.testing.assert_allclose(np.cov(draws.T), cov, atol=0.06)


def test_rejection_keeps_the_law_and_the_rate():
    sample = rejection(
        stats.beta(2, 3).pdf,
        lambda size, rng: rng.random(size),
        lambda x: np.full(len(x), 1.8),
        20_000,
        random_state=0,
    )
    assert p_value(sample.draws, stats.beta(2, 3).cdf) > 1e-3
    assert sample.acceptance == pytest.approx(1 / 1.8, abs=0.02)


def test_rejection_of_a_density_that_is_not_normalised_in_two_dimensions():
    sample = rejection(
        lambda x: 7.0 * (np.square(x).sum(axis=1) < 1),
        lambda size, rng: rng.uniform(-1, 1, size=(size, 2)),
        lambda x: np.full(len(x), 7.0),
        10_000,
        random_state=0,
    )
    assert (np.square(sample.draws).sum(axis=1) < 1).all()
    assert sample.acceptance == pytest.approx(np.pi / 4, abs=0.02)


def test_partition_functions():
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    inverse = np.linalg.inv(cov)
    Z = partition_function(
        lambda x, y: np.exp(-0.5 * np.array([x, y]) @ inverse @ np.array([x, y])),
        [(-12, 12), (-12, 12)],
    )
    assert pytest.approx(2 * np.pi * np.sqrt(np.linalg.det(cov)), rel=1e-6) == Z
    assert partition_function([1.0, 2.0, 3.0], None) == 6.0


def test_boltzmann_between_uniform_and_the_least_cost():
    costs = np.array([3.0, 1.0, 1.0, 2.0])
    np.testing.assert_allclose(BoltzmannDistribution(costs, 1e9).probabilities, 0.25)
    np.testing.assert_allclose(BoltzmannDistribution(costs, 1e-3).probabilities, [0, 0.5, 0.5, 0])
    law = BoltzmannDistribution(costs, 0.7)
    expected = np.exp(-costs / 0.7)
    np.testing.assert_allclose(law.probabilities, expected / expected.sum())
    assert law.log_partition == pytest.approx(np.log(expected.sum()))
    shares = np.bincount(law.sample(50_000, random_state=0), minlength=4) / 50_000
    np.testing.assert_allclose(shares, law.probabilities, atol=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: uniform_sampler("e", 5), "kind must be"),
        (lambda: check_sampler([]), "at least one value"),
        (lambda: inverse_transform(5, support=(0, 1)), "either pdf or cdf"),
        (lambda: inverse_transform(5, pdf=np.sin, support=(0, 6)), "not negative"),
        (lambda: inverse_transform(5, cdf=np.cos, support=(0, 1)), "must rise"),
        (lambda: inverse_transform(5, pdf=np.exp, support=(0, np.inf)), "finite interval"),
        (lambda: inverse_transform_nd(np.ones_like, [(0, 1)] * 4, 2), "up to 3 dimensions"),
        (lambda: multivariate_normal([0, 0], [[1, 2], [2, 1]], 3), "negative eigenvalues"),
        (lambda: multivariate_normal([0, 0], [[1.0]], 3), "a row for each of 2 means"),
        (
            lambda: rejection(
                lambda x: x + 1, lambda n, rng: rng.random(n), lambda x: np.ones(len(x)), 5
            ),
            "must not lie below the density",
        ),
        (lambda: partition_function([0.0, 0.0], None), "nor all zero"),
        (lambda: BoltzmannDistribution([1.0, np.nan]), "finite numbers"),
    ],
)
def test_impossible_laws_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
