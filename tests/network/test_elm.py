"""Extreme learning machines: interpolation, XOR, the same read-out by scikit-learn."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import Ridge

from shallows.network import ELMClassifier, ELMRegressor


@pytest.mark.parametrize("n_hidden", [30, 60])
def test_as_many_units_as_samples_interpolate(n_hidden):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), rng.normal(size=(30, 2))
    model = ELMRegressor(n_hidden, alpha=0, scale=2.0, random_state=0).fit(X, y)
    assert abs(model.predict(X) - y).max() < 1e-8
    few = ELMRegressor(10, alpha=0, scale=2.0, random_state=0).fit(X, y)
    assert abs(few.predict(X) - y).max() > 0.1


def test_xor_is_solved():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), [0, 1, 1, 0]
    assert ELMClassifier(20, random_state=0).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_read_out_is_ridge_regression_on_the_hidden_units(dtype):
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(3000, 4)).astype(dtype), rng.uniform(0.5, 2, 3000)
    y = np.sin(X[:, 0]) + X[:, 1]
    model = ELMRegressor(40, alpha=0.5, random_state=0).fit(X, y, weights)
    hidden = np.tanh(X @ model.hidden_coef_ + model.hidden_intercept_)
    ridge = Ridge(0.5).fit(hidden.astype(float), y, weights)
    np.testing.assert_allclose(
        model.predict(X), ridge.predict(hidden), atol=1e-2 if dtype == np.float32 else 1e-8
    )
    sparse = ELMRegressor(40, alpha=0.5, random_state=0).fit(csr_matrix(X), y, weights)
    np.testing.assert_allclose(sparse.predict(csr_matrix(X)), model.predict(X), atol=1e-3)


def test_unknown_activation_is_named():
    with pytest.raises(ValueError, match="activation must be one of"):
        ELMRegressor(activation="sine").fit(np.eye(3), [1, 2, 3])
