"""What every estimator keeps: scikit-learn's contract and our own."""

import copy
import io
import pickle
import warnings
from dataclasses import is_dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.datasets import make_blobs
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from instances import INSTANCES, OF_ANOTHER_KIND, expected_failures
from shallows._core.contract.registry import estimators
from shallows._core.numerics.threads import limit_threads
from shallows.study._model_file import read_content, write_content


def seeded(model):
    """Give the model a seed: some checks of scikit-learn give none, and fail now and then."""
    if model.get_params().get("random_state", 0) is None:
        model.set_params(random_state=0)
    return model


MODELS = [
    seeded(cls(**options))
    for cls in estimators()
    if cls.__name__ not in OF_ANOTHER_KIND
    for options in INSTANCES.get(cls.__name__, [{}])
]
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")

every_estimator = pytest.mark.parametrize("model", MODELS, ids=repr)


@parametrize_with_checks(
    MODELS,
    expected_failed_checks=expected_failures,
)
def test_sklearn_contract(estimator, check):
    check(estimator)


def data(dtype=np.float64):
    X, y = make_blobs(60, n_features=4, centers=3, cluster_std=2.0, random_state=0)
    return X.astype(dtype), y


def fitted(model, dtype=np.float64, seed=0):
    """Return a fresh clone fitted to the common data; few epochs may not converge."""
    model = clone(model)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    X, y = data(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, target(model, X, y))


def target(model, X, y):
    if is_regressor(model):
        return X[:, 0]
    return y if is_classifier(model) or get_tags(model).target_tags.required else None


def outputs(model, X):
    return {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}


def through_a_model_file(value):
    """Return what a model file gives back for a value."""
    file = io.BytesIO()
    write_content(value, file)
    file.seek(0)
    return read_content(file)


def learned(model):
    return {k: v for k, v in vars(model).items() if k.endswith("_") and not k.startswith("_")}


def same(left, right):
    """Equal to the last bit, through dicts, lists, arrays and estimators."""
    if isinstance(left, BaseEstimator) or is_dataclass(left):
        return type(left) is type(right) and same(vars(left), vars(right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return np.array_equal(left, right, equal_nan=np.asarray(left).dtype.kind == "f")


@every_estimator
def test_input_is_unchanged_and_may_be_read_only(model):
    X, y = data()
    kept = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = clone(model).fit(X, target(model, X, y))
    outputs(fit, X)
    assert same([X, y], list(kept))


@every_estimator
def test_nothing_learned_or_returned_shares_memory_with_the_input(model):
    X, _ = data()
    fit = fitted(model)
    arrays = [v for v in learned(fit).values() if isinstance(v, np.ndarray)]
    for result in outputs(fit, X).values():
        assert not any(np.shares_memory(result, other) for other in [X, *arrays])
    changed = copy.deepcopy(learned(fit))
    for result in outputs(fit, X).values():
        result[:] = result[0]
    assert same(learned(fit), changed)


@every_estimator
def test_prediction_does_not_change_the_estimator(model):
    fit = fitted(model)
    before = copy.deepcopy(vars(fit))
    outputs(fit, data()[0])
    assert same(before, vars(fit))


@every_estimator
def test_same_seed_same_bits_whatever_the_number_of_threads(model):
    with limit_threads(1):
        alone = fitted(model)
    with limit_threads(3):
        together = fitted(model)
    assert same(learned(alone), learned(together))


@every_estimator
@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_random_state_may_be_a_generator(model, kind):
    if "random_state" not in model.get_params():
        pytest.skip("has no random_state")
    assert same(learned(fitted(model, seed=kind(3))), learned(fitted(model, seed=kind(3))))


@every_estimator
def test_refit_equals_fresh_fit(model):
    fit = fitted(model)
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = (
            copy.deepcopy(fit)
            .fit(X[::2, :3], target(model, X[::2], y[::2]))
            .fit(X, target(model, X, y))
        )
    assert same(learned(fit), learned(again))


@every_estimator
def test_float32_is_kept(model):
    fit = fitted(model, np.float32)
    results = {**learned(fit), **outputs(fit, data(np.float32)[0])}
    wide = [k for k, v in results.items() if isinstance(v, np.ndarray) and v.dtype == np.float64]
    assert not wide


@every_estimator
def test_parameters_are_untouched_by_fit(model):
    before = clone(model).get_params()
    after = fitted(model).get_params()
    for name in before.keys() - {"random_state"}:
        assert same(before[name], after[name]), name


@every_estimator
def test_a_pickle_and_a_model_file_restore_the_same_predictions(model):
    fit = fitted(model)
    X, _ = data()
    for restored in (pickle.loads(pickle.dumps(fit)), through_a_model_file(fit)):
        assert same(outputs(fit, X), outputs(restored, X))
        assert same(vars(fit), vars(restored))


@every_estimator
def test_iterative_learners_keep_a_history(model):
    fit = fitted(model)
    if getattr(fit, "n_iter_", None) is None:
        pytest.skip("does not iterate")
    lengths = {len(values) for values in fit.history_.values()}
    assert "loss" in fit.history_ and lengths == {fit.n_iter_}
    assert all(type(value) is float for values in fit.history_.values() for value in values)
