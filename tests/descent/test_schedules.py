"""Schedules against their formulas, and the Robbins-Monro conditions against partial sums."""

import numpy as np
import pytest

from shallows.descent import SCHEDULES, robbins_monro, schedule

EXAMPLES = [
    ("constant", {"rate": 0.1}, (True, False)),
    ("inverse_time", {"a": 2.0, "b": 5.0}, (True, True)),
    ("power", {"rate": 0.5, "p": 0.4}, (True, False)),
    ("power", {"rate": 0.5, "p": 0.5}, (True, False)),
    ("power", {"rate": 0.5, "p": 0.51}, (True, True)),
    ("power", {"rate": 0.5, "p": 1.0}, (True, True)),
    ("power", {"rate": 0.5, "p": 1.01}, (False, True)),
    ("inverse_log", {"rate": 0.5}, (True, True)),
    ("linear", {"rate": 0.5, "final": 0.005, "tau": 100.0}, (True, False)),
    ("linear", {"rate": 0.5, "final": 0.0, "tau": 100.0}, (False, True)),
    ("exponential", {"rate": 0.5, "decay": 0.9}, (False, True)),
    ("exponential", {"rate": 0.5, "decay": 1.0}, (True, False)),
    ("large_early", {"rate": 0.5, "final": 0.01, "until": 10.0}, (True, False)),
]


def test_every_schedule_is_tested():
    assert {kind for kind, _, _ in EXAMPLES} == set(SCHEDULES)


@pytest.mark.parametrize(("kind", "parameters", "expected"), EXAMPLES)
def test_robbins_monro_conditions(kind, parameters, expected):
    found = robbins_monro(kind, **parameters)
    assert tuple(found) == expected
    assert found.satisfied == all(expected)


# Too close to the border, exponents are not told apart by finite sums.
VISIBLE = [case for case in EXAMPLES if case[1].get("p") not in (0.51, 1.01)]


@pytest.mark.parametrize(("kind", "parameters", "expected"), VISIBLE)
def test_conditions_agree_with_the_growth_of_partial_sums(kind, parameters, expected):
    rate = schedule(kind, **parameters)
    # Sums over t = 2^k .. 2^(k+1): they must shrink geometrically for convergence. The rate
    # 1/(t ln t) sheds only ln(k+1) - ln(k) per block, a ratio that tends to 1.
    blocks = [np.arange(2**k, 2 ** (k + 1)) for k in (18, 19)]
    for power, converges in ((1, not expected[0]), (2, expected[1])):
        early, late = (float((rate(block) ** power).sum()) for block in blocks)
        assert (late < 0.8 * early or late == 0) == converges


@pytest.mark.parametrize(("kind", "parameters", "expected"), EXAMPLES)
def test_rates_are_positive_do_not_rise_and_accept_numbers(kind, parameters, expected):
    rate = schedule(kind, **parameters)
    times = np.arange(1, 200)
    rates = rate(times)
    assert rates.shape == times.shape and (rates >= 0).all() and np.isfinite(rates).all()
    assert (np.diff(rates) <= 1e-15).all()
    assert float(rate(7)) == pytest.approx(rates[6])


def test_formulas():
    assert schedule("inverse_time", a=3.0, b=2.0)(4) == 0.5
    assert schedule("power", rate=2.0, p=0.5)(16) == 0.5
    assert schedule("inverse_log", rate=1.0)(np.e - 1) == pytest.approx(1 / np.e)
    linear = schedule("linear", rate=1.0, final=0.01, tau=100)
    assert linear(25) == pytest.approx(0.75 * 1.0 + 0.25 * 0.01)
    assert linear(100) == linear(5000) == pytest.approx(0.01)
    assert schedule("exponential", rate=1.0, decay=0.5)(3) == 0.125
    large = schedule("large_early", rate=1.0, final=0.1, until=10)
    assert (large(10), large(11)) == (1.0, 0.1)


def test_known_sums():
    t = np.arange(1, 10**6)
    squares = float((schedule("power", rate=1.0, p=1.0)(t) ** 2).sum())
    assert squares == pytest.approx(np.pi**2 / 6, abs=2e-6)


def test_unknown_kind_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"kind must be one of constant, inverse_time.*'cosine'"):
        schedule("cosine", rate=1.0)
