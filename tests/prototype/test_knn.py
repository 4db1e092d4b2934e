import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import neighbors
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import NearestCentroid

from shallows.prototype import (
    InverseDistanceRegressor,
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestPrototype,
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


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
def test_regressor_is_scikit_learns(weights):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(200, 3)), rng.normal(size=(200, 2))
    ours = KNeighborsRegressor(6, weights=weights).fit(X, Y)
    theirs = neighbors.KNeighborsRegressor(6, weights=weights).fit(X, Y)
    Q = rng.normal(size=(50, 3))
    np.testing.assert_allclose(ours.predict(Q), theirs.predict(Q))
    np.testing.assert_allclose(ours.predict(X[:5]), theirs.predict(X[:5]))


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
    X[0, 1] = np.nan
    assert len(KNeighborsClassifier(3).fit(X, y).predict(X)) == 60


def test_bad_input():
    X, y = np.arange(12.0).reshape(6, 2), [0, 1] * 3
    with pytest.raises(ValueError, match="n_neighbors=7 needs as many training rows"):
        KNeighborsClassifier(7).fit(X, y)
    with pytest.raises(ValueError, match="must lie between 1 and 5, got 6"):
        KNeighborsClassifier(3).fit(X, y).kneighbors(n_neighbors=6)
    with pytest.raises(ValueError, match=r"square matrix .* got shape \(6, 2\)"):
        KNeighborsClassifier(metric="precomputed").fit(X, y)
    with pytest.raises(ValueError, match="symmetric and not negative"):
        KNeighborsClassifier(2, metric="precomputed").fit(np.arange(36.0).reshape(6, 6), y)
    gaps = X.copy()
    gaps[2] = np.nan
    with pytest.raises(ValueError, match="row 2 of X holds only missing values"):
        KNeighborsClassifier(2).fit(gaps, y)
    with pytest.raises(ValueError, match="feature_weights must be 2 numbers"):
        KNeighborsClassifier(2, feature_weights=[1, 2, 3]).fit(X, y)
    with pytest.raises(ValueError, match="sparse data with metric 'euclidean' or 'cosine'"):
        KNeighborsClassifier(2, metric="manhattan").fit(csr_matrix(X), y)


def test_nearest_prototype_is_the_nearest_centroid():
    X, y = load_iris(return_X_y=True)
    ours, theirs = NearestPrototype().fit(X, y), NearestCentroid().fit(X, y)
    np.testing.assert_allclose(ours.prototypes_, theirs.centroids_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    finer = NearestPrototype(3, random_state=0).fit(X, y)
    assert finer.prototypes_.shape == (9, 4) and finer.score(X, y) > ours.score(X, y)


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
