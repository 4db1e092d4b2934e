"""Histogram gradient boosting against scikit-learn's, and what its parameters promise."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier as PeerClassifier
from sklearn.ensemble import HistGradientBoostingRegressor as PeerRegressor
from sklearn.metrics import log_loss, mean_pinball_loss
from sklearn.model_selection import train_test_split

from shallows.tree import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def friedman(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 5))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3]
    return X, mean + rng.normal(size=n)


def targets(loss, y):
    scaled = (y - y.min()) / y.std() + 0.1
    return np.round(3 * scaled) if loss == "poisson" else scaled


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma"])
def test_few_values_give_the_trees_of_scikit_learn(loss):
    # With fewer values than bins both cut alike.
    X, y = friedman()
    X, y = np.round(X, 2), targets(loss, y)
    options = {"loss": loss, "max_iter": 20, "max_leaf_nodes": 8}
    ours = HistGradientBoostingRegressor(**options).fit(X, y)
    peer = PeerRegressor(**options).fit(X, y)
    # scikit-learn holds gradients in single precision.
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-4)


def test_few_values_give_the_class_trees_of_scikit_learn():
    X, y = load_digits(return_X_y=True)
    # Deeper trees have ties between pixels, of which either may be taken.
    options = {"max_iter": 3, "max_leaf_nodes": 2}
    ours = HistGradientBoostingClassifier(**options).fit(X, y).predict_proba(X)
    assert_allclose(ours, PeerClassifier(**options).fit(X, y).predict_proba(X), rtol=1e-5)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_as_good_as_scikit_learn_on_held_out_rows(load):
    X, y = load(return_X_y=True)
    losses = []
    for Boosting in (HistGradientBoostingClassifier, PeerClassifier):
        parts = []
        for seed in range(3):
            X_a, X_b, y_a, y_b = train_test_split(X, y, random_state=seed, stratify=y)
            model = Boosting(max_iter=30, min_samples_leaf=5).fit(X_a, y_a)
            parts.append(log_loss(y_b, model.predict_proba(X_b)))
        losses.append(np.mean(parts))
    assert losses[0] < 1.15 * losses[1] + 0.005


def test_quantiles_cover_their_share():
    X, y = friedman(4000)
    for share in (0.1, 0.8):
        options = {"loss": "quantile", "quantile": share, "max_leaf_nodes": 4}
        options["min_samples_leaf"] = 200
        model = HistGradientBoostingRegressor(**options).fit(X[:2000], y[:2000])
        below = (y[2000:] <= model.predict(X[2000:])).mean()
        # Four standard deviations of a share of 2000 rows are 0.036.
        assert below == pytest.approx(share, abs=0.04)
        peer = PeerRegressor(**options).fit(X[:2000], y[:2000])
        ours, theirs = (
            mean_pinball_loss(y[2000:], one.predict(X[2000:]), alpha=share) for one in (model, peer)
        )
        assert ours < 1.05 * theirs


@pytest.mark.parametrize("sign", [-1, 1])
def test_monotonic_effects_hold_everywhere(sign):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(800, 3))
    y = np.sin(9 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=800)
    free = HistGradientBoostingRegressor(max_iter=50).fit(X, y)
    model = HistGradientBoostingRegressor(max_iter=50, monotonic_cst=[sign, 0, 0]).fit(X, y)
    path = np.linspace(0, 1, 200)
    falls = []
    for start in rng.uniform(size=(30, 3)):
        rows = np.tile(start, (200, 1))
        rows[:, 0] = path
        assert (sign * np.diff(model.predict(rows)) >= -1e-12).all()
        falls.append((sign * np.diff(free.predict(rows)) < -1e-12).any())
    assert all(falls)


def test_columns_that_may_not_meet_add_up():
    X, y = friedman()
    model = HistGradientBoostingRegressor(max_iter=30, interaction_cst="no_interactions")
    model.fit(X, y)
    # Without interactions f(a, b) + f(c, d) = f(a, d) + f(c, b).
    one, other = X[:100], X[100:200]
    mixed = np.column_stack([one[:, :2], other[:, 2:]]), np.column_stack([other[:, :2], one[:, 2:]])
    left = model.predict(one) + model.predict(other)
    assert_allclose(left, model.predict(mixed[0]) + model.predict(mixed[1]))
    free = HistGradientBoostingRegressor(max_iter=30).fit(X, y)
    assert not np.allclose(
        free.predict(one) + free.predict(other), free.predict(mixed[0]) + free.predict(mixed[1])
    )


def test_one_split_on_categories_divides_them_as_it_has_to():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefgh"))[rng.integers(0, 8, size=400)]
    y = np.isin(letters, list("aceh")).astype(int)
    frame = pd.DataFrame({"letter": pd.Categorical(letters)})
    stump = HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=2).fit(frame, y)
    assert stump.score(frame, y) == 1.0
    assert_array_equal(stump.is_categorical_, [True])


def test_gaps_go_where_they_help_and_unknown_categories_count_as_gaps():
    rng = np.random.default_rng(0)
    color = np.array(["red", "blue", None], dtype=object)[rng.integers(0, 3, size=300)]
    number = rng.normal(size=300)
    y = pd.isna(color).astype(int)
    frame = pd.DataFrame({"color": color, "number": number})
    model = HistGradientBoostingClassifier(max_iter=5).fit(frame, y)
    assert model.score(frame, y) == 1.0
    new = pd.DataFrame({"color": ["green", None], "number": [0.0, 0.0]})
    assert_array_equal(model.predict(new), [1, 1])
    # A gap in a column of numbers that says it all.
    number[y == 1] = np.nan
    assert (
        HistGradientBoostingClassifier(max_iter=5).fit(number[:, None], y).score(number[:, None], y)
        == 1.0
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile"])
def test_weights_count_as_repeated_rows(loss):
    X, y = friedman(300)
    weights = np.random.default_rng(0).integers(0, 4, size=300)
    options = {"loss": loss, "quantile": 0.7, "max_iter": 20, "min_samples_leaf": 1, "max_depth": 3}
    weighted = HistGradientBoostingRegressor(**options).fit(X, y, sample_weight=weights)
    repeated = HistGradientBoostingRegressor(**options).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    # Where ties put a threshold is not seen on training rows.
    X = X[weights > 0]
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-7)


def test_early_stopping_keeps_the_first_trees_of_a_longer_run():
    X, y = friedman(600)
    options = {"max_iter": 200, "learning_rate": 0.5, "random_state": 0}
    model = HistGradientBoostingRegressor(early_stopping=True, **options).fit(X, y)
    assert 10 < model.n_iter_ < 200
    assert len(model.validation_score_) == len(model.train_score_) == model.n_iter_ + 1
    assert_allclose(model.history_["val_loss"], -model.validation_score_[1:])
    # The last ten scores are no better than the one before them.
    assert model.validation_score_[-10:].max() <= model.validation_score_[-11] + 1e-7


def test_given_validation_rows_are_watched():
    X, y = friedman(900)
    model = HistGradientBoostingRegressor(max_iter=20)
    model.fit(X[:600], y[:600], X_val=X[600:], y_val=y[600:])
    assert model.do_early_stopping_
    half = 0.5 * ((model.predict(X[600:]) - y[600:]) ** 2).mean()
    assert -model.validation_score_[-1] == pytest.approx(half)


def test_a_scorer_may_be_watched():
    X, y = load_breast_cancer(return_X_y=True)
    model = HistGradientBoostingClassifier(
        max_iter=15, early_stopping=True, scoring="roc_auc", random_state=0, n_iter_no_change=5
    ).fit(X, y)
    assert model.train_score_[-1] > 0.99 > model.train_score_[0]
    assert model.validation_score_[0] == 0.5


def test_warm_start_goes_on():
    X, y = friedman()
    whole = HistGradientBoostingRegressor(max_iter=20, random_state=0).fit(X, y)
    model = HistGradientBoostingRegressor(max_iter=8, random_state=0, warm_start=True).fit(X, y)
    model.set_params(max_iter=20).fit(X, y)
    assert_allclose(model.predict(X), whole.predict(X))
    assert_allclose(model.history_["loss"], whole.history_["loss"])
    with pytest.raises(ValueError, match="at least the 20"):
        model.set_params(max_iter=5).fit(X, y)


def test_stages_end_in_the_prediction():
    X, y = load_wine(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=6).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == 6
    assert_array_equal(stages[-1], model.predict_proba(X))
    assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    losses = [log_loss(y, stage) for stage in stages]
    assert_allclose(losses, model.history_["loss"])


def test_class_weights_count_as_sample_weights():
    X, y = load_breast_cancer(return_X_y=True)
    by_class = HistGradientBoostingClassifier(max_iter=5, class_weight={0: 3.0, 1: 1.0}).fit(X, y)
    by_row = HistGradientBoostingClassifier(max_iter=5).fit(X, y, np.where(y == 0, 3.0, 1.0))
    assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


def test_a_constant_target_is_predicted():
    X, _ = friedman(100)
    assert_allclose(
        HistGradientBoostingRegressor(max_iter=3).fit(X, np.full(100, 7.0)).predict(X), 7
    )


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({"loss": "gamma"}, -1.0, "needs y > 0"),
        ({"loss": "poisson"}, -1.0, "needs y >= 0"),
        ({"loss": "quantile"}, 1.0, "needs quantile"),
        ({"monotonic_cst": [1]}, 1.0, "one per column"),
        ({"monotonic_cst": {"a": 1}}, 1.0, "given by names"),
        ({"monotonic_cst": [1, 0, 0, 0, 0], "categorical_features": [0]}, 1.0, "must be 0 for"),
        ({"interaction_cst": [[0, 9]]}, 1.0, "from 0 to 4"),
        ({"categorical_features": [0], "max_bins": 20}, 1.0, "at most max_bins=20"),
        ({"max_depth": 0}, 1.0, "max_depth must be"),
        ({"max_bins": 256}, 1.0, "max_bins must be"),
    ],
)
def test_what_can_not_be_is_refused(options, y, message):
    X, _ = friedman(50)
    with pytest.raises(ValueError, match=message):
        HistGradientBoostingRegressor(**options).fit(X, np.full(50, y))
