"""Epochs over rounded rows against epochs over exact ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from shallows.perceptron._epochs import Learned, Rule, rounded_epoch
from shallows.perceptron._sparse_runs import rounded_rows, shuffled_rows

pytestmark = pytest.mark.kernel


def learned(X, S, margin, epochs, samples):
    """Rosenblatt's rule over rows `samples`, by rounded rows and by the textbook."""
    rows, n_features = rounded_rows(shuffled_rows(csr_array(X), samples)), X.shape[1]
    w, strengths = np.zeros(n_features + 1), np.zeros(len(samples), dtype=np.int64)
    truth, expected = np.zeros(n_features + 1), np.zeros_like(strengths)
    order = np.random.default_rng(1).permutation(len(samples))
    for _ in range(epochs):
        rule, state = Rule(margin, 1.0, 1.0), Learned(w, np.zeros(0), strengths)
        rounded_epoch(rows, S[samples], order, rule, 0, state)
        for i in order:
            x = np.append(X[samples[i]], 1.0)
            if not S[samples[i]] * (truth @ x) > margin:
                truth += S[samples[i]] * x
                expected[i] += 1
    return (w, strengths), (truth, expected)


@pytest.mark.parametrize("margin", [0.0, 1.0, 10.0])
def test_rounding_never_changes_what_is_learned(margin):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(200, 12)) * (rng.random((200, 12)) < 0.4) / 4
    found, expected = learned(X, rng.choice([-1.0, 1.0], 200), margin, 20, rng.permutation(150))
    np.testing.assert_array_equal(found[0], expected[0])  # in quarters all sums are exact
    np.testing.assert_array_equal(found[1], expected[1])
    assert 0 < found[1].sum() < 20 * 150


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_fields_that_rounding_would_turn_are_found_from_exact_rows(label):
    X, w = 1 + 2.0**-23 * np.array([[0.45, 0.45, 0.6]]), np.array([1.0, 1.0, -1.0, -1.0])
    rows = rounded_rows(shuffled_rows(csr_array(X), np.arange(1)))
    strengths = np.zeros(1, dtype=np.int64)
    field, rounded = np.append(X, 1.0) @ w, np.append(rows.rounded.astype(float), 1.0) @ w
    assert field > 0 > rounded
    rule, state = Rule(0.0, 1.0, 1.0), Learned(w, np.zeros(0), strengths)
    rounded_epoch(rows, np.array([label]), np.arange(1), rule, 0, state)
    assert strengths[0] == (label < 0)


@pytest.mark.parametrize("scale", [1e-60, 1e-42, 1e60])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of overflow, without the compiler
def test_numbers_beyond_single_precision_are_learned_alike(scale):
    rng = np.random.default_rng(0)
    X = scale * rng.normal(size=(50, 8))
    found, expected = learned(X, rng.choice([-1.0, 1.0], 50), 0.0, 10, np.arange(50))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_array_equal(found[1], expected[1])


def test_rows_are_rounded_in_the_new_order():
    X = np.array([[0.0, 3.0, 4.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.0]])
    rows = rounded_rows(shuffled_rows(csr_array(X), np.array([1, 2, 0])))
    np.testing.assert_array_equal(rows.data, [0.1, 3, 4])
    np.testing.assert_array_equal(rows.rounded, np.float32([0.1, 3, 4]))
    np.testing.assert_array_equal(rows.columns, [0, 1, 2])
    np.testing.assert_array_equal(rows.starts, [0, 1, 1, 3])
    np.testing.assert_allclose(rows.lengths, [np.float32(0.1), 0, 5])
    assert rows.size == 3
