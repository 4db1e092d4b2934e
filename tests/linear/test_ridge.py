"""Ridge against its normal equations, scikit-learn, and brute-force leave-one-out."""

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeCV

from shallows.linear import Ridge, RidgePath, ridge_path

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(60, 5)) @ RNG.normal(size=(5, 5)) + 2.0
WIDE = RNG.normal(size=(20, 40)) + 1.0
ALPHAS = np.logspace(-4, 4, 17)


def targets(X, k=2):
    rng = np.random.default_rng(1)
    return X @ rng.normal(size=(X.shape[1], k)) + rng.normal(size=(len(X), k)) + 10.0


def brute_force(X, y, alpha, fit_intercept=True):
    errors = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        model = SklearnRidge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X[rest], y[rest])
        errors.append(y[i] - model.predict(X[i : i + 1])[0])
    return float(np.sum(np.square(errors)) / len(X))


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-8, 0.3, 100.0])
def test_agrees_with_scikit_learn(X, intercept, alpha):
    y, weights = targets(X), np.random.default_rng(2).random(len(X)) + 0.1
    for given_weights in (None, weights):
        ours = Ridge(alpha, fit_intercept=intercept).fit(X, y, sample_weight=given_weights)
        theirs = SklearnRidge(alpha, fit_intercept=intercept, solver="svd")
        theirs.fit(X, y, sample_weight=given_weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-8)
        sparse = Ridge(alpha, fit_intercept=intercept).fit(csr_array(X), y, given_weights)
        np.testing.assert_allclose(sparse.coef_, ours.coef_, rtol=1e-6, atol=1e-9)


def test_closed_form_of_both_conventions():
    y = targets(TALL, 1)[:, 0]
    for scaling, factor in (("sum", 1), ("mean", 60)):
        model = Ridge(0.3, scaling=scaling, fit_intercept=False).fit(TALL, y)
        truth = np.linalg.solve(TALL.T @ TALL + 0.3 * factor * np.eye(5), TALL.T @ y)
        np.testing.assert_allclose(model.coef_, truth, rtol=1e-10)


def test_offset_as_a_penalised_column():
    y = targets(TALL, 1)[:, 0]
    model = Ridge(0.3, penalize_intercept=True).fit(TALL, y)
    design = np.column_stack([TALL, np.ones(60)])
    truth = np.linalg.solve(design.T @ design + 0.3 * np.eye(6), design.T @ y)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), truth, rtol=1e-9)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out_equals_brute_force(X, intercept):
    y = targets(X)
    path = ridge_path(X, y, ALPHAS[4:], fit_intercept=intercept)
    assert isinstance(path, RidgePath)
    for k, alpha in enumerate(ALPHAS[4:]):
        assert path.loo[k] == pytest.approx(brute_force(X, y, alpha, intercept), rel=1e-7)
        single = Ridge(alpha, fit_intercept=intercept).fit(X, y)
        np.testing.assert_allclose(path.coef[k], single.coef_, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(path.intercept[k], single.intercept_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_generalized_cross_validation_from_its_definition(X):
    y = targets(X, 1)[:, 0]
    path = ridge_path(X, y, [0.5], fit_intercept=True)
    centre = np.eye(len(X)) - 1 / len(X)
    moved = centre @ X
    hat = moved @ np.linalg.solve(moved.T @ moved + 0.5 * np.eye(X.shape[1]), moved.T) + 1 / len(X)
    assert path.degrees_of_freedom[0] == pytest.approx(np.trace(hat))
    error = y - hat @ y
    expected = len(X) * error @ error / (len(X) - np.trace(hat)) ** 2
    assert path.gcv[0] == pytest.approx(expected)


@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_the_penalty_of_least_error_is_chosen(X):
    y = targets(X)
    model = Ridge("loo", alphas=ALPHAS).fit(X, y)
    errors = [brute_force(X, y, alpha) for alpha in ALPHAS]
    assert model.alpha_ == pytest.approx(ALPHAS[np.argmin(errors)])
    theirs = RidgeCV(ALPHAS).fit(X, y)
    assert model.alpha_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.alphas_, ALPHAS)
    gcv = Ridge("gcv").fit(X, y)
    assert gcv.scores_[list(gcv.alphas_).index(gcv.alpha_)] == gcv.scores_.min()
    assert (gcv.scores_ > 0).all()
    mean = Ridge("loo", alphas=ALPHAS / len(X), scaling="mean").fit(X, y)
    assert mean.alpha_ * len(X) == pytest.approx(model.alpha_)
    np.testing.assert_allclose(mean.coef_, model.coef_)


@pytest.mark.parametrize("alpha", [2.0, "loo", "gcv"])
def test_weights_equal_repetition(alpha):
    counts, y = RNG.integers(0, 4, 60), targets(TALL)
    weighted = Ridge(alpha).fit(TALL, y, sample_weight=counts)
    repeated = Ridge(alpha).fit(np.repeat(TALL, counts, axis=0), np.repeat(y, counts, axis=0))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    if alpha != 2.0:
        np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-7)


def test_one_penalty_per_target():
    y = targets(TALL)
    both = Ridge([0.1, 10.0]).fit(TALL, y)
    for k, alpha in enumerate((0.1, 10.0)):
        np.testing.assert_allclose(both.coef_[k], Ridge(alpha).fit(TALL, y[:, k]).coef_, rtol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_weights_shrink_with_the_penalty(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rng.integers(2, 12), rng.integers(1, 8))), None
    y = rng.normal(size=len(X))
    path = ridge_path(X, y, np.logspace(-6, 6, 13))
    norms = np.linalg.norm(path.coef[:, 0], axis=1)
    assert (np.diff(norms) <= 1e-9 * norms[0]).all()
    assert (np.diff(path.degrees_of_freedom) <= 1e-12).all()


def test_penalty_zero_is_least_squares_of_smallest_norm():
    y = targets(WIDE, 1)[:, 0]
    moved = WIDE - WIDE.mean(axis=0)
    truth = np.linalg.pinv(moved) @ (y - y.mean())
    np.testing.assert_allclose(Ridge(0.0).fit(WIDE, y).coef_, truth, rtol=1e-7)
    np.testing.assert_allclose(Ridge(1e-10).fit(WIDE, y).coef_, truth, rtol=1e-6)
    np.testing.assert_allclose(ridge_path(WIDE, y, [0.0]).coef[0, 0], truth, rtol=1e-7)


def test_streams_give_the_same(tmp_path):
    y = targets(TALL)
    stored = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=TALL.shape)
    stored[:] = TALL
    blocks = da.from_array(TALL, chunks=(13, 5))
    for alpha in (0.5, "gcv", "loo"):
        model = Ridge(alpha, alphas=ALPHAS if isinstance(alpha, str) else None)
        truth = model.fit(TALL, y).coef_
        np.testing.assert_allclose(model.fit(stored, y).coef_, truth, rtol=1e-7)
        if alpha != "loo":
            np.testing.assert_allclose(model.fit(blocks, y).coef_, truth, rtol=1e-7)
    with pytest.raises(ValueError, match="alpha='loo' needs an array"):
        Ridge("loo").fit(blocks, y)


@pytest.mark.parametrize("shape", [(6000, 5500), (900, 6000)])
def test_large_sparse_problems_are_solved_by_conjugate_gradients(shape):
    rng = np.random.default_rng(0)
    X = random_array(shape, density=0.001, rng=rng).tocsr()
    y = rng.normal(size=shape[0])
    model = Ridge(0.5).fit(X, y)
    residual = y - model.predict(X)
    assert np.abs(X.T @ residual - 0.5 * model.coef_).max() < 1e-8
    assert abs(residual.sum()) < 1e-6


def test_leave_one_out_of_sparse_samples():
    X = random_array((200, 8), density=0.3, rng=np.random.default_rng(0)).tocsr()
    y = targets(X.toarray(), 1)[:, 0]
    sparse, dense = Ridge("loo").fit(X, y), Ridge("loo").fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-9)
    assert sparse.alpha_ == pytest.approx(dense.alpha_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1.0}, "alpha must be float in"),
        ({"alpha": [1.0, -1.0]}, "penalties must be finite and not negative, got -1"),
        ({"alpha": [1.0, 2.0, 3.0]}, "one penalty or one per target, 2 here, got 3"),
        ({"alpha": "loo", "alphas": [np.nan]}, "finite and not negative, got nan"),
        ({"alpha": "gcv", "alphas": np.ones(20_000)}, "between 1 and 10000 penalties"),
        ({"alpha": "best"}, "one of 'loo', 'gcv', got 'best'"),
    ],
)
def test_bad_penalties_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Ridge(**options).fit(TALL, targets(TALL))


def test_one_sample_can_not_be_left_out():
    with pytest.raises(ValueError, match="needs at least two samples, got n_samples=1"):
        Ridge("loo").fit([[1.0, 2.0]], [3.0])
