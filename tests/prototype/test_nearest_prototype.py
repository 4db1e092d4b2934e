"""Nearest prototype: scikit-learn's nearest centroid and naive code as oracles, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_array, csr_matrix
from scipy.spatial.distance import cdist
from scipy.special import log_softmax, softmax
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.neighbors import NearestCentroid

from shallows.prototype import NearestPrototype

SETS = {load.__name__[5:]: load(return_X_y=True) for load in (load_iris, load_wine)}
SETS["cancer"] = load_breast_cancer(return_X_y=True)
SETS["digits"] = tuple(part[:400] for part in load_digits(return_X_y=True))
SETS["digits"] = np.insert(SETS["digits"][0], 7, 3.25, axis=1), SETS["digits"][1]  # a constant

every_set = pytest.mark.parametrize("name", SETS)


def gaps(X, share=0.2, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least")
@every_set
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix, csr_array])
def test_one_prototype_is_the_nearest_centroid(name, metric, kind):
    X, y = SETS[name]
    ours = NearestPrototype(metric=metric).fit(kind(X), y)
    theirs = NearestCentroid(metric=metric).fit(X, y)
    np.testing.assert_allclose(ours.prototypes_, theirs.centroids_, rtol=1e-12, atol=1e-12)
    apart = cdist(X, theirs.centroids_, {"manhattan": "cityblock"}.get(metric, metric))
    chosen = apart[np.arange(len(X)), ours.predict(kind(X))]  # of two equally near ones any
    np.testing.assert_allclose(chosen, apart.min(axis=1), rtol=1e-12)
    assert not hasattr(ours, "deviations_") and not hasattr(ours, "within_class_std_dev_")


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least")
@every_set
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize("threshold", [0, 0.5, 4.0])
def test_shrunken_centroids_are_those_of_scikit_learn(name, metric, kind, threshold):
    X, y = SETS[name]
    options = {"metric": metric, "shrink_threshold": threshold}
    ours, theirs = (cls(**options) for cls in (NearestPrototype, NearestCentroid))
    ours.fit(kind(X), y)
    theirs.set_params(shrink_threshold=threshold or None).fit(X, y)
    for own, other in (
        (ours.prototypes_, theirs.centroids_),
        (ours.deviations_, theirs.deviations_),
        (ours.within_class_std_dev_, theirs.within_class_std_dev_),
    ):
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9)
    apart = cdist(X, theirs.centroids_, {"manhattan": "cityblock"}.get(metric, metric))
    chosen = apart[np.arange(len(X)), ours.predict(kind(X))]  # of two equally near ones any
    np.testing.assert_allclose(chosen, apart.min(axis=1), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least")
@every_set
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize("priors", ["uniform", "empirical", "given"])
@pytest.mark.parametrize("threshold", [None, 1.0])
def test_scores_and_probabilities_are_those_of_scikit_learn(name, kind, priors, threshold):
    X, y = SETS[name]
    n = len(np.unique(y))
    if priors == "given":
        priors = [2 * k / (n * (n + 1)) for k in range(1, n + 1)]
    ours = NearestPrototype(shrink_threshold=threshold, priors=priors).fit(kind(X), y)
    theirs = NearestCentroid(shrink_threshold=threshold, priors=priors).fit(X, y)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_)
    scores = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(kind(X)), scores, rtol=1e-7, atol=1e-7)
    # they take whole scores for logarithms of probabilities; the logarithm is half of a score
    halved = theirs.predict_log_proba(X) / 2
    np.testing.assert_allclose(
        ours.predict_log_proba(kind(X)), log_softmax(halved, axis=1), rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(ours.predict_proba(kind(X)), softmax(halved, axis=1), atol=1e-8)
    most_probable = theirs.classes_[theirs.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(ours.predict(kind(X)), most_probable)


def test_probabilities_are_those_of_the_law_that_drew_the_samples():
    rng = np.random.default_rng(0)
    y = rng.choice(2, p=[0.8, 0.2], size=40_000)
    X = 1.5 * y[:, None] + rng.normal(size=(len(y), 1))
    ours = NearestPrototype(priors="empirical").fit(X, y)
    truth = (
        0.2 * norm.pdf(X[:, 0], 1.5) / (0.2 * norm.pdf(X[:, 0], 1.5) + 0.8 * norm.pdf(X[:, 0], 0))
    )
    np.testing.assert_allclose(ours.predict_proba(X)[:, 1], truth, atol=0.02)
    theirs = NearestCentroid(priors="empirical").fit(X, y)
    assert log_loss(y, ours.predict_proba(X)) < log_loss(y, theirs.predict_proba(X)) - 0.01


def naive_scores(X, y, weights, model):
    """Discriminant scores with loops over samples, features and prototypes."""
    squares, mass = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    prototypes, labels = model.prototypes_, model.prototype_labels_
    for x, label, weight in zip(X, y, weights, strict=True):
        own = prototypes[labels == label]
        nearest = own[np.nansum((x - own) ** 2, axis=1).argmin()]
        squares += weight * np.nan_to_num((x - nearest) ** 2)
        mass += weight * ~np.isnan(x)
    deviations = np.sqrt(squares / (mass - len(prototypes)))
    scores = np.empty((len(X), labels.max() + 1))
    for i, x in enumerate(X):
        for k in range(labels.max() + 1):
            squared = np.nansum(((x - prototypes[labels == k]) / deviations) ** 2, axis=1)
            scores[i, k] = -squared.min() + 2 * np.log(model.class_prior_[k])
    return deviations, scores


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_prototypes", [1, 3, [1, 2, 4]], ids=str)
def test_scores_of_several_prototypes_weights_and_gaps(n_prototypes, missing):
    X, y = SETS["wine"]
    X = gaps(X) if missing else X
    weights = np.random.default_rng(1).uniform(0.5, 3, size=len(y))
    model = NearestPrototype(n_prototypes, priors="empirical", random_state=0)
    model.fit(X, y, weights)
    np.testing.assert_allclose(model.class_prior_, np.bincount(y, weights) / weights.sum())
    deviations, scores = naive_scores(X, y, weights, model)
    np.testing.assert_allclose(model.within_class_std_dev_, deviations)
    np.testing.assert_allclose(model.decision_function(X), scores)
    np.testing.assert_array_equal(model.predict(X), scores.argmax(axis=1))


def test_shrinkage_with_weights_and_gaps():
    X, y = gaps(SETS["wine"][0]), SETS["wine"][1]
    weights = np.random.default_rng(1).uniform(0.5, 3, size=len(y))
    model = NearestPrototype(shrink_threshold=1.5).fit(X, y, weights)
    seen, values = ~np.isnan(X), np.nan_to_num(X)
    n = weights @ seen
    mean, means, squares = weights @ values / n, [], 0.0
    for k in range(3):
        w, known = weights[y == k], seen[y == k]
        means.append(w @ values[y == k] / (w @ known))
        squares = squares + w @ np.where(known, values[y == k] - means[k], 0) ** 2
    s = np.sqrt(squares / (n - 3))
    for k in range(3):
        error = np.sqrt(1 / (weights[y == k] @ seen[y == k]) - 1 / n) * (s + np.median(s))
        d = (means[k] - mean) / error
        d = np.sign(d) * np.maximum(np.abs(d) - 1.5, 0)
        np.testing.assert_allclose(model.deviations_[k], d, atol=1e-12)
        np.testing.assert_allclose(model.prototypes_[k], mean + error * d)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_a_whole_weight_is_so_many_samples(seed, sparse, missing):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, size=(20, 3)).astype(float), np.arange(20) % 3
    X[np.arange(20), rng.integers(3, size=20)] = np.nan if missing else 0.0
    weights = rng.integers(1, 4, size=20)
    kind = csr_matrix if sparse and not missing else np.asarray
    for options in (
        {"metric": "manhattan"},
        {"metric": "manhattan", "shrink_threshold": 0.2},
        {"shrink_threshold": 0.2, "priors": "empirical"},
    ):
        model = NearestPrototype(**options)
        weighted = vars(model.fit(kind(X), y, weights)).copy()
        repeated = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        for name in ("prototypes_", "within_class_std_dev_", "deviations_", "class_prior_"):
            if name in weighted:
                np.testing.assert_allclose(weighted[name], getattr(repeated, name), atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_weighted_median_has_the_least_sum_of_gaps_in_any_unit(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    X[2:5, 1] = np.nan
    weights = rng.uniform(0.1, 5, size=12)
    found = NearestPrototype(metric="manhattan").fit(X, y, weights).prototypes_
    again = NearestPrototype(metric="manhattan").fit(X, y, weights / 7e5).prototypes_
    np.testing.assert_array_equal(found, again)
    for k in range(2):
        own, w = X[y == k], weights[y == k]
        cost = w @ np.nan_to_num(np.abs(own - found[k]))
        for row in own:
            other = w @ np.nan_to_num(np.abs(own - np.where(np.isnan(row), 0, row)))
            assert (cost <= other + 1e-9).all()


def test_manhattan_distances_decide_with_gaps_and_without():
    X, y = SETS["wine"]
    model = NearestPrototype(metric="manhattan").fit(X, y)
    for rows in (X, gaps(X)):
        apart = np.nansum(np.abs(rows[:, None] - model.prototypes_), axis=2) ** 2
        np.testing.assert_array_equal(model.predict(rows), apart.argmin(axis=1))
        rest = np.array([np.delete(apart, k, axis=1).min(axis=1) for k in range(3)]).T
        expected = (rest - apart) / (rest + apart)
        np.testing.assert_allclose(model.decision_function(rows), expected)
    signs = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=X.shape, p=[0.2, 0.6, 0.2])
    model.fit(csr_matrix(signs * X), y)
    dense = NearestPrototype(metric="manhattan").fit(signs * X, y)
    np.testing.assert_array_equal(model.prototypes_, dense.prototypes_)
    np.testing.assert_allclose(
        model.decision_function(csr_matrix(signs * X)), dense.decision_function(signs * X)
    )


def test_more_shrinkage_leaves_fewer_features_and_at_last_the_mean():
    X, y = SETS["cancer"]
    left = []
    for threshold in (0, 1, 3, 9, 27, 81):
        model = NearestPrototype(shrink_threshold=threshold).fit(X, y)
        left.append(model.deviations_.any(axis=0).sum())
    assert left == sorted(left, reverse=True) and left[0] == X.shape[1] and left[-1] == 0
    np.testing.assert_allclose(model.prototypes_, np.tile(X.mean(axis=0), (2, 1)))


def test_useless_features_are_dropped_and_the_answers_become_better():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 1000))
    X[:, :5] += 2.0 * rng.normal(size=(3, 5))[y]
    plain = NearestPrototype(priors="uniform").fit(X[:60], y[:60])
    shrunken = NearestPrototype(shrink_threshold=3, priors="uniform").fit(X[:60], y[:60])
    kept = shrunken.deviations_.any(axis=0)
    assert kept[:5].sum() >= 3 and kept[5:].sum() < 50
    assert shrunken.score(X[60:], y[60:]) > plain.score(X[60:], y[60:]) + 0.1


def test_features_that_do_not_vary_within_classes():
    y = np.arange(30) % 2
    X = np.c_[np.full(30, 0.1), 0.1 + 0.2 * y, np.full(30, 0.3)]
    model = NearestPrototype(shrink_threshold=1.0, priors="uniform").fit(X, y)
    np.testing.assert_array_equal(model.within_class_std_dev_, 0)
    np.testing.assert_array_equal(model.deviations_[:, 1], [-np.inf, np.inf])  # without an error
    np.testing.assert_allclose(model.prototypes_[:, 1], [0.1, 0.3])
    np.testing.assert_array_equal(model.predict(X), y)


def test_several_prototypes_of_sparse_rows():
    X, y = SETS["digits"]
    sparse, dense = (
        NearestPrototype(3, random_state=0).fit(kind(X), y) for kind in (csr_matrix, np.asarray)
    )
    assert sparse.prototypes_.shape == (30, X.shape[1])
    for k in range(10):  # each is the mean of what it wins of its class
        own = sparse.prototypes_[sparse.prototype_labels_ == k]
        winners = cdist(X[y == k], own).argmin(axis=1)
        means = [X[y == k][winners == place].mean(axis=0) for place in range(3)]
        np.testing.assert_allclose(own, means, atol=0.5)
    assert abs(sparse.score(csr_matrix(X), y) - dense.score(X, y)) < 0.03
    assert sparse.score(csr_matrix(X), y) > NearestPrototype().fit(X, y).score(X, y)
    np.testing.assert_array_equal(sparse.predict(X), sparse.predict(csr_matrix(X)))


def test_sparse_rows_with_copies_of_an_entry_and_with_few_distinct_rows():
    y = [0, 0, 1, 1]
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 4.0], [0.0, 3.0]])
    model = NearestPrototype(2, random_state=0).fit(csr_matrix(X), y)
    assert np.linalg.norm(np.diff(model.prototypes_[:2], axis=0)) < 0.1
    rows = coo_matrix(([0.5, 0.5, 1.0, 4.0, 3.0], ([0, 0, 1, 2, 3], [0, 0, 0, 1, 1])), (4, 2))
    split = csr_matrix((rows.data, rows.col, [0, 2, 3, 4, 5]), (4, 2))
    options = {"metric": "manhattan", "shrink_threshold": 0.3}
    found, expected = (NearestPrototype(**options).fit(data, y) for data in (split, X))
    np.testing.assert_allclose(found.prototypes_, expected.prototypes_)
    np.testing.assert_allclose(found.within_class_std_dev_, expected.within_class_std_dev_)
    np.testing.assert_allclose(found.decision_function(split), expected.decision_function(X))
    assert split.nnz == 5  # the input is as it was


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}, {"priors": "uniform"}], ids=str)
def test_float32_is_as_good(options):
    X, y = SETS["digits"]
    wide = NearestPrototype(**options).fit(X, y)
    for kind in (np.asarray, csr_matrix):
        rows = kind(X.astype(np.float32))
        narrow = NearestPrototype(**options).fit(rows, y)
        assert narrow.decision_function(rows).dtype == np.float32
        np.testing.assert_allclose(narrow.prototypes_, wide.prototypes_, rtol=1e-5)
        np.testing.assert_allclose(
            narrow.decision_function(rows), wide.decision_function(X), rtol=2e-3, atol=2e-3
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_prototypes": 2, "metric": "manhattan"}, "metric='manhattan' needs one prototype per"),
        (
            {"n_prototypes": [1, 2, 1], "shrink_threshold": 1},
            "shrink_threshold needs one prototype",
        ),
        ({"metric": "manhattan", "priors": "uniform"}, "priors need metric='euclidean'"),
        ({"metric": "cosine"}, "metric must be one of 'euclidean', 'manhattan', got 'cosine'"),
        ({"shrink_threshold": -1.0}, "shrink_threshold must be float"),
        ({"priors": "equal"}, "priors must be one of 'uniform', 'empirical'"),
        ({"priors": [0.5, 0.5]}, "priors must be 3 probabilities that sum to one"),
        (
            {"priors": [0.5, 0.5, 0.5]},
            r".* sum to one, in the order of the classes \[0, 1, 2\], got",
        ),
        ({"priors": [1.5, -0.5, 0.0]}, "priors must be 3 probabilities"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=f"NearestPrototype: {message}"):
        NearestPrototype(**options).fit(*SETS["iris"])


def test_other_refusals():
    X, y = SETS["iris"]
    with pytest.raises(ValueError, match=r"needs more samples than prototypes, .* got 3 and 3"):
        NearestPrototype(priors="uniform").fit(X[::50], y[::50])
    with pytest.raises(ValueError, match=r"a larger sum of sample_weight, got 1\.5 and 3"):
        NearestPrototype(shrink_threshold=1).fit(X, y, np.full(150, 0.01))
    with pytest.raises(ValueError, match="a sparse matrix must hold no missing values, got"):
        NearestPrototype().fit(csr_matrix(gaps(X)), y)
    for kind in (np.asarray, csr_matrix):
        with pytest.raises(ValueError, match=r"the largest number in X is .* whose square is too"):
            NearestPrototype().fit(kind(1e170 * X), y)
    model = NearestPrototype().fit(X, y)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError) as caught:
        model.predict_proba(X)
    assert "where priors are given, got priors=None" in str(caught.value.__cause__)


def test_a_class_of_prior_zero_is_never_told_and_a_second_fit_forgets():
    X, y = SETS["iris"]
    model = NearestPrototype(shrink_threshold=0.1, priors=[0.5, 0.0, 0.5]).fit(X, y)
    assert set(model.predict(X)) == {0, 2} and not model.predict_proba(X)[:, 1].any()
    model.set_params(shrink_threshold=None, priors=None).fit(X, y)
    assert not {"deviations_", "within_class_std_dev_", "class_prior_"} & set(vars(model))
