"""What each patched class does, against the plain one."""

import pickle
from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from accelerate.cases import CASES, data, wants_numbers
from shallows.accelerate import from_sklearn, patched, report, to_sklearn
from shallows.accelerate._patching import plain
from shallows.accelerate._table import load
from shallows.accelerate.tables import all_tables

TABLES = {table.name: table for table in all_tables()}
ANSWERS = ("transform", "predict", "predict_proba", "decision_function", "score_samples")
NAMES = [f"{case.name}-{k}" for k, case in enumerate(CASES)]
every_case = pytest.mark.parametrize("case", CASES, ids=NAMES)
SERVED = [case for case in CASES if TABLES[case.name].patches]
every_served = pytest.mark.parametrize("case", SERVED, ids=[case.name for case in SERVED])


def both(case):
    """Return a fitted patched model, a fitted plain one, and their data."""
    own = plain(TABLES[case.name].theirs)
    X, y = data(not wants_numbers(case.name))
    kind = load(TABLES[case.name].theirs)
    return kind(**case.parameters).fit(X, y), own(**case.parameters).fit(X, y), X, y


def answers(model, X):
    return {name: getattr(model, name)(X) for name in ANSWERS if hasattr(model, name)}


def test_every_table_has_a_case():
    assert {case.name for case in CASES} == set(TABLES)


@every_served
@pytest.mark.usefixtures("always")
def test_ours_serves_what_the_table_says(case):
    model, _, X, _ = both(case)
    table = TABLES[case.name]
    for name in table.asked:
        getattr(model, name)(X)
    for name in table.then:
        getattr(clone(model), name)(X)
    ran_here = {line.call for line in report().lines if line.where == "shallows"}
    wanted = [*(["fit"] if table.fits else []), *table.then, *table.asked]
    assert ran_here >= {f"{case.name}.{name}" for name in wanted}
    assert not [line for line in report().lines if line.where != "shallows" and line.why]


@every_served
@pytest.mark.usefixtures("always")
def test_fitted_attributes_are_those_of_the_plain_class(case):
    patched_model, model, _, _ = both(case)
    public = [name for name in vars(model) if not name.startswith("_")]
    for name in public:
        value = vars(model)[name]
        mine = vars(patched_model)[name]
        assert type(mine) is type(value) or np.isscalar(value), name
        if isinstance(value, np.ndarray) and value.dtype != object:
            assert mine.dtype == value.dtype, name
            assert mine.ndim == value.ndim, name
    assert not [name for name in vars(patched_model) if name[0] != "_" and name not in public]


@every_served
@pytest.mark.usefixtures("always")
def test_answers_are_those_of_the_plain_class(case):
    patched_model, model, X, y = both(case)
    if case.near is None:
        assert case.merit(patched_model, X, y) == pytest.approx(
            case.merit(model, X, y), rel=case.slack
        )
        return
    mine = answers(patched_model, X)
    for name, theirs in answers(model, X).items():
        assert mine[name].dtype == theirs.dtype, name
        if theirs.dtype.kind == "f":
            np.testing.assert_allclose(mine[name], theirs, atol=case.near, err_msg=name)
        else:
            assert np.mean(mine[name] == theirs) > 0.99


@every_served
def test_a_pickle_is_read_as_the_plain_class(case, always):
    model, _, X, _ = both(case)
    found, stored = answers(model, X), pickle.dumps(model)
    from shallows.accelerate import patch, unpatch

    unpatch()
    try:
        read = pickle.loads(stored)
        again = pickle.loads(pickle.dumps(model))  # a patched object outlives the patch
        own = load(TABLES[case.name].theirs)
        assert type(read) is type(again) is own
        for name, theirs in answers(read, X).items():
            if theirs.dtype.kind == "f":
                np.testing.assert_allclose(found[name], theirs, rtol=1e-7, atol=1e-9)
            else:
                np.testing.assert_array_equal(found[name], theirs)
    finally:
        patch()
    assert type(pickle.loads(stored)) is type(model)


@every_served
def test_a_patched_class_is_its_plain_class_in_all_that_is_seen(case):
    own = plain(TABLES[case.name].theirs)
    with patched():
        kind = load(TABLES[case.name].theirs)
        model = kind(**case.parameters)
    assert issubclass(kind, own)
    assert isinstance(own(), kind)
    assert kind.__name__ == own.__name__
    assert kind.__doc__ == own.__doc__
    assert repr(model) == repr(own(**case.parameters))
    assert type(clone(model)) is kind
    assert model.get_params() == own(**case.parameters).get_params()
    assert model.__sklearn_tags__() == own(**case.parameters).__sklearn_tags__()
    assert signature(kind.fit) == signature(own.fit)
    assert is_classifier(model) == is_classifier(own())


@every_served
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("fault", ["nan", "one dimension", "no rows", "bad parameter", "lengths"])
def test_errors_are_those_of_the_plain_class(case, fault):
    own, kind = plain(TABLES[case.name].theirs), load(TABLES[case.name].theirs)
    X, y = data()
    given = dict(case.parameters)
    if fault == "nan":
        X[3, 1] = np.nan
    elif fault == "one dimension":
        X = X[:, 0]
    elif fault == "no rows":
        X, y = X[:0], y[:0]
    elif fault == "lengths":
        y = y[:-1]
    else:
        given[next(iter(given), "n_components")] = "nonsense"
    assert outcome(kind, given, X, y) == outcome(own, given, X, y)


def outcome(kind, given, X, y):
    try:
        kind(**given).fit(X, y)
    except Exception as error:
        return type(error), str(error)
    return None


@every_case
def test_a_model_of_ours_becomes_one_of_theirs_and_back(case):
    table = TABLES[case.name]
    own = plain(table.theirs)
    X, y = data(not wants_numbers(case.name))
    if table.from_data and not (table.back or table.restore):
        pytest.skip("scikit-learn's object keeps parts made from the data")
    if table.dtype is np.float32:
        X = X.astype(np.float32)
    given = {k: v for k, v in case.parameters.items() if k in table.our_class().get_params()}
    ours = table.our_class(**given).fit(X, y)
    theirs = to_sklearn(ours)
    assert type(theirs) is own
    for name, found in asked_alike(case, theirs, X):
        same_answers(getattr(ours, name)(X), found, 1e-6)
    if not (table.back or table.restore):
        return
    again = from_sklearn(theirs)
    assert type(again) is table.our_class
    for name, found in asked_alike(case, theirs, X):
        same_answers(getattr(again, name)(X), found, 1e-6)


def asked_alike(case, theirs, X):
    """Return answers that mean the same in both.

    scikit-learn's likelihood of whitened components scales them twice, and its centroids have
    probabilities that prototypes have not.
    """
    found = answers(theirs, X)
    if case.name == "NearestCentroid":
        return [("predict", found["predict"])]
    if case.parameters.get("whiten"):
        found.pop("score_samples")
    return found.items()


def same_answers(mine, theirs, near):
    if theirs.dtype.kind == "f":
        np.testing.assert_allclose(mine, theirs, rtol=near, atol=near)
    else:
        np.testing.assert_array_equal(mine, theirs)
