"""R-hat, effective sizes and tails of Markov chains against loops over their published formulas."""

import numpy as np
import pytest
from scipy import stats

from shallows._core.numerics.mixing import (
    bulk_size,
    effective_size,
    r_hat,
    tail_index,
    tail_size,
)


def split(chains):
    half = chains.shape[1] // 2
    return [part for chain in chains for part in (chain[:half], chain[len(chain) - half :])]


def scores(parts):
    """Equation 14: normal quantiles of ranks, which equal draws share."""
    draws = sorted(value for part in parts for value in part)
    places = {}
    for rank, value in enumerate(draws, start=1):
        places.setdefault(value, []).append(rank)
    return [
        stats.norm.ppf([(np.mean(places[v]) - 3 / 8) / (len(draws) + 1 / 4) for v in part])
        for part in parts
    ]


def pooled_variance(parts):
    """Equations 1 to 3: the variance within, and the estimate of that of the law."""
    n, within = len(parts[0]), np.mean([np.var(part, ddof=1) for part in parts])
    between = n * np.var([np.mean(part) for part in parts], ddof=1)
    return within, (n - 1) / n * within + between / n


def naive_r_hat(chains):
    """Equation 4, for the draws and for their distances from the median."""
    parts = split(chains)
    folded = [np.abs(part - np.median(chains)) for part in parts]
    ratios = []
    for kind in (parts, folded):
        within, pooled = pooled_variance(scores(kind))
        ratios.append(np.sqrt(pooled / within))
    return max(ratios)


def naive_size(parts):
    """Equations 10 to 13, with Geyer's initial monotone sequence."""
    n, (within, pooled) = len(parts[0]), pooled_variance(parts)
    rho = []
    for lag in range(n):
        shared = [
            sum((p[:n - lag] - p.mean()) * (p[lag:] - p.mean())) / (n - 1) for p in parts
        ]  # fmt: skip
        rho.append(1 - (within - np.mean(shared)) / pooled)
    total, smallest = 0.0, np.inf
    for lag in range(0, n - 1, 2):
        pair = rho[lag] + rho[lag + 1]
        if pair <= 0:
            break
        smallest = min(smallest, pair)
        total += smallest
    draws = n * len(parts)
    return draws / max(2 * total - 1, 1 / np.log10(draws))


def naive_tail_size(chains):
    low, high = np.quantile(chains, [0.05, 0.95])
    parts = split(chains)
    return min(naive_size([1.0 * (part <= q) for part in parts]) for q in (low, high))


def some_chains():
    rng = np.random.default_rng(0)
    chains = rng.standard_normal((3, 101, 4))
    for t in range(1, 101):
        chains[:, t, 0] += 0.8 * chains[:, t - 1, 0]
        chains[:, t, 1] -= 0.5 * chains[:, t - 1, 1]
    chains[..., 2] = np.exp(3 * chains[..., 2]) + [[0], [1], [2]]
    chains[..., 3] = chains[..., 3].round()  # with ties
    return chains


def test_numbers_are_those_of_the_formulas():
    chains = some_chains()
    sizes = effective_size(chains), bulk_size(chains), tail_size(chains)
    for k in range(4):
        one = chains[..., k]
        assert r_hat(chains)[k] == pytest.approx(naive_r_hat(one), rel=1e-10)
        assert sizes[0][k] == pytest.approx(naive_size(split(one)), rel=1e-9)
        assert sizes[1][k] == pytest.approx(naive_size(scores(split(one))), rel=1e-9)
        assert sizes[2][k] == pytest.approx(naive_tail_size(one), rel=1e-9)


def test_ranks_do_not_see_how_values_are_written():
    chains = some_chains()[..., :2]
    same = np.exp(chains)
    np.testing.assert_allclose(bulk_size(same), bulk_size(chains), rtol=1e-12)
    np.testing.assert_allclose(tail_size(same), tail_size(chains), rtol=1e-12)


@pytest.mark.parametrize("law", [stats.norm, stats.cauchy])
@pytest.mark.parametrize(("scale", "shift"), [(5.0, 0.0), (1.0, 2.0)])
def test_a_chain_unlike_the_others_does_not_pass(law, scale, shift):
    chains = law.rvs(size=(4, 2000, 1), random_state=0)
    assert r_hat(chains)[0] < 1.01
    chains[0] = scale * chains[0] + shift
    assert r_hat(chains)[0] > 1.05
    assert min(bulk_size(chains)[0], tail_size(chains)[0]) < 400


@pytest.mark.parametrize("k", [0.25, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_index_of_a_tail_is_that_of_its_law(k, side):
    """Its standard deviation is about (1 + k) / sqrt(number of draws in the tail)."""
    draws = side * stats.genpareto.rvs(k, size=(4, 5000, 1), random_state=1)
    found = tail_index(draws, np.full(1, 20_000.0))
    n_tail = 3 * np.sqrt(20_000)
    assert found[0] == pytest.approx(k, abs=4 * (1 + k) / np.sqrt(n_tail))


def test_light_tails_and_few_values_have_no_index_worth_a_word():
    rng = np.random.default_rng(0)
    chains = np.stack(
        [rng.normal(size=(4, 2000)), rng.random((4, 2000)), rng.integers(0, 2, (4, 2000))], axis=2
    )
    assert (tail_index(chains, tail_size(chains)) < 0.2).all()
    levels = np.repeat([0.0, 1.0, 3.0], [7990, 6, 4]).reshape(4, 2000, 1)
    assert np.isfinite(tail_index(levels, np.full(1, 8000.0))).all()


def test_what_never_changes_says_nothing():
    chains = np.stack([np.full((4, 50), 0.1), some_chains()[[0, 1, 2, 0], :50, 0]], axis=2)
    for measure in (r_hat, bulk_size, tail_size, effective_size):
        assert np.isnan(measure(chains)).tolist() == [True, False]
    apart = np.repeat([1.0, 2.0], 20).reshape(2, 20, 1)
    assert r_hat(apart)[0] == np.inf
