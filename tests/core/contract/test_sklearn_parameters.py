"""Classes that bear scikit-learn's names take its parameters and have its attributes."""

import inspect
import re
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.utils import all_estimators

from shallows._core.contract.registry import estimators
from shallows._core.contract.sklearn_parameters import (
    OTHER_ATTRIBUTES,
    OTHER_DEFAULTS,
    PARAMETERS,
    kind_of,
)

THEIRS = dict(all_estimators())
SHARED = [cls for cls in estimators() if cls.__name__ in PARAMETERS]
SETTINGS = {
    "AgglomerativeClustering": {"compute_distances": True},
    "BernoulliRBM": {"n_components": 3, "n_iter": 2},
    "KernelPCA": {"kernel": "rbf", "n_components": 2, "fit_inverse_transform": True},
    "MDS": {"max_iter": 300, "init": "classical_mds"},
    "MLPClassifier": {"hidden_layer_sizes": 3, "early_stopping": True},
    "MLPRegressor": {"hidden_layer_sizes": 3, "early_stopping": True},
    "RidgeCV": {"store_cv_results": True},
    "SVC": {"kernel": "linear", "C": 0.1},
    "SVR": {"kernel": "linear", "C": 0.1},
    "TSNE": {"max_iter": 250, "perplexity": 5.0},
}
each_class = pytest.mark.parametrize("cls", SHARED, ids=lambda cls: cls.__name__)


def signature(cls):
    found = dict(inspect.signature(cls.__init__).parameters)
    return {name: value for name, value in found.items() if name != "self"}


def described_attributes(cls):
    """Return the attributes that scikit-learn's docstring names without a condition."""
    text = inspect.cleandoc(cls.__doc__)
    block = re.search(r"Attributes\n-+\n(.*?)(\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)", text, re.S).group(1)
    return re.findall(r"^(\w+_) :", block, re.M)


def test_every_class_with_a_name_of_scikit_learn_is_listed():
    outside = {"shallows.tree"}  # has a list of its own
    found = {
        cls.__name__
        for cls in estimators()
        if cls.__name__ in THEIRS and ".".join(cls.__module__.split(".")[:2]) not in outside
    }
    assert found == set(PARAMETERS)


@each_class
def test_every_parameter_is_taken_in_the_same_order(cls):
    ours, theirs = signature(cls), signature(THEIRS[cls.__name__])
    assert list(ours)[: len(theirs)] == list(theirs)
    own = list(ours)[len(theirs) :]
    assert all(ours[name].kind == inspect.Parameter.KEYWORD_ONLY for name in own)
    positional = [n for n, p in theirs.items() if p.kind != inspect.Parameter.KEYWORD_ONLY]
    assert all(ours[name].kind != inspect.Parameter.KEYWORD_ONLY for name in positional)


@each_class
def test_defaults_are_the_same(cls):
    ours, theirs = signature(cls), signature(THEIRS[cls.__name__])
    other = {
        name
        for name in theirs
        if ours[name].default != theirs[name].default
        or isinstance(ours[name].default, bool) != isinstance(theirs[name].default, bool)
    }
    assert other == {name for owner, name in OTHER_DEFAULTS if owner == cls.__name__}


@each_class
def test_the_docstring_says_what_has_no_effect(cls):
    text = inspect.cleandoc(cls.__doc__)
    block = re.search(r"Parameters\n-+\n(.*?)\n\nAttributes\n", text, re.S).group(1)
    parts = re.split(r"^(?=\w)", block, flags=re.M)
    described = {name.strip() for part in parts for name in part.split(" :")[0].split(",")}
    assert set(signature(cls)) <= described
    taken = {part.split(" :")[0] for part in parts if "Taken for scikit-learn's sake" in part}
    assert taken == set(PARAMETERS[cls.__name__].implementation)
    listed = {*PARAMETERS[cls.__name__].resources, *taken}
    assert listed <= set(signature(THEIRS[cls.__name__]))
    assert all(kind_of(cls.__name__, name) != "result" for name in listed)


@each_class
def test_fitted_attributes_are_there(cls):
    X, y = make_blobs(40, n_features=4, centers=2, random_state=0)
    target = X[:, 0] if hasattr(cls, "predict") and "Regress" in str(cls.__mro__) else y
    model = cls(**SETTINGS.get(cls.__name__, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = THEIRS[cls.__name__](**SETTINGS.get(cls.__name__, {}))
        inputs = np.clip(X, 0, 1) if cls.__name__ == "BernoulliRBM" else X
        model.fit(inputs, target)
        theirs.fit(inputs, target)
        wanted = {name for name in described_attributes(type(theirs)) if hasattr(theirs, name)}
        expected = {name: getattr(theirs, name) for name in wanted}
    missing = {name for name in wanted if not hasattr(model, name)}
    assert missing == {name for owner, name in OTHER_ATTRIBUTES if owner == cls.__name__}
    for name in wanted - missing:
        found = getattr(model, name)
        if isinstance(expected[name], np.ndarray) and isinstance(found, np.ndarray):
            assert found.ndim == expected[name].ndim, name
