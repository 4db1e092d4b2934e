"""The pocket against exhaustive search and a naive loop."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris

from shallows.perceptron import Pocket


def noisy_data(seed, P, N, flip):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(P, N))
    S = np.sign(X @ rng.normal(size=N))
    S[rng.random(P) < flip] *= -1
    return X, S


def least_errors_in_the_plane(X, S):
    """Smallest number of errors of a line through the origin, over all its directions."""
    angles = np.arctan2(X[:, 1], X[:, 0])
    changes = np.sort(np.concatenate([angles + np.pi / 2, angles - np.pi / 2]) % (2 * np.pi))
    middles = (changes + np.roll(changes, -1) + 2 * np.pi * (changes > np.roll(changes, -1))) / 2
    planes = np.column_stack([np.cos(middles), np.sin(middles)])
    return int((S * (planes @ X.T) <= 0).sum(1).min())


@pytest.mark.kernel
@pytest.mark.parametrize("check", ["long runs", "every update"])
@pytest.mark.parametrize("seed", range(3))
def test_reaches_the_least_number_of_errors_in_the_plane(check, seed):
    X, S = noisy_data(seed, 25, 2, 0.2)
    model = Pocket(check, fit_intercept=False, max_iter=300, random_state=0).fit(X, S)
    assert model.n_errors_[0] == least_errors_in_the_plane(X, S)
    assert model.n_errors_[0] == (S * (X @ model.coef_[0]) <= 0).sum()


@pytest.mark.kernel
@pytest.mark.parametrize("check", ["long runs", "every update"])
def test_errors_never_rise(check):
    X, S = noisy_data(5, 60, 5, 0.2)
    losses = Pocket(check, max_iter=30, random_state=0).fit(X, S).history_["loss"]
    assert (np.diff(losses) <= 0).all()
    assert losses[-1] < 0.3


@pytest.mark.kernel
def test_separable_data_are_learned_without_error():
    X, S = noisy_data(6, 40, 5, 0)
    model = Pocket(random_state=0).fit(X, S)
    assert model.n_errors_[0] == 0
    assert model.score(X, S) == 1
    assert model.n_iter_ < 100


@pytest.mark.kernel
@pytest.mark.parametrize("labels", list(product([0, 1], repeat=4))[1:-1])
def test_gates(labels):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    model = Pocket(max_iter=200, random_state=0).fit(X, labels)
    exclusive = tuple(labels) in [(0, 1, 1, 0), (1, 0, 0, 1)]
    assert model.n_errors_[0] == (1 if exclusive else 0)


@pytest.mark.kernel
def test_every_update_checks_as_often_as_it_moves():
    X, S = noisy_data(7, 30, 3, 0.2)
    history = Pocket("every update", max_iter=5, random_state=0).fit(X, S).history_
    assert history["checks"] == history["updates"]
    rare = Pocket(max_iter=5, random_state=0).fit(X, S).history_
    assert sum(rare["checks"]) < sum(rare["updates"])


@pytest.mark.kernel
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_sparse_equals_dense(index_dtype):
    X, y = load_iris(return_X_y=True)
    sparse = csr_matrix(np.where(X > 2, X, 0))
    sparse.indices = sparse.indices.astype(index_dtype)
    sparse.indptr = sparse.indptr.astype(index_dtype)
    model = Pocket(max_iter=3, random_state=0)
    dense = model.fit(sparse.toarray(), y).coef_
    np.testing.assert_allclose(model.fit(sparse, y).coef_, dense, rtol=1e-9)


@pytest.mark.kernel
def test_weights_count_in_the_errors():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    weights = [1, 1, 1, 0.25]
    model = Pocket(max_iter=300, random_state=0).fit(X, y, weights)
    assert model.n_errors_[0] == 0.25
    assert model.predict(X).tolist() == [0, 1, 1, 1]
