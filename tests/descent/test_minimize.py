"""Minimisers: known minima, theory on parabolas, library oracles, and stopping rules."""

import numpy as np
import pytest
from scipy import linalg, optimize

from shallows.descent import (
    STEP_RULES,
    StoppingRule,
    batches,
    coordinate_descent,
    exact_rate,
    example_order,
    minimize,
    minimize_stochastic,
    projected_gradient,
    schedule,
    start_descent,
)
from shallows.descent._optimality import kuhn_tucker_residuals

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5)) @ np.diag([1, 0.8, 0.5, 2, 1])
Y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + 0.3 * RNG.normal(size=40)
BEST = np.linalg.lstsq(X, Y, rcond=None)[0]


def error(w):
    residual = X @ w - Y
    return float(residual @ residual) / 2, X.T @ residual


def rosenbrock(w):
    return float(optimize.rosen(w)), optimize.rosen_der(w)


def never_rises(losses):
    """Up to a few units in the last place."""
    return (np.diff(losses) <= 1e-15 * np.abs(losses).max()).all()


PATIENT = StoppingRule(gradient_norm=1e-8, max_iter=5000)


@pytest.mark.parametrize("method", ["cg", "lbfgs", "newton-cg"])
def test_scipy_methods_find_the_bottom_of_the_curved_valley(method):
    found = minimize(rosenbrock, np.array([-1.2, 1.0, 0.5]), method, stopping=PATIENT)
    np.testing.assert_allclose(found.x, 1, atol=1e-6)
    assert found.stopped_by in ("gradient_norm", "precision")
    assert found.n_iter == len(found.history["loss"]) - 1 < 500
    assert found.value == found.history["loss"][-1] == optimize.rosen(found.x)
    assert found.gradient_norm == pytest.approx(np.linalg.norm(optimize.rosen_der(found.x)))


CURVATURES = np.linalg.eigvalsh(X.T @ X)
STABLE = 1 / CURVATURES[-1]


@pytest.mark.parametrize("rate", [*STEP_RULES, STABLE, schedule("constant", rate=STABLE)])
def test_steepest_descent_reaches_least_squares_with_every_step_rule(rate):
    stopping = StoppingRule(gradient_norm=1e-5, max_iter=5000)
    found = minimize(error, np.zeros(5), "gradient", rate=rate, first_rate=0.01, stopping=stopping)
    assert found.stopped_by == "gradient_norm"
    assert np.linalg.norm(found.x - BEST) <= 1.001 * 1e-5 / CURVATURES[0]
    if rate in ("exact", "backtracking", "adaptive"):
        assert never_rises(found.history["loss"])


def test_newton_cg_uses_the_product_with_the_hessian():
    calls = []

    def product(w, v):
        calls.append(v)
        return X.T @ (X @ v)

    found = minimize(error, np.zeros(5), "newton-cg", stopping=PATIENT, hessian_product=product)
    np.testing.assert_allclose(found.x, BEST, atol=1e-9)
    assert calls


@pytest.mark.parametrize("method", ["gradient", "cg", "lbfgs", "newton-cg"])
def test_start_is_not_changed_and_float32_stays_float32(method):
    start = np.zeros(5, dtype=np.float32)
    single = lambda w: (  # noqa: E731
        error(w)[0],
        (X.astype(np.float32).T @ (X.astype(np.float32) @ w - Y.astype(np.float32))),
    )
    found = minimize(single, start, method, stopping=StoppingRule(max_iter=50))
    assert found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, BEST, atol=1e-2)
    np.testing.assert_array_equal(start, 0)


def test_exact_step_contracts_the_excess_cost_by_the_bound_of_kantorovich():
    kappa = CURVATURES[-1] / CURVATURES[0]
    stopping = StoppingRule(max_iter=25)
    for seed in range(5):
        start = np.random.default_rng(seed).normal(size=5) * 10
        found = minimize(error, start, "gradient", rate="exact", first_rate=0.01, stopping=stopping)
        excess = np.array(found.history["loss"]) - error(BEST)[0]
        assert (excess[1:] <= ((kappa - 1) / (kappa + 1)) ** 2 * excess[:-1] + 1e-10).all()
        assert found.n_iter == 25


def test_exact_step_takes_the_rate_of_the_formula_and_stands_at_right_angles():
    start = start_descent(error, np.full(5, 2.0), rate=0.003)
    after = STEP_RULES["exact"](error, start)
    rate = exact_rate(start.gradient, X.T @ (X @ start.gradient))
    assert after.rate == pytest.approx(rate, rel=1e-9)
    np.testing.assert_allclose(after.x, start.x - rate * start.gradient, rtol=1e-9)
    assert abs(after.gradient @ start.gradient) < 1e-8 * (start.gradient @ start.gradient)


def test_exact_rate_at_its_borders():
    assert exact_rate(np.zeros(2), np.zeros(2)) == 0
    assert exact_rate(np.ones(2), -np.ones(2)) == np.inf


def test_exact_step_falls_back_where_the_cost_bends_down():
    wave = lambda x: (float(np.cos(x).sum()), -np.sin(x))  # noqa: E731
    stopping = StoppingRule(gradient_norm=1e-6)
    found = minimize(wave, np.array([0.3]), "gradient", rate="exact", stopping=stopping)
    assert np.cos(found.x[0]) == pytest.approx(-1)


def test_adaptive_rate_halves_on_a_rise_and_grows_on_a_fall():
    bowl = lambda x: (float(x @ x), 2 * x)  # noqa: E731
    state = start_descent(bowl, np.array([1.0]), rate=8.0)
    rates = []
    for _ in range(5):
        state = STEP_RULES["adaptive"](bowl, state)
        rates.append(state.rate)
    np.testing.assert_allclose(rates, [4.0, 2.0, 1.0, 1.1, 0.55])


def test_waypoint_takes_the_mean_of_a_zig_zag_and_shortens_the_step():
    valley = lambda x: (float(x[0] + 50 * x[1] ** 2), np.array([1.0, 100 * x[1]]))  # noqa: E731
    state = start_descent(valley, np.array([0.0, 0.5]), rate=1.0)
    places = []
    for _ in range(4):
        state = STEP_RULES["waypoint"](valley, state)
        places.append(state.x)
        assert state.rate == 1.0
    last = STEP_RULES["waypoint"](valley, state)
    step = state.x - state.gradient / np.linalg.norm(state.gradient)
    mean = np.mean([*places, step], axis=0)
    assert valley(mean)[0] < valley(step)[0]
    np.testing.assert_allclose(last.x, mean)
    assert last.rate == pytest.approx(1 / 1.5)


def test_two_gradient_paths_meet_a_schedule():
    rates = schedule("inverse_time", a=0.05, b=4.0)
    stopping = StoppingRule(max_iter=3)
    found = minimize(error, np.zeros(5), "gradient", rate=rates, stopping=stopping)
    w = np.zeros(5)
    for t in (1, 2, 3):
        w = w - 0.05 / (4 + t) * error(w)[1]
    np.testing.assert_allclose(found.x, w)


# Stopping rules


def test_loss_bound_below_the_minimum_never_fires_but_the_gradient_rule_does():
    minimum = error(BEST)[0]
    unreachable = StoppingRule(loss=minimum / 2, max_iter=300)
    assert minimize(error, np.zeros(5), stopping=unreachable).stopped_by in (
        "max_iter",
        "precision",
    )
    both = StoppingRule(loss=minimum / 2, gradient_norm=1e-6, max_iter=300)
    assert minimize(error, np.zeros(5), stopping=both).stopped_by == "gradient_norm"
    reachable = StoppingRule(loss=2 * minimum, gradient_norm=1e-6)
    found = minimize(error, np.zeros(5), stopping=reachable)
    assert found.stopped_by == "loss" and found.value <= 2 * minimum


@pytest.mark.parametrize("method", ["gradient", "cg", "lbfgs", "newton-cg"])
def test_cap_is_kept_and_reported(method):
    found = minimize(rosenbrock, np.array([-1.2, 1.0]), method, stopping=StoppingRule(max_iter=3))
    assert found.stopped_by == "max_iter" and found.n_iter == 3


def test_small_change_counts_only_over_the_whole_patience():
    rule = StoppingRule(change=0.001, patience=3)
    assert rule.met_by({"loss": [1.0, 1.0, 1.0]}, 2) is None
    assert rule.met_by({"loss": [1.0, 1.0, 1.0, 1.0005]}, 3) == "change"
    assert rule.met_by({"loss": [1.0, 1.0, 0.99, 0.99, 0.99]}, 4) is None


def test_too_small_a_rate_meets_the_change_rule_early():
    rule = StoppingRule(change=0.001, patience=5, gradient_norm=1e-6)
    found = minimize(error, np.zeros(5), "gradient", rate=1e-7, stopping=rule)
    assert found.stopped_by == "change" and found.n_iter == 5
    assert found.gradient_norm > 1


def test_mistakes_and_largest_error_are_measured():
    labels = np.sign(X[:, 0] + 0.5 * X[:, 1] + 1e-9)

    def hinge(w):
        gap = np.maximum(0, 1 - labels * (X @ w))
        return float(gap @ gap), -2 * X.T @ (labels * gap)

    measure = lambda w: {  # noqa: E731
        "mistakes": (labels * (X @ w) <= 0).sum(),
        "max_error": np.maximum(0, 1 - labels * (X @ w)).max(),
    }
    for rule in (StoppingRule(mistakes=0), StoppingRule(max_error=0.5)):
        found = minimize(hinge, np.zeros(5), stopping=rule, measure=measure)
        limit = found.stopped_by
        assert limit in ("mistakes", "max_error") and getattr(rule, limit) is not None
        assert measure(found.x)[limit] <= getattr(rule, limit)
        assert len(found.history["mistakes"]) == found.n_iter + 1


def test_optimal_start_needs_no_step():
    for method in ("gradient", "lbfgs"):
        found = minimize(error, BEST, method, stopping=StoppingRule(gradient_norm=1e-6))
        assert found.n_iter == 0 and found.stopped_by == "gradient_norm"


def test_exhausted_precision_is_reported():
    found = minimize(error, np.zeros(5), "gradient", first_rate=0.01, stopping=StoppingRule())
    assert found.stopped_by == "precision"
    np.testing.assert_allclose(found.x, BEST, atol=1e-6)


def test_mistakes_in_the_call_are_named():
    with pytest.raises(ValueError, match=r"method must be one of gradient, cg.*'bfgs'"):
        minimize(error, np.zeros(5), "bfgs")
    with pytest.raises(ValueError, match=r"rate must be one of exact.*'best'"):
        minimize(error, np.zeros(5), "gradient", rate="best")
    with pytest.raises(ValueError, match="mistakes has a limit but was not recorded"):
        minimize(error, np.zeros(5), stopping=StoppingRule(mistakes=0))


def test_divergence_ends_with_advice():
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="Lower the learning"):
        minimize(error, np.zeros(5), "gradient", rate=1.0)


# Coordinates and projections


def quadratic(n, seed):
    root = np.random.default_rng(seed).normal(size=(n, n))
    return root @ root.T + np.eye(n), np.random.default_rng(seed + 1).normal(size=n)


def test_one_sweep_of_exact_coordinate_steps_is_gauss_seidel():
    A, b = quadratic(6, 0)
    start = np.arange(6.0)
    found = coordinate_descent(
        lambda x: float(x @ A @ x / 2 - b @ x),
        lambda x, i: float(A[i] @ x - b[i]),
        start,
        rate=1 / A.diagonal(),
        stopping=StoppingRule(max_iter=1),
    )
    lower, upper = np.tril(A), np.triu(A, 1)
    np.testing.assert_allclose(
        found.x, linalg.solve_triangular(lower, b - upper @ start, lower=True)
    )
    np.testing.assert_array_equal(start, np.arange(6.0))


@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_coordinate_descent_never_raises_the_cost_and_solves_the_system(order):
    A, b = quadratic(6, 3)
    found = coordinate_descent(
        lambda x: float(x @ A @ x / 2 - b @ x),
        lambda x, i: float(A[i] @ x - b[i]),
        np.zeros(6),
        rate=1 / A.diagonal(),
        order=order,
        rng=np.random.default_rng(0),
        stopping=StoppingRule(gradient_norm=1e-10, max_iter=5000),
    )
    assert never_rises(found.history["loss"])
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), atol=1e-8)
    assert found.stopped_by == "gradient_norm"


def test_coordinate_descent_names_bad_orders():
    with pytest.raises(ValueError, match="order must be 'cyclic' or 'random', got 'best'"):
        coordinate_descent(lambda x: 0.0, lambda x, i: 0.0, np.zeros(2), rate=1.0, order="best")
    with pytest.raises(ValueError, match="needs rng"):
        coordinate_descent(lambda x: 0.0, lambda x, i: 0.0, np.zeros(2), rate=1.0, order="random")


@pytest.mark.parametrize("seed", range(5))
def test_projected_gradient_agrees_with_nnls_and_fulfils_kuhn_tucker(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, 5)), rng.normal(size=12)
    cost = lambda x: (float((A @ x - b) @ (A @ x - b)) / 2, A.T @ (A @ x - b))  # noqa: E731
    stopping = StoppingRule(gradient_norm=1e-10, max_iter=5000)
    found = projected_gradient(cost, lambda x: np.maximum(x, 0), np.ones(5), stopping=stopping)
    np.testing.assert_allclose(found.x, optimize.nnls(A, b)[0], atol=1e-8)
    assert never_rises(found.history["loss"])
    gradient = cost(found.x)[1]
    residuals = kuhn_tucker_residuals(
        gradient,
        inequalities=found.x,
        inequality_jacobian=np.eye(5),
        multipliers=np.where(found.x > 0, 0, gradient),
    )
    assert residuals.largest < 1e-8


@pytest.mark.parametrize("seed", range(5))
def test_projected_gradient_agrees_with_bounded_least_squares(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(12, 5)), 3 * rng.normal(size=12)
    cost = lambda x: (float((A @ x - b) @ (A @ x - b)) / 2, A.T @ (A @ x - b))  # noqa: E731
    stopping = StoppingRule(gradient_norm=1e-10, max_iter=5000)
    found = projected_gradient(cost, lambda x: np.clip(x, -0.3, 0.4), np.ones(5), stopping=stopping)
    expected = optimize.lsq_linear(A, b, bounds=(-0.3, 0.4), method="bvls")
    np.testing.assert_allclose(found.x, expected.x, atol=1e-8)
    assert found.value == pytest.approx(expected.cost)


# Stochastic descent


def mean_error(w, indices):
    residual = X[indices] @ w - Y[indices]
    return float(residual @ residual) / 2 / len(indices), X[indices].T @ residual / len(indices)


def test_orders_of_examples():
    rng = np.random.default_rng(0)
    assert sorted(example_order(50, rng)) == list(range(50))
    assert example_order(50, rng).tolist() != example_order(50, rng).tolist()
    assert example_order(5, rng, "cyclic").tolist() == [0, 1, 2, 3, 4]
    drawn = example_order(10**5, rng, "replacement")
    share = len(np.unique(drawn)) / 10**5
    # Standard deviation of the share is below 0.001: 1 - 1/e within five of them.
    assert share == pytest.approx(1 - np.exp(-1), abs=0.005)
    with pytest.raises(ValueError, match=r"order must be .* got 'sorted'"):
        example_order(5, rng, "sorted")


def test_batches_cover_the_epoch_and_the_last_may_be_short():
    parts = list(batches(10, 4, np.random.default_rng(0)))
    assert [len(part) for part in parts] == [4, 4, 2]
    assert sorted(np.concatenate(parts)) == list(range(10))
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        list(batches(10, 0, np.random.default_rng(0)))


def test_mean_update_over_examples_is_the_batch_update_exactly():
    w, rate = np.ones(5), 0.1
    single = [
        minimize_stochastic(
            lambda x, _, i=i: mean_error(x, np.array([i])),
            w,
            1,
            rng=np.random.default_rng(0),
            rate=rate,
            stopping=StoppingRule(max_iter=1),
        ).x
        - w
        for i in range(len(X))
    ]
    full = -rate * mean_error(w, np.arange(len(X)))[1]
    np.testing.assert_allclose(np.mean(single, axis=0), full, atol=1e-14)


def test_full_batches_are_batch_descent():
    stochastic = minimize_stochastic(
        mean_error,
        np.zeros(5),
        len(X),
        rng=np.random.default_rng(0),
        rate=0.1,
        batch_size=len(X),
        stopping=StoppingRule(max_iter=20),
    )
    whole = minimize(
        lambda w: mean_error(w, np.arange(len(X))),
        np.zeros(5),
        "gradient",
        rate=0.1,
        stopping=StoppingRule(max_iter=20),
    )
    np.testing.assert_allclose(stochastic.x, whole.x, rtol=1e-12)
    np.testing.assert_allclose(stochastic.history["loss"], whole.history["loss"][:-1])


def test_updates_at_the_minimum_have_mean_zero_and_the_variance_of_theory():
    rate, n = 0.05, len(X)
    each = np.array([mean_error(BEST, np.array([i]))[1] for i in range(n)])
    expected = rate**2 * (each**2).sum() / n
    rng = np.random.default_rng(1)
    moves = np.array(
        [
            minimize_stochastic(
                mean_error,
                BEST,
                n,
                rng=rng,
                rate=lambda t: rate * (t == 1),
                order="replacement",
                stopping=StoppingRule(max_iter=1),
            ).x
            - BEST
            for _ in range(600)
        ]
    )
    sizes = (moves**2).sum(axis=1)
    # Five standard errors: error probability below 1e-6.
    assert abs(sizes.mean() - expected) < 5 * sizes.std() / np.sqrt(len(sizes))
    assert (np.abs(moves.mean(axis=0)) < 5 * moves.std(axis=0) / np.sqrt(len(moves))).all()


def test_averaged_iterates_are_closer_to_the_minimum():
    distances = []
    for seed in range(20):
        found = minimize_stochastic(
            mean_error,
            BEST,
            len(X),
            rng=np.random.default_rng(seed),
            rate=0.05,
            order="replacement",
            average=300,
            stopping=StoppingRule(max_iter=10),
        )
        distances.append([np.linalg.norm(found.x - BEST), np.linalg.norm(found.average - BEST)])
    last, averaged = np.mean(distances, axis=0)
    assert averaged < 0.6 * last


def test_average_zero_averages_all_places():
    found = minimize_stochastic(
        lambda x, i: (0.0, -np.ones(1)),
        np.zeros(1),
        4,
        rng=np.random.default_rng(0),
        rate=1.0,
        average=0,
        stopping=StoppingRule(max_iter=1),
    )
    assert (found.x[0], found.average[0]) == (4.0, 2.5)


@pytest.mark.parametrize("order", ["permutation", "replacement", "cyclic"])
def test_decaying_rates_converge_in_every_order(order):
    found = minimize_stochastic(
        mean_error,
        np.zeros(5),
        len(X),
        rng=np.random.default_rng(0),
        rate=schedule("inverse_time", a=4.0, b=30.0),
        order=order,
        stopping=StoppingRule(max_iter=150),
    )
    np.testing.assert_allclose(found.x, BEST, atol=0.05)
    assert found.stopped_by == "max_iter" and found.n_iter == 150


def test_optimizer_settings_arrive_and_unknown_names_are_refused():
    arguments = {"rng": np.random.default_rng(0), "rate": 0.01, "order": "cyclic"}
    plain = minimize_stochastic(mean_error, np.zeros(5), 40, **arguments)
    damped = minimize_stochastic(
        mean_error, np.zeros(5), 40, optimizer="momentum", settings={"momentum": 0.0}, **arguments
    )
    np.testing.assert_allclose(damped.x, plain.x, atol=1e-14)
    with pytest.raises(ValueError, match=r"optimizer must be one of gradient.*'sgd'"):
        minimize_stochastic(mean_error, np.zeros(5), 40, optimizer="sgd", **arguments)
