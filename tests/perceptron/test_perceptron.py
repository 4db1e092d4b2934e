"""The perceptron against a textbook version, its theorems and known runs."""

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import csr_matrix
from sklearn.callback import ProgressBar
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning

from shallows.perceptron import Perceptron
from shallows.perceptron._order import shuffle, woven_runs


def textbook_perceptron(X, S, epochs, eta=1.0, margin=0.0, weights=None):
    """Rosenblatt's rule sample by sample; returns w, the average of w, and all mistakes."""
    weights = np.ones(len(X)) if weights is None else weights
    w, path, mistakes = np.zeros(X.shape[1]), [], []
    for _ in range(epochs):
        for i in range(len(X)):
            if S[i] * (w @ X[i]) <= margin:
                w = w + eta * weights[i] * S[i] * X[i]
                mistakes.append(i)
            path.append(w)
    return w, np.mean(path, axis=0), mistakes


def teacher_data(rng, P, N):
    X = rng.normal(size=(P, N))
    return X, np.sign(X @ rng.normal(size=N))


def stability(X, S):
    """Return the largest stability of labelled points: the distance of their hull from 0."""
    folded = X * S[:, None]
    coefficients = nnls(np.vstack([folded.T, np.ones(len(X))]), np.eye(X.shape[1] + 1)[-1])[0]
    w = folded.T @ coefficients
    return (folded @ w).min() / np.linalg.norm(w)


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


ordered = {"shuffle": False, "tol": None}
homogeneous = {**ordered, "fit_intercept": False, "max_iter": 10_000}


@pytest.mark.kernel
@pytest.mark.parametrize("margin", [0.0, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_equal_those_of_the_textbook(margin, weighted):
    rng = np.random.default_rng(0)
    X, S = rng.normal(size=(60, 4)), rng.choice([-1.0, 1.0], size=60)
    weights = rng.uniform(0.1, 3, size=60) if weighted else None
    w, mean, mistakes = textbook_perceptron(with_constant(X), S, 7, 0.3, margin, weights)

    model = Perceptron(margin=margin, eta0=0.3, max_iter=7, **ordered).fit(
        X, S, sample_weight=weights
    )
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], w, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(
        model.embedding_strengths_, np.bincount(mistakes, minlength=len(X))
    )
    assert model.n_updates_ == len(mistakes) == sum(model.history_["updates"])

    averaged = Perceptron(margin=margin, eta0=0.3, max_iter=7, average=True, **ordered)
    averaged.fit(X, S, sample_weight=weights)
    np.testing.assert_allclose(
        [*averaged.coef_[0], *averaged.intercept_], mean, rtol=1e-11, atol=1e-12
    )


@pytest.mark.kernel
def test_loss_is_the_weighted_share_of_mistakes():
    rng = np.random.default_rng(1)
    X, S = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], size=30)
    weights = rng.uniform(0, 2, size=30)
    mistakes = textbook_perceptron(with_constant(X), S, 1, weights=weights)[2]
    model = Perceptron(max_iter=1, **ordered).fit(X, S, sample_weight=weights)
    assert model.history_["loss"] == [pytest.approx(weights[mistakes].sum() / weights.sum())]


@pytest.mark.kernel
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_updates_stay_below_the_bound_of_the_convergence_theorem(margin):
    rng = np.random.default_rng(2)
    for _ in range(20):
        N = 8
        X, S = teacher_data(rng, 2 * N, N)
        model = Perceptron(margin=margin, eta0=1 / N, **homogeneous).fit(X, S)
        assert (S * model.decision_function(X) > margin).all()
        gamma, kappa = (X**2).sum(1).max() / N, stability(X, S)
        bound = (2 * margin + gamma) * N / kappa**2
        assert 0 < model.n_updates_ <= bound
        assert model.n_iter_ <= bound + 1


@pytest.mark.kernel
def test_weights_are_the_sum_over_embedding_strengths():
    rng = np.random.default_rng(3)
    X, S = teacher_data(rng, 40, 20)
    model = Perceptron(margin=1.0, eta0=1 / 20, **homogeneous).fit(X, S)
    assert model.embedding_strengths_.dtype.kind == "i"
    assert model.embedding_strengths_.min() >= 0
    np.testing.assert_allclose(model.coef_[0], (model.embedding_strengths_ * S) @ X / 20, rtol=1e-9)


@pytest.mark.kernel
def test_learning_rate_only_scales_the_weights_from_zero():
    rng = np.random.default_rng(4)
    X, S = teacher_data(rng, 50, 10)
    one = Perceptron(**homogeneous).fit(X, S)
    for eta in (2.0**-10, 4.0):
        other = Perceptron(eta0=eta, **homogeneous).fit(X, S)
        np.testing.assert_array_equal(other.coef_, eta * one.coef_)
        np.testing.assert_array_equal(other.embedding_strengths_, one.embedding_strengths_)


@pytest.mark.kernel
def test_learning_rate_matters_with_a_margin_or_a_random_start():
    rng = np.random.default_rng(5)
    X, S = teacher_data(rng, 50, 10)
    for options in ({"margin": 1.0}, {"init": "random", "random_state": 0}):
        slow, fast = (
            Perceptron(eta0=eta, **options, **homogeneous).fit(X, S) for eta in (2.0**-5, 4.0)
        )
        assert slow.n_updates_ != fast.n_updates_
    scaled = Perceptron(margin=1.0 / 4, **homogeneous).fit(X, S)
    np.testing.assert_array_equal(
        4 * scaled.coef_, Perceptron(margin=1.0, eta0=4.0, **homogeneous).fit(X, S).coef_
    )


@pytest.mark.kernel
def test_trace_of_three_updates():
    folded = np.array([[1, 2], [2, 1], [1, -1], [1, 1], [0.5, -1.2], [2, 1]])
    S = np.array([1, -1, 1, -1, -1, 1])
    model = Perceptron(eta0=0.5, **homogeneous).fit(folded * S[:, None], S)
    assert model.embedding_strengths_.tolist() == [1, 0, 1, 0, 1, 0]
    assert model.history_["updates"] == [3, 0]
    np.testing.assert_allclose(model.coef_, [[1.25, -0.1]])


@pytest.mark.kernel
@pytest.mark.parametrize(("labels", "bound"), [([0, 0, 0, 1], 51), ([0, 1, 1, 1], 27)])
def test_and_or_are_learned_within_their_bounds(labels, bound):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    S = 2 * np.array(labels) - 1
    assert 3 / stability(with_constant(X), S) ** 2 == pytest.approx(bound)
    model = Perceptron(**ordered).fit(X, labels)
    assert model.predict(X).tolist() == labels
    assert model.n_updates_ <= bound


@pytest.mark.kernel
def test_xor_never_converges():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = Perceptron(max_iter=500, **ordered).fit(X, y)
    assert model.n_iter_ == 500
    assert min(model.history_["updates"]) > 0


@pytest.mark.kernel
def test_signed_and_takes_three_updates_from_its_positive_case():
    X = np.array([[1, 1], [-1, -1], [-1, 1], [1, -1]])
    model = Perceptron(**ordered).fit(X, [1, -1, -1, -1])
    assert model.history_["updates"] == [3, 0]
    assert [*model.coef_[0], *model.intercept_] == [1, 1, -1]


@pytest.mark.kernel
@pytest.mark.parametrize("options", [{}, {"average": True}, {"fit_intercept": False}])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_sparse_equals_dense(options, index_dtype):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    sparse = csr_matrix(X)
    sparse.indices = sparse.indices.astype(index_dtype)
    sparse.indptr = sparse.indptr.astype(index_dtype)
    model = Perceptron(max_iter=2, tol=None, random_state=0, **options)
    dense = model.fit(X, y).coef_
    np.testing.assert_allclose(model.fit(sparse, y).coef_, dense, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(sparse), model.predict(X))


@pytest.mark.kernel
@pytest.mark.parametrize("average", [False, True])
def test_partial_fits_of_blocks_are_one_epoch(average):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(6).permutation(len(X))
    X, y = X[order], y[order]
    whole = Perceptron(average=average, max_iter=1, **ordered).fit(X, y)
    parts = Perceptron(average=average)
    for rows in np.array_split(np.arange(len(X)), 7):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.intercept_, whole.intercept_)
    assert parts.n_iter_ == 7
    assert parts.n_updates_ == whole.n_updates_


@pytest.mark.kernel
def test_classes_learn_on_their_own():
    X, y = make_blobs(200, centers=4, cluster_std=2, random_state=0)
    together = Perceptron(max_iter=5, **ordered).fit(X, y)
    for k in range(4):
        alone = Perceptron(max_iter=5, **ordered).fit(X, y == k)
        np.testing.assert_array_equal(together.coef_[k], alone.coef_[0])
        np.testing.assert_array_equal(together.embedding_strengths_[k], alone.embedding_strengths_)


@pytest.mark.kernel
def test_threads_do_not_change_the_bits(monkeypatch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    model = Perceptron(max_iter=3, tol=None, random_state=0)
    alone = model.fit(X, y).coef_
    monkeypatch.setattr("shallows.perceptron._perceptron.THREADS_PAY_FROM", 1)
    np.testing.assert_array_equal(model.fit(X, y).coef_, alone)


@pytest.mark.kernel
def test_samples_of_weight_zero_take_no_part():
    X, y = load_iris(return_X_y=True)
    weights = np.arange(len(X)) % 3.0
    model = Perceptron(max_iter=5, **ordered).fit(X, y, sample_weight=weights)
    used = weights > 0
    fewer = Perceptron(max_iter=5, **ordered).fit(X[used], y[used], sample_weight=weights[used])
    np.testing.assert_array_equal(model.coef_, fewer.coef_)
    np.testing.assert_array_equal(model.embedding_strengths_[:, used], fewer.embedding_strengths_)
    assert not model.embedding_strengths_[:, ~used].any()


@pytest.mark.kernel
@pytest.mark.parametrize("held_out", [None, 0.2])
def test_sparse_rows_that_were_copied_keep_their_strengths(monkeypatch, held_out):
    """Strengths and labels give the weights only where each belongs to its own sample."""
    monkeypatch.setattr("shallows.perceptron._perceptron.PAYS", range(10**9))
    X, y = load_iris(return_X_y=True)
    weights = np.arange(len(X)) % 3.0
    model = Perceptron(
        max_iter=9,
        tol=None,
        early_stopping=held_out is not None,
        validation_fraction=held_out or 0.1,
        random_state=0,
    )
    model.fit(csr_matrix(X), y, sample_weight=weights)
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0).T * weights
    found = (model.embedding_strengths_ * signs) @ with_constant(X)
    np.testing.assert_allclose(np.c_[model.coef_, model.intercept_], found, rtol=1e-9, atol=1e-9)
    assert model.n_updates_ > 0 and not model.embedding_strengths_[:, weights == 0].any()


@pytest.mark.kernel
def test_class_weights_are_factors_of_sample_weights():
    X, y = load_iris(return_X_y=True)
    factors = np.array([1.0, 0.0, 3.0])
    by_class = Perceptron(class_weight=dict(enumerate(factors)), max_iter=5, **ordered).fit(X, y)
    by_sample = Perceptron(max_iter=5, **ordered)
    for k in (0, 2):
        by_sample.fit(X, y == k, sample_weight=factors[y])
        np.testing.assert_array_equal(by_class.coef_[k], by_sample.coef_[0])


@pytest.mark.kernel
def test_float32_stays():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=3, tol=None, average=True).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.decision_function(X.astype(np.float32)).dtype == np.float32


def test_inseparable_data_warn_or_stop_by_tol():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(300, 3)), rng.integers(2, size=300)
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        Perceptron(max_iter=5, random_state=0).fit(X, y)
    assert Perceptron(random_state=0).fit(X, y).n_iter_ < 200


def test_overflow_ends_with_an_error():
    with pytest.raises(FloatingPointError, match="scale the data"):
        Perceptron(eta0=1e300, **ordered).fit([[1e10], [2e10]], [0, 1])


def test_balanced_weights_need_all_samples():
    with pytest.raises(ValueError, match="Give the weights as a dict"):
        Perceptron(class_weight="balanced").partial_fit([[1.0], [2.0]], [0, 1])


def test_digits_are_learned():
    X, y = load_digits(return_X_y=True)
    assert Perceptron(random_state=0).fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.88


def test_callbacks_are_driven(capsys):
    X, y = load_iris(return_X_y=True)
    model = Perceptron(max_iter=3, tol=None).set_callbacks(ProgressBar())
    assert model.fit(X, y).n_iter_ == 3
    assert "Perceptron" in capsys.readouterr().out


@pytest.mark.kernel
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_weights_of_the_best_epoch_on_held_out_data_are_kept(average, form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=120) > 0, "a", "b")
    options = {"average": average, "max_iter": 15, "tol": None, "random_state": 3}
    model = Perceptron(early_stopping=True, validation_fraction=0.25, **options).fit(form(X), y)
    scores = model.history_["val_score"]
    assert len(scores) == 15 and max(scores) > scores[-1]

    first = int(np.argmax(scores)) + 1
    shorter = Perceptron(
        early_stopping=True, validation_fraction=0.25, **options | {"max_iter": first}
    ).fit(form(X), y)
    np.testing.assert_array_equal(model.coef_, shorter.coef_)
    np.testing.assert_array_equal(model.embedding_strengths_, shorter.embedding_strengths_)
    if not average:
        S = np.where(y == "b", 1.0, -1.0)
        total = (model.embedding_strengths_ * S) @ X
        np.testing.assert_allclose(model.coef_[0], total, atol=1e-10)


@pytest.mark.kernel
def test_held_out_samples_take_no_part():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    y = rng.integers(2, size=40)
    model = Perceptron(
        early_stopping=True, validation_fraction=0.5, max_iter=50, tol=None, random_state=0
    ).fit(X, y)
    assert (model.embedding_strengths_ > 0).sum() <= 20
    with pytest.raises(ValueError, match="validation_fraction"):
        Perceptron(early_stopping=True, validation_fraction=0.01).fit(X, y)


@pytest.mark.kernel
def test_patience_counts_epochs_without_improvement():
    X, y = np.ones((4, 1)), [0, 1, 0, 1]
    for patience in (1, 3, 7):
        model = Perceptron(n_iter_no_change=patience, tol=0.0, shuffle=False).fit(X, y)
        losses = model.history_["loss"]
        best = int(np.argmin(losses))
        assert model.n_iter_ == best + 1 + patience


@pytest.mark.kernel
def test_random_orders_are_fair_and_complete():
    rng, counts = np.random.default_rng(0), np.zeros((5, 5))
    for _ in range(4000):
        order = np.arange(5)
        shuffle(order, rng)
        counts[order, np.arange(5)] += 1
    assert (counts.sum(axis=0) == 4000).all() and (counts.sum(axis=1) == 4000).all()
    assert np.abs(counts / 4000 - 0.2).max() < 5 * np.sqrt(0.2 * 0.8 / 4000)
    for n in (0, 1, 2):
        order = np.arange(n)
        shuffle(order, rng)
        assert sorted(order) == list(range(n))


@pytest.mark.kernel
@pytest.mark.parametrize("n", [0, 3, 8, 24, 41])
def test_runs_are_visited_in_turns(n):
    order = woven_runs(n, 4, 3, np.random.default_rng(1))
    assert sorted(order) == list(range(n))
    runs = [order[order // 4 == run] for run in range(-(-n // 4))]
    assert all((np.diff(run) == 1).all() for run in runs)
    if n == 24:  # two times three runs
        assert (np.diff(order.reshape(2, 4, 3) // 4, axis=1) == 0).all()


def test_histories_stay_equally_long_after_parts():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(
        early_stopping=True, validation_fraction=0.2, max_iter=5, tol=None, random_state=0
    ).fit(X, y)
    model.partial_fit(X, y)
    assert {len(values) for values in model.history_.values()} == {model.n_iter_} == {6}
    assert np.isnan(model.history_["val_score"][-1])
    assert np.isfinite(model.history_["val_score"][:-1]).all()
