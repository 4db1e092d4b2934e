"""Ising models against the list of all states."""

import numpy as np
import pytest

from shallows.graphical import MarkovRandomField, UndirectedModel, grid_graph

pytestmark = pytest.mark.kernel


def test_grids():
    assert len(grid_graph((3, 4))) == 2 * 4 + 3 * 3
    assert len(grid_graph((3, 4), periodic=True)) == 2 * 12
    edges = {tuple(sorted(edge)) for edge in grid_graph((2, 3), periodic=True)}
    assert len(edges) == len(grid_graph((2, 3), periodic=True)) == 3 + 6
    assert UndirectedModel(grid_graph((3, 3))).blanket(4) == {1, 3, 5, 7}


def test_energy_against_a_loop():
    rng = np.random.default_rng(0)
    coupling, field = rng.normal(size=12), rng.normal(size=9)
    model = MarkovRandomField(grid_graph((3, 3)), coupling, field)
    assert model.nodes == list(range(9))
    state = rng.choice([-1.0, 1.0], size=9)
    naive = -sum(
        j * state[a] * state[b] for j, (a, b) in zip(coupling, model.edges, strict=True)
    ) - sum(field * state)
    assert np.isclose(model.energy(state), naive)
    states, probabilities = model.joint()
    assert len(np.unique(states, axis=0)) == 2**9
    assert np.isclose(probabilities.sum(), 1)
    ratio = np.log(probabilities[5] / probabilities[77])
    assert np.isclose(ratio, model.energy(states[77]) - model.energy(states[5]))


def test_gibbs_frequencies_match_enumeration():
    rng = np.random.default_rng(0)
    model = MarkovRandomField(grid_graph((3, 3)), 0.4, rng.normal(scale=0.3, size=9))
    states, probabilities = model.joint()
    drawn = model.sample(4000, thin=3, random_state=1)
    numbers = ((drawn > 0) * 2 ** np.arange(8, -1, -1)).sum(axis=1)
    counts = np.bincount(numbers, minlength=512)
    likely = np.argsort(-probabilities)[:40]
    expected = 4000 * probabilities[likely]
    assert np.abs((counts[likely] - expected) / np.sqrt(expected)).max() < 5
    means = model.mean(4000, random_state=2)
    assert np.allclose(means, probabilities @ states, atol=0.08)


def test_two_nodes_correlate_by_the_hyperbolic_tangent():
    states, probabilities = MarkovRandomField([("a", "b")], 0.7).joint()
    assert np.isclose(probabilities @ (states[:, 0] * states[:, 1]), np.tanh(0.7))


@pytest.mark.parametrize("method", ["gibbs", "icm"])
def test_denoising_lowers_the_error(method):
    rng = np.random.default_rng(0)
    image = np.where(
        np.add.outer((np.arange(30) - 15) ** 2, (np.arange(40) - 20) ** 2) < 120, 1, -1
    )
    noisy = np.where(rng.random(image.shape) < 0.15, -image, image)
    model = MarkovRandomField(grid_graph(image.shape), 0.8)
    clean = model.denoise(noisy, 0.15, method=method, random_state=0)
    assert clean.shape == image.shape
    assert np.mean(clean != image) < 0.25 * np.mean(noisy != image)


def test_icm_ends_where_no_flip_lowers_the_energy():
    rng = np.random.default_rng(0)
    noisy = rng.choice([-1.0, 1.0], size=16)
    clean = MarkovRandomField(grid_graph((4, 4)), 0.5).denoise(noisy, 0.2, method="icm")
    pulled = MarkovRandomField(grid_graph((4, 4)), 0.5, 0.5 * np.log(4) * noisy)
    for node in range(16):
        flipped = clean.copy()
        flipped[node] *= -1
        assert pulled.energy(flipped) >= pulled.energy(clean)


def test_bad_input():
    with pytest.raises(ValueError, match="coupling must be one finite number"):
        MarkovRandomField([(0, 1)], [1.0, 2.0])
    with pytest.raises(ValueError, match="field must be"):
        MarkovRandomField([(0, 1)], 1.0, np.nan)
    model = MarkovRandomField(grid_graph((5, 5)))
    with pytest.raises(ValueError, match="can be enumerated"):
        model.joint()
    with pytest.raises(ValueError, match="25 values -1 or 1"):
        model.denoise(np.zeros((5, 5)))
    with pytest.raises(ValueError, match="flipped must be"):
        model.denoise(np.ones((5, 5)), 1.5)
    with pytest.raises(ValueError, match="n_samples must be"):
        model.sample(0)
