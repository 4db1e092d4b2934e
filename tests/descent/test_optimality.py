"""Kuhn-Tucker residuals and the Wolfe dual against SciPy and against weak duality."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

from shallows.descent._optimality import (
    dual_value,
    kuhn_tucker_residuals,
    primal_value,
    wolfe_dual,
)


def gram(n, dimension, seed):
    points = np.random.default_rng(seed).normal(size=(n, dimension))
    labels = np.sign(points[:, 0])
    signed = labels[:, None] * points
    return signed @ signed.T / dimension


@pytest.mark.parametrize(("n", "dimension"), [(4, 10), (12, 5), (30, 3)])
def test_dual_has_no_gap_and_fulfils_kuhn_tucker(n, dimension):
    C, b = gram(n, dimension, 0), np.ones(n)
    solution = wolfe_dual(C, b)
    assert abs(solution.gap) < 1e-8 * max(1, solution.primal)
    residuals = kuhn_tucker_residuals(
        C @ solution.x,
        inequalities=C @ solution.x - b,
        inequality_jacobian=C,
        multipliers=solution.multipliers,
    )
    assert residuals.largest < 1e-8 * max(1, solution.multipliers.max())


@pytest.mark.parametrize(("n", "dimension"), [(4, 10), (12, 5)])
def test_primal_solution_agrees_with_a_general_solver(n, dimension):
    C, b = gram(n, dimension, 1), np.ones(n)
    found = optimize.minimize(
        lambda x: x @ C @ x / 2,
        np.zeros(n),
        jac=lambda x: C @ x,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda x: C @ x - b, "jac": lambda x: C},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success
    assert wolfe_dual(C, b).primal == pytest.approx(found.fun, rel=1e-5)


def test_dual_solution_agrees_with_a_bounded_solver():
    C, b = gram(8, 20, 2), np.random.default_rng(2).normal(size=8)
    found = optimize.minimize(
        lambda x: x @ C @ x / 2 - x @ b,
        np.ones(8),
        jac=lambda x: C @ x - b,
        method="L-BFGS-B",
        bounds=[(0, None)] * 8,
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    solution = wolfe_dual(C, b)
    assert solution.dual == pytest.approx(-found.fun, rel=1e-8)
    np.testing.assert_allclose(solution.multipliers, found.x, atol=1e-5)
    assert (solution.multipliers == 0).any()


VECTORS = arrays(np.float64, 4, elements=st.floats(-5, 5))


@given(VECTORS, arrays(np.float64, 4, elements=st.floats(0, 5)), VECTORS)
def test_weak_duality_at_every_feasible_pair(x, multipliers, slack):
    C = gram(4, 3, 3)
    b = C @ x - np.abs(slack)
    assert dual_value(C, b, multipliers) <= primal_value(C, x) + 1e-9


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_solution_scales_with_the_problem(scale_c, scale_b):
    C, b = gram(6, 8, 4), np.ones(6)
    base, scaled = wolfe_dual(C, b), wolfe_dual(scale_c * C, scale_b * b)
    np.testing.assert_allclose(scaled.x, base.x * scale_b / scale_c, rtol=1e-6, atol=1e-12)


def test_known_solutions():
    solution = wolfe_dual(np.diag([2.0, 4.0]), np.array([1.0, -1.0]))
    np.testing.assert_allclose(solution.x, [0.5, 0], atol=1e-15)
    assert solution.primal == pytest.approx(0.25)
    assert wolfe_dual(np.eye(2), -np.ones(2)).primal == 0
    assert wolfe_dual(np.zeros((2, 2)), -np.ones(2)).primal == 0


@pytest.mark.parametrize(
    "C", [np.zeros((2, 2)), np.array([[1.0, -1.0], [-1.0, 1.0]]), gram(4, 3, 3) * 0]
)
def test_contradicting_constraints_are_refused(C):
    with pytest.raises(ValueError, match="no x with C x >= b"):
        wolfe_dual(C, np.ones(len(C)))


def test_each_residual_names_its_own_violation():
    arguments = {
        "inequalities": np.array([0.0, 2.0]),
        "inequality_jacobian": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "multipliers": np.array([2.0, 0.0]),
    }
    fine = kuhn_tucker_residuals(np.array([2.0, 0.0]), **arguments)
    assert fine.largest == 0
    assert kuhn_tucker_residuals(np.array([2.0, 0.5]), **arguments).stationarity == 0.5
    outside = kuhn_tucker_residuals(
        np.array([2.0, 0.0]), **{**arguments, "inequalities": np.array([0.0, -0.25])}
    )
    assert outside.feasibility == 0.25
    pulling = kuhn_tucker_residuals(
        np.array([2.0, -1.0]), **{**arguments, "multipliers": np.array([2.0, -1.0])}
    )
    assert (pulling.sign, pulling.complementarity) == (1.0, 2.0)


def test_equalities_have_multipliers_of_any_sign():
    # Minimum norm with a.x = 1: x = a / |a|^2, and the multiplier of L = x'x/2 - mu (a.x - 1).
    a = np.array([3.0, -4.0])
    x = a / 25
    residuals = kuhn_tucker_residuals(
        x,
        equalities=np.array([a @ x - 1]),
        equality_jacobian=a[None],
        equality_multipliers=np.array([1 / 25]),
    )
    assert residuals.largest < 1e-15
    off = kuhn_tucker_residuals(
        2 * x,
        equalities=np.array([a @ (2 * x) - 1]),
        equality_jacobian=a[None],
        equality_multipliers=np.array([2 / 25]),
    )
    assert off.feasibility == pytest.approx(1.0) and off.stationarity < 1e-15


def test_incomplete_constraints_are_named():
    with pytest.raises(ValueError, match="inequalities need values, jacobian and multipliers"):
        kuhn_tucker_residuals(np.ones(2), multipliers=np.ones(2))


@given(VECTORS)
def test_multiplier_is_positive_only_where_the_constraint_is_tight(b):
    C = gram(4, 6, 5)
    assume(np.abs(b).max() > 1e-3)
    solution = wolfe_dual(C, b)
    slack = C @ solution.x - b
    scale = max(1.0, np.abs(solution.x).max())
    assert slack.min() > -1e-8 * scale
    assert np.abs(slack * solution.multipliers).max() < 1e-8 * scale**2


@pytest.mark.parametrize("part", ["gradient", "inequalities", "inequality_jacobian", "multipliers"])
def test_what_is_no_number_is_no_minimum(part):
    given = {
        "gradient": np.array([2.0]),
        "inequalities": np.array([0.0]),
        "inequality_jacobian": np.array([[1.0]]),
        "multipliers": np.array([2.0]),
    }
    assert kuhn_tucker_residuals(**given).largest == 0
    name = "gradient" if part == "gradient" else "inequalities"
    with pytest.raises(ValueError, match=f"{name} must be finite, got NaN"):
        kuhn_tucker_residuals(**{**given, part: np.full_like(given[part], np.nan)})


def test_shapes_that_do_not_agree_are_refused():
    with pytest.raises(ValueError, match=r"equalities must have values of shape \(p,\)"):
        kuhn_tucker_residuals(
            np.ones(2),
            equalities=np.zeros(1),
            equality_jacobian=np.ones((1, 3)),
            equality_multipliers=np.ones(1),
        )
