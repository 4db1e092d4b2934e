"""Potentials, stability and codings: laws that hold for all hyperplanes."""

import numpy as np
import pytest

from shallows.perceptron import (
    LinearThreshold,
    augment,
    fold_classes,
    local_potentials,
    recode_labels,
    solves_storage,
    split_bias,
    stability,
)


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 3)), rng.choice([-1.0, 1.0], size=20), rng.normal(size=3), 0.7


def test_stability_is_the_smallest_signed_distance_and_scale_free(task):
    X, S, w, b = task
    naive = min(S[i] * (w @ X[i] + b) / np.sqrt(w @ w) for i in range(20))
    assert stability(w, X, S, b) == pytest.approx(naive)
    assert stability(5 * w, X, S, 5 * b) == pytest.approx(naive)
    labels = np.sign(X @ w + b)
    assert stability(w, X, labels, b) > 0
    with pytest.raises(ValueError, match="coef must not be zero"):
        stability([0, 0, 0], X, S)


def test_storage_with_a_margin_only_asks_for_a_direction(task):
    X, _, w, b = task
    S = np.sign(X @ w + b)
    lowest = local_potentials(w, X, S, b).min()
    assert solves_storage(w, X, S, intercept=b)
    assert not solves_storage(w, X, S, c=2 * lowest, intercept=b)
    assert solves_storage(2.1 * w, X, S, c=2 * lowest, intercept=2.1 * b)
    assert not solves_storage([0, 0, 0], X, S)


@pytest.mark.parametrize("clamp", [1.0, -1.0, 10.0])
def test_all_forms_give_the_same_fields(task, clamp):
    X, S, w, b = task
    weights = np.append(w, b / clamp)
    np.testing.assert_allclose(augment(X, clamp) @ weights, X @ w + b)
    plane = split_bias(weights, clamp)
    np.testing.assert_allclose(plane.coef, w)
    assert plane.intercept == pytest.approx(b)
    folded = fold_classes(augment(X, clamp), S)
    np.testing.assert_allclose(folded @ weights, local_potentials(w, X, S, b))
    with pytest.raises(ValueError, match="other than 0"):
        augment(X, 0)


def test_recoding():
    assert recode_labels(["b", "a"]).tolist() == [1, -1]
    assert recode_labels([-1, 1], to="0/1").tolist() == [0, 1]
    assert recode_labels([0, 1, 1]).tolist() == [-1, 1, 1]
    with pytest.raises(ValueError, match="exactly two classes, got 3"):
        recode_labels([0, 1, 2])


def test_geometry_of_the_plane(task):
    X, _, w, b = task
    plane = LinearThreshold(w, b)
    np.testing.assert_allclose(plane.distance(X), (X @ w + b) / np.linalg.norm(w))
    assert LinearThreshold(w, b).distance([[0, 0, 0]]) == pytest.approx(b / np.linalg.norm(w))
    foot = X - np.outer(plane.distance(X), w / np.linalg.norm(w))
    np.testing.assert_allclose(plane.distance(foot), 0, atol=1e-12)
    mirrored = X - 2 * np.outer(plane.distance(X), w / np.linalg.norm(w))
    assert not plane.same_side(X, mirrored).any()
    assert plane.same_side(X, X).all()


def test_boundary_line():
    line = LinearThreshold([1.0, 2.0], -4.0)
    second = line.boundary([0.0, 2.0])
    np.testing.assert_allclose(second, [2.0, 1.0])
    np.testing.assert_allclose(line.distance(np.column_stack([[0.0, 2.0], second])), 0)
    assert np.isnan(LinearThreshold([1.0, 0.0]).boundary([0.0])).all()
