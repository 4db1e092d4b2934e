"""Self-organizing maps against naive loops, their theory and known results."""

import itertools
import math
import re

import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize, scale

from shallows._core.numerics import streams
from shallows._core.showing.figures import figure_svg
from shallows.prototype import SelfOrganizingMap, _som
from shallows.prototype._som_steps import som_pass, som_pass_with_gaps
from shallows.prototype._unit_grid import anneal, are_neighbors, grid_distances, influence

X, Y = load_iris(return_X_y=True)
RULES = ("distance", "dot")


def naive_winner(x, units, rule):
    """Best matching unit by the formulas, one number after the other."""
    if rule == "dot":
        values = [-sum(a * b for a, b in zip(x, w, strict=True)) for w in units]
    else:
        values = [sum((a - b) ** 2 for a, b in zip(x, w, strict=True)) for w in units]
    return values.index(min(values))


def naive_influence(first, second, r):
    """Gaussian of the grid distance of two units of a rectangular grid."""
    return math.exp(-sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / r**2)


@pytest.mark.kernel
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("least", [0.0, 0.3], ids=["all move", "some move"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3), (3, 5)], ids=str)
def test_online_steps_follow_the_definition(shape, least, rule):
    rng = np.random.default_rng(0)
    rate, width = 0.3, 1.5
    data, weights = rng.normal(size=(20, 3)), rng.uniform(0.5, 4, 20)
    order = rng.permutation(20)
    nodes = list(itertools.product(*map(range, shape)))
    start = rng.normal(size=(len(nodes), 3))
    units, loss = start.tolist(), 0.0
    for i in order:
        best = naive_winner(data[i], units, rule)
        loss += weights[i] * sum((a - b) ** 2 for a, b in zip(data[i], units[best], strict=True))
        for u, node in enumerate(nodes):
            share = naive_influence(node, nodes[best], width)
            part = min(1.0, rate * weights[i] * share) if share >= least else 0.0
            units[u] = [w + part * (x - w) for x, w in zip(data[i], units[u], strict=True)]
    table = influence(grid_distances(shape, "rect", False), width, "gaussian", np.float64)
    table[table < least] = 0
    moved = start.copy()
    found = som_pass(data, weights, order, rate, table, rule == "dot", moved)
    np.testing.assert_allclose(moved, units, rtol=1e-10, atol=1e-12)
    assert found == pytest.approx(loss)


@pytest.mark.parametrize("rule", RULES)
def test_a_batch_step_is_the_weighted_mean_over_all_samples(rule):
    rng = np.random.default_rng(1)
    data, weights = rng.normal(size=(30, 2)), rng.uniform(0.5, 2, 30)
    start = rng.normal(size=(6, 2))
    nodes = list(itertools.product(range(2), range(3)))
    expected = []
    winners = [naive_winner(x, start, rule) for x in data]
    for node in nodes:
        shares = [
            w * naive_influence(node, nodes[b], 1.2) for w, b in zip(weights, winners, strict=True)
        ]
        expected.append(np.average(data, axis=0, weights=shares))
    model = SelfOrganizingMap(
        (2, 3), width=1.2, final_width=1.2, bmu=rule, init=start, max_iter=1, random_state=0
    ).fit(data, sample_weight=weights)
    np.testing.assert_allclose(model.prototypes_, expected, rtol=1e-10)
    met = np.average(((data - start[winners]) ** 2).sum(axis=1), weights=weights)
    assert model.history_["loss"] == [pytest.approx(met)]


def test_width_zero_is_a_step_of_lloyd():
    start = X[[0, 60, 100, 149]]
    som = SelfOrganizingMap((2, 2), width=0, final_width=0, init=start, max_iter=1).fit(X)
    own = ((X[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    means = [X[own == k].mean(axis=0) for k in range(4)]
    np.testing.assert_allclose(som.prototypes_, means, rtol=1e-12)


def test_width_zero_ends_where_k_means_does():
    start = X[[0, 60, 100]]
    som = SelfOrganizingMap(3, width=0, final_width=0, init=start, max_iter=50).fit(X)
    means = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    np.testing.assert_allclose(som.prototypes_, means.cluster_centers_, rtol=1e-10)
    assert som.quantization_error(X) == pytest.approx(means.inertia_ / len(X))


@pytest.mark.parametrize("algorithm", ["batch", "online"])
@pytest.mark.parametrize("grid", ["rect", "hex"])
@pytest.mark.parametrize("toroidal", [False, True])
def test_error_falls_and_the_map_keeps_neighbours(algorithm, grid, toroidal):
    data, _ = make_blobs(500, n_features=5, centers=6, random_state=0)
    som = SelfOrganizingMap(
        (6, 8), grid=grid, toroidal=toroidal, algorithm=algorithm, final_width=1, random_state=0
    ).fit(data)
    losses = som.history_["loss"]
    assert som.quantization_error(data) <= losses[-1] * 1.01 < 0.7 * losses[0]
    assert som.topographic_error(data) < 0.4
    far = np.random.default_rng(0).permutation(48)
    shuffled = SelfOrganizingMap(
        (6, 8), grid=grid, toroidal=toroidal, init=som.prototypes_[far], width=0, final_width=0
    ).fit(data)
    assert shuffled.topographic_error(data) > 0.6


@pytest.mark.parametrize("algorithm", ["batch", "online"])
def test_a_line_along_a_curve_has_no_topographic_error(algorithm):
    angle = np.linspace(0, np.pi, 400)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    som = SelfOrganizingMap(12, algorithm=algorithm, final_width=0.7, random_state=0).fit(arc)
    assert som.topographic_error(arc) == 0
    along = np.arctan2(*som.prototypes_.T[::-1])
    assert (np.diff(along) > 0).all() or (np.diff(along) < 0).all()


def test_units_cover_uniform_data_evenly():
    data = np.random.default_rng(0).random((4000, 2))
    counts = np.bincount(SelfOrganizingMap((5, 5)).fit(data).labels_, minlength=25)
    assert counts.min() > 0.5 * 160 and counts.max() < 1.6 * 160


@pytest.mark.parametrize("kind", ["gaussian", "bubble", "triangle", "epanechnikov"])
def test_influence_is_one_at_the_winner_and_falls_to_zero(kind):
    squared = grid_distances((40,), "rect", False)
    table = influence(squared, 3.0, kind, np.float64)
    assert (table.diagonal() == 1).all() and (np.diff(table[0]) <= 0).all() and table[0, -1] == 0
    expected = {"gaussian": np.exp(-4 / 9), "bubble": 1, "triangle": 1 / 3, "epanechnikov": 5 / 9}
    assert table[0, 2] == pytest.approx(expected[kind])


@pytest.mark.parametrize("grid", ["rect", "hex"])
def test_all_units_of_a_torus_are_alike(grid):
    squared = grid_distances((4, 6), grid, True)
    assert np.array_equal(squared, squared.T)
    np.testing.assert_allclose(np.sort(squared, axis=1), np.sort(squared, axis=1)[:1].repeat(24, 0))
    assert (are_neighbors(squared, grid).sum(axis=1) == {"rect": 8, "hex": 6}[grid]).all()


def test_inner_units_of_a_hexagonal_grid_have_six_neighbours_one_apart():
    squared = grid_distances((5, 5), "hex", False)
    np.testing.assert_allclose(np.sort(squared[12])[1:7], 1)
    assert np.sort(squared[12])[7] > 2.9
    corners = are_neighbors(squared, "hex").sum(axis=1)[[0, 4, 20, 24]]
    assert sorted(corners) == [2, 2, 3, 3]


@pytest.mark.parametrize("toroidal", [False, True])
def test_a_bubble_of_width_one_holds_all_neighbours_on_hexagons(toroidal):
    squared = grid_distances((20, 20), "hex", toroidal)
    table = influence(squared, 1.0, "bubble", np.float64)
    assert np.array_equal(table > 0, are_neighbors(squared, "hex") | np.eye(400, dtype=bool))


def test_below_any_width_the_winner_moves_alone():
    squared = grid_distances((3, 3), "rect", False)
    for kind in ("gaussian", "bubble", "triangle", "epanechnikov"):
        for width in (1e-200, 1e-99):
            assert np.array_equal(influence(squared, width, kind, np.float64), np.eye(9))


def test_both_rules_agree_for_prototypes_of_equal_length():
    rng = np.random.default_rng(0)
    units = rng.normal(size=(9, 4))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    options = {"init": units, "width": 1e-9, "final_width": 1e-9, "max_iter": 1}
    options |= {"algorithm": "online", "learning_rate": 1e-300, "final_learning_rate": 1e-300}
    near, dot = (SelfOrganizingMap((3, 3), bmu=rule, **options).fit(X) for rule in RULES)
    np.testing.assert_allclose(near.prototypes_, units)
    assert np.array_equal(near.predict(X), dot.predict(X))


@pytest.mark.parametrize("algorithm", ["batch", "online"])
def test_prototypes_stay_in_the_range_of_start_and_data(algorithm):
    som = SelfOrganizingMap((4, 4), algorithm=algorithm, init="random", random_state=0).fit(X)
    assert (som.prototypes_ >= X.min(axis=0)).all() and (som.prototypes_ <= X.max(axis=0)).all()


def test_start_spans_the_principal_plane():
    flat = np.random.default_rng(0).normal(size=(200, 2)) * [5, 2] @ [[0.6, 0.8, 0], [0, 0, 1]] + 7
    options = {"algorithm": "online", "learning_rate": 1e-300, "final_learning_rate": 1e-300}
    wide = SelfOrganizingMap((3, 7), max_iter=1, random_state=0, **options).fit(flat)
    grid = wide.prototypes_.reshape(3, 7, 3)
    along, across = grid[1, -1] - grid[1, 0], grid[-1, 3] - grid[0, 3]
    assert abs(along @ [0.6, 0.8, 0]) / np.linalg.norm(along) > 0.99
    assert abs(across[2]) / np.linalg.norm(across) > 0.99
    np.testing.assert_allclose(grid[1, 3], flat.mean(axis=0))
    few = SelfOrganizingMap((2, 3), max_iter=1, random_state=0, **options).fit(flat[:2])
    assert np.isfinite(few.prototypes_).all() and np.ptp(few.prototypes_, axis=0).max() > 0


@pytest.mark.parametrize("step", ["fit", "partial_fit"])
def test_files_with_gaps_are_loaded_where_samples_come_one_by_one(tmp_path, step):
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    np.save(tmp_path / "x.npy", gaps)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    som = SelfOrganizingMap((3, 4), algorithm="online", max_iter=3, random_state=0)
    expected = getattr(som, step)(gaps).labels_
    for data in (mapped, da.from_array(gaps, chunks=(40, 4))):
        other = SelfOrganizingMap((3, 4), algorithm="online", max_iter=3, random_state=0)
        assert np.array_equal(getattr(other, step)(data).labels_, expected)


def test_schedules_run_from_first_to_last():
    for kind in ("exponential", "linear", "inverse"):
        values = [anneal(4.0, 0.5, p, kind) for p in np.linspace(0, 1, 9)]
        assert values[0] == 4 and values[-1] == pytest.approx(0.5) and (np.diff(values) < 0).all()
    assert anneal(4.0, 0.25, 0.5, "exponential") == pytest.approx(1.0)
    assert anneal(4.0, 1.0, 0.5, "linear") == 2.5
    assert anneal(4.0, 1.0, 1 / 3, "inverse") == 2.0


@pytest.mark.parametrize("bmu", RULES)
def test_files_and_dask_arrays_give_the_same_map(tmp_path, bmu):
    X = normalize(scale(load_iris().data))
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    options = {"shape": (4, 5), "bmu": bmu, "max_iter": 8}
    memory = SelfOrganizingMap(**options).fit(X)
    for data in (mapped, da.from_array(X, chunks=(40, 2))):
        other = SelfOrganizingMap(**options).fit(data)
        np.testing.assert_allclose(other.prototypes_, memory.prototypes_, rtol=1e-9)
        assert np.array_equal(other.labels_, memory.labels_)
        np.testing.assert_allclose(
            np.asarray(other.transform(data)), memory.transform(X), rtol=1e-6
        )
        assert other.quantization_error(data) == pytest.approx(memory.quantization_error(X))
        with pytest.raises(ValueError, match="takes no sample_weight"):
            SelfOrganizingMap(**options).fit(data, sample_weight=np.ones(150))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("algorithm", ["batch", "online"])
@pytest.mark.parametrize("init", ["pca", "random"])
def test_a_sparse_matrix_gives_the_map_of_the_full_one(rule, algorithm, init):
    rng = np.random.default_rng(0)
    full = rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3) + np.eye(12)[rng.integers(12)]
    weights = rng.uniform(0.5, 2, 300)
    options = {"algorithm": algorithm, "bmu": rule, "init": init, "max_iter": 10}
    dense = SelfOrganizingMap((4, 3), random_state=0, **options).fit(full, sample_weight=weights)
    thin = csr_array(full)
    som = SelfOrganizingMap((4, 3), random_state=0, **options).fit(thin, sample_weight=weights)
    np.testing.assert_allclose(som.prototypes_, dense.prototypes_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(som.history_["loss"], dense.history_["loss"], rtol=1e-8)
    assert np.array_equal(som.labels_, dense.labels_)
    np.testing.assert_allclose(som.transform(thin), dense.transform(full), rtol=1e-5, atol=1e-7)
    assert som.quantization_error(thin) == pytest.approx(dense.quantization_error(full))
    assert som.topographic_error(thin) == pytest.approx(dense.topographic_error(full))
    parts = [SelfOrganizingMap((4, 3), init=init, random_state=0) for _ in range(2)]
    for rows in (slice(0, 150), slice(150, 300)):
        parts[0].partial_fit(full[rows])
        parts[1].partial_fit(thin[rows])
    np.testing.assert_allclose(parts[0].prototypes_, parts[1].prototypes_, rtol=1e-6, atol=1e-9)


def with_gaps(data, share, seed=0):
    rng = np.random.default_rng(seed)
    gaps = rng.random(data.shape) < share
    gaps[np.arange(len(data)), rng.integers(data.shape[1], size=len(data))] = False
    return np.where(gaps, np.nan, data)


def partial_distance(x, unit):
    return sum((a - b) ** 2 for a, b in zip(x, unit, strict=True) if a == a)


def partial_product(x, unit):
    return sum(a * b for a, b in zip(x, unit, strict=True) if a == a)


@pytest.mark.parametrize("rule", RULES)
def test_missing_values_are_left_out_of_distances_and_means(rule):
    rng = np.random.default_rng(2)
    data, weights = with_gaps(rng.normal(size=(40, 3)) + 5, 0.3), rng.uniform(0.5, 2, 40)
    start = rng.normal(size=(6, 3)) + 5
    nodes = list(itertools.product(range(2), range(3)))
    scores = {
        "distance": lambda x, unit: -partial_distance(x, unit),
        "dot": partial_product,
    }
    winners = [int(np.argmax([scores[rule](x, unit) for unit in start])) for x in data]
    expected = np.empty((6, 3))
    for u, node in enumerate(nodes):
        for j in range(3):
            there = [i for i in range(40) if not np.isnan(data[i, j])]
            shares = [weights[i] * naive_influence(node, nodes[winners[i]], 1.2) for i in there]
            expected[u, j] = np.average(data[there, j], weights=shares)
    options = {"width": 1.2, "final_width": 1.2, "bmu": rule, "init": start, "max_iter": 1}
    som = SelfOrganizingMap((2, 3), **options).fit(data, sample_weight=weights)
    np.testing.assert_allclose(som.prototypes_, expected, rtol=1e-10)
    met = [partial_distance(x, start[b]) for x, b in zip(data, winners, strict=True)]
    assert som.history_["loss"] == [pytest.approx(np.average(met, weights=weights))]
    distances = [[partial_distance(x, unit) ** 0.5 for unit in som.prototypes_] for x in data]
    np.testing.assert_allclose(som.transform(data), distances, atol=1e-7)
    own = [row[b] ** 2 for row, b in zip(distances, som.predict(data), strict=True)]
    assert som.quantization_error(data) == pytest.approx(np.mean(own))


def stored(kind, data, tmp_path):
    """Return data as a memory-mapped file or as a Dask array."""
    if kind == "dask":
        return da.from_array(data, chunks=(40, 2))
    np.save(tmp_path / "x.npy", data)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("init", ["pca", "random"])
@pytest.mark.parametrize("kind", ["file", "file of one block", "dask"])
def test_streams_with_gaps_give_the_map_of_the_array(tmp_path, monkeypatch, rule, init, kind):
    if kind == "file":
        monkeypatch.setattr(streams.row_blocks, "__defaults__", (1024,))  # 32 rows at once
    data = with_gaps(scale(X), 0.2)
    mapped = stored(kind, data, tmp_path)
    options = {"shape": (4, 5), "bmu": rule, "init": init, "max_iter": 8, "random_state": 0}
    memory = SelfOrganizingMap(**options).fit(data)
    streamed = SelfOrganizingMap(**options).fit(mapped)
    if kind == "file of one block":
        np.testing.assert_array_equal(streamed.prototypes_, memory.prototypes_)
    np.testing.assert_allclose(streamed.prototypes_, memory.prototypes_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(streamed.history_["loss"], memory.history_["loss"])
    for labels in (streamed.labels_, streamed.predict(mapped)):
        np.testing.assert_array_equal(labels, memory.labels_)
    # a distance is the root of a difference, which keeps half of the digits near zero
    apart = np.asarray(streamed.transform(mapped))
    np.testing.assert_allclose(apart, memory.transform(data), atol=1e-6)
    error = streamed.quantization_error(mapped)
    assert error == pytest.approx(memory.quantization_error(data)) == -streamed.score(mapped)


@pytest.mark.parametrize("rule", RULES)
def test_a_stream_in_single_precision_with_gaps_keeps_it(tmp_path, rule):
    data = with_gaps(scale(X), 0.2).astype(np.float32)
    options = {"shape": (3, 4), "bmu": rule, "max_iter": 5}
    streamed = SelfOrganizingMap(**options).fit(stored("file", data, tmp_path))
    assert streamed.prototypes_.dtype == np.float32
    expected = SelfOrganizingMap(**options).fit(data).prototypes_
    np.testing.assert_allclose(streamed.prototypes_, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["file", "dask"])
def test_streamed_rows_without_any_value_and_infinite_ones_are_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(streams.row_blocks, "__defaults__", (1024,))
    data = with_gaps(scale(X), 0.2)
    som = SelfOrganizingMap((3, 4), max_iter=2).fit(data)
    data[[77, 120]] = np.nan
    mapped = stored(kind, data, tmp_path)
    message = "SelfOrganizingMap: row 77 of X holds only missing values, and 2 of 150 rows do"
    for method in (SelfOrganizingMap((3, 4)).fit, som.predict, som.quantization_error):
        with pytest.raises(ValueError, match=message):
            method(mapped)
    with pytest.raises(ValueError, match=r"in a block of rows: row .* holds only missing values"):
        np.asarray(som.transform(mapped))
    data[[77, 120]] = np.inf
    with pytest.raises(ValueError, match="The data contain infinity"):
        SelfOrganizingMap((3, 4)).fit(stored(kind, data, tmp_path))


def test_a_start_from_some_rows_of_a_file_with_gaps(tmp_path, monkeypatch):
    monkeypatch.setattr(_som, "STREAM_SAMPLE", 60)
    mapped = stored("file", with_gaps(scale(X), 0.2), tmp_path)
    model = SelfOrganizingMap((4, 5), random_state=0).fit(mapped)
    whole = SelfOrganizingMap((4, 5), random_state=0).fit(np.asarray(mapped))
    assert model.quantization_error(mapped) < 1.2 * whole.quantization_error(mapped)
    assert model.topographic_error(np.asarray(mapped)) < 0.2


@pytest.mark.kernel
@pytest.mark.parametrize("rule", RULES)
def test_a_pass_over_gaps_is_the_rule_written_out(rule):
    rng = np.random.default_rng(3)
    data, weights = with_gaps(rng.normal(size=(30, 4)), 0.4), rng.uniform(0.5, 1.5, 30)
    units = rng.normal(size=(5, 4))
    table = influence(grid_distances((5,), "rect", False), 1.5, "gaussian", np.float64)
    moved, loss = units.copy(), 0.0
    for x, weight in zip(data, weights, strict=True):
        if rule == "dot":
            best = int(np.argmax([partial_product(x, unit) for unit in moved]))
        else:
            best = int(np.argmin([partial_distance(x, unit) for unit in moved]))
        loss += weight * partial_distance(x, moved[best])
        there = ~np.isnan(x)
        for u in range(5):
            step = min(1.0, 0.3 * weight * table[best, u])
            moved[u, there] += step * (x[there] - moved[u, there])
    by_product = rule == "dot"
    found = som_pass_with_gaps(data, weights, np.arange(30), 0.3, table, by_product, units)
    np.testing.assert_allclose(units, moved, rtol=1e-10)
    assert found == pytest.approx(loss)


@pytest.mark.parametrize("algorithm", ["batch", "online"])
def test_a_map_of_data_with_gaps_is_nearly_that_of_all_data(algorithm):
    options = {"algorithm": algorithm, "random_state": 0}
    gappy = with_gaps(X, 0.1)
    whole = SelfOrganizingMap((4, 5), **options).fit(X)
    som = SelfOrganizingMap((4, 5), **options).fit(gappy)
    assert np.isfinite(som.prototypes_).all()
    assert som.quantization_error(X) < 1.3 * whole.quantization_error(X)
    assert som.topographic_error(gappy) < 0.3
    with pytest.raises(ValueError, match="row 3 of X holds only missing values"):
        som.predict(np.where(np.arange(150)[:, None] == 3, np.nan, X))


def test_weights_count_like_repetition_in_batch_mode():
    weights = np.random.default_rng(0).integers(0, 4, 150)
    weighted = SelfOrganizingMap((4, 4)).fit(X, sample_weight=weights)
    repeated = SelfOrganizingMap((4, 4)).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.prototypes_, repeated.prototypes_, rtol=1e-8)
    assert len(weighted.labels_) == 150
    again = repeated.quantization_error(X, sample_weight=weights)
    assert again == pytest.approx(repeated.quantization_error(np.repeat(X, weights, axis=0)))


def test_partial_fit_walks_down_the_schedules():
    blocks = np.array_split(np.random.default_rng(0).permutation(X), 5)
    model = SelfOrganizingMap((3, 3), final_width=0.5, max_iter=5, random_state=0)
    for block in blocks:
        model.partial_fit(block)
    expected = SelfOrganizingMap((3, 3), max_iter=5, random_state=0)
    expected._start(blocks[0], np.ones(30), np.random.default_rng(0))
    squared = grid_distances((3, 3), "rect", False)
    for step, block in enumerate(blocks):
        width, rate = 1.5 * (0.5 / 1.5) ** (step / 4), 0.5 * (0.01 / 0.5) ** (step / 4)
        table = influence(squared, width, "gaussian", np.float64)
        order = np.arange(len(block))
        som_pass(block, np.ones(len(block)), order, rate, table, False, expected.prototypes_)
    np.testing.assert_allclose(model.prototypes_, expected.prototypes_, rtol=1e-12)
    assert model.n_iter_ == 5 == len(model.history_["loss"])


def test_u_matrix_is_the_mean_distance_to_neighbours():
    som = SelfOrganizingMap((3, 4), random_state=0).fit(X)
    units = som.prototypes_.reshape(3, 4, 4)
    heights = som.u_matrix()
    for row, column in itertools.product(range(3), range(4)):
        around = [
            np.linalg.norm(units[row, column] - units[r, c])
            for r, c in itertools.product(range(3), range(4))
            if max(abs(r - row), abs(c - column)) == 1
        ]
        assert heights[row, column] == pytest.approx(np.mean(around))
    assert SelfOrganizingMap(1).fit(X).u_matrix() == 0


def test_u_matrix_shows_the_gap_between_two_groups():
    data, _ = make_blobs([300, 300], centers=[[0, 0], [30, 0]], random_state=0)
    heights = SelfOrganizingMap((4, 12)).fit(data).u_matrix().mean(axis=0)
    assert heights[4:8].max() > 4 * max(heights[0], heights[-1])


def test_planes_hold_each_feature_on_the_grid():
    som = SelfOrganizingMap((2, 5)).fit(X)
    planes = som.component_planes()
    assert planes.shape == (4, 2, 5)
    assert planes[2, 1, 3] == som.prototypes_[1 * 5 + 3, 2]
    assert not np.shares_memory(planes, som.prototypes_)


def test_label_map_counts_winners():
    som = SelfOrganizingMap((5, 5), random_state=0).fit(X)
    names = np.array(["a", "b", "c"])[Y]
    labels, posterior, counts, classes = som.label_map(X, names)
    assert classes.tolist() == ["a", "b", "c"] and labels.shape == (5, 5)
    for unit in range(25):
        own = names[som.labels_ == unit]
        place = np.unravel_index(unit, (5, 5))
        assert counts[place] == len(own)
        if len(own):
            shares = [np.mean(own == name) for name in classes]
            np.testing.assert_allclose(posterior[place], shares)
            assert labels[place] == classes[np.argmax(shares)]
        else:
            assert labels.mask[place] and np.isnan(posterior[place]).all()
    assert labels.mask.any() and not labels.mask.all()


def test_decoder_gives_back_the_winning_prototype():
    som = SelfOrganizingMap((3, 3)).fit(X)
    restored = som.decode(som.predict(X))
    error = ((X - restored) ** 2).sum(axis=1).mean()
    assert som.quantization_error(X) == pytest.approx(error) == pytest.approx(-som.score(X))
    assert np.array_equal(som.transform(X).argmin(axis=1), som.predict(X))


def test_columns_of_zeros_end_at_zero():
    """Values that shrink by a constant factor must not end as subnormal numbers."""
    data = np.random.default_rng(0).random((300, 8))
    data[:, :4] = 0
    start = np.random.default_rng(1).random((16, 8))
    options = {"algorithm": "online", "init": start, "max_iter": 20, "random_state": 0}
    options["final_learning_rate"] = 0.5
    som = SelfOrganizingMap((4, 4), **options).fit(data)
    assert not som.prototypes_[:, :4].any() and som.prototypes_[:, 4:].all()
    loud = SelfOrganizingMap((4, 4), **options).fit(data.astype(np.float32))
    np.testing.assert_allclose(loud.prototypes_, som.prototypes_, rtol=1e-3, atol=1e-6)


def test_digits_map_tells_the_digits_apart():
    digits, y = load_digits(return_X_y=True)
    som = SelfOrganizingMap((10, 10)).fit(digits)
    digits_of = som.label_map(digits, y)
    used = digits_of.counts > 0
    purity = digits_of.posterior[used].max(axis=1) @ digits_of.counts[used] / len(y)
    assert purity > 0.85 and som.topographic_error(digits) < 0.08
    fine = SelfOrganizingMap((10, 10), final_width=0.5).fit(digits).quantization_error(digits)
    best = KMeans(100, n_init=1, random_state=0).fit(digits).inertia_ / len(digits)
    assert best < fine < 1.1 * best < som.quantization_error(digits)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": (3, 0)}, "whole numbers >= 1"),
        ({"shape": ()}, "whole numbers >= 1"),
        ({"shape": (2.5, 2)}, "whole numbers >= 1"),
        ({"shape": 5, "grid": "hex"}, "two axes"),
        ({"shape": (3, 4), "grid": "hex", "toroidal": True}, "even number of rows"),
        ({"final_width": 0.0}, "width must stay positive"),
        ({"final_learning_rate": 0.0}, "learning_rate must stay positive"),
        ({"init": [[1.0, 2.0]]}, "one row per prototype"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SelfOrganizingMap(**options).fit(X)


def test_more_units_than_samples_and_equal_samples():
    for init in ("pca", "random"):
        for data in (X[:3], np.ones((10, 2)), X[:1]):
            som = SelfOrganizingMap((4, 4), init=init, max_iter=5, random_state=0).fit(data)
            assert np.isfinite(som.prototypes_).all() and np.isfinite(som.u_matrix()).all()


def test_another_shape_after_training_is_refused():
    som = SelfOrganizingMap((3, 3), max_iter=2).fit(X).set_params(shape=(4, 4))
    calls = [som.u_matrix, som.component_planes, som.chart]
    calls += [lambda: som.topographic_error(X), lambda: som.label_map(X, Y)]
    for call in [*calls, lambda: som.partial_fit(X)]:
        with pytest.raises(ValueError, match="has 9 prototypes, but its parameters now ask for 16"):
            call()
    assert som.fit(X).u_matrix().shape == (4, 4)


@pytest.mark.parametrize("init", ["pca", "random"])
def test_sparse_samples_with_gaps_are_refused(init):
    gaps = csr_array(np.where(X > 7, np.nan, X))
    message = r"^SelfOrganizingMap: a sparse matrix must hold no missing values, got 12\."
    with pytest.raises(ValueError, match=message):
        SelfOrganizingMap((2, 2), init=init).fit(gaps)
    with pytest.raises(ValueError, match=message):
        SelfOrganizingMap((2, 2)).fit(X).predict(gaps)


def test_labels_must_fit_the_samples():
    with pytest.raises(ValueError, match="one class for each of the 150 samples"):
        SelfOrganizingMap((2, 2)).fit(X).label_map(X, Y[:10])


@pytest.mark.parametrize("method", ["quantization_error", "topographic_error", "label_map"])
def test_wrong_weights_say_whose_they_are(method):
    som, labels = SelfOrganizingMap((2, 2)).fit(X), (Y,) if method == "label_map" else ()
    with pytest.raises(ValueError, match=r"^SelfOrganizingMap: sample_weight .* got shape \(3,\)"):
        getattr(som, method)(X, *labels, sample_weight=np.ones(3))


def test_names_of_the_distances():
    som = SelfOrganizingMap((1, 2), max_iter=2).fit(X)
    assert som.get_feature_names_out().tolist() == ["selforganizingmap0", "selforganizingmap1"]


def test_an_unfitted_map_says_so():
    for call in ("u_matrix", "component_planes", "chart"):
        with pytest.raises(NotFittedError):
            getattr(SelfOrganizingMap(), call)()


def test_bad_codes_and_labels_are_named():
    som = SelfOrganizingMap((2, 3), max_iter=2).fit(X)
    for codes, got in (([-1], "-1"), ([0, 99], "99"), ([0.5], "float64"), ([True], "bool")):
        with pytest.raises(ValueError, match=f"whole numbers from 0 to 5, .* got {got}"):
            som.decode(codes)
    assert som.decode([]).shape == (0, 4) and som.decode([[0, 5]]).shape == (1, 2, 4)
    with pytest.raises(ValueError, match=r"one class for each of the 150 samples, got shape"):
        som.label_map(X, np.zeros((150, 2)))


def polygons(spec):
    """Outlines of the units in a drawing, and the place of each."""
    picture = figure_svg(spec)
    return re.findall(r'transform="translate\(([\d.]+),([\d.]+)\)"[^>]* d="(M[^"]+Z)"', picture)


def test_hexagons_touch_and_do_not_overlap():
    som = SelfOrganizingMap((4, 5), grid="hex", max_iter=2).fit(X)
    drawn = polygons(som.chart())
    assert len(drawn) == 20
    places = np.array([[float(x), float(y)] for x, y, _ in drawn])
    gaps = np.sort(np.linalg.norm(places[:, None] - places, axis=2), axis=1)[:, 1]
    corners = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", drawn[0][2]), dtype=float)
    assert len(corners) == 6
    np.testing.assert_allclose(np.linalg.norm(corners, axis=1), gaps[0] / np.sqrt(3), rtol=1e-3)
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-3)


def test_charts_hold_heights_planes_and_words():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    som = SelfOrganizingMap((3, 4), max_iter=5).fit(frame)
    wide = som.chart(labels=som.label_map(frame, y).labels, title="Iris")
    np.testing.assert_allclose(
        [row["distance"] for row in wide["data"]["values"]], som.u_matrix().ravel()
    )
    words = [row["label"] for row in wide["data"]["values"]]
    named = som.label_map(frame, y).labels
    assert words == [str(name) for name in named.astype(object).filled("").flat]
    assert wide["width"] / wide["height"] == pytest.approx(4 / 3)
    planes = som.chart("component_planes")
    rows = planes["data"]["values"]
    assert [row["feature"] for row in rows[::12]] == frame.columns.tolist()
    np.testing.assert_allclose([row["value"] for row in rows], som.component_planes().ravel())
    counts = som.label_map(frame, y).counts
    assert [row["value"] for row in som.chart(counts)["data"]["values"]] == counts.ravel().tolist()
    for spec in (wide, planes, SelfOrganizingMap(5, max_iter=2).fit(X).chart()):
        assert figure_svg(spec).count("<path") > 4


def test_charts_that_cannot_be_are_refused():
    som = SelfOrganizingMap((3, 4), max_iter=2).fit(X)
    with pytest.raises(ValueError, match=r"values must have the shape of the grid, \(3, 4\), got"):
        som.chart(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="chart: values must be one of 'u_matrix'"):
        som.chart("heights")
    with pytest.raises(ValueError, match="labels belong to one map"):
        som.chart("component_planes", labels=np.zeros((3, 4)))
    with pytest.raises(ValueError, match="one or two axes"):
        SelfOrganizingMap((2, 2, 2), max_iter=2).fit(X).chart()
