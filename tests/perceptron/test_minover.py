"""MinOver against a naive loop and the largest stability."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import csr_matrix

from shallows.perceptron import AdaTron, MinOver


def teacher_data(seed, P, N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(P, N))
    return X, np.sign(X @ rng.normal(size=N))


def textbook_minover(X, S, steps):
    folded = X * S[:, None]
    x, w = np.zeros(len(X), dtype=int), np.zeros(X.shape[1])
    for _ in range(steps):
        least = (folded @ w).argmin()
        x[least] += 1
        w = w + folded[least]
    return w, x


def measures_of_the_textbook(X, S, stop, epochs):
    folded, before, found = X * S[:, None], np.zeros(X.shape[1]), []
    for epoch in range(1, epochs + 1):
        w = textbook_minover(X, S, epoch * len(X))[0]
        lengths = np.linalg.norm(before) or np.inf, np.linalg.norm(w)
        if stop == "angle":
            found.append(np.arccos(before @ w / np.prod(lengths)) / np.pi)
        else:
            changes = folded @ w / lengths[1] - folded @ before / lengths[0]
            found.append((changes**2).sum())
        before = w
    return found


def largest_stability(X, S):
    folded = X * S[:, None]
    y = nnls(np.vstack([folded.T, np.ones(len(X))]), np.eye(X.shape[1] + 1)[-1])[0]
    w = folded.T @ y
    return (folded @ w).min() / np.linalg.norm(w)


@pytest.mark.kernel
def test_steps_equal_those_of_the_textbook():
    X, S = teacher_data(0, 20, 6)
    w, x = textbook_minover(X, S, 100)
    model = MinOver(fit_intercept=False, max_iter=5, tol=None).fit(X, S)
    np.testing.assert_array_equal(model.embedding_strengths_, x)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("sparse", [False, True])
def test_without_a_gram_matrix_the_steps_are_the_same(monkeypatch, sparse):
    X, S = teacher_data(1, 20, 6)
    kept = MinOver(max_iter=3, tol=None).fit(X, S)
    monkeypatch.setattr("shallows.perceptron._minover.LARGEST_GRAM", 0)
    anew = MinOver(max_iter=3, tol=None).fit(csr_matrix(X) if sparse else X, S)
    np.testing.assert_array_equal(kept.embedding_strengths_, anew.embedding_strengths_)


@pytest.mark.kernel
@pytest.mark.parametrize("entries", [0, 2**25])
def test_gap_ends_at_the_first_step_that_proves_it(monkeypatch, entries):
    monkeypatch.setattr("shallows.perceptron._minover.LARGEST_GRAM", entries)
    X, S = teacher_data(5, 20, 10)
    model = MinOver(fit_intercept=False, tol=0.1).fit(X, S)
    steps, gap = 0, 1.0
    while gap > 0.1:
        steps += 1
        w, x = textbook_minover(X, S, steps)
        lowest = (S * (X @ w)).min()
        gap = 1 - np.sign(lowest) * (lowest * steps / (w @ w)) ** 2
    np.testing.assert_array_equal(model.embedding_strengths_, x)
    assert model.n_iter_ == -(-steps // 20)
    assert model.history_["loss"][-1] == pytest.approx(gap)


@pytest.mark.kernel
@pytest.mark.parametrize("stop", ["angle", "stability"])
def test_measures_are_those_of_the_weights(stop):
    X, S = teacher_data(6, 20, 10)
    model = MinOver(stop=stop, fit_intercept=False, max_iter=5, tol=None).fit(X, S)
    expected = measures_of_the_textbook(X, S, stop, 5)
    np.testing.assert_allclose(model.history_["loss"], expected, rtol=1e-6)


def test_callbacks_see_the_weights_of_each_epoch():
    X, S = teacher_data(7, 20, 6)
    seen = []

    class Watch:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.task_name == "epoch":
                seen.append(fitted_estimator.coef_[0])

    MinOver(fit_intercept=False, max_iter=3, tol=None).set_callbacks(Watch()).fit(X, S)
    expected = [textbook_minover(X, S, 20 * epoch)[0] for epoch in (1, 2, 3)]
    np.testing.assert_allclose(seen, expected, rtol=1e-12)


@pytest.mark.kernel
def test_stability_converges_and_the_bound_holds_at_every_epoch():
    X, S = teacher_data(2, 40, 20)
    largest = largest_stability(X, S)
    model = MinOver(fit_intercept=False, max_iter=500, tol=None).fit(X, S)
    assert 0.99 * largest < model.stability_[0] <= largest * (1 + 1e-12)
    assert min(model.history_["bound"]) >= largest * (1 - 1e-12)
    assert max(model.history_["stability"]) <= largest * (1 + 1e-12)
    best = AdaTron(None, threshold="none", tol=1e-8, random_state=0).fit(X, S)
    assert model.stability_[0] <= best.stability_[0]


@pytest.mark.parametrize(("stop", "tol"), [("angle", 1e-4), ("stability", 1e-5), ("gap", 0.05)])
def test_every_rule_stops(stop, tol):
    X, S = teacher_data(3, 20, 10)
    model = MinOver(stop=stop, tol=tol).fit(X, S)
    assert model.n_iter_ < 1000
    assert model.history_["loss"][-1] <= tol


@pytest.mark.kernel
def test_margin_ends_the_training_and_does_not_reach_the_optimum():
    X, S = teacher_data(4, 20, 10)
    model = MinOver(1.0, fit_intercept=False).fit(X, S)
    potentials = S * (X @ model.coef_[0])
    assert potentials.min() >= 1.0
    assert model.n_iter_ == 1
    assert model.stability_[0] < 0.999 * largest_stability(X, S)


def test_classes_learn_on_their_own():
    X = np.array([[3.0, 0], [0, 3], [-3, -3], [3.2, 0], [0, 3.1], [-3, -2.9]])
    y = [0, 1, 2, 0, 1, 2]
    model = MinOver().fit(X, y)
    assert model.coef_.shape == (3, 2)
    assert model.score(X, y) == 1
    assert (model.stability_ > 0).all()
