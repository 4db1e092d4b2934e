import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import neighbors
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification
from sklearn.exceptions import DataConversionWarning

from shallows.prototype import (
    InterpolationRegressor,
    InverseDistanceRegressor,
    KNeighborsClassifier,
    KNeighborsRegressor,
    condensed_set,
)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4, 30])
def test_classifier_is_scikit_learns(weights, k):
    X, y = load_digits(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)  # no ties
    train, test = slice(0, 900), slice(900, None)
    ours = KNeighborsClassifier(k, weights=weights).fit(X[train], y[train])
    theirs = neighbors.KNeighborsClassifier(k, weights=weights).fit(X[train], y[train])
    shares = theirs.predict_proba(X[test])
    np.testing.assert_allclose(ours.predict_proba(X[test]), shares, atol=1e-10)
    np.testing.assert_array_equal(ours.kneighbors(X[test])[1], theirs.kneighbors(X[test])[1])
    np.testing.assert_array_equal(ours.kneighbors()[1], theirs.kneighbors()[1])


WEIGHTS = ["uniform", "distance", "inverse-square", lambda d: np.exp(-d)]


def in_scikit_learn(weights):
    return (lambda d: 1 / d**2) if weights == "inverse-square" else weights


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("shape", [(200,), (200, 1), (200, 2)])
def test_regressor_is_scikit_learns(weights, shape):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(200, 3)), rng.normal(size=shape)
    ours = KNeighborsRegressor(6, weights=weights).fit(X, Y)
    theirs = neighbors.KNeighborsRegressor(6, weights=in_scikit_learn(weights)).fit(X, Y)
    Q = rng.normal(size=(50, 3))
    np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q))
    assert ours.score(Q, Y[:50]) == pytest.approx(theirs.score(Q, Y[:50]))
    if weights != "inverse-square":  # which is infinite for them
        np.testing.assert_allclose(ours.predict(X[:5]), theirs.predict(X[:5]))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", ["numbers", "strings", "one class", "frame"])
def test_several_outputs_are_scikit_learns(weights, kind):
    rng = np.random.default_rng(0)
    X, Y, Q = rng.normal(size=(80, 3)), rng.integers(4, size=(80, 3)), rng.normal(size=(25, 3))
    if kind == "strings":
        Y = np.array(["a", "bcd", "ef", "g"])[Y]
    elif kind == "one class":
        Y[:, 1] = 2
    elif kind == "frame":
        Y = pd.DataFrame(Y, columns=["first", "second", "third"])
    ours = KNeighborsClassifier(6, weights=weights).fit(X, Y)
    theirs = neighbors.KNeighborsClassifier(6, weights=in_scikit_learn(weights)).fit(X, Y)
    assert ours.outputs_2d_ and theirs.outputs_2d_
    shares, expected = ours.predict_proba(Q), theirs.predict_proba(Q)
    assert isinstance(shares, list) and len(shares) == len(expected) == 3
    for classes, here, there, share in zip(
        theirs.classes_, ours.classes_, expected, shares, strict=True
    ):
        np.testing.assert_array_equal(here, classes)
        np.testing.assert_allclose(share, there, atol=1e-12)
    if weights != "uniform":  # no ties
        found = ours.predict(Q)
        np.testing.assert_array_equal(found, theirs.predict(Q))
        assert found.dtype == theirs.predict(Q).dtype


@pytest.mark.parametrize("weights", WEIGHTS)
def test_several_labels_are_scored_as_in_scikit_learn(weights):
    X, Y = make_multilabel_classification(200, 6, n_classes=4, random_state=0)
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)  # no ties
    ours = KNeighborsClassifier(3, weights=weights).fit(X[:150], Y[:150])
    theirs = neighbors.KNeighborsClassifier(3, weights=in_scikit_learn(weights))
    theirs.fit(X[:150], Y[:150])
    assert 0 < ours.score(X[150:], Y[150:]) == theirs.score(X[150:], Y[150:]) < 1


def test_a_column_of_labels_is_one_output():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(DataConversionWarning):
        model = KNeighborsClassifier(3).fit(X, y[:, None])
    assert not model.outputs_2d_ and model.predict(X).shape == (150,)


def test_several_outputs_keep_float32_and_take_gaps_and_sparse_rows():
    X, y = load_iris(return_X_y=True)
    Y = np.c_[y, y == 1]
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    gaps[:, 0] = X[:, 0]
    for rows in (X.astype(np.float32), gaps, csr_matrix(X)):
        model = KNeighborsClassifier(5).fit(rows, Y)
        assert np.mean(model.predict(rows) == Y) > 0.9
        assert model.predict_proba(rows)[0].dtype == rows.dtype


def test_bad_outputs_are_refused():
    X, Y = np.arange(12.0).reshape(6, 2), np.array([[0, 1]] * 6)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        KNeighborsClassifier(2).fit(X, Y + 0.5 * np.arange(6)[:, None])
    with pytest.raises(TypeError, match="KNeighborsClassifier: y must be a dense array"):
        KNeighborsClassifier(2).fit(X, csr_matrix(Y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KNeighborsClassifier(2).fit(X, Y[:5])


def test_laws_of_the_notes():
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-6, size=X.shape)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1
    for k in (1, 7, 150):
        assert KNeighborsClassifier(k, weights="inverse-square").fit(X, y).score(X, y) == 1
    tie = KNeighborsClassifier(2).fit([[0.0], [1.0]], [1, 0])
    assert tie.predict([[0.5]]) == [0]
    target = X[:, 0]
    np.testing.assert_allclose(
        KNeighborsRegressor(150).fit(X, target).predict(X[:3]), target.mean()
    )


def test_inverse_square_votes_by_hand():
    model = KNeighborsClassifier(3, weights="inverse-square").fit([[0.0], [2.0], [3.0]], [0, 1, 1])
    votes = np.array([1.0, 1 + 1 / 4])
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [votes / votes.sum()])


def test_feature_weights_hide_a_useless_feature():
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=300), 5000 * rng.normal(size=300)]
    y = (X[:, 0] > 0).astype(int)
    Q = np.c_[rng.normal(size=200), 5000 * rng.normal(size=200)]
    plain = KNeighborsClassifier().fit(X, y).score(Q, Q[:, 0] > 0)
    weighted = KNeighborsClassifier(feature_weights=[1, 0]).fit(X, y).score(Q, Q[:, 0] > 0)
    assert plain < 0.7
    assert weighted > 0.95


def test_sparse_precomputed_and_missing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(2, size=60)
    dense = KNeighborsClassifier(3).fit(X, y)
    sparse = KNeighborsClassifier(3).fit(csr_matrix(X), y)
    np.testing.assert_array_equal(dense.predict(X), sparse.predict(csr_matrix(X)))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    given = KNeighborsClassifier(3, metric="precomputed").fit(D, y)
    np.testing.assert_array_equal(dense.predict(X), given.predict(D))


@pytest.mark.parametrize("model", ["Classifier", "Regressor"])
def test_missing_values_as_in_scikit_learn(model):
    rng = np.random.default_rng(0)
    X, y, Q = rng.normal(size=(80, 5)), rng.integers(3, size=80), rng.normal(size=(30, 5))
    for part in (X, Q):
        part[:, 1:][rng.random((len(part), 4)) < 0.25] = np.nan
    theirs = getattr(neighbors, f"KNeighbors{model}")(4, metric="nan_euclidean").fit(X, y)
    distances, index = theirs.kneighbors(Q)
    for metric in ("minkowski", "euclidean", "nan_euclidean"):
        ours = {"Classifier": KNeighborsClassifier, "Regressor": KNeighborsRegressor}[model](
            4, metric=metric
        ).fit(X, y)
        np.testing.assert_allclose(ours.kneighbors(Q)[0], distances)
        np.testing.assert_array_equal(ours.kneighbors(Q)[1], index)
        np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q))


@pytest.mark.parametrize(
    "options",
    [
        {"p": 1},
        {"p": 3},
        {"metric": "minkowski", "p": 1.5},
        {"metric": "cityblock"},
        {"metric": "l1"},
        {"metric": "l2"},
        {"metric": "hamming"},
        {"metric": "chebyshev"},
        {"metric": "cosine"},
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(150, 8), (700, 3)])
def test_same_parameters_give_scikit_learns_neighbours(options, shape):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=shape), rng.normal(size=(40, shape[1]))
    if options.get("metric") == "hamming":
        X, Q = (X > 0) + 2.0 * (X > 1), (Q > 0) + 2.0 * (Q > 1)
    y = rng.integers(3, size=len(X))
    ours = KNeighborsClassifier(3, **options).fit(X, y)
    theirs = neighbors.KNeighborsClassifier(3, **options).fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(Q)[0], theirs.kneighbors(Q)[0], atol=1e-12)
    if options.get("metric") != "hamming":  # ties
        np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))


def test_powers_below_one_take_many_rows():
    X = np.random.default_rng(0).normal(size=(600, 3))
    model = KNeighborsClassifier(3, p=0.5).fit(X, X[:, 0] > 0)
    expected = np.sort(np.sum(np.abs(X[:4, None] - X) ** 0.5, axis=2) ** 2, axis=1)[:, :3]
    np.testing.assert_allclose(model.kneighbors(X[:4])[0], expected)


def test_feature_weights_are_those_of_the_formula():
    rng = np.random.default_rng(0)
    X, Q, w = rng.normal(size=(60, 4)), rng.normal(size=(9, 4)), np.array([1.0, 0.0, 4.0, 0.5])
    for power, options in ((2, {}), (1, {"metric": "l1"}), (3, {"p": 3})):
        model = KNeighborsRegressor(4, feature_weights=w, **options).fit(X, X[:, 0])
        gaps = np.sum(w * np.abs(Q[:, None] - X) ** power, axis=2) ** (1 / power)
        np.testing.assert_allclose(model.kneighbors(Q)[0], np.sort(gaps, axis=1)[:, :4])


@pytest.mark.parametrize("metric", ["chebyshev", "cosine", "hamming", "precomputed", np.hypot])
def test_feature_weights_elsewhere_are_refused(metric):
    X = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    with pytest.raises(ValueError, match="feature_weights belong to the metrics 'minkowski'"):
        KNeighborsClassifier(2, metric=metric, feature_weights=[1, 1, 1, 1]).fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("metric", ["cosine", lambda a, b: np.abs(a - b).sum()])
def test_gaps_under_other_metrics_are_refused(metric):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]])
    model = KNeighborsClassifier(1, metric=metric).fit(X, [0, 1, 0])
    X[1, 1] = np.nan
    with pytest.raises(ValueError, match="missing values can be left out of Minkowski and Hamming"):
        model.predict(X)
    with pytest.raises(ValueError, match="got NaN with metric="):
        model.fit(X, [0, 1, 0])


def test_neighbours_without_a_common_feature_count_alike():
    rows = [[1.0, np.nan], [2.0, np.nan]]
    for weights in ("distance", "inverse-square"):
        model = KNeighborsClassifier(2, weights=weights).fit(rows, [0, 1])
        np.testing.assert_array_equal(model.predict_proba([[np.nan, 3.0]]), [[0.5, 0.5]])


def test_graph_is_scikit_learns():
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = X[:, 0] > 0
    ours, theirs = KNeighborsClassifier(4).fit(X, y), neighbors.KNeighborsClassifier(4).fit(X, y)
    for arguments in ((), (X[:7],), (X[:7], 2, "distance"), (None, 3, "distance")):
        found, expected = (m.kneighbors_graph(*arguments) for m in (ours, theirs))
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)
    with pytest.raises(ValueError, match="mode must be one of 'connectivity', 'distance'"):
        ours.kneighbors_graph(mode="edges")


def test_precomputed_distances_are_checked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 2)), [0, 1] * 4
    D = np.linalg.norm(X[:, None] - X, axis=2)
    model = KNeighborsClassifier(2, metric="precomputed").fit(D, y)
    for value, got in ((np.nan, "nan"), (-1.0, "-1")):
        bad = D.copy()
        bad[1, 2] = bad[2, 1] = value
        for call in (lambda bad=bad: model.fit(bad, y), lambda bad=bad: model.predict(bad[1:3])):
            with pytest.raises(ValueError, match=f"not be negative and not missing, got {got}"):
                call()
    with pytest.raises(ValueError, match="0 from a sample to itself"):
        model.fit(D + np.eye(8), y)
    with pytest.raises(ValueError, match="sparse data"):
        model.fit(csr_matrix(D), y)


def test_weights_that_leave_nothing_are_refused():
    X, y = np.arange(6.0)[:, None], [0, 1] * 3
    for weights in (lambda d: 0 * d, lambda d: d[:, :1], lambda d: d + np.nan):
        for model in (KNeighborsClassifier(2), KNeighborsRegressor(2)):
            with pytest.raises(ValueError, match="array of distances into weights of its shape,"):
                model.set_params(weights=weights).fit(X, y).predict(X + 0.1)


def naive_condensed(X, y, order):
    """Hart's rule as it is written: pass after pass, one row after the other."""
    kept = [order[0]]
    while True:
        before = len(kept)
        for i in order:
            if i not in kept:
                near = min(kept, key=lambda j, i=i: (np.linalg.norm(X[i] - X[j]), j))
                if y[near] != y[i]:
                    kept.append(i)
        if len(kept) == before:
            return np.sort(kept)


@pytest.mark.parametrize("seed", range(5))
def test_condensed_set_is_harts(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(70, 2)).astype(float), rng.integers(3, size=70)
    X = X + (0.2 * rng.normal(size=X.shape) if seed % 2 else 0)  # with and without ties and copies
    order = np.random.default_rng(9).permutation(70)
    found = condensed_set(X, y, random_state=np.random.default_rng(9))
    np.testing.assert_array_equal(found, naive_condensed(X, y, order))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    given = condensed_set(D, y, metric="precomputed", random_state=np.random.default_rng(9))
    np.testing.assert_array_equal(given, found)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_condensed_set_classifies_all_rows(metric):
    X, y = load_digits(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    kept = condensed_set(X, y, metric=metric, random_state=0)
    assert len(kept) < 0.2 * len(X) and len(np.unique(kept)) == len(kept)
    theirs = neighbors.KNeighborsClassifier(1, metric=metric).fit(X[kept], y[kept])
    assert theirs.score(X, y) == 1


def test_condensed_set_of_one_class_and_bad_input():
    assert len(condensed_set([[0.0], [1.0]], [1, 1])) == 1
    with pytest.raises(ValueError, match="metric must be"):
        condensed_set([[0.0], [1.0]], [0, 1], metric="far")
    with pytest.raises(ValueError, match=r"condensed_set: .* X must be square"):
        condensed_set([[0.0], [1.0]], [0, 1], metric="precomputed")


def test_bad_input():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1] * 3
    with pytest.raises(ValueError, match="n_neighbors=7 needs as many training rows"):
        KNeighborsClassifier(7).fit(X, y)
    with pytest.raises(ValueError, match="must lie between 1 and 5, got 6"):
        KNeighborsClassifier(3).fit(X, y).kneighbors(n_neighbors=6)
    with pytest.raises(ValueError, match=r"n_neighbors must be int .* got 2\.5"):
        KNeighborsClassifier(3).fit(X, y).kneighbors(X, n_neighbors=2.5)
    with pytest.raises(ValueError, match=r"must be square.* got shape \(6, 2\)"):
        KNeighborsClassifier(metric="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="must be symmetric"):
        KNeighborsClassifier(2, metric="precomputed").fit(np.arange(36.0).reshape(6, 6), y)
    gaps = X.copy()
    gaps[2] = np.nan
    with pytest.raises(ValueError, match="row 2 of X holds only missing values"):
        KNeighborsClassifier(2).fit(gaps, y)
    with pytest.raises(ValueError, match="feature_weights must be 2 numbers"):
        KNeighborsClassifier(2, feature_weights=[1, 2, 3]).fit(X, y)
    with pytest.raises(ValueError, match="sparse data with metric 'euclidean' or 'cosine'"):
        KNeighborsClassifier(2, metric="manhattan").fit(csr_matrix(X), y)


def test_inverse_distance_laws():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    Q = rng.normal(size=(50, 2))
    np.testing.assert_allclose(InverseDistanceRegressor(0).fit(X, y).predict(Q), y.mean())
    steep = InverseDistanceRegressor(1e6).fit(X, y).predict(Q)
    np.testing.assert_allclose(steep, KNeighborsRegressor(1).fit(X, y).predict(Q))
    model = InverseDistanceRegressor(2).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y)
    assert y.min() <= model.predict(Q).min() and model.predict(Q).max() <= y.max()
    d = np.linalg.norm(Q[0] - X, axis=1)
    assert model.predict(Q[:1])[0] == pytest.approx(np.sum(y / d**2) / np.sum(1 / d**2))


def test_sparse_and_dense_rows_meet_as_in_scikit_learn():
    X, y = load_digits(return_X_y=True)
    Q = X[900:1000]
    theirs = neighbors.KNeighborsRegressor(4, weights="distance").fit(X[:900], y[:900])
    for known, asked in ((csr_matrix(X[:900]), Q), (X[:900], csr_matrix(Q))):
        ours = KNeighborsRegressor(4, weights="distance").fit(known, y[:900])
        np.testing.assert_allclose(ours.kneighbors(asked)[0], theirs.kneighbors(Q)[0])
        with pytest.raises(ValueError, match="of dense rows only, got NaN and a sparse matrix"):
            ours.predict(csr_matrix(np.where(Q == 3, np.nan, Q)))
    sparse = KNeighborsRegressor(4).fit(csr_matrix(X[:900]), y[:900])
    with pytest.raises(ValueError, match="of dense rows only, got NaN and a sparse matrix"):
        sparse.predict(np.where(Q == 3, np.nan, Q))


def test_copies_among_sparse_rows_outvote_all_others():
    rng = np.random.default_rng(0)
    X = rng.random((40, 30)) * (rng.random((40, 30)) < 0.2)
    X[20:] = X[:20]
    y = np.arange(40) % 2
    y[20:] = 1 - y[:20]
    model = KNeighborsClassifier(5, weights="distance").fit(csr_matrix(X), y)
    np.testing.assert_array_equal(model.predict_proba(csr_matrix(X)), 0.5)


@pytest.mark.parametrize("unit", [1e25, 1e-25])
@pytest.mark.parametrize("shape", [(60, 12), (700, 3)])
def test_units_of_float32_do_not_matter(unit, shape):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=shape), rng.normal(size=(30, shape[1]))
    y = rng.integers(3, size=shape[0])
    theirs = neighbors.KNeighborsClassifier(4, weights="distance").fit(X, y)
    ours = KNeighborsClassifier(4, weights="distance").fit((unit * X).astype(np.float32), y)
    scaled = (unit * Q).astype(np.float32)
    np.testing.assert_allclose(ours.kneighbors(scaled)[0] / unit, theirs.kneighbors(Q)[0], 1e-4)
    np.testing.assert_allclose(ours.predict_proba(scaled), theirs.predict_proba(Q), atol=1e-4)


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_data_whose_squares_have_no_float_are_refused(unit):
    X, y = load_iris(return_X_y=True)
    for model in (KNeighborsClassifier(), KNeighborsRegressor(), InverseDistanceRegressor()):
        name = type(model).__name__
        with pytest.raises(ValueError, match=f"{name}: the largest number in X is"):
            model.fit(unit * X, y)
        model.fit(X, y)
        if unit < 1:
            np.testing.assert_array_equal(model.predict(unit * X[:1]), model.predict(0 * X[:1]))
            continue
        with pytest.raises(ValueError, match="Divide X by"):
            model.predict(unit * X)
    with pytest.raises(ValueError, match="condensed_set: the largest number in X is"):
        condensed_set(unit * X, y)
    counted = KNeighborsClassifier(metric="hamming")
    found, expected = (counted.fit(data, y).predict(data) for data in (unit * X, X))
    np.testing.assert_array_equal(found, expected)


def test_no_weights_are_uniform_and_a_single_row_has_no_neighbour():
    X, y = load_iris(return_X_y=True)
    none, uniform = (KNeighborsClassifier(weights=w).fit(X, y) for w in (None, "uniform"))
    np.testing.assert_array_equal(none.predict_proba(X), uniform.predict_proba(X))
    single = KNeighborsRegressor(1).fit(X[:1], y[:1])
    assert single.predict(X[:1]) == y[:1]
    with pytest.raises(ValueError, match="asks for others than the only row, got 1"):
        single.kneighbors()


@pytest.mark.parametrize("power", [1, 2])
def test_functions_may_give_infinite_weights_to_copies(power):
    X, y = load_iris(return_X_y=True)
    X, weights = np.repeat(X, 2, axis=0), {1: "distance", 2: "inverse-square"}[power]

    def inverse(distances):
        with np.errstate(divide="ignore"):
            return 1 / distances**power

    expected = KNeighborsClassifier(8, weights=weights).fit(X, np.repeat(y, 2))
    model = KNeighborsClassifier(8, weights=inverse).fit(X, np.repeat(y, 2))
    for rows in (X, X + 0.01):
        np.testing.assert_allclose(model.predict_proba(rows), expected.predict_proba(rows))


def test_useless_functions_of_distances_are_named():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(3, weights=lambda distances: distances[:, 0]).fit(X, y)
    with pytest.raises(ValueError, match=r"weights of its shape, \(150, 3\), got \(150,\)"):
        model.predict(X)
    for useless in (np.nan, -1.0, -np.inf, 0.0):
        model.set_params(weights=lambda distances, value=useless: np.full_like(distances, value))
        with pytest.raises(ValueError, match=rf"sum is positive in each row, got \[ ?{useless:g}"):
            model.predict(X)
    for weights in ("abc", ["a", "b", "c", "d"]):
        with pytest.raises(
            ValueError, match=r"feature_weights must be .* of finite numbers .*got .*a"
        ):
            KNeighborsRegressor(feature_weights=weights).fit(X, y)


def test_only_the_ratios_of_sample_weights_count():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(30, 2)), rng.normal(size=30), rng.uniform(0.5, 2, 30)
    for model in (
        InverseDistanceRegressor(),
        InterpolationRegressor(),
        InterpolationRegressor("gaussian"),
    ):
        expected = model.fit(X, y, weights).predict(X + 0.1)
        for factor in (1e-60, 1e60, 1e300):
            found = model.fit(X.astype(np.float32), y, factor * weights).predict(X + 0.1)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    weights[3] = 1e-60
    model = InverseDistanceRegressor().fit(X.astype(np.float32), y, weights)
    assert model.predict(X[3:4].astype(np.float32))[0] == pytest.approx(y[3], rel=1e-5)
