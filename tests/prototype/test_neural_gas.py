"""Rank-based quantizers against naive loops, their theory and known results."""

import math

import dask.array as da
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs

from shallows.prototype import CompetitiveVQ, GrowingNeuralGas, NeuralGas, SelfOrganizingMap
from shallows.prototype._growing_steps import Graph, Rules, grow_pass
from shallows.prototype._rank_steps import FEW, rank_influence, rank_pass

X, Y = load_iris(return_X_y=True)
FAR = make_blobs(600, centers=[[0, 0], [40, 0], [0, 40], [40, 40]], random_state=0)[0]


@pytest.mark.parametrize("unit", [1e20, 1e-20])
@pytest.mark.parametrize(
    "model",
    [NeuralGas(3), CompetitiveVQ(3), GrowingNeuralGas(4), SelfOrganizingMap((2, 2))],
    ids=lambda model: type(model).__name__,
)
def test_samples_whose_squares_do_not_fit_are_refused(model, unit):
    with pytest.raises(ValueError, match=f"^{type(model).__name__}: the largest number in X is"):
        model.fit((unit * X).astype(np.float32))


def naive_ranks(x, units):
    """Unit numbers from near to far."""
    squared = [sum((a - b) ** 2 for a, b in zip(x, w, strict=True)) for w in units]
    return sorted(range(len(units)), key=squared.__getitem__), squared


@pytest.mark.kernel
@pytest.mark.parametrize(("n_units", "width"), [(7, 1.5), (7, 0.0), (FEW + 20, 30.0)])
def test_online_steps_follow_the_definition(n_units, width):
    rng = np.random.default_rng(0)
    data, weights = rng.normal(size=(15, 3)), rng.uniform(0.5, 4, 15)
    start, order = rng.normal(size=(n_units, 3)), rng.permutation(15)
    units, loss = start.tolist(), 0.0
    for i in order:
        ranks, squared = naive_ranks(data[i], units)
        loss += weights[i] * min(squared)
        for rank, u in enumerate(ranks):
            share = math.exp(-rank / width) if width else float(rank == 0)
            part = min(1.0, 0.3 * weights[i] * share)
            units[u] = [w + part * (x - w) for x, w in zip(data[i], units[u], strict=True)]
    moved = start.copy()
    table = rank_influence(width, n_units, np.float64)
    found = rank_pass(data, weights, order, 0.3, table, moved)
    np.testing.assert_allclose(moved, units, rtol=1e-10, atol=1e-12)
    assert found == pytest.approx(loss)


def test_a_batch_step_is_the_mean_weighted_by_ranks():
    rng = np.random.default_rng(1)
    data, weights, start = (
        rng.normal(size=(30, 2)),
        rng.uniform(0.5, 2, 30),
        rng.normal(size=(5, 2)),
    )
    shares = np.zeros((30, 5))
    for i, x in enumerate(data):
        for rank, u in enumerate(naive_ranks(x, start)[0]):
            shares[i, u] = weights[i] * math.exp(-rank / 2)
    expected = [np.average(data, axis=0, weights=shares[:, u]) for u in range(5)]
    gas = NeuralGas(5, width=2, final_width=2, init=start, max_iter=1)
    gas.fit(data, sample_weight=weights)
    np.testing.assert_allclose(gas.prototypes_, expected, rtol=1e-10)
    met = np.average(((data[:, None] - start) ** 2).sum(axis=2).min(axis=1), weights=weights)
    assert gas.history_["loss"] == [pytest.approx(met)]


def test_width_to_zero_is_competitive_learning():
    options = {"learning_rate": 0.1, "final_learning_rate": 0.001, "max_iter": 5, "random_state": 0}
    vq = CompetitiveVQ(6, **options).fit(X)
    for width in (0.0, 1e-3):
        options |= {"width": width, "final_width": width, "algorithm": "online"}
        gas = NeuralGas(6, **options).fit(X)
        np.testing.assert_array_equal(gas.prototypes_, vq.prototypes_)


def test_batch_at_width_zero_is_k_means():
    start = X[[0, 60, 100]]
    gas = NeuralGas(3, width=0, final_width=0, init=start, max_iter=50).fit(X)
    means = KMeans(3, init=start, n_init=1, tol=0).fit(X)
    np.testing.assert_allclose(gas.prototypes_, means.cluster_centers_, rtol=1e-10)


@pytest.mark.parametrize("algorithm", ["batch", "online"])
def test_no_prototype_is_left_behind_where_competition_leaves_some(algorithm):
    start = FAR.mean(axis=0) + [[0, 0], [300, 1], [301, 0], [300, 3]]
    gas = NeuralGas(4, algorithm=algorithm, init=start, random_state=0).fit(FAR)
    vq = CompetitiveVQ(4, init=start, random_state=0).fit(FAR)
    assert np.bincount(gas.labels_).tolist() == [150] * 4
    assert not vq.labels_.any()
    np.testing.assert_array_equal(vq.prototypes_[1:], start[1:])
    assert gas.quantization_error(FAR) < 4 < vq.quantization_error(FAR)


@pytest.mark.parametrize("algorithm", ["batch", "online"])
def test_result_depends_little_on_the_start(algorithm):
    errors = [
        NeuralGas(4, algorithm=algorithm, random_state=seed).fit(FAR).quantization_error(FAR)
        for seed in range(10)
    ]
    best = KMeans(4, n_init=10, random_state=0).fit(FAR).inertia_ / len(FAR)
    np.testing.assert_allclose(errors, best, rtol=0.01)


def test_iris_is_quantised_as_well_as_by_k_means():
    best = KMeans(3, n_init=10, random_state=0).fit(X).inertia_ / 150
    assert NeuralGas(3, random_state=0).fit(X).quantization_error(X) == pytest.approx(
        best, rel=1e-3
    )
    runs = [CompetitiveVQ(3, random_state=seed).fit(X).quantization_error(X) for seed in range(8)]
    np.testing.assert_allclose(runs, best, rtol=1e-3)
    options = {"learning_rate": 0.1, "final_learning_rate": 0.001}  # too low to leave a bad start
    models = [CompetitiveVQ(3, random_state=seed, **options).fit(X) for seed in range(8)]
    runs = [model.quantization_error(X) for model in models]
    assert min(runs) < 1.02 * best < max(runs)


def test_one_prototype_is_the_mean():
    np.testing.assert_allclose(NeuralGas(1).fit(X).prototypes_[0], X.mean(axis=0))


def test_competitive_error_falls_and_vanishes_with_a_prototype_on_each_sample():
    losses = CompetitiveVQ(8, random_state=0).fit(X).history_["loss"]
    assert losses[-1] < losses[0]
    all_samples = CompetitiveVQ(20, random_state=0).fit(X[:20])
    assert all_samples.quantization_error(X[:20]) < 1e-20


def test_inverse_rate_gives_the_running_mean():
    """With a rate of 1/t for sample t the only prototype is the mean of all samples so far."""
    model = CompetitiveVQ(
        1, init=X[:1], learning_rate=0.5, final_learning_rate=1 / 150, max_iter=149
    )
    model.set_params(schedule="inverse")
    for x in X[1:]:
        model.partial_fit(x[None])
    np.testing.assert_allclose(model.prototypes_[0], X.mean(axis=0), rtol=1e-10)


def test_files_and_dask_arrays_give_the_same_gas(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    memory = NeuralGas(5, random_state=0, init=X[::30]).fit(X)
    for data in (mapped, da.from_array(X, chunks=(40, 2))):
        other = NeuralGas(5, random_state=0, init=X[::30]).fit(data)
        np.testing.assert_allclose(other.prototypes_, memory.prototypes_, rtol=1e-9)
        assert other.score(data) == pytest.approx(memory.score(X))
        with pytest.raises(ValueError, match="takes no sample_weight"):
            other.score(data, sample_weight=np.ones(150))


@pytest.mark.parametrize("model", [NeuralGas(9), CompetitiveVQ(9), GrowingNeuralGas(9)])
def test_more_prototypes_than_samples_and_equal_samples(model):
    for data in (X[:4], np.ones((30, 2)), X[:1]):
        model.set_params(max_iter=3, random_state=0).fit(data)
        assert np.isfinite(model.prototypes_).all() and np.isfinite(model.transform(data)).all()


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match=r"width must stay positive, got 5.0 to 0.0"):
        NeuralGas(10, final_width=0.0).fit(X)
    with pytest.raises(ValueError, match="one row per prototype"):
        CompetitiveVQ(3, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="max_prototypes must be at least 2, got 1"):
        GrowingNeuralGas(1).fit(X)


def naive_growth(data, order, start, rate, neighbor_rate, max_age, every, split, decay, most):
    """Fritzke's algorithm with lists and a dict of edges."""
    units, errors, edges = [list(w) for w in start], [0.0] * len(start), {}
    for seen, i in enumerate(order, start=1):
        ranks, squared = naive_ranks(data[i], units)
        first, second = ranks[:2]
        errors[first] += squared[first]
        for edge in list(edges):
            if first in edge:
                edges[edge] += 1
                other = next(iter(edge - {first}))
                units[other] = [
                    w + neighbor_rate * (x - w) for x, w in zip(data[i], units[other], strict=True)
                ]
        units[first] = [w + rate * (x - w) for x, w in zip(data[i], units[first], strict=True)]
        edges[frozenset((first, second))] = 0
        edges = {edge: age for edge, age in edges.items() if age <= max_age}
        for u in reversed(range(len(units))):
            if not any(u in edge for edge in edges):
                last = len(units) - 1
                units[u], errors[u] = units[last], errors[last]
                edges = {
                    frozenset(u if end == last else end for end in edge): age
                    for edge, age in edges.items()
                }
                units.pop(), errors.pop()
        if seen % every == 0 and len(units) < most:
            worst = max(range(len(units)), key=errors.__getitem__)
            beside = sorted(next(iter(edge - {worst})) for edge in edges if worst in edge)
            partner = max(beside, key=errors.__getitem__)
            units.append([(a + b) / 2 for a, b in zip(units[worst], units[partner], strict=True)])
            del edges[frozenset((worst, partner))]
            new = len(units) - 1
            edges[frozenset((worst, new))] = edges[frozenset((partner, new))] = 0
            errors[worst] *= split
            errors[partner] *= split
            errors.append(errors[worst])
        errors = [decay * error for error in errors]
    return units, errors, edges


@pytest.mark.kernel
def test_growth_follows_the_definition():
    rng = np.random.default_rng(3)
    data = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 6])
    order = rng.permutation(np.tile(np.arange(120), 3))
    rules = 0.2, 0.01, 6, 10, 0.5, 0.99
    units, errors, edges = naive_growth(data, order, data[:2], *rules, 12)
    places, sums = np.zeros((12, 2)), np.zeros(12)
    places[:2] = data[:2]
    ages = np.full((12, 12), -1)
    _, size = grow_pass(data, np.ones(120), order, Rules(*rules), Graph(places, sums, ages), 2, 0)
    assert size == len(units) > 4
    np.testing.assert_allclose(places[:size], units, rtol=1e-9)
    np.testing.assert_allclose(sums[:size], errors, rtol=1e-9)
    found = {
        frozenset(pair): ages[tuple(pair)] for pair in np.argwhere(np.triu(ages >= 0)).tolist()
    }
    assert found == edges and np.array_equal(ages, ages.T)


def test_growth_finds_the_parts_of_the_data():
    gas = GrowingNeuralGas(30, random_state=0).fit(FAR)
    assert len(gas.prototypes_) == 30
    groups = KMeans(4, n_init=1, random_state=0).fit_predict(FAR)
    pairs = set(zip(groups.tolist(), gas.components_[gas.labels_].tolist(), strict=True))
    assert len(pairs) == 4
    joined = np.zeros((30, 30))
    joined[tuple(gas.edges_.T)] = 1
    assert connected_components(joined, directed=False)[0] == gas.components_.max() + 1
    assert (gas.edges_[:, 0] < gas.edges_[:, 1]).all()


def test_growth_learns_the_dimension_of_a_ring():
    """On a closed curve nearly every prototype has exactly two neighbours."""
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, 2000)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    gas = GrowingNeuralGas(20, max_iter=10, random_state=0).fit(ring)
    degrees = np.bincount(gas.edges_.ravel(), minlength=len(gas.prototypes_))
    assert np.mean(degrees == 2) > 0.8
    assert np.all(np.diff(gas.history_["n_prototypes"]) >= 0)


def test_growth_continues_with_new_blocks():
    gas = GrowingNeuralGas(15, random_state=0)
    for block in np.array_split(np.random.default_rng(0).permutation(FAR), 6):
        gas.partial_fit(block)
    assert gas.n_iter_ == 6 == len(gas.history_["n_prototypes"])
    assert 2 + 600 // 100 >= len(gas.prototypes_) > 4


@pytest.mark.parametrize(
    "model",
    [NeuralGas(3), CompetitiveVQ(3), GrowingNeuralGas(5), SelfOrganizingMap((2, 2))],
    ids=repr,
)
def test_partial_fit_labels_rows_of_weight_zero_too(model):
    rows = np.random.default_rng(0).normal(size=(30, 2))
    weights = np.r_[np.zeros(4), np.ones(26)]
    model.set_params(random_state=0).partial_fit(rows, sample_weight=weights)
    np.testing.assert_array_equal(model.labels_, model.predict(rows))


def test_a_graph_grows_on_where_more_prototypes_are_allowed():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    parts = [X[:700], X[700:]]
    gas = GrowingNeuralGas(5, insert_every=50, random_state=0).partial_fit(parts[0])
    assert len(gas.prototypes_) == 5
    more = gas.set_params(max_prototypes=15).partial_fit(parts[1])
    assert len(more.prototypes_) == 15 and len(more.components_) == 15
    fewer = gas.set_params(max_prototypes=8).partial_fit(parts[1])
    assert len(fewer.prototypes_) == 15  # none is taken away, none comes


@pytest.mark.parametrize("kind", [NeuralGas, CompetitiveVQ])
def test_another_number_of_prototypes_after_training_is_refused(kind):
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = kind(3, max_iter=2, random_state=0).fit(X).set_params(n_prototypes=5)
    with pytest.raises(ValueError, match="has 3 prototypes, but its parameters now ask for 5"):
        model.partial_fit(X)
    assert model.fit(X).partial_fit(X).prototypes_.shape == (5, 2)
