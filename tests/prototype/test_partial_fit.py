"""LVQ in pieces: blocks of one row, classes that come late, units, weights, gaps."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from shallows.prototype import GLVQ, GMLVQ, GRLVQ, LVQ1, LVQ3, LVQ21, RSLVQ

CENTRES = np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]])
BLOBS, Y = make_blobs(400, 3, centers=CENTRES, random_state=2)
MODELS = [
    GLVQ(random_state=0),
    GLVQ(metric="rbf", random_state=0),
    GLVQ(metric="laplacian", random_state=0),
    GLVQ(metric="poly", random_state=0),
    GRLVQ(random_state=0),
    GMLVQ(random_state=0),
    GMLVQ(local="class", random_state=0),
    RSLVQ(random_state=0),
    LVQ1(random_state=0),
    LVQ1(relevance="matrix", random_state=0),
    LVQ21(random_state=0),
    LVQ3(random_state=0, n_prototypes=2),
]


def learned(model, X, y, size):
    model = clone(model)
    for begin in range(0, len(X), size):
        part = slice(begin, begin + size)
        model.partial_fit(X[part], y[part], classes=[0, 1, 2, 3])
    return model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: " ".join(repr(model).split()))
def test_rows_one_by_one_are_learned_in_any_unit(model):
    plain = learned(model, BLOBS, Y, 1)
    assert plain.score(BLOBS, Y) > 0.95
    for unit in (2.0**-20, 2.0**20):
        same = learned(model, unit * BLOBS, Y, 1).predict(unit * BLOBS) == plain.predict(BLOBS)
        if model.get_params().get("metric") != "poly":  # 1 in its kernel has a unit
            assert same.mean() > 0.99


@pytest.mark.parametrize("model", MODELS, ids=lambda model: " ".join(repr(model).split()))
def test_a_class_starts_where_its_first_samples_are(model):
    order = np.argsort(Y == 3, kind="stable")
    X, y = BLOBS[order], Y[order]
    last = np.flatnonzero(y == 3)[:20]
    model = learned(model, X[y < 3], y[y < 3], 50).partial_fit(X[last], y[last])
    assert model.score(X[y == 3], y[y == 3]) > 0.95


def test_the_first_samples_of_a_late_class_are_its_start():
    model = GLVQ(2, learning_rate=1e-12, random_state=0)
    model.partial_fit(BLOBS[Y < 3], Y[Y < 3], classes=[0, 1, 2, 3])
    late = np.array([[90.0, 0.0, 0.0], [90.0, 0.0, 0.0], [99.0, 1.0, np.nan]])
    model.partial_fit(late, [3, 3, 3])
    own = model.prototypes_[model.prototype_labels_ == 3]
    own = own[own[:, 0].argsort()]
    np.testing.assert_allclose(own, [[90, 0, 0], [99, 1, 0]], atol=1e-6)
    model.partial_fit([[-90.0, 0.0, 0.0]], [3])
    assert model.prototypes_[:, 0].min() > -20


def test_the_measure_does_not_depend_on_the_blocks():
    rng = np.random.default_rng(0)
    weights, gaps = rng.random(400), np.where(rng.random(BLOBS.shape) < 0.1, np.nan, BLOBS)
    gaps[:, 0] = BLOBS[:, 0]
    for X in (BLOBS, gaps):
        found = []
        for size in (1, 7, 300):
            model = GLVQ(random_state=0).partial_fit(X[:100], Y[:100], None, weights[:100])
            for begin in range(100, 400, size):
                part = slice(begin, begin + size)
                model.partial_fit(X[part], Y[part], None, weights[part])
            found.append(model)
        for model in found:
            complete = X is BLOBS
            np.testing.assert_allclose(
                model.prototypes_, found[0].prototypes_, rtol=1e-10 if complete else 0.05, atol=0.02
            )
            centred = BLOBS[:256] - np.average(BLOBS[:256], 0, weights[:256])
            expected = np.average(centred**2, 0, weights[:256]).sum()
            assert model._spread.scale == pytest.approx(expected, rel=1e-10 if complete else 0.15)


def test_rows_that_do_not_vary_at_first():
    for unit in (1e-6, 1e6):
        still = np.full((3, 3), unit * 0.1)
        model = GMLVQ(random_state=0).partial_fit(still[:1], [0], classes=[0, 1, 2, 3])
        for row in still:
            model.partial_fit(row[None], [0])
        for row, label in zip(unit * BLOBS, Y, strict=True):
            model.partial_fit(row[None], [label])
        assert model.score(unit * BLOBS, Y) > 0.95


def test_classes_must_not_change():
    model = GLVQ(random_state=0).partial_fit(BLOBS, Y, classes=[3, 2, 1, 0])
    model.partial_fit(BLOBS, Y, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"GLVQ: classes must be \[0, 1, 2, 3\] as in the first"):
        model.partial_fit(BLOBS, Y, classes=[0, 1, 2, 3, 4])
