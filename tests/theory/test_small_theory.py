"""Curse of dimensionality, rules of thumb, descent in closed form, sums of many numbers."""

import numpy as np
import pytest
from scipy import stats

from shallows.theory import (
    breiman_bound,
    captured_fraction,
    count_corners,
    descent_path,
    descent_regimes,
    descent_risk,
    edge_length,
    equal_density_size,
    galton,
    knn_effective_parameters,
    lms_step_bound,
    mean_distance,
    median_nearest_distance,
    misadjustment,
    optimal_rate,
    standardised_sum,
    takens_dimension,
    time_constants,
)


def test_cubes():
    np.testing.assert_allclose(edge_length([0.01, 0.1], 10), [0.631, 0.794], atol=5e-4)
    assert edge_length(0.1, 2) == pytest.approx(0.316, abs=5e-4)
    third = captured_fraction(1 / 3, [1, 2, 3, 10])
    np.testing.assert_allclose(third, [0.333, 0.111, 0.0370, 1.69e-5], rtol=3e-3)
    np.testing.assert_allclose(
        captured_fraction(0.3, [1, 2, 3, 10]), [0.3, 0.09, 0.027, 5.9e-6], rtol=1e-3
    )
    np.testing.assert_allclose(captured_fraction(edge_length(0.2, 7), 7), 0.2)
    assert count_corners(10) == 1024
    assert equal_density_size(100, 10) == 10**20
    with pytest.raises(ValueError, match=r"fraction must be in \[0, 1\]"):
        edge_length(1.1, 2)
    with pytest.raises(ValueError, match="n must be whole"):
        captured_fraction(0.3, 1.5)


def test_median_distance_to_the_nearest_point():
    assert median_nearest_distance(500, 10) == pytest.approx(0.5178, abs=5e-5)
    assert median_nearest_distance(1, 3) == pytest.approx(0.5 ** (1 / 3))
    rng = np.random.default_rng(0)
    radii = rng.random((4000, 50)) ** (1 / 5)  # distances of uniform points in the 5-ball
    below = int(np.sum(radii.min(axis=1) < median_nearest_distance(50, 5)))
    assert stats.binomtest(below, 4000, 0.5).pvalue > 1e-4


def test_mean_distance_in_the_cube():
    robbins = (4 + 17 * np.sqrt(2) - 6 * np.sqrt(3) - 7 * np.pi) / 105
    robbins += np.log(1 + np.sqrt(2)) / 5 + 2 * np.log(2 + np.sqrt(3)) / 5
    plane = (2 + np.sqrt(2) + 5 * np.log(1 + np.sqrt(2))) / 15
    known = [1 / 3, plane, robbins]
    np.testing.assert_allclose([mean_distance(n) for n in (1, 2, 3)], known, rtol=1e-10)
    assert mean_distance(100) == pytest.approx(4.07, abs=0.01)
    assert mean_distance(1000) == pytest.approx(12.90, abs=0.01)
    assert mean_distance(10**6) == pytest.approx(np.sqrt(10**6 / 6), rel=1e-6)


def test_rules():
    assert knn_effective_parameters(50, 25) == 2
    assert knn_effective_parameters(50, 1) == 50
    assert knn_effective_parameters(50, 50) == 1
    assert takens_dimension(2.06) == 6
    assert takens_dimension(2) == 5
    assert takens_dimension(0) == 1
    assert breiman_bound(0.5, 0.1) == pytest.approx(0.30)
    assert breiman_bound(1.0, 0.7) == 0
    with pytest.raises(ValueError, match="n_neighbors must be at most"):
        knn_effective_parameters(3, 4)
    with pytest.raises(ValueError, match="strength must be"):
        breiman_bound(0, 0.5)
    with pytest.raises(ValueError, match="correlation must be"):
        breiman_bound(0.5, -0.1)


def test_breiman_bound_is_never_below_the_error():
    """Random tables of right and wrong votes; correlation weighted with standard deviations."""
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(3000):
        votes = rng.choice([-1, 1], (rng.integers(2, 7), rng.integers(3, 12)), p=[0.3, 0.7])
        margin = votes.mean(axis=0)  # mean over trees, drawn at random with replacement
        if margin.mean() <= 0:
            continue
        deviations = votes.std(axis=1)
        if not deviations.any():
            continue
        correlation = min(1.0, margin.var() / deviations.mean() ** 2)
        assert (margin < 0).mean() <= breiman_bound(margin.mean(), correlation) + 1e-12
        checked += 1
    assert checked > 2000


def bowl(seed=0, values=(3.0, 1.0, 0.2)):
    axes = stats.ortho_group.rvs(len(values), random_state=seed)
    return (axes * values) @ axes.T


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.4])
def test_descent_is_followed_exactly(mu):
    R, v = bowl(), np.array([1.0, -2.0, 0.5])
    path, risk = descent_path(R, v, mu, 30), descent_risk(R, v, mu, 30, r_min=0.1)
    for n in range(31):
        np.testing.assert_allclose(path[n], v, atol=1e-12 * np.linalg.norm(path, axis=1).max())
        np.testing.assert_allclose(risk[n], 0.1 + v @ R @ v, rtol=1e-12)
        v = v - 2 * mu * R @ v


def test_optimal_rate_shrinks_both_ends_alike():
    rate, factor, spread = optimal_rate(bowl())
    assert (rate, factor, spread) == pytest.approx((1 / 3.2, 2.8 / 3.2, 15.0))
    assert factor == pytest.approx((spread - 1) / (spread + 1))
    factors = [np.abs(1 - 2 * r * np.array([3, 1, 0.2])).max() for r in (0.9 * rate, 1.1 * rate)]
    assert min(factors) > factor
    assert optimal_rate(np.eye(3)).factor == 0


def test_time_constants():
    R, mu = np.diag([1, 0.1, 0.01]), 1e-3
    np.testing.assert_allclose(time_constants(R, mu), 1 / (4 * mu * np.array([1, 0.1, 0.01])), 1e-2)
    risk = descent_risk(R, [0, 0, 1], mu, 1)
    assert -1 / np.log(risk[1] / risk[0]) == pytest.approx(time_constants(R, mu)[-1], rel=1e-6)
    assert time_constants([[1.0]], 0.5) == 0
    assert time_constants([[1.0]], 1.1) < 0


def test_regimes():
    R = np.diag([4, 2, 1, 0.5])
    assert descent_regimes(R, 0.5) == ["unstable", "marginal", "one step", "overdamped"]
    assert descent_regimes(R, 0.2) == ["underdamped", "overdamped", "overdamped", "overdamped"]
    assert set(descent_regimes(R, -0.1)) == {"unstable"}


def simulated_misadjustment(mu, L, rng, runs=400, steps=1500):
    """White Gaussian inputs, noise of variance 1, start at the optimum."""
    v, excess = np.zeros((runs, L)), []
    for step in range(steps):
        x = rng.standard_normal((runs, L))
        error = rng.standard_normal(runs) - (v * x).sum(1)
        v += 2 * mu * error[:, None] * x
        if step >= steps // 2:
            excess.append((v**2).sum(1).mean())
    return np.mean(excess)


@pytest.mark.parametrize(("product", "noted"), [(0.02, 0.0202), (0.08, 0.0894), (1 / 3, 0.572)])
def test_misadjustment(product, noted):
    R = np.eye(8)
    exact = misadjustment(product / 8, R, exact=True)
    assert misadjustment(product / 8, R) == pytest.approx(product)
    assert exact == pytest.approx(noted, rel=0.02)
    measured = simulated_misadjustment(product / 8, 8, np.random.default_rng(0))
    assert measured == pytest.approx(exact, rel=0.04)


def test_lms_is_stable_up_to_its_bound():
    for values in ([1.0], [5.0, 1.0, 0.1], [1.0] * 20):
        bound = lms_step_bound(np.diag(values))
        assert bound == pytest.approx(1 / (3 * sum(values)))
        assert misadjustment(bound, np.diag(values), exact=True) < np.inf
    assert misadjustment(0.5, np.eye(2), exact=True) == np.inf
    assert misadjustment(0.3, np.eye(2), exact=True) == np.inf


@pytest.mark.parametrize("R", [[[1, 2], [0, 1]], [1, 2], [[np.nan]]])
def test_bowls_must_be_symmetric(R):
    with pytest.raises(ValueError, match="symmetric"):
        optimal_rate(R)


def test_flat_bowls_are_refused():
    with pytest.raises(ValueError, match="positive eigenvalues"):
        optimal_rate([[1, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"v0 must have shape \(2,\)"):
        descent_path(np.eye(2), [1], 0.1, 2)


def test_sums_come_closer_to_the_normal_law():
    def distance(n):
        sums = standardised_sum(stats.expon(scale=3), n, size=20_000, random_state=0)
        return stats.kstest(sums, stats.norm.cdf).statistic

    first, second, third = (distance(n) for n in (1, 10, 100))
    assert first > 2 * second > 4 * third
    assert first == pytest.approx(
        stats.norm.cdf(-1), abs=0.01
    )  # below its mean minus one deviation there is nothing


def test_sums_need_a_variance():
    with pytest.raises(ValueError, match="finite mean and a finite variance"):
        standardised_sum(stats.cauchy(), 3)
    assert standardised_sum(stats.norm(5, 2), 4, size=7, random_state=1).shape == (7,)


def test_galton_board():
    board = galton(12)
    paths = np.array([1])
    for _ in range(12):
        paths = np.convolve(paths, [1, 1])
    np.testing.assert_allclose(board.probability, paths / 2**12)
    assert (board.position @ board.probability) == pytest.approx(0)
    assert (board.position**2 @ board.probability) == pytest.approx(12)

    def distance(rows):
        position, probability = galton(rows)
        below = np.cumsum(probability)
        return np.abs(below - stats.norm.cdf((position + 1) / np.sqrt(rows))).max()

    assert distance(400) < distance(40) / 5 < distance(4) / 25
