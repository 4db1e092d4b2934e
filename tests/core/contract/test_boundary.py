"""What comes in is checked in one place: no estimator lets a missing target or an odd size pass."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from instances import INSTANCES, OF_ANOTHER_KIND
from shallows._core.contract.data import check_labelled, check_new, check_regression
from shallows._core.contract.registry import estimators
from shallows.linear import LinearRegression

X = np.random.default_rng(0).normal(size=(24, 3))
Y = np.arange(24) % 3
# They learn from rows without a label, or take no target but for a choice of their own.
LABELS_MAY_BE_MISSING = {"SemiSupervised", "OutlierRemover"}


def small(cls):
    model = cls(**INSTANCES.get(cls.__name__, [{}])[0])
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model


EVERY = [small(cls) for cls in estimators() if cls.__name__ not in OF_ANOTHER_KIND]
SUPERVISED = [
    model
    for model in EVERY
    if type(model).__name__ not in LABELS_MAY_BE_MISSING
    and (is_regressor(model) or is_classifier(model) or get_tags(model).target_tags.required)
]
REGRESSORS = [model for model in SUPERVISED if is_regressor(model)]
LABELLED = [model for model in SUPERVISED if not is_regressor(model)]


def with_gap(values, gap):
    values = np.array(values, dtype=object)
    values[5] = gap
    return values


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
@pytest.mark.parametrize("gap", [None, np.nan, pd.NA], ids=repr)
def test_a_missing_target_among_objects_is_refused(model, gap):
    """NumPy makes NaN of None; ten regressors predicted NaN, and one never came to an end."""
    with pytest.raises(
        ValueError, match=rf"{type(model).__name__}: y must not have missing.*row 5"
    ):
        model.fit(X, with_gap(X[:, 0], gap))


@pytest.mark.parametrize("model", LABELLED, ids=repr)
@pytest.mark.parametrize("labels", [Y, np.array(list("abc"))[Y]], ids=["numbers", "words"])
def test_a_missing_label_is_refused(model, labels):
    owner = "ELMClassifier" if type(model).__name__ == "Restarts" else type(model).__name__
    with pytest.raises(ValueError, match=rf"{owner}: y must not have missing.*row 5"):
        model.fit(X, with_gap(labels, None))


@pytest.mark.parametrize("model", SUPERVISED, ids=repr)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_number_that_is_none_is_refused_in_a_target(model, value):
    y = Y.astype(float)
    y[5] = value
    with pytest.raises(ValueError, match=r"y contains (NaN|infinity)"):
        model.fit(X, y)


def test_labels_of_two_kinds_are_named():
    y = np.array(["a", 1, 2.0] * 8, dtype=object)
    with pytest.raises(TypeError, match="got the text 'a' and 1, a int"):
        check_labelled(LinearRegression(), X, y)


@pytest.mark.parametrize("model", EVERY, ids=repr)
def test_a_gap_in_sparse_rows_is_taken_or_refused_by_name(model):
    rows = csr_array(np.where(X > 0, X, 0))
    rows.data[3] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(rows, X[:, 0] if is_regressor(model) else Y)
        except (TypeError, ValueError) as error:
            assert type(model).__name__ in str(error) or "estimator" in model.get_params()
        else:
            assert get_tags(model).input_tags.allow_nan


@pytest.mark.parametrize("unit", [1e160, 1e300, 1e-310])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_sizes_without_squares_get_a_sentence(unit, form):
    model = LinearRegression()
    with pytest.raises(ValueError, match=r"LinearRegression: the largest number in X .* Divide X"):
        check_regression(model, form(unit * X), Y, sparse=True)
    with pytest.raises(ValueError, match=r"LinearRegression: the largest number in y .* Divide y"):
        check_regression(model, form(X), unit * X[:, 0], sparse=True)
    if unit > 1:
        with pytest.raises(ValueError, match=r"largest number in X .* Divide X"):
            check_new(model.fit(X, Y), form(unit * X), sparse=True)
    else:
        check_new(model.fit(X, Y), form(unit * X), sparse=True)


@pytest.mark.parametrize("shape", [(24, 3), (9000, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_quick_look_sees_what_the_whole_check_sees(shape, dtype):
    """The sum of squares decides, whole or in parts, for an X or a y of any size."""
    rng, verdicts = np.random.default_rng(1), []
    for exponent in range(np.finfo(dtype).minexp, np.finfo(dtype).maxexp - 4, 16):
        data = (rng.uniform(-1, 1, size=shape) * 2.0**exponent).astype(dtype)
        quick, whole = (refused(rows, data[:, 0]) for rows in (data, np.asfortranarray(data)))
        assert quick == whole
        verdicts.append(quick)
    assert verdicts[0] and verdicts[-1] and not verdicts[len(verdicts) // 2]


def refused(rows, y):
    try:
        check_regression(LinearRegression(), rows, y)
    except ValueError:
        return True
    return False


NUMBERS = [model for model in REGRESSORS if get_tags(model).input_tags.two_d_array]


@pytest.mark.parametrize("model", NUMBERS, ids=repr)
def test_a_sparse_or_ragged_target_and_bytes_are_refused(model):
    name = type(model).__name__
    with pytest.raises((TypeError, ValueError), match=rf"{name}.* y\b"):
        model.fit(X, csr_array(Y[:, None]))
    if name != "EchoStateNetwork":  # for which a list holds one target for each sequence
        with pytest.raises(ValueError, match=rf"{name}: y must have one shape.*got a list"):
            model.fit(X, [[1], [2, 3], [4]] * 8)
    with pytest.raises(ValueError, match=r"^\w+: y\b"):
        model.fit(X, np.array([b"a", b"b", b"c"] * 8))


@pytest.mark.parametrize("model", EVERY, ids=repr)
def test_columns_of_the_same_name_are_refused(model):
    frame = pd.DataFrame(np.abs(X), columns=list("aab"))
    target = X[:, 0] if is_regressor(model) else Y
    owner = "ELMClassifier" if type(model).__name__ == "Restarts" else type(model).__name__
    with pytest.raises((TypeError, ValueError), match=owner):
        model.fit(frame, target)
