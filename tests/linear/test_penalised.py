"""Bayesian, polynomial, Minkowski, total least squares and general losses against oracles."""

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.stats import multivariate_normal
from sklearn.linear_model import BayesianRidge, ElasticNet, HuberRegressor, Lasso

from shallows.data import curve_fitting
from shallows.linear import (
    BasisExpansion,
    BayesianLinear,
    LinearRegression,
    MinkowskiRegression,
    PolynomialRegression,
    Ridge,
    RiskMinimizer,
    TotalLeastSquares,
    roughness_matrix,
)
from shallows.linear._coordinates import descend
from shallows.linear._reweighted import Reweighted

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4)) + 1.0
Y = X @ np.array([1.0, -2.0, 0.0, 0.5]) + 0.5 * RNG.normal(size=50) + 3.0


def test_posterior_from_its_definition():
    sigma, gamma = 0.7, 2.0
    model = BayesianLinear(sigma=sigma, gamma=gamma, fit_intercept=False).fit(X, Y)
    A = X.T @ X / sigma**2 + gamma * np.eye(4)
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(A), rtol=1e-9)
    np.testing.assert_allclose(model.coef_, np.linalg.solve(A, X.T @ Y) / sigma**2, rtol=1e-9)
    np.testing.assert_allclose(
        model.coef_, Ridge(sigma**2 * gamma, fit_intercept=False).fit(X, Y).coef_, rtol=1e-9
    )
    fresh = RNG.normal(size=(3, 4))
    _, std = model.predict(fresh, return_std=True)
    variance = sigma**2 + np.einsum("ij,jk,ik->i", fresh, np.linalg.inv(A), fresh)
    np.testing.assert_allclose(std, np.sqrt(variance), rtol=1e-9)
    marginal = multivariate_normal(np.zeros(50), sigma**2 * np.eye(50) + X @ X.T / gamma)
    assert model.log_evidence_ == pytest.approx(marginal.logpdf(Y), rel=1e-9)


def test_evidence_with_an_offset_of_flat_prior():
    sigma, gamma = 0.7, 2.0
    model = BayesianLinear(sigma=sigma, gamma=gamma).fit(X, Y)
    covariance = sigma**2 * np.eye(50) + X @ X.T / gamma

    def density(offset):
        return np.exp(multivariate_normal(np.full(50, offset), covariance).logpdf(Y) + 60)

    total, _ = integrate.quad(density, -5, 12)
    assert model.log_evidence_ == pytest.approx(np.log(total) - 60, rel=1e-7)
    wide = sigma**2 * np.eye(50) + X @ X.T / gamma + 1e6
    ones = np.linalg.solve(wide, np.ones(50))
    assert model.intercept_ == pytest.approx(1e6 * ones @ Y, rel=1e-4)


def test_evidence_is_maximised_as_scikit_learn_does():
    # With an offset scikit-learn forgets that it takes one degree of freedom
    options = {"max_iter": 1000, "fit_intercept": False}
    model = BayesianLinear(tol=1e-13, **options).fit(X, Y)
    free = dict.fromkeys(["alpha_1", "alpha_2", "lambda_1", "lambda_2"], 0.0)
    theirs = BayesianRidge(tol=1e-10, **free, **options).fit(X, Y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-5)
    assert model.sigma_ == pytest.approx(theirs.alpha_**-0.5, rel=1e-5)
    model = BayesianLinear(max_iter=1000, tol=1e-13).fit(X, Y)
    found = optimize.minimize(
        lambda p: -BayesianLinear(sigma=np.exp(p[0]), gamma=np.exp(p[1])).fit(X, Y).log_evidence_,
        np.zeros(2),
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-10},
    )
    assert model.sigma_ == pytest.approx(np.exp(found.x[0]), rel=1e-3)
    assert model.gamma_ == pytest.approx(np.exp(found.x[1]), rel=1e-3)
    losses = model.history_["loss"]
    assert losses[-1] <= losses[0] and 0 < model.effective_parameters_ < 4


def test_bayes_refuses_what_it_can_not_estimate():
    with pytest.raises(ValueError, match="n_samples=1"):
        BayesianLinear().fit([[1.0]], [1.0])
    with pytest.raises(ValueError, match="sigma must be float in"):
        BayesianLinear(sigma=-1.0).fit(X, Y)


def test_polynomials_against_numpy_and_the_printed_table():
    x, y = curve_fitting()
    for degree in range(9):
        model = PolynomialRegression(degree).fit(x[:, None], y)
        weights = np.append(model.intercept_, model.coef_.ravel())
        truth = np.polynomial.Polynomial.fit(x, y, degree).convert(domain=[-1, 1]).coef
        np.testing.assert_allclose(weights, truth, rtol=1e-6, atol=1e-8)
    nine = PolynomialRegression(9).fit(x[:, None], y)
    np.testing.assert_allclose(nine.predict(x[:, None]), y, atol=1e-9)
    assert nine.coef_[0, 3] == pytest.approx(-231639.30, rel=1e-6)


def test_polynomials_of_several_inputs_add_up():
    model = PolynomialRegression(2).fit(X[:, :2], Y)
    design = np.hstack([X[:, :2], X[:, :2] ** 2])
    other = LinearRegression().fit(design, Y)
    np.testing.assert_allclose(model.predict(X[:, :2]), other.predict(design), rtol=1e-9)


def test_roughness_is_the_integral():
    theta = RNG.normal(size=6)
    second = np.polynomial.Polynomial(theta).deriv(2)
    truth, _ = integrate.quad(lambda t: second(t) ** 2, -1, 2)
    assert theta @ roughness_matrix(5, (-1.0, 2.0)) @ theta == pytest.approx(truth)
    x, y = curve_fitting()
    model = PolynomialRegression(6, penalty="roughness", alpha=1e-3).fit(x[:, None], y)
    design = np.vander(x, 7, increasing=True)
    matrix = design.T @ design / 10 + 1e-3 * roughness_matrix(6)
    truth = np.linalg.solve(matrix, design.T @ y / 10)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), truth, rtol=1e-6)
    with pytest.raises(ValueError, match="interval must be"):
        PolynomialRegression(3, penalty="roughness", alpha=1.0, interval=(1.0, 0.0)).fit(X, Y)


def test_weight_penalty_of_polynomials_is_the_mean_form():
    x, y = curve_fitting()
    model = PolynomialRegression(4, penalty="ridge", alpha=0.01).fit(x[:, None], y)
    powers = x[:, None] ** np.arange(1, 5)
    truth = Ridge(0.01, scaling="mean").fit(powers, y)
    np.testing.assert_allclose(model.coef_[0], truth.coef_, rtol=1e-8)


@pytest.mark.parametrize("r", [1.2, 1.5, 2.0, 3.0, 8.0])
def test_minkowski_against_a_general_minimiser(r):
    model = MinkowskiRegression(r).fit(X, Y)
    design = np.column_stack([X, np.ones(50)])

    def cost(w):
        error = design @ w - Y
        slope = r * np.abs(error) ** (r - 1) * np.sign(error)
        return (np.abs(error) ** r).sum(), design.T @ slope

    found = optimize.minimize(
        cost,
        np.append(model.coef_, model.intercept_) + 0.01,
        jac=True,
        method="BFGS",
        options={"gtol": 1e-9},
    )
    place = np.append(model.coef_, model.intercept_)
    assert cost(place)[0] <= found.fun * (1 + 1e-8)
    np.testing.assert_allclose(place, found.x, atol=2e-4)
    assert (np.diff(model.history_["loss"]) <= 1e-12).all()


@pytest.mark.parametrize(("r", "most"), [(1.2, 15), (1.5, 8), (4.0, 15)])
def test_minkowski_takes_few_steps(r, most):
    assert MinkowskiRegression(r).fit(X, Y).n_iter_ <= most


def test_minkowski_from_median_to_midrange():
    y = np.array([0.0, 1.0, 2.0, 10.0, 30.0])[:, None]
    flat = np.zeros((5, 1))
    assert MinkowskiRegression(1.0).fit(flat, y[:, 0]).intercept_ == pytest.approx(2.0, abs=1e-3)
    assert MinkowskiRegression(2.0).fit(flat, y[:, 0]).intercept_ == pytest.approx(8.6)
    assert MinkowskiRegression(100.0, max_iter=5000).fit(flat, y[:, 0]).intercept_ == pytest.approx(
        15.0, abs=0.3
    )


def test_total_least_squares_minimises_distances_to_the_plane():
    model = TotalLeastSquares().fit(X, Y)

    def distance(w):
        error = X @ w[:-1] + w[-1] - Y
        return error @ error / (1 + w[:-1] @ w[:-1])

    found = optimize.minimize(distance, np.append(model.coef_, model.intercept_) + 0.05)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), found.x, atol=1e-4)
    assert distance(np.append(model.coef_, model.intercept_)) == pytest.approx(
        model.singular_values_[-1] ** 2
    )


def test_total_least_squares_is_right_where_inputs_are_noisy():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(20_000, 1))
    y = 2 * x[:, 0] + 0.5 * rng.normal(size=20_000)
    noisy = x + 0.5 * rng.normal(size=x.shape)
    assert TotalLeastSquares().fit(noisy, y).coef_[0] == pytest.approx(2.0, abs=0.05)
    assert LinearRegression().fit(noisy, y).coef_[0] == pytest.approx(1.6, abs=0.05)


def test_total_least_squares_of_several_targets_and_of_no_function():
    both = TotalLeastSquares().fit(X, np.column_stack([Y, X @ np.ones(4)]))
    np.testing.assert_allclose(both.coef_[1], np.ones(4), atol=1e-1)
    with pytest.raises(ValueError, match="no plane that is a function of X"):
        TotalLeastSquares().fit(np.column_stack([X, np.ones(50)]), Y)


def test_risk_of_squares_is_ridge_and_lasso():
    ridge = RiskMinimizer(strength=0.3, tol=1e-9).fit(X, Y)
    truth = Ridge(0.3, scaling="mean").fit(X, Y)
    np.testing.assert_allclose(ridge.coef_, truth.coef_, atol=1e-6)
    lasso = RiskMinimizer("half_squared", penalty="l1", strength=0.4, tol=1e-9).fit(X, Y)
    theirs = Lasso(alpha=0.4, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(lasso.coef_, theirs.coef_, atol=1e-5)
    assert (lasso.coef_ == 0).sum() == (theirs.coef_ == 0).sum() > 0
    assert ElasticNet(alpha=0.4, l1_ratio=1.0, tol=1e-12).fit(X, Y).coef_ == pytest.approx(
        lasso.coef_, abs=1e-5
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("loss", "factor"), [("squared", 1.0), ("half_squared", 0.5)])
def test_products_give_the_lasso_that_a_loss_of_its_own_gives(loss, factor, fit_intercept):
    own = (lambda p, t: factor * (p - t) ** 2), (lambda p, t: 2 * factor * (p - t))
    options = {"penalty": "l1", "strength": 0.2, "fit_intercept": fit_intercept, "tol": 1e-9}
    weights = np.random.default_rng(5).random(50)
    quick = RiskMinimizer(loss, **options).fit(X + 5, Y, sample_weight=weights)
    plain = RiskMinimizer(own, **options).fit(X + 5, Y, sample_weight=weights)
    np.testing.assert_allclose(quick.coef_, plain.coef_, atol=1e-6)
    assert quick.intercept_ == pytest.approx(plain.intercept_, abs=1e-5)
    assert quick.history_["loss"][-1] == pytest.approx(plain.history_["loss"][-1])


@pytest.mark.kernel
def test_coordinates_lower_the_cost_of_the_lasso_to_its_minimum():
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(200, 30)) @ rng.normal(size=(30, 30))
    y = wide[:, :3].sum(axis=1) + rng.normal(size=200)
    model = RiskMinimizer("half_squared", penalty="l1", strength=0.3, tol=1e-9).fit(wide, y)
    peer = Lasso(0.3, tol=1e-12, max_iter=100_000).fit(wide, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-6)
    assert 0 < np.count_nonzero(model.coef_) < 30
    assert (np.diff(model.history_["loss"]) <= 1e-12).all()
    errors = y - model.predict(wide)
    cost = np.mean(errors**2) / 2 + 0.3 * np.abs(model.coef_).sum()
    assert model.history_["loss"][-1] == pytest.approx(cost)
    twins = np.hstack([wide, wide + 1e-5 * rng.normal(size=wide.shape)])  # too slow by coordinates
    model = RiskMinimizer("half_squared", penalty="l1", strength=0.3, max_iter=200).fit(twins, y)
    errors = y - model.predict(twins)
    assert np.mean(errors**2) / 2 + 0.3 * np.abs(model.coef_).sum() < cost + 1e-4


@pytest.mark.kernel
def test_a_coefficient_at_zero_is_no_optimum_once_others_have_moved():
    """The first sweep leaves the first coefficient at zero, the second makes it positive."""
    square, inner = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([0.5, 2.0])
    coef, costs = np.zeros(2), np.empty(1)
    assert descend(square, inner, 1.0, 1e-12, coef, costs) == (1, pytest.approx(0.4))
    coef, costs = np.zeros(2), np.empty(1000)
    n_sweeps, violation = descend(square, inner, 1.0, 1e-12, coef, costs)
    assert 1 < n_sweeps < 1000 and violation <= 1e-12
    np.testing.assert_allclose(coef, np.linalg.solve(square, inner - 1.0), rtol=1e-9)


def test_risk_limits():
    plain = RiskMinimizer(penalty=None, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(plain.coef_, LinearRegression().fit(X, Y).coef_, atol=1e-6)
    stiff = RiskMinimizer(strength=1e8).fit(X, Y)
    assert np.abs(stiff.coef_).max() < 1e-6 and stiff.intercept_ == pytest.approx(
        Y.mean(), rel=1e-3
    )


def test_one_huge_target_moves_least_squares_but_not_huber():
    spoiled = Y.copy()
    spoiled[0] = 1e6
    clean = RiskMinimizer("huber").fit(X, Y)
    robust = RiskMinimizer("huber").fit(X, spoiled)
    assert np.abs(robust.coef_ - clean.coef_).max() < 0.2
    assert np.abs(LinearRegression().fit(X, spoiled).coef_ - clean.coef_).max() > 100
    assert HuberRegressor().fit(X, spoiled).coef_ == pytest.approx(robust.coef_, abs=0.3)


def test_margin_losses_need_signs():
    labels = np.sign(Y - np.median(Y))
    model = RiskMinimizer("logistic_loss", strength=1e-3).fit(X, labels)
    assert np.mean(np.sign(model.predict(X)) == labels) > 0.9
    with pytest.raises(ValueError, match="needs targets -1 and \\+1"):
        RiskMinimizer("hinge").fit(X, Y)


def test_basis_expansion():
    model = BasisExpansion(["identity", "square", "products", "norm", np.cos]).fit(X)
    features = model.transform(X)
    np.testing.assert_array_equal(BasisExpansion(model.functions).fit_transform(X), features)
    assert features.shape == (50, 4 + 4 + 6 + 1 + 4) and model.n_features_out_ == 19
    np.testing.assert_allclose(features[:, 8], X[:, 0] * X[:, 1])
    np.testing.assert_allclose(features[:, 14], np.linalg.norm(X, axis=1))
    cubic = LinearRegression().fit(
        BasisExpansion(["identity", "square", "cube"]).fit_transform(X[:, :1]),
        1 - X[:, 0] + 2 * X[:, 0] ** 3,
    )
    np.testing.assert_allclose(cubic.coef_, [-1, 0, 2], atol=1e-9)
    with pytest.raises(ValueError, match="function log is not defined"):
        BasisExpansion(["log"]).fit(-np.abs(X))
    with pytest.raises(ValueError, match="got 'spline'"):
        BasisExpansion(["spline"]).fit(X)
    with pytest.raises(ValueError, match="at least one"):
        BasisExpansion([]).fit(X)
    with pytest.raises(ValueError, match="must return one row for each"):
        BasisExpansion([lambda X: X.sum()]).fit(X)


@pytest.mark.parametrize("kept", [0, 2**18])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n", [5, 40])
def test_reweighted_least_squares_are_those_of_lapack(monkeypatch, kept, fit_intercept, n):
    monkeypatch.setattr("shallows.linear._reweighted.KEPT", kept)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 6)) + 1e4, rng.normal(size=n)
    data = Reweighted(X, y, fit_intercept)
    for _ in range(3):
        weights = rng.random(n)
        coef, offset = data.solve(weights)
        rows = np.hstack([X, np.full((n, int(fit_intercept)), 1.0)])
        roots = np.sqrt(weights)
        fitted = rows @ np.linalg.lstsq(rows * roots[:, None], y * roots)[0]
        np.testing.assert_allclose(X @ coef + offset, fitted, atol=1e-6)
