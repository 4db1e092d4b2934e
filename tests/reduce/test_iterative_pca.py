"""Power iteration and Hebbian rules against the eigenvectors of the covariance matrix."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from shallows.reduce import OjaPCA, PowerPCA, SangerPCA
from shallows.reduce._hebbian_components import (
    HEBB,
    NORMALIZED,
    SANGER,
    SUBSPACE,
    VISITS,
    hebbian_pass,
)

RNG = np.random.default_rng(0)


def cloud(n, variances):
    d = len(variances)
    rotation = np.linalg.qr(RNG.normal(size=(d, d)))[0]
    return RNG.normal(size=(n, d)) * np.sqrt(variances) @ rotation + 2.0


X = cloud(2000, [5.0, 2.0, 0.8, 0.2, 0.1])
VALUES, VECTORS = np.linalg.eigh(np.cov(X.T))
VALUES, VECTORS = VALUES[::-1], VECTORS[:, ::-1].T


@pytest.mark.parametrize("method", ["gram-schmidt", "deflation"])
@pytest.mark.parametrize("shift", [None, 3.0])
def test_power_iteration_finds_the_eigenvectors(method, shift):
    model = PowerPCA(3, method=method, shift=shift, random_state=1).fit(X)
    overlap = np.abs((model.components_ * VECTORS[:3]).sum(axis=1))
    np.testing.assert_allclose(overlap, 1, atol=1e-9)
    np.testing.assert_allclose(model.explained_variance_, VALUES[:3], rtol=1e-9)
    assert model.n_iter_ == len(model.history_["loss"])


def test_the_error_of_power_iteration_falls_as_the_ratio_of_variances():
    losses = np.log(PowerPCA(1, random_state=0).fit(X).history_["loss"])
    slope = (losses[-1] - losses[-6]) / 5
    assert slope == pytest.approx(np.log(VALUES[1] / VALUES[0]), rel=0.02)


@pytest.mark.parametrize("method", ["gram-schmidt", "deflation"])
def test_equal_variances_give_a_basis_of_their_plane(method):
    signs = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]])
    model = PowerPCA(2, method=method, random_state=0).fit(signs.astype(float))
    np.testing.assert_allclose(model.components_[:, 2], 0, atol=1e-7)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-9)


def test_power_iteration_says_when_it_did_not_converge():
    with pytest.warns(ConvergenceWarning, match="max_iter=2 steps before it converged"):
        PowerPCA(1, max_iter=2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_components=6 must be at most"):
        PowerPCA(6).fit(X)


def naive_pass(data, order, mean, W, rate, rule):
    W, total = W.copy(), 0.0
    for t, i in enumerate(order):
        x, eta = data[i] - mean, rate / (1 + t / VISITS)
        y, old = W @ x, W.copy()
        if rule == SUBSPACE:
            left = x - y @ old
            W += eta * np.outer(y, left)
        elif rule == SANGER:
            for m in range(len(W)):
                left = x - y[: m + 1] @ old[: m + 1]
                W[m] += eta * y[m] * left
        else:
            W[0] += eta * y[0] * x
            left = x - y[0] * W[0]
            if rule == NORMALIZED:
                W[0] /= np.linalg.norm(W[0])
        total += left @ left
    return W, total / len(order)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("rule", "units"), [(HEBB, 1), (NORMALIZED, 1), (SUBSPACE, 3), (SANGER, 3), (SANGER, 1)]
)
def test_a_pass_equals_the_rule_as_written(rule, units):
    W = RNG.normal(size=(units, 5))
    data, order, mean = X[:30], RNG.permutation(30), X.mean(axis=0)
    expected, loss = naive_pass(data, order, mean, W, 0.01, rule)
    measured = hebbian_pass(data, order, mean, W, 0.01, 0.0, rule)
    np.testing.assert_allclose(W, expected, rtol=1e-10)
    assert measured == pytest.approx(loss)


@pytest.mark.parametrize("rule", ["oja", "normalized", "subspace"])
def test_one_unit_turns_to_the_first_component_with_length_one(rule):
    model = OjaPCA(rule=rule, random_state=0).fit(X)
    assert abs(model.components_[0] @ VECTORS[0]) > 0.999
    assert np.linalg.norm(model.components_[0]) == pytest.approx(1, abs=0.01)


def test_the_subspace_rule_finds_an_orthonormal_basis_of_the_leading_subspace():
    model = OjaPCA(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=0.02)
    cosines = np.linalg.svd(model.components_ @ VECTORS[:2].T, compute_uv=False)
    assert cosines.min() > 0.995


def test_sanger_finds_the_components_in_order():
    model = SangerPCA(3, max_iter=60, random_state=0).fit(X)
    overlap = np.abs((model.components_ * VECTORS[:3]).sum(axis=1))
    np.testing.assert_allclose(overlap, 1, atol=0.01)


def test_plain_hebb_diverges():
    model = OjaPCA(rule="hebb", max_iter=1, random_state=0).fit(X)
    assert np.linalg.norm(model.components_) > 1e6
    with pytest.raises(FloatingPointError, match="OjaPCA: the loss became"):
        OjaPCA(rule="hebb", learning_rate=50.0, max_iter=500, random_state=0).fit(X)


@pytest.mark.parametrize("cls", [OjaPCA, SangerPCA])
def test_pieces_learn_as_well_as_the_whole(cls):
    model = cls(random_state=0)
    for part in np.array_split(np.tile(X, (5, 1)), 40):
        model.partial_fit(part)
    assert model.n_samples_seen_ == 10_000 and model.n_iter_ == 40
    assert abs(model.components_[0] @ VECTORS[0]) > 0.999
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), atol=1e-12)


def test_a_rule_for_one_unit_refuses_two():
    with pytest.raises(ValueError, match="rule='oja' has n_components=1, got 2"):
        OjaPCA(2, rule="oja").fit(X)
    with pytest.raises(ValueError, match="OjaPCA: rule must be one of"):
        OjaPCA(rule="ojo").fit(X)


def test_the_units_restore_what_lies_in_their_space():
    flat = X @ VECTORS[:2].T @ VECTORS[:2]
    model = SangerPCA(2, max_iter=100, random_state=0).fit(flat)
    restored = model.inverse_transform(model.transform(flat))
    assert ((flat - restored) ** 2).sum() < 1e-3 * ((flat - flat.mean(axis=0)) ** 2).sum()
