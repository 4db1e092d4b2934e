"""Missing values and sparse rows in all outlier detectors, against naive code and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.utils import get_tags

from shallows.outlier import DeltaIndex, DistanceToCenter, GammaIndex, KappaIndex, ZScoreIndex

EVERY_KIND = [GammaIndex, KappaIndex, DeltaIndex, DistanceToCenter, ZScoreIndex]
OF_NEIGHBORS = EVERY_KIND[:3]

every_kind = pytest.mark.parametrize("kind", EVERY_KIND)
of_neighbors = pytest.mark.parametrize("kind", OF_NEIGHBORS)


def cloud(n=80, d=6, share=0.25, seed=0):
    """Return normal rows with gaps, no row without any value."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 3, size=d) + rng.normal(size=d)
    X[rng.random((n, d)) < share] = np.nan
    X[np.arange(n), rng.integers(d, size=n)] = rng.normal(size=n)
    return X


def counts(n=60, d=40, seed=0):
    """Return rows of which most values are zero, one column full, one empty, one constant."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.1, size=(n, d)) * rng.normal(size=(n, d))
    X[:, 3], X[:, 7], X[:, 9] = 1 + rng.random(n), 0, 0.3
    X[5] = 0  # a row of nothing but zeros
    X[6] = rng.normal(size=d)  # and one without any
    return X


def naive_distance(x, z, power):
    """Distance over common features, scaled up to all; without a power Hamming's."""
    gaps = [abs(a - b) for a, b in zip(x, z, strict=True) if not np.isnan(a - b)]
    if not gaps:
        return np.inf
    if power is None:
        return sum(gap > 0 for gap in gaps) / len(gaps)
    if np.isinf(power):
        return max(gaps)
    return (sum(gap**power for gap in gaps) * len(x) / len(gaps)) ** (1 / power)


def naive_index(kind, X, Q, k, power, itself):
    """Index of each row of Q by loops; `itself` where Q are the training rows."""
    found = []
    for i, x in enumerate(Q):
        near = [(naive_distance(x, z, power), j) for j, z in enumerate(X) if not itself or i != j]
        near = sorted(near)[:k]
        if kind is GammaIndex:
            found.append(sum(d for d, _ in near) / k)
        elif kind is KappaIndex:
            found.append(near[-1][0])
        else:
            vector = []
            for j, value in enumerate(x):
                others = [X[place, j] for _, place in near if not np.isnan(X[place, j])]
                if others and not np.isnan(value):
                    vector.append(value - sum(others) / len(others))
            found.append(np.sqrt(sum(v * v for v in vector) * len(x) / len(vector)))
    return found


@of_neighbors
@pytest.mark.parametrize(
    ("metric", "power"),
    [("euclidean", 2), ("nan_euclidean", 2), ("manhattan", 1), ("chebyshev", np.inf)],
)
def test_gaps_are_left_out_of_distances(kind, metric, power):
    X, Q = cloud(), cloud(15, seed=1)
    model = kind(4, metric=metric).fit(X)
    np.testing.assert_allclose(model.index_, naive_index(kind, X, X, 4, power, True))
    np.testing.assert_allclose(-model.score_samples(Q), naive_index(kind, X, Q, 4, power, False))
    whole = cloud(share=0)
    fed = kind(4, metric=metric).fit(whole)  # gaps in new rows alone
    np.testing.assert_allclose(-fed.score_samples(Q), naive_index(kind, whole, Q, 4, power, False))


def test_hamming_distances_with_gaps():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 8)) < 0.2, np.nan, rng.integers(3, size=(40, 8)))
    X[:, 0] = rng.integers(3, size=40)
    for kind in (GammaIndex, KappaIndex):
        expected = naive_index(kind, X, X, 5, None, True)
        np.testing.assert_allclose(kind(5, metric="hamming").fit(X).index_, expected)


def test_gaps_as_scikit_learn_leaves_them_out():
    X = cloud(200)
    apart = nan_euclidean_distances(X)
    apart[np.isnan(apart)] = np.inf
    np.fill_diagonal(apart, np.inf)
    expected = np.sort(apart, axis=1)[:, :5].mean(axis=1)
    np.testing.assert_allclose(GammaIndex().fit(X).index_, expected)


def test_distance_to_the_centre_with_gaps():
    X, Q = cloud(), cloud(15, seed=1)
    model = DistanceToCenter().fit(X)
    centre = np.nanmean(X, axis=0)
    np.testing.assert_allclose(model.center_, centre)
    for rows, found in ((X, model.index_), (Q, -model.score_samples(Q))):
        expected = [naive_distance(row, centre, 2) for row in rows]
        np.testing.assert_allclose(found, expected)


def test_z_scores_with_gaps():
    X, Q = cloud(), cloud(15, seed=1)
    model = ZScoreIndex().fit(X)
    mean, scale = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    np.testing.assert_allclose(model.mean_, mean)
    np.testing.assert_allclose(model.scale_, scale)
    np.testing.assert_allclose(model.index_, np.nanmax(np.abs((X - mean) / scale), axis=1))
    expected = np.nanmax(np.abs((Q - mean) / scale), axis=1)
    np.testing.assert_allclose(-model.score_samples(Q), expected)


@every_kind
def test_a_feature_that_is_always_missing_counts_as_left_out(kind):
    X = cloud(share=0)
    wide = np.insert(X, 2, np.nan, axis=1)
    factor = 1 if kind is ZScoreIndex else np.sqrt(7 / 6)  # scaled up to seven features
    model = kind().fit(wide)
    np.testing.assert_allclose(model.index_, factor * kind().fit(X).index_)
    seen = np.where(np.isnan(wide), 1e3, wide)  # what training never saw
    np.testing.assert_allclose(model.score_samples(seen[:9]), model.score_samples(wide[:9]))
    if kind in (DistanceToCenter, ZScoreIndex):
        lonely = np.full((1, 7), np.nan)
        lonely[0, 2] = 1.0
        assert model.score_samples(lonely)[0] == -np.inf and model.predict(lonely)[0] == -1


@every_kind
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_whole_rows_are_judged_alike_among_rows_with_gaps(kind, dtype):
    X = cloud(share=0).astype(dtype)
    model = kind().fit(X)
    alone = model.score_samples(X[:5])
    mixed = X[:8].copy()
    mixed[5:, 0] = np.nan
    found = model.score_samples(mixed)
    np.testing.assert_allclose(found[:5], alone, rtol=1e-6)
    assert found.dtype == dtype


@of_neighbors
def test_a_row_with_too_few_relatives_is_infinitely_strange(kind):
    rng = np.random.default_rng(0)
    X = np.full((40, 4), np.nan)
    X[:37, :2] = rng.normal(size=(37, 2))
    X[37:, 2:] = rng.normal(size=(3, 2))  # three rows of other features
    model = kind(5, contamination=0.1).fit(X)
    assert np.isinf(model.index_[37:]).all() and np.isfinite(model.index_[:37]).all()
    assert (model.fit_predict(X)[37:] == -1).all()
    assert np.isneginf(model.decision_function(X[37:])).all()
    assert np.isfinite(kind(2, contamination=0.1).fit(X).index_).all()
    with pytest.raises(ValueError, match=f"{kind.__name__}: 3 of 40 rows share no feature with en"):
        kind(5, contamination=0.05).fit(X)


@every_kind
@pytest.mark.parametrize("form", [csr_matrix, csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_are_judged_as_dense_ones(kind, form, dtype):
    X, Q = counts().astype(dtype), counts(20, seed=1).astype(dtype)
    given = form(X)
    dense, sparse = kind().fit(X), kind().fit(given)
    np.testing.assert_array_equal(given.toarray(), X)  # the input stays
    close = {"rtol": 1e-12, "atol": 1e-14} if dtype == np.float64 else {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(sparse.index_, dense.index_, **close)
    assert sparse.index_.dtype == sparse.score_samples(form(Q)).dtype == dtype
    for model, rows in ((sparse, form(Q)), (sparse, Q), (dense, form(Q))):
        np.testing.assert_allclose(model.score_samples(rows), dense.score_samples(Q), **close)
    for name in ("center_", "mean_", "scale_"):
        if hasattr(dense, name):
            np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), **close)


@pytest.mark.parametrize("kind", [GammaIndex, KappaIndex, DeltaIndex])
def test_cosine_distances_of_sparse_rows(kind):
    X = counts()
    dense, sparse = (kind(3, metric="cosine").fit(form(X)) for form in (np.asarray, csr_matrix))
    np.testing.assert_allclose(sparse.index_, dense.index_, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_largest_score_among_entries_and_zeros(seed, share):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9, 5)) * (rng.random((9, 5)) < share) + rng.integers(2, size=5)
    expected = ZScoreIndex().fit(X)
    found = ZScoreIndex().fit(csr_matrix(X))
    np.testing.assert_allclose(found.scale_, expected.scale_, rtol=1e-9)
    np.testing.assert_allclose(found.index_, expected.index_, rtol=1e-9, atol=1e-12)
    stored = csr_matrix(X)
    stored.data[::2] = 0.0  # stored zeros are zeros
    np.testing.assert_allclose(
        expected.score_samples(stored), expected.score_samples(stored.toarray()), rtol=1e-9
    )


@pytest.mark.parametrize("kind", [DistanceToCenter, ZScoreIndex])
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_extreme_units_of_sparse_rows_and_rows_with_gaps(kind, unit):
    factor = 1 if kind is ZScoreIndex else unit
    for X, form in ((counts(), csr_matrix), (cloud(), np.asarray), (counts(), np.asarray)):
        expected = factor * kind().fit(form(X)).index_
        np.testing.assert_allclose(kind().fit(form(unit * X)).index_, expected, rtol=1e-9)


@every_kind
@pytest.mark.parametrize("unit", [1e25, 1e-25])
def test_units_of_float32_do_not_matter(kind, unit):
    factor = 1 if kind is ZScoreIndex else unit
    for X, form in ((counts(), csr_matrix), (cloud(), np.asarray)):
        expected = factor * kind().fit(form(X)).index_
        found = kind().fit(form((unit * X).astype(np.float32))).index_
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * factor)


@of_neighbors
def test_extreme_units_that_are_refused(kind):
    for X, form in ((counts(), csr_matrix), (cloud(), np.asarray)):
        with pytest.raises(ValueError, match=f"{kind.__name__}: the largest number in X is"):
            kind().fit(form(1e200 * X))


@every_kind
def test_values_in_several_entries_are_summed_and_the_input_stays(kind):
    X = counts()
    plain = csr_matrix(X)
    halves = np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), 2 * plain.indptr
    split = csr_matrix(halves, shape=X.shape)
    np.testing.assert_allclose(kind().fit(split).index_, kind().fit(X).index_, atol=1e-12)
    assert split.nnz == 2 * plain.nnz


@every_kind
def test_what_is_refused(kind):
    name, X = kind.__name__, cloud()
    empty = X.copy()
    empty[4] = np.nan
    with pytest.raises(ValueError, match=f"{name}: row 4 of X holds only missing values, and 1 of"):
        kind().fit(empty)
    with pytest.raises(ValueError, match=f"{name}: row 4 of X holds only missing values"):
        kind().fit(X).predict(empty)
    with pytest.raises(ValueError, match=f"{name}: .* sparse matrix"):
        kind().fit(csr_matrix(X))


@of_neighbors
def test_metrics_that_take_no_gaps_or_no_sparse_rows(kind):
    name, X = kind.__name__, cloud()
    for metric in ("cosine", lambda a, b: np.abs(a - b).sum()):
        with pytest.raises(ValueError, match=f"{name}: missing values can be left out of Minkow"):
            kind(metric=metric).fit(X)
        assert not get_tags(kind(metric=metric)).input_tags.allow_nan
    with pytest.raises(ValueError, match=f"{name} takes sparse data with metric 'euclidean' or"):
        kind(metric="manhattan").fit(csr_matrix(counts()))
    with pytest.raises(ValueError, match="of dense rows only, got NaN and a sparse matrix"):
        kind().fit(csr_matrix(counts()[:, :6])).predict(X)
    tags = get_tags(kind(metric="manhattan")).input_tags
    assert tags.allow_nan and not tags.sparse
    tags = get_tags(kind()).input_tags
    assert tags.allow_nan and tags.sparse
