"""Neighbour graphs, Isomap, LLE, Laplacian eigenmaps and their extension to new samples."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.linear_model import LinearRegression
from sklearn.manifold import Isomap as SklearnIsomap
from sklearn.manifold import LocallyLinearEmbedding as SklearnLLE
from sklearn.manifold import SpectralEmbedding, trustworthiness
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from shallows.reduce import (
    PCA,
    Isomap,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    OutOfSample,
    Sammon,
    neighbor_graph,
    shortest_paths,
)
from shallows.reduce._barycentric import barycentric_weights
from shallows.reduce._shortest_paths import dijkstra_rows

RNG = np.random.default_rng(0)
ROLL, ANGLE = make_swiss_roll(700, random_state=0)
CLOUD = RNG.normal(size=(60, 4))


def test_graphs_are_those_of_scikit_learn():
    graph = neighbor_graph(CLOUD, 5, symmetric=False)
    theirs = kneighbors_graph(CLOUD, 5, mode="distance").toarray()
    np.testing.assert_allclose(graph.lengths.toarray(), theirs, atol=1e-12)
    graph = neighbor_graph(CLOUD, 5)
    np.testing.assert_allclose(graph.lengths.toarray(), np.maximum(theirs, theirs.T), atol=1e-12)
    theirs = radius_neighbors_graph(CLOUD, 1.5, mode="distance").toarray()
    graph = neighbor_graph(CLOUD, radius=1.5)
    np.testing.assert_allclose(graph.lengths.toarray(), theirs, atol=1e-12)
    lonely = np.flatnonzero(theirs.sum(axis=1) == 0)
    np.testing.assert_array_equal(graph.isolated, lonely)
    assert graph.lengths.diagonal().max() == 0


def test_a_sample_is_no_neighbour_of_itself_even_among_copies():
    X = np.repeat(CLOUD[:3], 6, axis=0)
    graph = neighbor_graph(X, 3, symmetric=False)
    rows, columns = graph.lengths.tocoo().coords
    assert (rows != columns).all() and (np.diff(graph.lengths.indptr) == 3).all()
    assert graph.n_components >= 3
    paths = shortest_paths(neighbor_graph(X, 5), "dijkstra")
    assert paths[0, 5] == 0 and np.isinf(paths[0, 6])


@pytest.mark.parametrize("density", [0.05, 0.5])
def test_dijkstra_equals_floyd_warshall_and_scipy(density):
    weights = np.where(RNG.random((80, 80)) < density, RNG.random((80, 80)), 0)
    mine = shortest_paths(csr_array(weights), "dijkstra")
    np.testing.assert_allclose(mine, shortest_paths(weights, "floyd-warshall"), rtol=1e-12)
    np.testing.assert_allclose(mine, dijkstra(csr_array(weights)), rtol=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 2, 13])
def test_the_kernel_relaxes_every_edge(n):
    weights = np.where(RNG.random((n, n)) < 0.4, RNG.random((n, n)), 0)
    matrix = csr_array(weights)
    paths = np.empty((n, n))
    dijkstra_rows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data, 0, paths
    )
    naive = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(naive, 0)
    for k in range(n):
        naive = np.minimum(naive, naive[:, [k]] + naive[[k]])
    np.testing.assert_allclose(paths, naive, rtol=1e-12)


def test_isomap_with_all_samples_joined_is_pca():
    model = Isomap(n_neighbors=59).fit(CLOUD)
    np.testing.assert_allclose(
        np.abs(model.embedding_), np.abs(PCA(2).fit_transform(CLOUD)), atol=1e-8
    )
    assert abs(model.smallest_eigenvalue_) < 1e-9 * model.eigenvalues_[0]


@pytest.mark.parametrize("options", [{"n_neighbors": 8}, {"n_neighbors": None, "radius": 4.0}])
def test_isomap_is_that_of_scikit_learn(options):
    ours, theirs = Isomap(**options).fit(ROLL[:500]), SklearnIsomap(**options).fit(ROLL[:500])
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, atol=1e-6)
    assert procrustes(ours.embedding_, theirs.embedding_)[2] < 1e-10
    new = ROLL[500:]
    assert procrustes(ours.transform(new), theirs.transform(new))[2] < 1e-10
    assert ours.reconstruction_error() == pytest.approx(theirs.reconstruction_error(), rel=1e-6)
    np.testing.assert_allclose(ours.transform(ROLL[:500]), ours.embedding_, atol=1e-6)


def test_isomap_unrolls_the_roll_until_shortcuts_break_it():
    good, broken = (Isomap(n_neighbors=k).fit(ROLL) for k in (8, 60))
    assert abs(spearmanr(good.embedding_[:, 0], ANGLE)[0]) > 0.98
    assert abs(spearmanr(broken.embedding_[:, 0], ANGLE)[0]) < 0.9
    share = [m.smallest_eigenvalue_ / m.eigenvalues_[0] for m in (good, broken)]
    assert share[1] < 2 * share[0] < 0


def test_a_graph_in_pieces_is_joined_with_a_warning():
    far = np.vstack([CLOUD, CLOUD + 50])
    with pytest.warns(
        UserWarning, match="number of connected components of the neighbors graph is 2"
    ):
        model = Isomap(n_neighbors=5).fit(far)
    assert np.isfinite(model.embedding_).all()
    gap = cdist(CLOUD, CLOUD + 50).min()
    assert model.dist_matrix_[:60, 60:].min() == pytest.approx(gap)
    with pytest.warns(
        UserWarning, match="number of connected components of the neighbors graph is 2"
    ):
        same = Isomap(n_neighbors=5, metric="precomputed").fit(cdist(far, far))
    np.testing.assert_allclose(same.dist_matrix_, model.dist_matrix_, atol=1e-9)


def test_lle_weights_are_those_written_down():
    model = LocallyLinearEmbedding(n_neighbors=6, reg=0.01, reg_scale="absolute").fit(CLOUD)
    weights = model.weight_matrix().toarray()
    near = np.argsort(cdist(CLOUD, CLOUD), axis=1)[:, 1:7]
    for i in (0, 17):
        gaps = CLOUD[i] - CLOUD[near[i]]
        w = np.linalg.solve(gaps @ gaps.T + 0.01 * np.eye(6), np.ones(6))
        np.testing.assert_allclose(weights[i, near[i]], w / w.sum(), rtol=1e-9)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    residual = np.eye(60) - weights
    np.testing.assert_allclose(residual.T @ residual @ np.ones(60), 0, atol=1e-12)


def test_lle_weights_know_no_rotation_or_shift_and_reg_may_be_absolute():
    turned = CLOUD @ np.linalg.qr(RNG.normal(size=(4, 4)))[0] + 9.0
    for scale in ("trace", "absolute"):
        options = {"n_neighbors": 6, "reg_scale": scale}
        ours, same, half = (
            LocallyLinearEmbedding(**options).fit(X).weight_matrix().toarray()
            for X in (CLOUD, turned, CLOUD / 2)
        )
        np.testing.assert_allclose(same, ours, atol=1e-8)
        assert np.allclose(half, ours, atol=1e-9) == (scale == "trace")


@pytest.mark.parametrize("n", [250, 700])
def test_lle_is_that_of_scikit_learn(n):
    ours = LocallyLinearEmbedding(n_neighbors=10).fit(ROLL[:n])
    theirs = SklearnLLE(n_neighbors=10, eigen_solver="dense").fit(ROLL[:n])
    np.testing.assert_allclose(np.abs(ours.embedding_), np.abs(theirs.embedding_), atol=1e-6)
    assert abs(ours.eigenvalues_[0]) < 1e-10
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    np.testing.assert_allclose(np.linalg.norm(ours.embedding_, axis=0), 1, atol=1e-9)
    new = ours.transform(ROLL[:20] + 0.01)
    np.testing.assert_allclose(np.abs(new), np.abs(theirs.transform(ROLL[:20] + 0.01)), atol=1e-6)


def test_lle_by_radius_and_its_refusals():
    by_radius = LocallyLinearEmbedding(n_neighbors=None, radius=100.0).fit(CLOUD)
    by_count = LocallyLinearEmbedding(n_neighbors=59).fit(CLOUD)
    np.testing.assert_allclose(
        by_radius.weight_matrix().toarray(), by_count.weight_matrix().toarray(), atol=1e-9
    )
    assert by_radius.transform(CLOUD[:4] + 0.1).shape == (4, 2)
    with pytest.raises(ValueError, match=r"have no neighbour within radius=0\.01"):
        LocallyLinearEmbedding(n_neighbors=None, radius=0.01).fit(CLOUD)
    with pytest.raises(ValueError, match="takes n_neighbors or radius"):
        LocallyLinearEmbedding(radius=1.0).fit(CLOUD)
    with pytest.raises(ValueError, match="n_neighbors=60 must be less than n_samples=60"):
        LocallyLinearEmbedding(n_neighbors=60).fit(CLOUD)


@pytest.mark.parametrize("n", [250, 700])
def test_laplacian_eigenmaps_are_those_of_scikit_learn(n):
    X = ROLL[:n]
    ours = LaplacianEigenmaps(n_neighbors=10).fit(X)
    assert abs(ours.eigenvalues_[0]) < 1e-9
    edges = neighbor_graph(X, 10).lengths
    edges.data[:] = 1.0
    theirs = SpectralEmbedding(2, affinity="precomputed", random_state=0).fit(edges.toarray())
    assert procrustes(ours.embedding_, theirs.embedding_)[2] < 1e-6


def test_neighbours_in_the_laplacian_keep_their_nearness():
    model = LaplacianEigenmaps(n_neighbors=10, weights="rbf").fit(ROLL)
    assert abs(spearmanr(model.embedding_[:, 0], ANGLE)[0]) > 0.95
    degrees = neighbor_graph(ROLL, 10).lengths
    degrees.data = np.exp(-model.gamma_ * degrees.data**2)
    weight = np.asarray(degrees.sum(axis=1)).ravel()
    inner = model.embedding_.T @ (weight[:, None] * model.embedding_)
    np.testing.assert_allclose(inner, np.eye(2), atol=1e-8)
    np.testing.assert_allclose(weight @ model.embedding_, 0, atol=1e-7)
    with pytest.warns(UserWarning, match="has 2 connected parts"):
        LaplacianEigenmaps(n_neighbors=5).fit(np.vstack([CLOUD, CLOUD + 50]))


@pytest.mark.parametrize("weights", ["uniform", "rbf"])
def test_laplacian_eigenmaps_of_distances_are_those_of_the_samples(weights):
    plain = LaplacianEigenmaps(weights=weights).fit(ROLL[:400])
    given = LaplacianEigenmaps(weights=weights, metric="precomputed")
    given.fit(cdist(ROLL[:400], ROLL[:400]))
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-7)
    placed = given.transform(cdist(ROLL[400:450], ROLL[:400]))
    np.testing.assert_allclose(placed, plain.transform(ROLL[400:450]), atol=1e-7)
    other = LaplacianEigenmaps(metric="manhattan").fit(ROLL)
    assert abs(spearmanr(other.embedding_[:, 0], ANGLE)[0]) > 0.95


@pytest.mark.parametrize(
    "model",
    [
        Isomap(n_neighbors=8),
        Sammon(tol=1e-4),
        LocallyLinearEmbedding(n_neighbors=10),
        LaplacianEigenmaps(),
        OutOfSample(Isomap(n_neighbors=8)),
        OutOfSample(Sammon(tol=1e-4)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_new_samples_fall_between_their_neighbours(model):
    X = load_digits().data[:400] if "Sammon" in repr(model) else ROLL[:400]
    model.fit(X)
    np.testing.assert_allclose(model.transform(X[:30]), model.embedding_[:30], atol=1e-6)
    between = model.transform(X[:30] + 0.02 * (X[30:60] - X[:30]))
    spread = model.embedding_.std(axis=0).max()
    assert np.abs(between - model.embedding_[:30]).max() < spread


def test_a_regressor_may_be_the_map():
    model = OutOfSample(Isomap(n_neighbors=59), map=LinearRegression()).fit(CLOUD)
    np.testing.assert_allclose(model.transform(CLOUD), model.embedding_, atol=1e-8)
    assert trustworthiness(CLOUD, model.fit_transform(CLOUD)) > 0.7


def test_weights_of_neighbours_at_the_same_place():
    X = np.zeros((3, 2))
    weights = barycentric_weights(X, X, np.array([[1, 2], [0, 2], [0, 1]]), 1e-3, by_trace=True)
    np.testing.assert_allclose(weights, 0.5)


def test_bad_requests_for_graphs_are_explained():
    with pytest.raises(ValueError, match="neighbor_graph takes n_neighbors or radius"):
        neighbor_graph(CLOUD)
    with pytest.raises(ValueError, match="must be square"):
        shortest_paths(np.ones((2, 3)))
    with pytest.raises(ValueError, match="not negative"):
        shortest_paths(-np.ones((2, 2)))
    with pytest.raises(ValueError, match="Isomap takes n_neighbors or radius"):
        Isomap(radius=1.0).fit(CLOUD)
    near = Isomap(n_neighbors=None, radius=3.0).fit(CLOUD)
    with pytest.raises(ValueError, match="sample 0 has no training sample within"):
        near.transform(CLOUD[:1] + 100)
