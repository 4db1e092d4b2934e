"""Missing values in all LVQ classifiers: partial distances, and rows that have none."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from shallows.prototype import GLVQ, GMLVQ, GRLVQ, LVQ1, LVQ3, LVQ21, RSLVQ

X, Y = load_wine(return_X_y=True)
X = scale(X)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)

every_model = pytest.mark.parametrize(
    "model",
    [
        LVQ1(random_state=0),
        LVQ1(relevance="matrix", random_state=0),
        LVQ1(metric="minkowski", random_state=0),
        LVQ21(random_state=0),
        LVQ3(random_state=0),
        GLVQ(random_state=0),
        GLVQ(2, metric="rbf", solver="lbfgs", random_state=0),
        GRLVQ(random_state=0),
        GMLVQ(random_state=0),
        GMLVQ(solver="sgd", local="class", random_state=0),
        RSLVQ(2, random_state=0),
    ],
    ids=repr,
)


@every_model
def test_a_fifth_missing_costs_little(model):
    model.fit(GAPS, Y)
    assert np.isfinite(model.prototypes_).all()
    assert model.score(GAPS, Y) > 0.9 and model.score(X, Y) > 0.93


@every_model
def test_a_feature_that_is_always_missing_counts_as_left_out(model):
    empty = np.insert(X, 4, np.nan, axis=1)
    with_gap, without = model.fit(empty, Y).predict(empty), model.fit(X, Y).predict(X)
    assert np.mean(with_gap == without) > 0.95


@every_model
def test_a_missing_value_equals_the_value_of_every_prototype(model):
    model.fit(X, Y)
    model.prototypes_[:, 3] = 0.7
    gap, filled = X.copy(), X.copy()
    gap[:, 3], filled[:, 3] = np.nan, 0.7
    decide = getattr(model, "decision_function", None) or model.predict_proba
    np.testing.assert_allclose(decide(gap), decide(filled), atol=1e-10)


@every_model
def test_rows_without_any_value_are_refused(model):
    bad = GAPS.copy()
    bad[[7, 9]] = np.nan
    name = type(model).__name__
    with pytest.raises(ValueError, match=f"{name}: row 7 of X holds only missing values, and 2 of"):
        model.fit(bad, Y)
    with pytest.raises(ValueError, match="row 7 of X holds only missing values"):
        model.fit(X, Y).predict(bad)


@every_model
@pytest.mark.parametrize(("unit", "dtype"), [(1e25, "float32"), (1e-25, "float32"), (1e170, float)])
def test_data_whose_squares_have_no_float_are_refused(model, unit, dtype):
    with pytest.raises(ValueError, match=r"the largest number in X is .* Divide X by"):
        model.fit((unit * X).astype(dtype), Y)


def test_projection_puts_a_missing_value_at_the_mean():
    model = GMLVQ().fit(X, Y)
    gap, filled = X.copy(), X.copy()
    gap[:, 3], filled[:, 3] = np.nan, model.mean_[3]
    np.testing.assert_allclose(model.transform(gap), model.transform(filled), atol=1e-12)
