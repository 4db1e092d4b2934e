"""What playgrounds show, against counts, formulas and runs of other code."""

from itertools import pairwise

import numpy as np
import pytest

from shallows.lab._playgrounds import find_playground


def test_the_cell_of_the_version_space_is_the_octant_of_three_axes():
    play = pytest.importorskip("shallows.lab.play.perceptron")
    corners = play.cell(np.eye(3))
    assert sorted(corners.round(9).tolist()) == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert play.share_of_sphere(corners) == pytest.approx(1 / 8)
    assert len(play.cell(np.vstack([np.eye(3), -np.eye(3)]))) == 0


@pytest.mark.parametrize("shuffle", [0, 1, 7])
def test_every_frame_of_the_perceptron_is_one_rosenblatt_step(shuffle):
    play = find_playground("perceptron")
    points = play.parameters["points"].default
    scene = play(shuffle=shuffle)
    w = np.zeros(3)
    for frame in scene.frames[1:]:
        x, y, label = points[frame["sample"]]
        example = np.array([x, y, 1.0]) * (1 if label else -1)
        assert frame["before"] == pytest.approx(w @ example)
        assert w @ example <= 0
        w = w + example
        assert frame["w"] == pytest.approx(w)
    assert all(w @ [x, y, 1] * (1 if label else -1) > 0 for x, y, label in points)
    assert len(scene.frames) - 1 <= scene.common["bound"]


def test_kmeans_frames_are_lloyds_steps_and_the_exercise_ends_too_high():
    clusters = pytest.importorskip("shallows.lab.play.clusters")
    X = np.array([point[:2] for point in clusters.DATA])
    play = find_playground("clusters")
    start = [(-0.7, 0.3, 0), (-1.5, 1.9, 0), (0.6, -0.1, 0)]
    found = play(centres=start, steps=30).frames
    for before, after in pairwise(found):
        nearest = [((x - before["centres"]) ** 2).sum(axis=1).argmin() for x in X]
        assert before["labels"].tolist() == nearest
        for j, centre in enumerate(after["centres"]):
            assert centre == pytest.approx(X[np.array(nearest) == j].mean(axis=0))
    best = play(centres=[(-1, 0.5, 0), (0.8, 0.8, 0), (0.5, -0.9, 0)], steps=30).frames
    assert found[-1]["cost"] > best[-1]["cost"] * 4 / 3


def test_mixture_frames_have_scikit_learns_likelihood():
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    play = find_playground("clusters")
    scene = play(method="EM", steps=6)
    X = np.array([point[:2] for point in play.parameters["data"].default])
    start = np.array([point[:2] for point in play.parameters["centres"].default])
    k = len(start)
    peer = GaussianMixture(
        k,
        weights_init=np.full(k, 1 / k),
        means_init=start,
        precisions_init=np.tile(np.eye(2) / 0.1, (k, 1, 1)),
        reg_covar=1e-4,
        max_iter=6,
        tol=0.0,
    )
    with pytest.warns(ConvergenceWarning):
        peer.fit(X)
    assert scene.frames[-1]["centres"] == pytest.approx(peer.means_)
    assert scene.frames[-1]["cost"] == pytest.approx(peer.score(X))


def test_the_memory_has_hebbs_weights_energy_and_fixed_points():
    from base64 import b64decode

    memory = pytest.importorskip("shallows.lab.play.memory")
    weights, target = memory.stored_patterns("random", 3)
    rng = np.random.default_rng(2)
    patterns = np.vstack([target, rng.choice([-1.0, 1.0], (3, memory.UNITS))])[:3]
    hebb = patterns.T @ patterns / memory.UNITS
    np.fill_diagonal(hebb, 0)
    np.testing.assert_allclose(weights, hebb, atol=1e-12)
    last = find_playground("memory")(pattern="random", stored=3).frames[-1]
    bits = np.unpackbits(np.frombuffer(b64decode(last["units"]), np.uint8))[: memory.UNITS]
    state = 2.0 * bits - 1
    assert last["energy"] == pytest.approx(-state @ hebb @ state / 2 / memory.UNITS)
    np.testing.assert_array_equal(state, target)
    with pytest.raises(ValueError, match="painted must be runs"):
        memory.paint(target, "n5x3")


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_the_adatron_ends_at_the_optimum_that_scipy_finds(kernel):
    from scipy.optimize import minimize

    play = find_playground("support_vectors")
    points = play.parameters["points"].default
    X, y = np.array([p[:2] for p in points]), np.array([p[2] for p in points])
    module = pytest.importorskip("shallows.lab.play.support_vectors")
    gram = module.kernel_of(kernel, 0.8, X, X)
    scene = play(kernel=kernel, C=3.0)
    signs = np.where(y > 0, 1.0, -1.0)
    signed = gram * np.outer(signs, signs)
    best = minimize(
        lambda a: a @ signed @ a / 2 - a.sum(),
        np.zeros(len(X)),
        jac=lambda a: signed @ a - 1,
        bounds=[(0, 3.0)] * len(X),
        options={"ftol": 1e-14, "gtol": 1e-10},
    )
    assert scene.common["dual"][-1] == pytest.approx(-best.fun, rel=1e-4)


def test_descent_takes_plain_steps_and_grows_beyond_two_over_the_curvature():
    play = find_playground("descent")
    scene = play(rate=0.13, stiffness=4.0, angle=0.0, steps=5)
    path = np.array([frame["at"] for frame in scene.frames])
    for before, after in pairwise(path):
        assert after == pytest.approx(before - 0.13 * np.array([1, 4]) * before)
    costs = [play(rate=rate, stiffness=4.0).common["cost"][-1] for rate in (0.49, 0.51)]
    first = play(stiffness=4.0).common["cost"][0]
    assert costs[0] < first < costs[1]


@pytest.mark.parametrize("rule", ["plain", "heavy ball", "Nesterov"])
def test_the_factor_per_step_is_what_a_long_run_shows(rule):
    module = pytest.importorskip("shallows.lab.play.descent")
    hessian, share = np.diag([1.0, 5.0]), 0.0 if rule == "plain" else 0.3
    path = module.walk(hessian, np.array([1.0, 1.0]), rule, 0.11, share, 200)
    length = np.linalg.norm(path, axis=1)
    radius = module.spectral_radius(0.11, share, rule, np.array([1.0, 5.0]))
    assert (length[200] / length[100]) ** 0.01 == pytest.approx(radius, rel=0.02)


def test_fits_of_bias_and_variance_are_numpys():
    scene = find_playground("bias_variance")(degree=4, redraws=3)
    x, fine = scene.common["x"], scene.common["fine"]
    for frame, shown in zip(scene.frames, scene.common["fits"], strict=True):
        assert shown == pytest.approx(np.polyval(np.polyfit(x, frame["y"], 4), fine), abs=1e-8)
    truth = np.sin(np.pi * x)
    mean = np.polyval(np.polyfit(x, truth, 4), x)
    assert scene.common["bias"][4] == pytest.approx(((mean - truth) ** 2).mean())
    assert scene.common["variance"][4] == pytest.approx(5 / 20 * 0.3**2)


@pytest.mark.parametrize("gap", [0.0, 3.0])
def test_expected_acceptance_is_that_of_many_draws(gap):
    chains = pytest.importorskip("shallows.lab.play.chains")
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200_000) + gap / 2 * rng.choice([-1, 1], 200_000)
    y = x + 1.7 * rng.standard_normal(200_000)

    def density(z):
        return np.exp(-((z - gap / 2) ** 2) / 2) + np.exp(-((z + gap / 2) ** 2) / 2)

    drawn = np.minimum(1, density(y) / density(x)).mean()
    assert chains.expected_acceptance(1.7, gap) == pytest.approx(drawn, abs=0.005)


def test_gains_of_a_first_question_are_those_of_scikit_learns_tree():
    from sklearn.tree import DecisionTreeClassifier

    module = pytest.importorskip("shallows.lab.play.forest")
    points = np.array(module.forest.parameters["points"].default)
    X, y = points[:, :2], points[:, 2].astype(int)
    root = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(X, y).tree_
    shares = root.n_node_samples[1:] / root.n_node_samples[0]
    gain = root.impurity[0] - shares @ root.impurity[1:]
    found = module.gains_at(X, y, root.feature[0], root.threshold[:1])
    assert found == pytest.approx([gain])
    assert module._best_gain(X, y) == pytest.approx(gain)


def test_a_forests_frames_are_means_of_its_first_trees():
    from base64 import b64decode

    from shallows.tree import RandomForestClassifier

    module = pytest.importorskip("shallows.lab.play.forest")
    scene = module.forest(method="forest", trees=3)
    points = np.array(module.forest.parameters["points"].default)
    kept = np.arange(len(points)) % 3 != 2
    model = RandomForestClassifier(3, max_depth=4, random_state=0)
    model.fit(points[kept, :2], points[kept, 2].astype(int))
    field = np.frombuffer(b64decode(scene.frames[2]["field"]["data"]), np.uint8)
    expected = model.predict_proba(module._grid())[:, 1]
    assert np.abs(field / 255 - expected).max() < 0.003


def test_the_filter_takes_widrows_steps_and_gets_lost_when_they_are_too_long():
    module = pytest.importorskip("shallows.lab.play.signals")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    w, start = np.array([1.0, -1.0]), np.array([1.0, -1.0])
    for x, target in zip(X, y, strict=True):
        w = w + 2 * 0.05 * (target - x @ w) * x
    path = module.learn(X, y, start, 0.05)
    assert path[-1] == pytest.approx(w)
    assert len(module.learn(X, y, start, 1.0)) < len(path)


def test_lvq1_moves_the_nearest_prototype_alone():
    play = find_playground("prototypes")
    data, start = [(0.5, 0.0, 0), (1.0, 1.0, 1)], [(0.0, 0.0, 0), (-1.0, 0.0, 1)]
    places = np.array(start)[:, :2]
    scene = play(data=data, prototypes=start, rate=0.1, epochs=1, seed=0)
    for x, y, label in [data[i] for i in np.random.default_rng(0).permutation(2)]:
        nearest = ((places - [x, y]) ** 2).sum(axis=1).argmin()
        sign = 1 if start[nearest][2] == label else -1
        places[nearest] += sign * 0.1 * (np.array([x, y]) - places[nearest])
    assert scene.frames[1]["places"] == pytest.approx(places)


def test_a_prototype_of_lvq21_runs_away_where_those_of_glvq_stay():
    play = find_playground("prototypes")
    common = {"rate": 0.1, "window": 0.9, "epochs": 60}
    assert play(rule="LVQ2.1", **common).common["far"] > 4
    assert play(rule="GLVQ", **common).common["far"] < 3


def test_beliefs_are_sums_of_the_joint_probability():
    from itertools import product

    from shallows.data import sprinkler

    source = sprinkler()
    scene = find_playground("beliefs")(wet="yes", season="summer")
    sums = dict.fromkeys(("no", "yes"), 0.0)
    summer, (no, yes) = source.states["season"].index("summer"), range(2)
    for rain, lawn in product((no, yes), repeat=2):
        failing = (0.1 if rain else 1.0) * (0.1 if lawn else 1.0)
        chance = source.tables["rain"][summer, rain] * source.tables["sprinkler"][summer, lawn]
        sums["yes" if rain else "no"] += chance * (1 - failing)
    found = scene.frames[-1]["beliefs"]["rain"]
    assert found[1] == pytest.approx(sums["yes"] / (sums["yes"] + sums["no"]))
    assert scene.frames[-1]["chance"] == pytest.approx(0.25 * sum(sums.values()))


def test_observations_that_exclude_one_another_give_a_sentence():
    play = find_playground("beliefs")
    with pytest.raises(ValueError, match="can't all be true together"):
        play(rain="no", sprinkler="no", wet="yes")


def test_the_network_takes_gradient_steps_of_its_loss():
    module = pytest.importorskip("shallows.lab.play.network")
    from shallows.network import forward

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 2)), np.arange(20) % 2.0
    net = module.start_network(1, 3, "tanh", 0)
    nets, losses = module.train(net, X, y, "gradient", 0.1, 0.01, 5)
    assert len(nets) == len(losses) == 6
    hidden = np.tanh(X @ net.weights[0] + net.biases[0])
    gap = np.asarray(forward(net, X)) - y[:, None]
    slope = hidden.T @ gap / 20 + 0.01 * net.weights[1]
    assert nets[1].weights[1] == pytest.approx(net.weights[1] - 0.1 * slope)
    assert nets[1].biases[1] == pytest.approx(net.biases[1] - 0.1 * gap.mean(axis=0))
    assert losses[-1] < losses[0]
