"""Errors of outputs: conventions, bounds, known values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar
from scipy.stats import entropy

from shallows.network import (
    cross_entropy,
    kullback_leibler,
    minkowski_error,
    quadratic_error,
    sign_quadratic_error,
)

numbers = arrays(float, (5,), elements=st.floats(-10, 10))


@given(numbers, numbers)
def test_conventions_of_the_quadratic_error(out, target):
    total = sum((a - b) ** 2 for a, b in zip(out, target, strict=True))
    assert quadratic_error(out, target) == pytest.approx(total / 10)
    assert quadratic_error(out, target, "half-sum") == pytest.approx(total / 2)
    assert quadratic_error(out, target, "sum") == pytest.approx(total)
    assert quadratic_error(out, target, "mean") == pytest.approx(total / 5)
    assert quadratic_error(out, out) == 0


def test_gradient_with_and_without_the_half():
    out, target, step = np.array([0.7]), np.array([0.2]), 1e-6
    for kind, slope in (("half-sum", 0.5), ("sum", 1.0)):
        up, down = (quadratic_error(out + s, target, kind) for s in (step, -step))
        assert (up - down) / (2 * step) == pytest.approx(slope)


@given(numbers, numbers)
def test_gamma_leads_from_wrong_signs_to_the_plain_sum(out, target):
    wrong = np.sign(out) * np.sign(target) <= 0
    assert sign_quadratic_error(out, target) == pytest.approx(((out - target)[wrong] ** 2).sum())
    assert sign_quadratic_error(out, target, 1.0) == pytest.approx(
        quadratic_error(out, target, "sum")
    )


@pytest.mark.parametrize(("r", "best"), [(1.0, np.median), (2.0, np.mean)])
def test_best_constant(r, best):
    y = np.array([0.0, 1.0, 2.0, 10.0, 30.0])
    found = minimize_scalar(
        lambda c: minkowski_error(np.full(5, c), y, r),
        bounds=(0, 30),
        method="bounded",
        options={"xatol": 1e-8},
    )
    assert found.x == pytest.approx(best(y), abs=1e-4)


def test_uniform_prediction_costs_the_logarithm_of_the_classes():
    assert cross_entropy(np.full((3, 10), 0.1), np.eye(10)[:3]) == pytest.approx(2.302585, abs=1e-6)
    assert cross_entropy(np.full(4, 0.5), [0, 1, 1, 0], "sum") == pytest.approx(4 * np.log(2))


def test_divergence_is_cross_entropy_less_entropy():
    rng = np.random.default_rng(0)
    p, t = rng.dirichlet(np.ones(4), 6), rng.dirichlet(np.ones(4), 6)
    assert kullback_leibler(p, t) == pytest.approx(entropy(t, p, axis=1).mean())
    assert kullback_leibler(p, t) == pytest.approx(cross_entropy(p, t) - entropy(t, axis=1).mean())
    assert kullback_leibler(p, t) > 0 and kullback_leibler(t, t) == pytest.approx(0, abs=1e-15)
    assert kullback_leibler(p, t) != pytest.approx(kullback_leibler(t, p))
    assert cross_entropy(t, t) == pytest.approx(entropy(t, axis=1).mean())
    two = kullback_leibler(np.c_[1 - p[:, 0], p[:, 0]], np.c_[1 - t[:, 0], t[:, 0]])
    assert kullback_leibler(p[:, 0], t[:, 0]) == pytest.approx(two)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        quadratic_error([1.0, 2.0], [1.0, 2.0, 3.0])
