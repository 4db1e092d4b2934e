"""Trees of merges against SciPy, their theory, and bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.cluster import AgglomerativeClustering as Peer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from shallows._core.showing.figures import figure_svg
from shallows.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMeans,
    KMedoids,
    _linkage,
    dendrogram,
    linkage,
    merge_stepwise,
)
from shallows.cluster._dissimilarity import condensed_distances, distances_between

METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
ANY_METRIC = METHODS[:4]
SCIPY_METRICS = {"manhattan": "cityblock", "chebyshev": "chebyshev", "cosine": "cosine"}


def points(n=150, d=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 4 * rng.normal(size=(4, d))[rng.integers(4, size=n)]


@pytest.mark.kernel
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 2), (40, 1), (90, 7)])
def test_the_tree_is_that_of_scipy(method, n, d):
    X = points(n, d)
    expected = hierarchy.linkage(X, method)
    np.testing.assert_allclose(linkage(X, method), expected, rtol=1e-9)
    given = squareform(pdist(X))
    np.testing.assert_allclose(linkage(given, method, "precomputed"), expected, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_larger_trees_are_those_of_scipy(method):
    X = points(1200, 3, seed=1)
    np.testing.assert_allclose(linkage(X, method), hierarchy.linkage(X, method), rtol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_trees_from_distances_in_store_are_those_of_scipy(method, monkeypatch):
    X, weights = points(300, 70, seed=2), np.random.default_rng(0).uniform(1, 3, 300)
    as_they_go = linkage(X, method, sample_weight=weights)
    monkeypatch.setattr(_linkage, "CACHED", 0)
    np.testing.assert_allclose(linkage(X, method), hierarchy.linkage(X, method), rtol=1e-9)
    np.testing.assert_allclose(linkage(X, method, sample_weight=weights), as_they_go, rtol=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize(("n", "d"), [(1, 3), (2, 1), (40, 71), (300, 5)])
def test_euclidean_distances_are_those_of_scipy(n, d):
    X, Z = points(n, d), points(n, d, seed=1)
    np.testing.assert_allclose(condensed_distances(X, "euclidean"), pdist(X), rtol=1e-13)
    found = distances_between(X.astype(np.float32), Z, "euclidean")
    np.testing.assert_allclose(found, cdist(X.astype(np.float32), Z), rtol=1e-13)


@pytest.mark.parametrize("unit", [1e160, 1e-160])
@pytest.mark.parametrize("linkage_", METHODS)
def test_samples_whose_squares_do_not_fit_are_refused(unit, linkage_):
    with pytest.raises(ValueError, match="AgglomerativeClustering: the largest number in X is"):
        AgglomerativeClustering(linkage=linkage_).fit(unit * points(30))


@pytest.mark.parametrize("method", ANY_METRIC)
@pytest.mark.parametrize("metric", SCIPY_METRICS)
def test_other_metrics_against_scipy(method, metric):
    X = points()
    expected = hierarchy.linkage(X, method, SCIPY_METRICS[metric])
    np.testing.assert_allclose(linkage(X, method, metric), expected, rtol=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted", "ward"])
def test_a_chain_of_merges_is_the_greedy_search_written_out(method):
    X = points(25, 2, seed=3)
    groups, heights = [[i] for i in range(len(X))], []
    weighted = {i: {j: np.linalg.norm(X[i] - X[j]) for j in range(25)} for i in range(25)}
    names = list(range(25))
    while len(groups) > 1:
        pairs = [(a, b) for a in range(len(groups)) for b in range(a)]
        gaps = [
            _gap(X, groups[a], groups[b], method, weighted, names[a], names[b]) for a, b in pairs
        ]
        a, b = pairs[int(np.argmin(gaps))]
        heights.append(min(gaps))
        new = max(weighted) + 1
        weighted[new] = {
            k: (weighted[names[a]][k] + weighted[names[b]][k]) / 2
            for k in names
            if k not in (names[a], names[b])
        }
        for k, value in weighted[new].items():
            weighted[k][new] = value
        groups.append(groups[a] + groups[b])
        names.append(new)
        for place in (a, b):
            del groups[place], names[place]
    np.testing.assert_allclose(linkage(X, method)[:, 2], heights, rtol=1e-9)


def _gap(X, a, b, method, weighted, name_a, name_b):
    between = np.linalg.norm(X[a][:, None] - X[b], axis=2)
    if method == "weighted":
        return weighted[name_a][name_b]
    if method == "ward":
        means = X[a].mean(axis=0) - X[b].mean(axis=0)
        return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b)) * means @ means)
    return {"single": between.min, "complete": between.max, "average": between.mean}[method]()


@pytest.mark.parametrize("method", METHODS)
def test_ties_and_equal_points_give_a_valid_tree(method):
    X = np.array(np.meshgrid(range(6), range(6))).reshape(2, -1).T.astype(float)
    X = np.concatenate([X, X[:10]])
    tree = linkage(X, method)
    assert hierarchy.is_valid_linkage(tree)
    assert tree[-1, 3] == len(X)
    assert (tree[:10, 2] == 0).all()
    if method in ("single", "complete", "average", "weighted", "ward"):
        assert (np.diff(tree[:, 2]) >= -1e-12).all()
    all_equal = linkage(np.ones((7, 2)), method)
    assert hierarchy.is_valid_linkage(all_equal)
    assert not all_equal[:, 2].any()


def test_ward_heights_sum_up_to_the_total_sum_of_squares():
    X = points(300, 4)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert (linkage(X, "ward")[:, 2] ** 2 / 2).sum() == pytest.approx(total, rel=1e-10)


def test_far_from_the_origin_nothing_is_lost():
    X = points(200, 3)
    for method in METHODS:
        moved = linkage(X + 1e6, method)[:, 2]
        np.testing.assert_allclose(moved, linkage(X, method)[:, 2], rtol=1e-6)


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
@pytest.mark.parametrize("k", [1, 3, 150])
def test_the_estimator_cuts_as_scikit_learn_does(method, k):
    X = load_iris().data + 1e-4 * np.random.default_rng(0).normal(size=(150, 4))
    ours = AgglomerativeClustering(k, linkage=method).fit(X)
    peer = Peer(k, linkage=method, compute_distances=True).fit(X)
    assert adjusted_rand_score(ours.labels_, peer.labels_) == 1
    np.testing.assert_allclose(ours.distances_, peer.distances_, rtol=1e-9)
    np.testing.assert_array_equal(ours.children_, np.sort(peer.children_, axis=1))
    assert (ours.n_clusters_, ours.n_leaves_) == (k, 150)
    first = np.unique(ours.labels_, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    np.testing.assert_allclose(ours.linkage_matrix_, linkage(X, method))


def test_a_threshold_cuts_at_that_height():
    X = points()
    model = AgglomerativeClustering(None, linkage="average", distance_threshold=4.0).fit(X)
    peer = hierarchy.fcluster(hierarchy.linkage(X, "average"), 4.0, "distance")
    assert model.n_clusters_ == len(np.unique(peer)) > 1
    assert adjusted_rand_score(model.labels_, peer) == 1


@pytest.mark.parametrize("method", ["single", "complete", "average", "ward"])
def test_merges_at_the_threshold_are_not_made_as_in_scikit_learn(method):
    rng = np.random.default_rng(0)
    for X in ([[0.0], [1.0], [2.0], [5.0]], rng.integers(4, size=(30, 2)).astype(float)):
        for threshold in (0.0, 0.5, 1.0, np.sqrt(2), 2.0, 3.0, 100.0):
            options = {"n_clusters": None, "distance_threshold": threshold, "linkage": method}
            ours = AgglomerativeClustering(**options).fit(X)
            expected = (ours.distances_ >= threshold).sum() + 1
            assert ours.n_clusters_ == len(np.unique(ours.labels_)) == expected
            if method == "single" or len(X) == 4:  # ties let other linkages merge other pairs
                peer = Peer(**options).fit(X)
                assert ours.n_clusters_ == peer.n_clusters_
                assert adjusted_rand_score(ours.labels_, peer.labels_) == 1


@pytest.mark.kernel
@pytest.mark.parametrize("method", METHODS)
def test_a_threshold_reads_falling_heights_as_scipy_does(method):
    rng = np.random.default_rng(1)
    inverted = 0
    for _ in range(20):
        X = rng.normal(size=(rng.integers(5, 25), 2))
        tree = hierarchy.linkage(X, method)
        inverted += not hierarchy.is_monotonic(tree)
        for threshold in (*rng.uniform(0, tree[:, 2].max(), size=4), *linkage(X, method)[:3, 2]):
            model = AgglomerativeClustering(None, linkage=method, distance_threshold=threshold)
            # SciPy merges at the threshold, too, and its heights may differ by rounding
            just_below = threshold * (1 - 1e-9)
            peer = hierarchy.fcluster(tree, just_below, "distance")
            assert adjusted_rand_score(model.fit(X).labels_, peer) == 1
            assert model.n_clusters_ == len(np.unique(peer))
    assert inverted > 0 or method not in ("centroid", "median")


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_integer_weights_are_repeated_points(method, given):
    X = points(60, 3, seed=5)
    weights = np.random.default_rng(1).integers(0, 4, size=60)
    repeated = np.repeat(X, weights, axis=0)
    metric = "precomputed" if given else "euclidean"
    forms = [squareform(pdist(Z)) if given else Z for Z in (X, repeated)]
    options = {"metric": metric, "linkage": method}
    one = AgglomerativeClustering(4, **options).fit(forms[0], sample_weight=weights)
    other = AgglomerativeClustering(4, **options).fit(forms[1])
    zeros = len(repeated) - np.count_nonzero(weights)
    assert (one.n_leaves_, (other.distances_[:zeros] == 0).all()) == (len(repeated) - zeros, True)
    np.testing.assert_allclose(one.distances_, other.distances_[zeros:], rtol=1e-7)
    assert (one.labels_[weights == 0] == -1).all()
    np.testing.assert_array_equal(np.repeat(one.labels_, weights), other.labels_)
    used = weights > 0
    part = forms[0][np.ix_(used, used)] if given else X[used]
    tree = linkage(part, method, metric, sample_weight=weights[used])
    np.testing.assert_array_equal(tree, one.linkage_matrix_)


@pytest.mark.parametrize("method", ["average", "centroid", "ward"])
def test_weights_change_the_tree(method):
    X = points(60, 3, seed=5)
    weights = np.random.default_rng(1).integers(1, 9, size=60)
    changed = linkage(X, method, sample_weight=weights)[:, 2]
    assert np.abs(changed - linkage(X, method)[:, 2]).max() > 0.1
    with pytest.raises(ValueError, match="larger than zero"):
        linkage(X, method, sample_weight=weights - weights.min())


def test_known_result_single_linkage_follows_a_chain():
    X = np.array([[0.0], [1.0], [2.1], [3.3], [10.0]])
    np.testing.assert_allclose(linkage(X, "single")[:, 2], [1.0, 1.1, 1.2, 6.7])
    np.testing.assert_allclose(linkage(X, "complete")[:, 2], [1.0, 1.2, 3.3, 10.0])


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (np.ones((3, 2)), "must be square"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "must be symmetric"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "not be negative"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "to itself|from a sample to"),
    ],
)
def test_bad_distances_are_refused(distances, message):
    with pytest.raises(ValueError, match=message):
        linkage(distances, "average", "precomputed")
    with pytest.raises(ValueError, match=message):
        AgglomerativeClustering(metric="precomputed", linkage="average").fit(distances)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_condensed_distances_are_refused_with_a_hint(metric):
    condensed = pdist(points(6))
    with pytest.raises(ValueError, match=r"linkage: .* got shape \(15,\)"):
        linkage(condensed.tolist(), "average", metric)
    for call, owner in [
        (lambda: linkage(condensed, "average", metric), "linkage"),
        (lambda: AgglomerativeClustering(metric=metric).fit(condensed), "AgglomerativeClustering"),
        (lambda: KMedoids(2, metric=metric).fit(condensed), "KMedoids"),
    ]:
        with pytest.raises(ValueError, match=rf"{owner}: .* got shape \(15,\)\. Use .*squareform"):
            call()


@pytest.mark.parametrize(
    ("metric", "row", "message"),
    [
        ("cosine", [0.0, 0.0], "a sample of zeros only, got 1 of them, the first at row 2"),
        ("correlation", [0.1, 0.1], "a sample of equal numbers only, got 1 of them"),
    ],
)
def test_samples_without_a_direction_are_refused(metric, row, message):
    X = np.array([[1.0, 0.0], [0.0, 1.0], row, [2.0, 1.0]])
    with pytest.raises(ValueError, match=f"linkage: .*{message}"):
        linkage(X, "average", metric)
    with pytest.raises(ValueError, match=message):
        AgglomerativeClustering(metric=metric, linkage="single").fit(X)
    with pytest.raises(ValueError, match=f"KMedoids: .*{message}"):
        KMedoids(2, metric=metric).fit(X)
    model = KMedoids(2, metric=metric, random_state=0).fit(X[[0, 1, 3]])
    with pytest.raises(ValueError, match=message):
        model.predict(X)


def test_bad_parameters_are_refused():
    X = points(5)
    with pytest.raises(ValueError, match="n_samples=5 should be >= 2 and >= n_clusters=6"):
        AgglomerativeClustering(6).fit(X)
    with pytest.raises(ValueError, match=r"n_samples=1 .* not counting .* Give it more samples"):
        AgglomerativeClustering(1).fit(X, sample_weight=[0, 1, 0, 0, 0])
    with pytest.raises(ValueError, match='ward linkage needs metric="euclidean"'):
        AgglomerativeClustering(metric="manhattan").fit(X)
    with pytest.raises(ValueError, match="Exactly one of n_clusters and distance_threshold"):
        AgglomerativeClustering(2, distance_threshold=1.0).fit(X)
    with pytest.raises(ValueError, match="method must be one of"):
        linkage(X, "nearest")


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_a_dendrogram_has_the_lines_of_scipy(method):
    tree = linkage(points(40), method)
    ours, peer = dendrogram(tree), hierarchy.dendrogram(tree, no_plot=True)
    assert sorted(ours.leaves) == sorted(peer["ivl"])
    np.testing.assert_allclose(np.sort(ours.height[:, 1]), np.sort(np.array(peer["dcoord"])[:, 1]))
    order = np.array([int(name) for name in ours.leaves])
    for merge, (left, right) in enumerate(tree[:, :2].astype(int)):
        places = np.flatnonzero(np.isin(order, _below(tree, left) + _below(tree, right)))
        assert len(places) == places[-1] - places[0] + 1, merge


def _below(tree, node):
    n = len(tree) + 1
    if node < n:
        return [node]
    left, right = tree[node - n, :2].astype(int)
    return _below(tree, left) + _below(tree, right)


def test_large_dendrograms_show_the_last_merges_and_draw():
    model = AgglomerativeClustering(linkage="single").fit(np.arange(3000.0)[:, None] ** 1.1)
    drawn = dendrogram(model, max_leaves=20)
    assert len(drawn.leaves) == 20
    assert len(drawn.x) == 19
    sizes = [int(name.strip("()")) if "(" in name else 1 for name in drawn.leaves]
    assert sum(sizes) == 3000
    assert figure_svg(drawn.chart("Title")).startswith("<svg")
    with pytest.raises(ValueError, match="labels must be 3000"):
        dendrogram(model, ["a"])


@pytest.mark.parametrize(
    "tree",
    [
        np.ones((3, 3)),
        [[0, 1, 1, 2], [0, 1, 2, 3]],  # names samples twice
        [[-1, 1, 1, 2], [0, 3, 2, 3]],
        [[0.5, 1, 1, 2], [2, 3, 2, 3]],
        [[0, 3, 1, 2], [1, 2, 2, 3]],  # names a merge that is still to come
    ],
)
def test_what_is_no_tree_is_not_drawn(tree):
    with pytest.raises(ValueError, match=r"must be a linkage matrix .* each once"):
        dendrogram(tree)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Index, iter])
def test_a_dendrogram_takes_names_in_any_container(kind):
    names = ["a", "b", "c"]
    drawn = dendrogram(linkage([[0.0], [1.0], [5.0]], "single"), kind(names))
    assert drawn.leaves == ["c", "a", "b"]


def test_a_single_cluster_is_not_drawn():
    for tree in (DivisiveClustering(1).fit(np.eye(3)), merge_stepwise(np.eye(3), [0, 0, 0])):
        with pytest.raises(ValueError, match="dendrogram: tree must have at least one merge"):
            dendrogram(tree)


def test_an_estimator_without_a_tree_is_not_drawn():
    with pytest.raises(TypeError, match=r"such as AgglomerativeClustering, got KMeans\("):
        dendrogram(KMeans(2, random_state=0).fit(points(9)))
    with pytest.raises(NotFittedError):
        dendrogram(AgglomerativeClustering())


@pytest.mark.parametrize(
    ("n", "name", "upright"),
    [(60, "leaf", True), (9, "a name too long for its place", True), (9, "leaf", False)],
)
def test_all_leaves_are_named(n, name, upright):
    names = [f"{name} {i}" for i in range(n)]
    spec = dendrogram(linkage(points(n)), names).chart()
    drawing = figure_svg(spec)
    assert all(f">{leaf}</text>" in drawing for leaf in names)
    assert spec["width"] >= 15 * n  # a line of text each
    look = spec["layer"][0]["encoding"]["x"]["axis"]
    assert look["labelAngle"] == (-90 if upright else 0)
