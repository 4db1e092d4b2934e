"""Markov chains, their diagnosis, Gibbs and Metropolis sampling, annealing."""

import numpy as np
import pytest
from scipy import stats

from shallows.sampling import (
    MarkovChain,
    detailed_balance_gap,
    diagnose,
    gibbs,
    metropolis,
    simulated_annealing,
    thin,
)


def random_chain(n, seed=0):
    return MarkovChain(np.random.default_rng(seed).dirichlet(np.ones(n), size=n))


@pytest.mark.kernel
@pytest.mark.parametrize("n", [2, 3, 5])
def test_powers_and_the_invariant_law(n):
    chain = random_chain(n)
    law = chain.invariant()
    np.testing.assert_allclose(law @ chain.M, law, atol=1e-14)
    np.testing.assert_allclose(chain.power(200), np.tile(law, (n, 1)), atol=1e-12)
    np.testing.assert_allclose(chain.propagate(np.eye(n)[0], 3), chain.power(3)[0], atol=1e-15)
    values, vectors = np.linalg.eig(chain.M.T)
    left = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    np.testing.assert_allclose(law, left / left.sum(), atol=1e-12)
    assert chain.is_ergodic()


@pytest.mark.kernel
def test_paths_move_as_the_matrix_says():
    chain = random_chain(4)
    path = chain.path(40_000, start=2, random_state=0)
    assert path[0] == 2
    moves = np.zeros((4, 4))
    np.add.at(moves, (path[:-1], path[1:]), 1)
    np.testing.assert_allclose(moves / moves.sum(axis=1, keepdims=True), chain.M, atol=0.03)
    np.testing.assert_allclose(np.bincount(path) / 40_000, chain.invariant(), atol=0.02)
    np.testing.assert_array_equal(path, chain.path(40_000, start=2, random_state=0))


def test_chains_that_are_not_ergodic():
    circle = MarkovChain(np.roll(np.eye(3), 1, axis=1))
    assert not circle.is_ergodic()
    np.testing.assert_allclose(circle.invariant(), 1 / 3)
    assert detailed_balance_gap(circle.M, circle.invariant()) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="several invariant distributions"):
        MarkovChain(np.eye(3)).invariant()
    with pytest.raises(ValueError, match="each row sum to 1"):
        MarkovChain([[0.5, 0.4], [0.5, 0.5]])


def test_detailed_balance_implies_invariance():
    law = np.array([0.5, 0.3, 0.2])
    M = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                M[i, j] = min(1, law[j] / law[i]) / 2  # Metropolis with two neighbours
        M[i, i] = 1 - M[i].sum()
    assert detailed_balance_gap(M, law) < 1e-15
    np.testing.assert_allclose(law @ M, law)


@pytest.mark.parametrize("a", [0.0, 0.5, 0.9])
def test_diagnosis_of_an_autoregressive_chain(a):
    rng, chain = np.random.default_rng(0), np.zeros((4, 20_000, 1))
    chain[:, 0, 0] = rng.normal(size=4) / np.sqrt(1 - a * a)
    for t in range(1, 20_000):
        chain[:, t, 0] = a * chain[:, t - 1, 0] + rng.normal(size=4)
    found = diagnose(chain)
    np.testing.assert_allclose(found.autocorrelation[:6, 0], a ** np.arange(6), atol=0.06)
    assert found.autocorrelation_time[0] == pytest.approx((1 + a) / (1 - a), rel=0.2)
    assert found.r_hat[0] < 1.02
    kept = thin(chain[0, :, 0], burn_in=100)
    assert abs(np.corrcoef(kept[:-1], kept[1:])[0, 1]) < 0.15


def test_a_chain_five_times_as_wide_as_the_others_does_not_pass():
    chains = np.random.default_rng(0).normal(size=(4, 2000, 1))
    assert diagnose(chains).r_hat[0] < 1.01
    chains[0] *= 5
    found = diagnose(chains)
    assert found.r_hat[0] > 1.1 and found.tail_size[0] < 100


def test_cauchy_draws_are_worth_nothing_for_a_mean():
    draws = np.random.default_rng(0).standard_cauchy((4, 2000, 1))
    with pytest.warns(UserWarning, match="quantity 0 are too heavy for a mean: their index"):
        found = diagnose(draws)
    assert found.mean_size[0] == 0 and found.standard_error[0] == np.inf
    assert found.tail_index[0] == pytest.approx(1, abs=0.3)
    assert found.bulk_size[0] > 7000  # the median is known well
    light = diagnose(np.random.default_rng(0).standard_t(4, (4, 2000, 1)))
    assert light.mean_size[0] > 7000
    assert light.standard_error[0] == pytest.approx(np.sqrt(2 / 8000), rel=0.1)


def test_draws_that_never_change_are_named():
    with pytest.warns(UserWarning, match="quantity 1 is the same in all draws"):
        found = diagnose(np.stack([np.arange(20) % 7, np.ones(20)], axis=1))
    assert np.isnan(found.r_hat).tolist() == np.isnan(found.bulk_size).tolist() == [False, True]
    assert thin(np.ones(20)).tolist() == [1.0] * 20


def test_chains_in_different_places_do_not_agree():
    rng = np.random.default_rng(1)
    apart = rng.normal(size=(2, 500, 1)) + np.array([0.0, 5.0])[:, None, None]
    assert diagnose(apart).r_hat[0] > 1.7  # ranks of two chains apart give 1.83
    assert thin(np.arange(10), lag=3).tolist() == [0, 3, 6, 9]
    with pytest.raises(ValueError, match="at least 4 finite draws"):
        diagnose([1.0, 2.0])
    with pytest.raises(ValueError, match="burn_in must be"):
        thin(np.arange(10), burn_in=10)


def conditional_normal(i, rho):
    return lambda x, rng: rng.normal(rho * x[..., 1 - i], np.sqrt(1 - rho**2))


def test_gibbs_samples_a_correlated_normal():
    draws = gibbs(
        [conditional_normal(i, 0.8) for i in range(2)],
        np.zeros((50, 2)),
        400,
        burn_in=50,
        random_state=0,
    )
    assert draws.shape == (50, 400, 2)
    flat = draws[:, ::20].reshape(-1, 2)
    assert stats.kstest(flat[:, 0], "norm").pvalue > 1e-3
    assert np.corrcoef(draws.reshape(-1, 2).T)[0, 1] == pytest.approx(0.8, abs=0.03)


def test_a_scan_is_invariant_but_not_reversible():
    table = np.random.default_rng(0).dirichlet(np.ones(6)).reshape(2, 3)
    law = table.ravel()
    first, second = np.zeros((6, 6)), np.zeros((6, 6))
    for i in range(2):
        for j in range(3):
            for k in range(2):
                first[3 * i + j, 3 * k + j] = table[k, j] / table[:, j].sum()
            for k in range(3):
                second[3 * i + j, 3 * i + k] = table[i, k] / table[i].sum()
    scan = first @ second
    np.testing.assert_allclose(law @ scan, law, atol=1e-15)
    assert detailed_balance_gap(first, law) < 1e-15
    assert detailed_balance_gap(second, law) < 1e-15
    assert detailed_balance_gap(scan, law) > 1e-3


def log_normal(x):
    """Correlated normal with variances 1 and correlation 0.9, up to a constant."""
    return -(x[:, 0] ** 2 - 1.8 * x[:, 0] * x[:, 1] + x[:, 1] ** 2) / (2 * 0.19)


@pytest.mark.parametrize("acceptance", ["metropolis", "boltzmann"])
@pytest.mark.parametrize("mode", ["global", "local"])
def test_metropolis_samples_the_law(acceptance, mode):
    sample = metropolis(
        log_normal,
        np.zeros((100, 2)),
        600,
        width=0.8,
        acceptance=acceptance,
        mode=mode,
        burn_in=100,
        random_state=0,
    )
    found = diagnose(sample.states)
    flat = sample.states.reshape(-1, 2)
    assert (np.abs(flat.mean(axis=0)) < 4.5 * found.standard_error).all()
    np.testing.assert_allclose(np.cov(flat.T), [[1, 0.9], [0.9, 1]], atol=0.1)
    assert 0 < sample.acceptance < 1


def test_boltzmanns_rule_accepts_less_and_wide_steps_too():
    options = {"start": np.zeros((50, 2)), "n": 300, "random_state": 0}
    rates = [metropolis(log_normal, width=w, **options).acceptance for w in (0.05, 0.5, 5.0)]
    assert rates[0] > rates[1] > rates[2]
    assert (
        metropolis(log_normal, width=0.5, acceptance="boltzmann", **options).acceptance < rates[1]
    )


def test_refused_steps_repeat_the_state():
    sample = metropolis(log_normal, np.zeros(2), 2000, width=5.0, random_state=0)
    repeated = (sample.states[1:] == sample.states[:-1]).all(axis=1).mean()
    assert repeated == pytest.approx(1 - sample.acceptance, abs=0.01)


def test_any_symmetric_proposal_on_a_discrete_space():
    weights = np.array([0.1, 0.4, 0.2, 0.3])
    sample = metropolis(
        lambda x: np.log(weights[x[:, 0].astype(int)]),
        np.zeros((40, 1)),
        1500,
        proposal=lambda x, rng: (x + rng.choice([-1, 1], size=x.shape)) % 4,
        random_state=0,
    )
    shares = np.bincount(sample.states[:, 100:].astype(int).ravel(), minlength=4)
    np.testing.assert_allclose(shares / shares.sum(), weights, atol=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acceptance": "always"}, "acceptance must be"),
        ({"mode": "local", "proposal": lambda x, rng: x}, "give width, not proposal"),
        ({"start": [np.inf, 0.0]}, "positive at the start|below infinity"),
    ],
)
def test_impossible_walks_are_refused(options, message):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=message):
        metropolis(**{"log_density": log_normal, "start": [0.0, 0.0], "n": 5, **options})
    with pytest.raises(ValueError, match="one value for each of 2"):
        gibbs([np.sum, np.sum], [0.0], 5)


def test_slow_cooling_finds_the_least_of_a_rugged_cost():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=200) + 0.002 * np.abs(np.arange(200) - 150)
    found = simulated_annealing(
        lambda i: costs[i],
        lambda i, rng: int((i + rng.integers(-12, 13)) % 200),
        start=0,
        n_steps=20_000,
        random_state=0,
    )
    assert found.cost == costs.min()
    assert found.state == costs.argmin()
    assert found.costs.shape == (20_000,)
    quick = simulated_annealing(
        lambda i: costs[i],
        lambda i, rng: int((i + rng.choice([-1, 1])) % 200),
        0,
        50,
        schedule=lambda t: 0.0,
        random_state=0,
    )
    assert quick.cost > costs.min()
    with pytest.raises(ValueError, match="must not be negative"):
        simulated_annealing(lambda i: i, lambda i, rng: i + 1, 0, 5, schedule=lambda t: -1.0)
