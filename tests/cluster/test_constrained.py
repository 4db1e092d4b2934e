"""Agglomeration over a graph against the greedy search written out, scikit-learn, and theory."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse import coo_matrix, csr_array, csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering as Peer
from sklearn.datasets import make_swiss_roll
from sklearn.feature_extraction.image import grid_to_graph
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph
from sklearn.utils.estimator_checks import check_estimator

from shallows.cluster import AgglomerativeClustering

LINKAGES = ["ward", "complete", "average", "single"]
METRICS = ["euclidean", "manhattan", "chebyshev", "cosine", "correlation"]


def points(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def random_graph(n, more, seed=0):
    """A random tree, so that all is connected, and some more edges, each in one direction."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([np.arange(1, n), rng.integers(n, size=more)])
    columns = np.concatenate([rng.integers(np.arange(1, n)), rng.integers(n, size=more)])
    graph = np.zeros((n, n), dtype=int)
    graph[rows, columns] = 1
    return graph


def greedy(X, graph, linkage, weights):
    """Merge the nearest two clusters that an edge joins, from the definitions alone."""
    edges = (graph + graph.T) > 0
    between = cdist(X, X)
    groups = {i: [i] for i in range(len(X))}
    kept = {(i, j): between[i, j] for i in groups for j in groups if i != j and edges[i, j]}
    heights, partitions = [], [np.arange(len(X))]
    for new in range(len(X), 2 * len(X) - 1):
        pairs = [(a, b) for a, b in kept if a < b]
        gaps = [
            _gap(X, groups[a], groups[b], linkage, weights, edges, kept[a, b]) for a, b in pairs
        ]
        a, b = pairs[int(np.argmin(gaps))]
        heights.append(min(gaps))
        mass_a, mass_b = weights[groups[a]].sum(), weights[groups[b]].sum()
        for k in set(groups) - {a, b}:
            values = [
                (kept[k, c], mass) for c, mass in ((a, mass_a), (b, mass_b)) if (k, c) in kept
            ]
            if values:
                mean = sum(gap * mass for gap, mass in values) / sum(mass for _, mass in values)
                kept[k, new] = kept[new, k] = mean
        groups[new] = groups.pop(a) + groups.pop(b)
        kept = {pair: gap for pair, gap in kept.items() if not {a, b} & set(pair)}
        labels = np.empty(len(X), int)
        for name, group in groups.items():
            labels[group] = name
        partitions.append(labels)
    return np.array(heights), partitions


def _gap(X, a, b, linkage, weights, edges, mean):
    if linkage == "average":
        return mean
    if linkage == "ward":
        return np.sqrt(
            2 * (_squares(X, a + b, weights) - sum(_squares(X, c, weights) for c in (a, b)))
        )
    joined = edges[np.ix_(a, b)]
    return getattr(cdist(X[a], X[b])[joined], "max" if linkage == "complete" else "min")()


def _squares(X, group, weights):
    mean = np.average(X[group], axis=0, weights=weights[group])
    return weights[group] @ ((X[group] - mean) ** 2).sum(axis=1)


@pytest.mark.kernel
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize(("n", "more"), [(2, 0), (3, 1), (25, 0), (25, 12), (30, 200)])
def test_the_tree_is_the_greedy_search_written_out(n, more, linkage, weighted):
    X, graph = points(n), random_graph(n, more)
    weights = np.random.default_rng(1).uniform(0.5, 4, n) if weighted else np.ones(n)
    heights, partitions = greedy(X, graph, linkage, weights)
    for k in (1, 2, n // 2 + 1):
        model = AgglomerativeClustering(k, linkage=linkage, connectivity=graph)
        model.fit(X, sample_weight=weights if weighted else None)
        np.testing.assert_allclose(model.distances_, heights, rtol=1e-7)
        assert adjusted_rand_score(model.labels_, partitions[n - k]) == 1
        assert (model.n_clusters_, model.n_connected_components_) == (k, 1)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("kind", ["tree", "random", "neighbours", "grid"])
def test_trees_are_those_of_scikit_learn(linkage, kind):
    X = points(400, seed=2)
    graph = {
        "tree": lambda: random_graph(400, 0),
        "random": lambda: random_graph(400, 900),
        "neighbours": lambda: kneighbors_graph(X, 8),
        "grid": lambda: grid_to_graph(20, 20),
    }[kind]()
    for k in (1, 7, 399):
        ours = AgglomerativeClustering(k, linkage=linkage, connectivity=graph).fit(X)
        peer = Peer(k, linkage=linkage, connectivity=graph, compute_distances=True)
        peer.set_params(compute_full_tree=True).fit(X)
        np.testing.assert_allclose(ours.distances_, peer.distances_, rtol=1e-9)
        np.testing.assert_array_equal(ours.children_, np.sort(peer.children_, axis=1))
        assert adjusted_rand_score(ours.labels_, peer.labels_) == 1
    assert hierarchy.is_valid_linkage(ours.linkage_matrix_)


@pytest.mark.parametrize(
    ("linkage", "metric"),
    [("ward", "euclidean"), *product(LINKAGES[1:], ["euclidean", "l1", "precomputed"])],
)
def test_pieces_are_joined_as_in_scikit_learn(linkage, metric):
    X = points(120, seed=3)
    graph = kneighbors_graph(X, 1)
    pieces = connected_components(graph, directed=False)[0]
    assert pieces > 10
    given = cdist(X, X) if metric == "precomputed" else X
    options = {"n_clusters": 6, "linkage": linkage, "metric": metric, "connectivity": graph}
    with pytest.warns(UserWarning, match=f"has {pieces} connected components"):
        ours = AgglomerativeClustering(**options).fit(given)
    with pytest.warns(UserWarning, match="number of connected components"):
        peer = Peer(compute_distances=True, **options).fit(given)
    assert ours.n_connected_components_ == peer.n_connected_components_ == pieces
    np.testing.assert_allclose(ours.distances_, peer.distances_, rtol=1e-9)
    assert adjusted_rand_score(ours.labels_, peer.labels_) == 1


def test_pieces_are_joined_in_blocks_of_distances(monkeypatch):
    X, graph = points(90, seed=4), np.zeros((90, 90))
    graph[:40, :40] = graph[70:, 70:] = 1  # thirty samples stand alone
    trees = []
    for size in (2**21, 90 * 7):
        monkeypatch.setattr("shallows.cluster._constrained.BLOCK_DISTANCES", size)
        with pytest.warns(UserWarning, match="has 32 connected components"):
            trees.append(AgglomerativeClustering(connectivity=graph).fit(X).linkage_matrix_)
    np.testing.assert_array_equal(*trees)
    with pytest.warns(UserWarning, match="number of connected components"):
        peer = Peer(connectivity=graph, compute_distances=True).fit(X)
    np.testing.assert_allclose(trees[0][:, 2], peer.distances_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*90 connected components")
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(
    ("linkage", "metric"), [("ward", "euclidean"), *product(LINKAGES[1:], METRICS)]
)
def test_a_full_graph_and_one_without_edges_give_the_tree_without_a_graph(linkage, metric, full):
    X, weights = points(90, 4, seed=5), np.random.default_rng(0).uniform(1, 3, 90)
    graph = np.full((90, 90), full)
    models = [
        AgglomerativeClustering(3, linkage=linkage, metric=metric, connectivity=each)
        for each in (None, graph)
    ]
    for model in models:
        model.fit(X, sample_weight=weights)
    np.testing.assert_allclose(models[1].linkage_matrix_, models[0].linkage_matrix_, rtol=1e-9)
    np.testing.assert_array_equal(models[1].labels_, models[0].labels_)


@pytest.mark.kernel
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_cluster_is_connected(linkage):
    for seed in range(15):
        n = 10 + 3 * seed
        X, graph = points(n, 2, seed), random_graph(n, 2 * seed, seed)
        if seed % 2:
            X = np.round(X)  # many equal distances, and equal samples
        model = AgglomerativeClustering(linkage=linkage, connectivity=graph).fit(X)
        tree = model.linkage_matrix_
        assert hierarchy.is_valid_linkage(tree)
        for k in range(1, n, 4):
            labels = model.set_params(n_clusters=k).fit_predict(X)
            assert len(np.unique(labels)) == k
            for label in range(k):
                inside = labels == label
                assert connected_components(graph[np.ix_(inside, inside)], directed=False)[0] == 1


def test_ward_heights_sum_up_to_the_total_sum_of_squares():
    X = points(500, 4)
    model = AgglomerativeClustering(connectivity=kneighbors_graph(X, 12)).fit(X)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert (model.distances_**2 / 2).sum() == pytest.approx(total, rel=1e-10)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_threshold_cuts_at_that_height(linkage):
    X, graph = points(200, seed=6), random_graph(200, 300)
    options = {"n_clusters": None, "linkage": linkage, "connectivity": graph}
    fell = False
    for threshold in (0.5, 1.0, 2.0, 4.0):
        model = AgglomerativeClustering(distance_threshold=threshold, **options).fit(X)
        expected = hierarchy.fcluster(model.linkage_matrix_, threshold * (1 - 1e-9), "distance")
        assert adjusted_rand_score(model.labels_, expected) == 1
        assert model.n_clusters_ == len(np.unique(expected))
        fell = bool((np.diff(model.distances_) < -1e-9).any())
        if not fell:
            peer = Peer(distance_threshold=threshold, **options).fit(X)
            assert model.n_clusters_ == peer.n_clusters_
            assert adjusted_rand_score(model.labels_, peer.labels_) == 1
    assert fell == (linkage == "ward")  # a cluster may come nearer to one that it was not joined to


@pytest.mark.parametrize("linkage", LINKAGES)
def test_integer_weights_are_repeated_points(linkage):
    X, graph = points(60, seed=7), random_graph(60, 100)
    weights = np.random.default_rng(1).integers(1, 4, size=60)
    weights[59] = 0  # the last sample of a random tree is a leaf
    graph[:, 59] = graph[59] = 0
    graph += graph.T + np.eye(60, dtype=int)
    rows = np.repeat(np.arange(60), weights)
    one = AgglomerativeClustering(4, linkage=linkage, connectivity=graph)
    one.fit(X, sample_weight=weights)
    other = AgglomerativeClustering(4, linkage=linkage, connectivity=graph[np.ix_(rows, rows)])
    other.fit(X[rows])
    zeros = len(rows) - 59
    assert (one.labels_[59], one.n_leaves_, one.n_connected_components_) == (-1, 59, 1)
    assert not other.distances_[:zeros].any()
    np.testing.assert_allclose(one.distances_, other.distances_[zeros:], rtol=1e-7)
    np.testing.assert_array_equal(one.labels_[rows], other.labels_)


def test_only_the_ratios_of_weights_shape_the_tree():
    X, graph = points(60, seed=8), random_graph(60, 80)
    plain = AgglomerativeClustering(connectivity=graph).fit(X)
    heavy = AgglomerativeClustering(connectivity=graph).fit(X, sample_weight=np.full(60, 2.0**900))
    np.testing.assert_array_equal(heavy.children_, plain.children_)
    np.testing.assert_allclose(heavy.distances_, plain.distances_ * 2.0**450, rtol=1e-12)


def test_clusters_do_not_jump_between_the_layers_of_a_swiss_roll():
    X, along = make_swiss_roll(1500, noise=0.05, random_state=0)
    X[:, 1] *= 0.5
    breaks = []
    for graph in (None, partial(kneighbors_graph, n_neighbors=10)):
        labels = AgglomerativeClustering(6, connectivity=graph).fit_predict(X)
        breaks.append(max(np.diff(np.sort(along[labels == k])).max() for k in range(6)))
    assert breaks[0] > 3  # half a turn
    assert breaks[1] < 0.5


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, csr_array, csr_matrix, coo_matrix])
def test_any_form_of_a_graph_gives_the_same_tree_and_is_left_alone(kind):
    X, graph = points(50), random_graph(50, 60)
    given = kind(graph)
    before = kind(graph)
    tree = AgglomerativeClustering(connectivity=given).fit(X).linkage_matrix_
    expected = AgglomerativeClustering(connectivity=graph.T * -2.5).fit(X).linkage_matrix_
    np.testing.assert_array_equal(tree, expected)
    made = AgglomerativeClustering(connectivity=lambda Z: given if len(Z) == 50 else None).fit(X)
    np.testing.assert_array_equal(made.linkage_matrix_, expected)
    for each in (given, before):
        dense = each.toarray() if hasattr(each, "toarray") else np.asarray(each)
        np.testing.assert_array_equal(dense, graph)


def test_stored_zeros_are_no_edges():
    X, graph = points(30), csr_array(random_graph(30, 40))
    full = csr_array(np.ones((30, 30)))
    full.data[:] = graph.toarray().ravel()
    trees = [AgglomerativeClustering(connectivity=g).fit(X).linkage_matrix_ for g in (graph, full)]
    np.testing.assert_array_equal(*trees)


@pytest.mark.parametrize("graph", [None, random_graph(40, 50)])
def test_short_names_of_metrics_are_those_of_scikit_learn(graph):
    X = points(40)
    for short, name in (("l1", "manhattan"), ("l2", "euclidean")):
        options = {"linkage": "average", "connectivity": graph}
        model = AgglomerativeClustering(metric=short, **options).fit(X)
        same = AgglomerativeClustering(metric=name, **options).fit(X)
        np.testing.assert_array_equal(model.linkage_matrix_, same.linkage_matrix_)
        peer = Peer(metric=short, compute_distances=True, **options).fit(X)
        np.testing.assert_allclose(model.distances_, peer.distances_, rtol=1e-9)
    ward = AgglomerativeClustering(metric="l2", connectivity=graph).fit(X)
    peer = Peer(metric="l2", compute_distances=True, connectivity=graph).fit(X)
    np.testing.assert_allclose(ward.distances_, peer.distances_, rtol=1e-9)
    assert ward.n_connected_components_ == 1


def test_single_precision_stays():
    X, graph = points(100).astype(np.float32), random_graph(100, 100)
    for linkage in LINKAGES:
        model = AgglomerativeClustering(4, linkage=linkage, connectivity=graph).fit(X)
        exact = AgglomerativeClustering(4, linkage=linkage, connectivity=graph).fit(X.astype(float))
        assert model.distances_.dtype == np.float32
        np.testing.assert_allclose(model.distances_, exact.distances_, rtol=1e-6)
        np.testing.assert_array_equal(model.labels_, exact.labels_)


@pytest.mark.filterwarnings("ignore:.*SCIPY_ARRAY_API")
def test_scikit_learns_checks_pass_with_a_callable():
    every_pair = partial(radius_neighbors_graph, radius=1e3)
    check_estimator(AgglomerativeClustering(connectivity=every_pair), on_skip=None)


@pytest.mark.parametrize("linkage", ["weighted", "centroid", "median"])
def test_other_linkages_are_refused(linkage):
    model = AgglomerativeClustering(linkage=linkage, connectivity=random_graph(9, 3))
    with pytest.raises(ValueError, match=f"'average' or 'single', got {linkage!r}. Choose"):
        model.fit(points(9))


@pytest.mark.parametrize("metric", ["manhattan", "l1", "precomputed"])
def test_ward_over_a_graph_needs_samples(metric):
    X = cdist(points(9), points(9))
    model = AgglomerativeClustering(metric=metric, connectivity=random_graph(9, 3))
    with pytest.raises(ValueError, match=r'AgglomerativeClustering: ward .* metric="euclidean"'):
        model.fit(X)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.ones((8, 8)), r"connectivity must have shape \(9, 9\).* got shape \(8, 8\)\. Make"),
        (csr_matrix((9, 8)), r"must have shape \(9, 9\).* got shape \(9, 8\)"),
        (lambda X: np.ones((len(X), 2)), r"must have shape \(9, 9\).* got shape \(9, 2\)"),
        (np.full((9, 9), np.nan), "connectivity contains NaN"),
        (csr_matrix(np.full((9, 9), np.inf)), "connectivity contains infinity"),
        ("neighbours", "AgglomerativeClustering: connectivity must be ndarray or .* 'neighbours'"),
    ],
)
def test_what_is_no_graph_of_the_samples_is_refused(graph, message):
    with pytest.raises(ValueError, match=message):
        AgglomerativeClustering(connectivity=graph).fit(points(9))


def test_bad_samples_are_refused_over_a_graph_too():
    graph, X = random_graph(9, 3), points(9)
    with pytest.raises(ValueError, match="X contains NaN"):
        AgglomerativeClustering(connectivity=graph).fit(np.where(X > 0, X, np.nan))
    with pytest.raises(ValueError, match="the largest number in X is"):
        AgglomerativeClustering(connectivity=graph).fit(1e160 * X)
    with pytest.raises(ValueError, match="must be symmetric"):
        distances = cdist(X, X) + np.triu(np.ones((9, 9)), 1)
        model = AgglomerativeClustering(linkage="single", metric="precomputed", connectivity=graph)
        model.fit(distances)
