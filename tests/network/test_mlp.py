"""MLPClassifier and MLPRegressor: solvers, penalties, dropout, early stopping, transfer."""

import copy
import io
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, r2_score

from shallows._core.numerics.threads import limit_threads
from shallows.descent import numerical_gradient
from shallows.network import (
    SGD,
    Adam,
    Dropout,
    Huber,
    LpPenalty,
    MaxNorm,
    Minkowski,
    Mixture,
    MLPClassifier,
    MLPRegressor,
    Network,
    SoftWeightSharing,
    backpropagate,
    forward,
    initialize,
    mixture_penalty,
    monte_carlo_dropout,
    weight_penalty,
)
from shallows.network._network import flatten
from shallows.network._samples import Samples
from shallows.network._train import Trainer
from shallows.study._model_file import read_content, write_content

pytestmark = pytest.mark.kernel


def moons(n=200, noise=0.2, seed=0):
    return make_moons(n, noise=noise, random_state=seed)


def curve(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(X).ravel() + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize(
    ("solver", "rate", "epochs"),
    [
        ("adam", 0.02, 150),
        ("sgd", 0.05, 150),
        ("lbfgs", 0.1, 60),
        ("rprop", 0.02, 80),
        ("quickprop", 0.1, 150),
        ("rmsprop", 0.01, 150),
        ("adagrad", 0.1, 150),
        ("averaged_momentum", 0.5, 150),
    ],
)
def test_every_solver_separates_two_moons(solver, rate, epochs):
    X, y = moons()
    model = MLPClassifier(
        16,
        "tanh",
        solver=solver,
        learning_rate_init=rate,
        max_iter=epochs,
        batch_size=50,
        tol=None,
        random_state=0,
    ).fit(X, y)
    assert model.score(X, y) > 0.94
    assert model.history_["loss"][-1] < 0.5 * model.history_["loss"][0]


def test_no_hidden_layer_is_logistic_regression():
    X, y = make_blobs(100, centers=3, cluster_std=3.0, random_state=0)
    ours = MLPClassifier((), solver="lbfgs", alpha=1.0, tol=None, max_iter=500).fit(X, y)
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_linear_network_is_ridge_regression_for_several_outputs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    Y = X @ rng.normal(size=(4, 2)) + rng.normal(size=(50, 2))
    options = {"solver": "lbfgs", "alpha": 3.0, "tol": None, "max_iter": 300}
    ours = MLPRegressor(hidden_layer_sizes=(), **options).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), Ridge(3.0).fit(X, Y).predict(X), atol=1e-5)


@pytest.mark.parametrize("loss", ["absolute_error", Minkowski(2.0), Huber(100.0)])
def test_best_constant_is_median_or_mean(loss):
    y = np.array([0.0, 1.0, 2.0, 3.0, 40.0])
    model = MLPRegressor(
        hidden_layer_sizes=(),
        solver="rprop",
        loss=loss,
        alpha=0,
        tol=None,
        max_iter=400,
        learning_rate_init=0.5,
    ).fit(np.zeros((5, 1)), y)
    best = np.median(y) if loss == "absolute_error" else y.mean()
    assert model.predict([[0.0]])[0] == pytest.approx(best, abs=1e-2)


def test_poisson_output_is_the_mean_of_counts():
    y = np.random.default_rng(0).poisson(7.0, 50)
    options = {"solver": "lbfgs", "alpha": 0, "tol": None, "max_iter": 100}
    model = MLPRegressor("poisson", hidden_layer_sizes=(), **options)
    assert model.fit(np.zeros((50, 1)), y).predict([[0.0]])[0] == pytest.approx(y.mean())
    with pytest.raises(ValueError, match="not negative"):
        model.fit(np.zeros((2, 1)), [-1.0, 1.0])


@pytest.mark.parametrize("loss", ["squared_error", "sign_squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_other_losses_of_classes(loss, classes):
    X, y = make_blobs(90, centers=classes, random_state=1)
    model = MLPClassifier(
        10, "tanh", loss=loss, learning_rate_init=0.02, max_iter=150, tol=None, random_state=0
    ).fit(X / 5, y)
    probability = model.predict_proba(X / 5)
    assert model.score(X / 5, y) > 0.95
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    if loss == "sign_squared":
        assert model._loss_options["gamma"] == 1.0


def test_several_labels_at_once():
    X, _ = moons()
    Y = np.c_[X[:, 0] > 0, X[:, 1] > 0].astype(int)
    model = MLPClassifier(10, solver="lbfgs", max_iter=50, tol=None, random_state=0).fit(X, Y)
    assert model.predict(X).shape == Y.shape and (model.predict(X) == Y).mean() > 0.97


def test_one_activation_per_layer():
    X, y = curve()
    model = MLPRegressor(
        hidden_layer_sizes=(6, 4),
        activation=("tanh", "swish"),
        solver="lbfgs",
        max_iter=200,
        tol=None,
        random_state=0,
    ).fit(X, y)
    assert model.activations_ == ("tanh", "swish", "identity") and model.score(X, y) > 0.95


def test_sparse_rows_give_the_same_network():
    X, y = moons()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    options = {"hidden_layer_sizes": 6, "max_iter": 5, "tol": None, "random_state": 0}
    for extra in ({}, {"solver": "lbfgs"}, {"dropout": Dropout(1.0, keep_input=0.8)}):
        dense = MLPClassifier(**options, **extra).fit(X, y)
        sparse = MLPClassifier(**options, **extra).fit(csr_matrix(X), y)
        np.testing.assert_allclose(sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X))


def test_class_weights_equal_repeated_samples_and_balance_totals():
    X, y = make_blobs([60, 20], cluster_std=4.0, random_state=0)
    options = {"solver": "lbfgs", "alpha": 0, "max_iter": 30, "tol": None, "random_state": 0}
    weighted = MLPClassifier(4, "tanh", class_weight={1: 3.0}, **options).fit(X, y)
    balanced = MLPClassifier(4, "tanh", class_weight="balanced", **options).fit(X, y)
    rows = np.r_[np.arange(80), np.repeat(np.flatnonzero(y == 1), 2)]
    repeated = MLPClassifier(4, "tanh", **options).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.loss_curve_, repeated.loss_curve_, rtol=1e-6)
    np.testing.assert_allclose(balanced.loss_curve_, repeated.loss_curve_, rtol=1e-6)
    with pytest.raises(ValueError, match="class_weight names"):
        MLPClassifier(class_weight={7: 1.0}).fit(X, y)


def test_early_stopping_returns_the_best_epoch():
    X, y = curve(40)
    model = MLPRegressor(
        hidden_layer_sizes=50,
        activation="tanh",
        learning_rate_init=0.05,
        early_stopping=True,
        tol=0.0,
        validation_fraction=0.4,
        n_iter_no_change=20,
        max_iter=3000,
        alpha=0,
        random_state=3,
    ).fit(X, y)
    scores, losses = model.history_["val_score"], model.history_["val_loss"]
    best = int(np.argmax(scores))
    assert len(scores) == model.n_iter_ == best + 1 + 20
    rng = np.random.default_rng(3)
    held = np.zeros(40, dtype=bool)
    held[rng.permutation(np.arange(40))[:16]] = True
    assert r2_score(y[held], model.predict(X[held])) == pytest.approx(max(scores), abs=1e-12)
    half = ((y[held] - model.predict(X[held])) ** 2).mean() / 2
    assert half == pytest.approx(losses[best], abs=1e-12)


def test_weights_after_each_step_stay_inside_the_ball():
    X, y = moons()
    options = {
        "hidden_layer_sizes": 10,
        "learning_rate_init": 0.05,
        "max_iter": 30,
        "tol": None,
        "random_state": 0,
        "alpha": 0.0,
    }
    free = MLPClassifier(**options).fit(X, y)
    unit = MLPClassifier(max_norm=1.0, **options).fit(X, y)
    whole = MLPClassifier(max_norm=MaxNorm(2.0, of="network"), **options).fit(X, y)
    wide = MLPClassifier(max_norm=1e6, **options).fit(X, y)
    assert max((W**2).sum(axis=0).max() for W in free.coefs_) > 1.5
    assert max((W**2).sum(axis=0).max() for W in unit.coefs_) <= 1 + 1e-12
    assert sum((W**2).sum() for W in whole.coefs_) <= 2 + 1e-12
    np.testing.assert_array_equal(wide.coefs_[0], free.coefs_[0])


def descend(X, y, steps, rate, momentum, change):
    """Naive full-batch descent of a linear network; `change` returns the extra step."""
    weights, biases = initialize([X.shape[1], 1], random_state=0)
    net = Network(weights, biases, ("identity",))
    memory = [np.zeros_like(weights[0]), np.zeros_like(biases[0])]
    for _ in range(steps):
        found = backpropagate(net, X, y)
        inside, outside = change(weights[0])
        memory[0] = momentum * memory[0] - rate * (found.weights[0] + inside)
        memory[1] = momentum * memory[1] - rate * found.biases[0]
        weights[0] += memory[0] - outside
        biases[0] += memory[1]
    return weights[0]


@pytest.mark.parametrize("momentum", [0.0, 0.8])
@pytest.mark.parametrize("penalty", ["l2", "shrink", "outside-momentum"])
def test_three_forms_of_weight_decay(penalty, momentum):
    rng = np.random.default_rng(0)
    X, y, rate, alpha = rng.normal(size=(30, 4)), rng.normal(size=30), 0.1, 0.2
    change = {
        "l2": lambda W: (alpha / 30 * W, 0.0),
        "shrink": lambda W: (0.0, rate * alpha * W),
        "outside-momentum": lambda W: (0.0, alpha * W),
    }[penalty]
    model = MLPRegressor(
        hidden_layer_sizes=(),
        solver=SGD(momentum, nesterov=False),
        learning_rate_init=rate,
        alpha=alpha,
        penalty=penalty,
        batch_size=None,
        max_iter=25,
        tol=None,
        random_state=0,
    ).fit(X, y)
    np.testing.assert_allclose(model.coefs_[0], descend(X, y, 25, rate, momentum, change))


def test_shrinking_equals_descent_of_the_penalised_cost():
    """(1 - gamma) W - eta grad E is descent of E + gamma / (2 eta) |W|^2; 002: 2 eta lambda."""
    rng = np.random.default_rng(1)
    X, y, rate, gamma = rng.normal(size=(30, 4)), rng.normal(size=30), 0.1, 0.05
    options = {
        "solver": SGD(momentum=0.0),
        "learning_rate_init": rate,
        "batch_size": None,
        "max_iter": 20,
        "tol": None,
        "random_state": 0,
    }
    options["hidden_layer_sizes"] = ()
    shrunk = MLPRegressor(alpha=gamma, penalty="outside-momentum", **options).fit(X, y)
    penalised = MLPRegressor(alpha=30 * gamma / rate, **options).fit(X, y)
    strength = gamma / (2 * rate)
    third = MLPRegressor(alpha=2 * strength, penalty="shrink", **options).fit(X, y)
    np.testing.assert_allclose(shrunk.coefs_[0], penalised.coefs_[0], rtol=1e-10)
    np.testing.assert_allclose(shrunk.coefs_[0], third.coefs_[0], rtol=1e-10)
    np.testing.assert_allclose(shrunk.intercepts_[0], penalised.intercepts_[0], rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_all_samples_add_up_to_one_pass(weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 4)), rng.normal(size=(700, 2))
    weights = rng.uniform(0.5, 2, 700) if weighted else np.ones(700)
    options = {"activation": "tanh", "solver": "lbfgs", "max_iter": 1, "tol": None}
    model = MLPRegressor(hidden_layer_sizes=(6, 5), alpha=0.0, **options)
    net = model.fit(X, y).network_
    samples = Samples.of(X, y, weights)
    trainer = Trainer(model, flatten(net.weights, net.biases), net, rng)
    whole = backpropagate(net, X, y, weights)
    for n_rows in (256, 700):
        loss, gradient = trainer.cost(samples.blocks(n_rows), samples.mass)
        assert loss == pytest.approx(whole.loss, rel=1e-12)
        np.testing.assert_allclose(gradient, flatten(whole.weights, whole.biases), atol=1e-14)


def test_bits_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 4)), rng.normal(size=2000)
    found = []
    for threads in (1, 3):
        options = {"activation": "tanh", "solver": "lbfgs", "max_iter": 5, "tol": None}
        model = MLPRegressor(hidden_layer_sizes=300, **options, random_state=0)
        with limit_threads(threads):
            found.append(model.fit(X, y))
    np.testing.assert_array_equal(found[0].coefs_[0], found[1].coefs_[0])


@pytest.mark.parametrize("kind", ["l2", "lp", "elimination", "mixture"])
def test_gradients_of_penalties(kind):
    weights = np.random.default_rng(0).normal(size=6)
    pair = Mixture(np.array([0.0, 1.0]), np.array([0.1, 0.3]), np.array([0.4, 0.6]))

    def value(w):
        return weight_penalty(w, kind, alpha=0.7, p=1.5, mixture=pair)[0]

    found = weight_penalty(weights, kind, alpha=0.7, p=1.5, mixture=pair)[1]
    np.testing.assert_allclose(found, numerical_gradient(value, weights), rtol=1e-6)


def test_penalties_of_the_notes():
    w = np.array([0.3, -2.0])
    np.testing.assert_allclose(weight_penalty(w, "elimination")[1], w / (1 + w**2) ** 2)
    for size in (1.0, 2.0):  # squares below and above 2
        pair, single = np.full(2, size / 2), np.array([size, 0.0])
        assert weight_penalty(pair)[0] < weight_penalty(single)[0]
        prefers_single = (
            weight_penalty(pair, "elimination")[0] > weight_penalty(single, "elimination")[0]
        )
        assert prefers_single == (size**2 > 2)


def test_one_zero_component_is_weight_decay():
    w = np.random.default_rng(0).normal(size=5)
    one = Mixture(np.zeros(1), np.full(1, 0.5), np.ones(1))
    value, gradient = mixture_penalty(w, one)
    np.testing.assert_allclose(gradient, w / 0.5)
    np.testing.assert_allclose(value, (w**2).sum() + 2.5 * np.log(np.pi))


def test_soft_sharing_draws_weights_together():
    X, y = moons()
    options = {
        "hidden_layer_sizes": 12,
        "activation": "tanh",
        "learning_rate_init": 0.02,
        "max_iter": 300,
        "tol": None,
        "random_state": 0,
    }
    plain = MLPClassifier(alpha=0, **options).fit(X, y)
    shared = MLPClassifier(alpha=0.3, penalty=SoftWeightSharing(3), **options).fit(X, y)

    def spread(model):
        """Mean distance of a weight to the nearest of its best three values, in deviations."""
        flat = np.sort(np.concatenate([W.ravel() for W in model.coefs_]))
        cuts = [(i, j) for i in range(1, len(flat) - 1) for j in range(i + 1, len(flat))]
        cost = min(sum(part.var() * len(part) for part in np.split(flat, cut)) for cut in cuts)
        return (cost / len(flat)) ** 0.5 / flat.std()

    assert spread(shared) < 0.5 * spread(plain) and shared.score(X, y) > 0.85


def test_dropout_of_units_scales_what_is_kept():
    rng = np.random.default_rng(0)
    net = Network(
        [rng.normal(size=(4, 5)), rng.normal(size=(5, 2))],
        [rng.normal(size=5), rng.normal(size=2)],
        ("relu", "identity"),
    )
    X = rng.normal(size=(6, 4))
    for drop in ("units", "weights"):
        found = monte_carlo_dropout(
            net, X, keep_probability=0.6, drop=drop, n_draws=4000, random_state=0
        )
        error = found.std / 4000**0.5
        assert (abs(found.mean - forward(net, X)) < 5 * error + 1e-12).all()  # p < 1e-5
        assert (found.std > 0).all()
    exact = np.sqrt(
        (0.4 / 0.6) * (np.maximum(X @ net.weights[0] + net.biases[0], 0) ** 2) @ net.weights[1] ** 2
    )
    units = monte_carlo_dropout(net, X, keep_probability=0.6, n_draws=4000, random_state=0)
    np.testing.assert_allclose(units.std, exact, rtol=0.1)


@pytest.mark.parametrize("drop", ["units", "weights"])
def test_training_with_dropout_still_learns(drop):
    X, y = moons()
    model = MLPClassifier(
        40,
        learning_rate_init=0.02,
        dropout=Dropout(0.5, keep_input=0.8, drop=drop),
        max_iter=200,
        tol=None,
        random_state=0,
    ).fit(X, y)
    assert model.score(X, y) > 0.85


def test_noise_keeps_the_path_moving():
    X, y = curve()
    options = {"batch_size": None, "max_iter": 20, "tol": None, "random_state": 0}
    calm, shaken = (
        MLPRegressor(hidden_layer_sizes=5, solver=SGD(noise=noise), **options).fit(X, y)
        for noise in (0.0, 0.01)
    )
    step = shaken.coefs_[0] - calm.coefs_[0]
    assert 0.005 < step.std() < 0.2


def test_frozen_layers_keep_their_weights_exactly():
    X, y = moons()
    model = MLPClassifier(
        (6, 5),
        max_iter=20,
        tol=None,
        alpha=1.0,
        solver=SGD(noise=0.01),
        max_norm=0.5,
        warm_start=True,
        random_state=0,
    ).fit(X, y)
    before = [W.copy() for W in (*model.coefs_, *model.intercepts_)]
    for solver in ("adam", SGD(noise=0.01), "rprop", "lbfgs"):
        model.set_params(frozen_layers=(0, 1), solver=solver)
        if solver == "lbfgs":
            model.set_params(max_norm=None)
        model.fit(X, y)
        after = [*model.coefs_, *model.intercepts_]
        for layer in (0, 1, 3, 4):
            np.testing.assert_array_equal(after[layer], before[layer])
        assert not np.array_equal(after[2], before[2])
    with pytest.raises(ValueError, match="not all of them"):
        model.set_params(frozen_layers=(0, 1, 2)).fit(X, y)


def test_transfer_to_other_classes_keeps_the_features():
    X, y = load_digits(return_X_y=True)
    X = X / 16
    old, new = y < 5, y >= 5
    model = MLPClassifier(40, warm_start=True, max_iter=30, tol=None, random_state=0)
    model.fit(X[old], y[old])
    features = model.coefs_[0].copy()
    model.set_params(frozen_layers=(0,), max_iter=60, learning_rate_init=0.02).fit(
        X[new][::5], y[new][::5]
    )
    np.testing.assert_array_equal(model.coefs_[0], features)
    assert model.classes_.tolist() == [5, 6, 7, 8, 9]
    assert model.score(X[new], y[new]) > 0.8
    with pytest.raises(ValueError, match="warm_start=False"):
        model.set_params(hidden_layer_sizes=7).fit(X[old], y[old])


def test_pieces_of_data_equal_epochs():
    X, y = moons()
    options = {"hidden_layer_sizes": 6, "batch_size": 20, "random_state": 0}
    whole = MLPClassifier(max_iter=3, tol=None, **options).fit(X, y)
    parts = MLPClassifier(**options)
    for _ in range(3):
        parts.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(parts.coefs_[0], whole.coefs_[0])
    np.testing.assert_array_equal(parts.loss_curve_, whole.loss_curve_)
    for rows in (slice(0, 100), slice(100, 200)):
        parts.partial_fit(X[rows], y[rows])
    assert parts.n_iter_ == len(parts.loss_curve_) == 5
    with pytest.raises(ValueError, match="early_stopping"):
        MLPClassifier(early_stopping=True).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="class_weight as a dict"):
        MLPClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize("solver", ["adam", "sgd", "rmsprop", SGD(0.5), Adam(0.8)])
def test_training_goes_on_after_a_copy_or_a_file(solver):
    X, y = moons()
    model = MLPClassifier(5, solver=solver, random_state=0).partial_fit(X, y, classes=[0, 1])
    file = io.BytesIO()
    write_content(model, file)
    file.seek(0)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), read_content(file)]
    model.partial_fit(X, y)
    for twin in copies:
        before = twin.coefs_[0].copy()
        twin.partial_fit(X, y)
        assert not np.array_equal(before, twin.coefs_[0])
        np.testing.assert_array_equal(twin.coefs_[0], model.coefs_[0])


def test_learning_rates():
    X, y = curve()
    options = {
        "hidden_layer_sizes": 4,
        "solver": SGD(momentum=0.0),
        "batch_size": None,
        "max_iter": 2,
        "tol": None,
        "alpha": 0.0,
        "random_state": 0,
    }
    start = MLPRegressor(**options).fit(X, y)
    seen = []
    called = MLPRegressor(learning_rate=lambda t: seen.append(t) or 0.001, **options).fit(X, y)
    np.testing.assert_allclose(called.coefs_[0], start.coefs_[0])
    assert seen == [1, 2]
    falling = MLPRegressor(learning_rate="invscaling", **options).fit(X, y)
    rates = {1: 0.001, 2: 0.001 / (1 + len(X)) ** 0.5}
    same = MLPRegressor(learning_rate=rates.get, **options).fit(X, y)
    np.testing.assert_array_equal(falling.coefs_[0], same.coefs_[0])
    stuck = {**options, "max_iter": 12, "learning_rate_init": 3.0}
    coarse = MLPRegressor(**{**stuck, "hidden_layer_sizes": ()}, learning_rate="adaptive")
    coarse.fit(np.linspace(-1, 1, 9)[:, None], np.linspace(-1, 1, 9) ** 2)
    assert min(coarse.loss_curve_[-3:]) < coarse.loss_curve_[2]


@pytest.mark.parametrize("learning_rate", ["invscaling", "adaptive"])
def test_learning_rates_go_on_from_piece_to_piece(learning_rate):
    X = np.linspace(-1, 1, 9)[:, None]
    options = {
        "hidden_layer_sizes": (),
        "solver": SGD(momentum=0.0),
        "learning_rate_init": 3.0,
        "batch_size": None,
        "max_iter": 12,
        "tol": None,
        "random_state": 0,
    }
    constant = MLPRegressor(**options).fit(X, X.ravel() ** 2)
    whole = MLPRegressor(learning_rate=learning_rate, **options).fit(X, X.ravel() ** 2)
    parts = MLPRegressor(learning_rate=learning_rate, **options)
    for _ in range(12):
        parts.partial_fit(X, X.ravel() ** 2)
    np.testing.assert_array_equal(parts.loss_curve_, whole.loss_curve_)
    assert whole.loss_ < 0.1 * constant.loss_


def test_loss_is_the_log_loss_of_scikit_learn():
    X, y = moons()
    model = MLPClassifier(5, solver="lbfgs", max_iter=10, alpha=0, tol=None, random_state=0)
    model.fit(X, y)
    assert model.loss_ == pytest.approx(log_loss(y, model.predict_proba(X)), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hidden_layer_sizes": (3, 0)}, "whole numbers > 0"),
        ({"activation": ("tanh", "relu")}, "one per hidden layer"),
        ({"activation": "sine"}, "one name or 1"),
        ({"solver": "magic"}, "solver must be one of"),
        ({"penalty": "l3"}, "penalty must be one of"),
        ({"dropout": 0.5}, "dropout must be Dropout or None"),
        ({"max_norm": 0.0}, "max_norm must be"),
        ({"frozen_layers": (5,)}, "frozen_layers must name"),
        ({"solver": "lbfgs", "dropout": Dropout()}, "takes no dropout"),
        ({"solver": "lbfgs", "max_norm": 1.0, "penalty": "shrink"}, "max_norm, penalty='shrink'"),
        ({"solver": "lbfgs", "penalty": "mixture"}, "takes no penalty=SoftWeightSharing"),
        ({"solver": "lbfgs", "loss": "sign_squared"}, "takes no loss='sign_squared'"),
    ],
)
def test_bad_parameters_are_named(options, words):
    X, y = moons(20)
    with pytest.raises(ValueError, match=words):
        MLPClassifier(**options).fit(X, y)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (lambda: SGD(momentum=1.1), "SGD: momentum must be"),
        (lambda: Adam(beta_1=-0.1), "Adam: beta_1 must be"),
        (lambda: Dropout(0.0), "Dropout: keep_probability must be"),
        (lambda: Dropout(drop="layers"), "Dropout: drop must be one of"),
        (lambda: MaxNorm(-1.0), "MaxNorm: square must be"),
        (lambda: LpPenalty(0.5), "LpPenalty: p must be"),
        (lambda: SoftWeightSharing(0), "SoftWeightSharing: n_components must be"),
        (lambda: Huber(0.0), "Huber: delta must be"),
        (lambda: Minkowski(0.0), "Minkowski: r must be"),
    ],
)
def test_options_refuse_bad_values_at_once(option, words):
    with pytest.raises(ValueError, match=words):
        option()


def test_divergence_says_what_to_do():
    X, y = curve()
    options = {"activation": "identity", "solver": "sgd", "learning_rate_init": 1e3}
    model = MLPRegressor(hidden_layer_sizes=5, **options, max_iter=100)
    with (
        pytest.raises(FloatingPointError, match="Lower the learning rate"),
        np.errstate(all="ignore"),
    ):
        model.fit(100 * X, 1e6 * y)
    pieces = MLPRegressor(hidden_layer_sizes=5, **options)
    with (
        pytest.raises(FloatingPointError, match="Lower the learning rate"),
        np.errstate(all="ignore"),
    ):
        for _ in range(100):
            pieces.partial_fit(100 * X, 1e6 * y)
