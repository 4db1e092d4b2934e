"""The perceptron convergence theorem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shallows.theory import convergence_trace, mistake_bound, norm_envelopes

SQUARE = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])


def separable(seed, P=30, N=4, margin=0.05):
    rng = np.random.default_rng(seed)
    teacher = rng.standard_normal(N)
    X = rng.standard_normal((4 * P, N))
    fields = X @ teacher / np.linalg.norm(teacher)
    X, fields = X[np.abs(fields) > margin][:P], fields[np.abs(fields) > margin][:P]
    return X, np.sign(fields), teacher


def test_gates():
    assert mistake_bound(SQUARE, [-1, -1, -1, 1]) == pytest.approx(51, abs=1e-9)
    assert mistake_bound(SQUARE, [-1, 1, 1, 1]) == pytest.approx(27, abs=1e-9)
    assert mistake_bound(SQUARE, [-1, -1, -1, 1], [-3, 2, 2]) == pytest.approx(51, abs=1e-9)


def test_zero_start_is_the_formula_in_print():
    X, y, teacher = separable(0)
    delta, epsilon = (y * (X @ teacher)).min(), (X**2).sum(1).max()
    length, n = teacher @ teacher, X.shape[1]
    assert mistake_bound(X, y, teacher) == pytest.approx(epsilon * length / delta**2)
    assert mistake_bound(X, y, 7 * teacher) == pytest.approx(epsilon * length / delta**2)
    scaled = teacher / delta  # all local potentials are at least c = 1
    physics = (2 * 1 + epsilon / n) * n * (scaled @ scaled)
    assert mistake_bound(X, y, scaled, c=1, eta=1 / n) == pytest.approx(physics)


def test_most_stable_solution_gives_the_smallest_bound():
    X, y, teacher = separable(1)
    assert mistake_bound(X, y) <= mistake_bound(X, y, teacher)
    rng = np.random.default_rng(2)
    others = [teacher + 0.02 * rng.standard_normal(4) for _ in range(50)]
    solving = [w for w in others if (y * (X @ w)).min() > 0]
    assert len(solving) > 5
    assert all(mistake_bound(X, y) <= mistake_bound(X, y, w) for w in solving)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    c=st.sampled_from([0.0, 1.0]),
    eta=st.sampled_from([0.25, 1.0]),
    start=st.sampled_from([0.0, 3.0]),
)
def test_no_run_leaves_the_envelopes(seed, c, eta, start):
    X, y, teacher = separable(seed, margin=0.3)
    w0 = start * np.random.default_rng(seed).standard_normal(4)
    trace = convergence_trace(X, y, teacher, c=c, w0=w0, eta=eta)
    assert (y * (X @ trace.weights[-1]) > c).all()
    assert trace.M[-1] <= trace.bound * (1 + 1e-9)
    slack = 1e-9 * (1 + np.abs(trace.Q))
    assert (trace.envelopes.overlap - slack <= trace.R).all()
    assert (trace.envelopes.lower - slack <= trace.Q).all()
    assert (trace.envelopes.upper + slack >= trace.Q).all()
    assert (trace.Q * (teacher @ teacher) + slack >= trace.R**2).all()


def test_envelopes_cross_at_the_bound():
    X, y, _ = separable(3)
    bound = mistake_bound(X, y, c=0.5, w0=[1, 2, 0, -1], eta=0.5)
    envelopes = norm_envelopes(X, y, n_updates=int(bound) + 1, c=0.5, w0=[1, 2, 0, -1], eta=0.5)
    assert envelopes.lower[-2] <= envelopes.upper[-2]
    assert envelopes.lower[-1] > envelopes.upper[-1]


def test_xor_and_wrong_solutions_are_refused():
    with pytest.raises(ValueError, match="no hyperplane through the origin"):
        mistake_bound(SQUARE, [-1, 1, 1, -1])
    with pytest.raises(ValueError, match="w_star that separates"):
        norm_envelopes(SQUARE, [-1, -1, -1, 1], [1, 1, 1], n_updates=3)
    with pytest.raises(ValueError, match="y must be 4 values"):
        convergence_trace(SQUARE, [0, 0, 0, 1])
    with pytest.raises(ValueError, match=r"w0 must have shape \(3,\)"):
        mistake_bound(SQUARE, [-1, -1, -1, 1], w0=[0, 0])
    with pytest.raises(ValueError, match="X must be a finite array"):
        mistake_bound(np.zeros((0, 3)), [])


@pytest.mark.parametrize("bound", [mistake_bound, convergence_trace])
@pytest.mark.parametrize("name", ["w0", "w_star"])
def test_vectors_that_are_no_numbers_are_refused(bound, name):
    with pytest.raises(ValueError, match=rf"{bound.__name__}: {name} must .* finite values"):
        bound(SQUARE, [-1, -1, -1, 1], **{name: [np.nan, 0, 0]})


def test_a_wrong_solution_is_not_said_to_be_the_only_one():
    with pytest.raises(ValueError, match="Leave w_star out") as caught:
        mistake_bound(SQUARE, [-1, -1, -1, 1], [1, 1, 1])
    assert "no hyperplane" not in str(caught.value)
