"""What `linear` has under scikit-learn's names, against scikit-learn and the theory."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import csr_array
from sklearn import linear_model
from sklearn.datasets import load_diabetes

from shallows.linear import BayesianRidge, LinearRegression, Ridge, RidgeCV

X, Y = load_diabetes(return_X_y=True)
TWO = np.column_stack([Y, X[:, 2] ** 2 * 1e4 + Y])


def test_positive_weights_meet_the_conditions_of_optimality():
    weights = np.random.default_rng(0).uniform(0.5, 2, len(Y))
    model = LinearRegression(positive=True).fit(X, Y, sample_weight=weights)
    slope = X.T @ (weights * (model.predict(X) - Y))
    assert (model.coef_ >= 0).all() and (model.coef_ == 0).any()
    np.testing.assert_allclose(slope[model.coef_ > 0], 0, atol=1e-8)
    assert (slope[model.coef_ == 0] > 0).all()
    assert abs(np.sum(weights * (model.predict(X) - Y))) < 1e-7


def test_positive_weights_are_those_of_scipy():
    model = LinearRegression(positive=True, fit_intercept=False).fit(X[:8], TWO[:8])
    for coef, target in zip(model.coef_, TWO[:8].T, strict=True):
        np.testing.assert_allclose(coef, nnls(X[:8], target)[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("alpha", [0.1, [0.01, 5.0]])
def test_positive_ridge_is_scikit_learns(alpha):
    options = {"alpha": alpha, "positive": True}
    ours = Ridge(**options).fit(X, TWO)
    theirs = linear_model.Ridge(**options, tol=1e-12).fit(X, TWO)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-2)
    assert ours.solver_ == "lbfgs"


def test_what_does_not_go_with_positive_weights_is_refused():
    with pytest.raises(ValueError, match="only when positive=True"):
        Ridge(solver="lbfgs").fit(X, Y)
    with pytest.raises(ValueError, match="does not support positive=True"):
        Ridge(solver="svd", positive=True).fit(X, Y)
    with pytest.raises(ValueError, match="given penalties"):
        Ridge("loo", positive=True).fit(X, Y)
    with pytest.raises(TypeError, match="sparse"):
        LinearRegression(positive=True).fit(csr_array(X), Y)
    assert not hasattr(LinearRegression(positive=True), "partial_fit")


@pytest.mark.parametrize("options", [{}, {"alpha_per_target": True}, {"scoring": "r2"}, {"cv": 3}])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_ridge_cv_is_scikit_learns(options, form):
    alphas = [1e-3, 0.1, 1.0, 10.0]
    ours = RidgeCV(alphas, **options).fit(form(X), TWO)
    theirs = linear_model.RidgeCV(alphas, **options).fit(X, TWO)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-7)


def test_errors_of_samples_left_out_are_those_of_refits():
    weights = np.random.default_rng(0).uniform(0.5, 3, 40)
    model = RidgeCV([0.1, 1.0], store_cv_results=True)
    model.fit(X[:40], Y[:40], sample_weight=weights)
    for i in (0, 7, 39):
        rest = np.arange(40) != i
        for k, alpha in enumerate((0.1, 1.0)):
            refit = linear_model.Ridge(alpha).fit(X[:40][rest], Y[:40][rest], weights[rest])
            error = weights[i] * (Y[i] - refit.predict(X[i : i + 1])[0]) ** 2
            assert model.cv_results_[i, k] == pytest.approx(error, rel=1e-9)


def test_ridge_cv_says_what_does_not_go_together():
    with pytest.raises(ValueError, match="incompatible"):
        RidgeCV(cv=3, store_cv_results=True).fit(X, Y)
    with pytest.raises(ValueError, match="must be > 0"):
        RidgeCV([0.0, 1.0]).fit(X, Y)


@pytest.mark.parametrize("rows", [6, len(Y)])
@pytest.mark.parametrize("intercept", [True, False])
def test_bayesian_ridge_is_scikit_learns(rows, intercept):
    options = {"compute_score": True, "fit_intercept": intercept, "alpha_1": 1e-3}
    ours = BayesianRidge(**options).fit(X[:rows], Y[:rows])
    theirs = linear_model.BayesianRidge(**options).fit(X[:rows], Y[:rows])
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("coef_", "intercept_", "alpha_", "lambda_", "sigma_", "scores_", "X_offset_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8)
    found, wanted = (model.predict(X[-3:], return_std=True) for model in (ours, theirs))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_bayesian_ridge_weighs_samples():
    weights = np.random.default_rng(0).integers(1, 4, len(Y))
    weighted = BayesianRidge().fit(X, Y, sample_weight=weights)
    repeated = BayesianRidge().fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
