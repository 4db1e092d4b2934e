"""Power costs against finite differences, another optimiser, and known values."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from shallows.perceptron import PowerCostPerceptron, power_cost, separability


def noisy_data(seed, P=60, N=4, flip=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(P, N))
    S = np.sign(X @ rng.normal(size=N) + 0.3)
    S[rng.random(P) < flip] *= -1
    return X, S


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
def test_minimum_is_that_of_another_optimiser(power):
    X, S = noisy_data(0)
    model = PowerCostPerceptron(power).fit(X, S)

    def cost(w):
        return power_cost(w[:-1], X, S, power, 1.0, w[-1]) / len(X)

    start = np.append(model.coef_[0], model.intercept_)
    peer = minimize(cost, np.zeros(5), method="Powell", options={"maxiter": 10**4, "xtol": 1e-9})
    assert model.costs_[0] == pytest.approx(cost(start), rel=1e-9)
    assert model.costs_[0] <= peer.fun * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_linear_program_has_no_cost_exactly_where_data_are_separable(seed):
    rng = np.random.default_rng(seed)
    X, S = rng.normal(size=(20, 9)), rng.choice([-1.0, 1.0], size=20)
    model = PowerCostPerceptron(1).fit(X, S)
    separable = separability(X, S).separable
    assert (model.costs_[0] < 1e-9) == separable
    assert (model.score(X, S) == 1) >= separable


def test_cost_is_zero_where_all_potentials_reach_the_margin():
    X, S = noisy_data(1, flip=0)
    model = PowerCostPerceptron(2, margin=0.5, tol=1e-12).fit(X, S)
    assert (S * model.decision_function(X)).min() > 0.5 - 1e-3
    coef, intercept = model.coef_[0], model.intercept_[0]
    assert power_cost(2 * coef, X, S, c=0.5, intercept=2 * intercept) == 0


def test_known_costs():
    X, y = [[1.0], [-1], [3], [0]], [1, 1, -1, 1]
    assert power_cost([1], X, y, k=0, c=0) == 3
    assert power_cost([1], X, y, k=1, c=0) == 1 + 3
    assert power_cost([1], X, y, k=1, c=1) == 0 + 2 + 4 + 1
    assert power_cost([1], X, y, k=2, c=1) == 4 + 16 + 1
    with pytest.raises(ValueError, match="k must be"):
        power_cost([1], X, y, k=-1)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_sparse_equals_dense(power):
    X, y = load_iris(return_X_y=True)
    model = PowerCostPerceptron(power)
    dense = model.fit(X, y == 2).costs_
    np.testing.assert_allclose(model.fit(csr_matrix(X), y == 2).costs_, dense, rtol=1e-5)


def test_few_iterations_warn():
    X, S = noisy_data(2)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        PowerCostPerceptron(max_iter=2).fit(X, S)
