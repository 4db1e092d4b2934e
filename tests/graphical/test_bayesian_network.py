"""Bayesian networks and join trees against sums over all cells of the joint table."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from shallows.data import huang_darwiche, sprinkler
from shallows.graphical import BayesianNetwork, JoinTree

EXACT = ["elimination", "enumerate", "join-tree"]


def build(network):
    return BayesianNetwork(network.parents, network.tables, states=network.states)


def random_network(seed, n=6, share=0.4, zeros=False):
    rng = np.random.default_rng(seed)
    parents = {
        f"v{node}": tuple(f"v{p}" for p in range(node) if rng.random() < share)[:3]
        for node in range(n)
    }
    sizes = {name: int(rng.integers(2, 4)) for name in parents}
    tables = {}
    for name, above in parents.items():
        table = rng.dirichlet(np.ones(sizes[name]), tuple(sizes[p] for p in above))
        if zeros:
            table = table * (rng.random(table.shape) < 0.7)
            table[..., 0] += table.sum(axis=-1) == 0
            table /= table.sum(axis=-1, keepdims=True)
        tables[name] = table
    return BayesianNetwork(parents, tables)


def naive_joint(model):
    """Multiply one entry of each table for every assignment."""
    names = list(model.parents)
    joint = {}
    for values in itertools.product(*(range(model.tables[n].shape[-1]) for n in names)):
        case = dict(zip(names, values, strict=True))
        chance = 1.0
        for name, above in model.parents.items():
            chance *= model.tables[name][tuple(case[p] for p in above)][case[name]]
        joint[values] = chance
    return names, joint


def naive_query(model, target, evidence):
    names, joint = naive_joint(model)
    found = np.zeros(model.tables[target].shape[-1])
    for values, chance in joint.items():
        case = dict(zip(names, values, strict=True))
        if all(case[name] == value for name, value in evidence.items()):
            found[case[target]] += chance
    return found


def test_sprinkler_counts():
    model = build(sprinkler())
    joint = model.query(list(model.parents), method="enumerate")
    assert joint.array.size == 64
    assert np.isclose(joint.array.sum(), 1, atol=1e-12)
    assert model.n_parameters == 17 == 3 + 4 + 4 + 4 + 2
    wet = {"wet": "yes"}
    assert model.operations((), wet, method="enumerate") == (31, 128)
    assert model.operations((), wet, order=[("rain", "sprinkler"), "season"]) == (15, 36)
    one_by_one = model.operations((), wet, order=["rain", "sprinkler", "season"])
    assert one_by_one.multiplications < 36


@pytest.mark.parametrize("method", EXACT)
def test_explaining_away(method):
    model = build(sprinkler())
    seen = model.query("sprinkler", {"wet": "yes"}, method=method).probability({"sprinkler": "yes"})
    rain = model.query("sprinkler", {"wet": "yes", "rain": "yes"}, method=method)
    assert seen > rain.probability({"sprinkler": "yes"})


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_exact_methods_equal_naive_summation(seed, zeros):
    model = random_network(seed, zeros=zeros)
    rng = np.random.default_rng(seed)
    target, *known = rng.permutation(list(model.parents))[: rng.integers(1, 5)].tolist()
    evidence = {name: int(rng.integers(model.tables[name].shape[-1])) for name in known}
    joint = naive_query(model, target, evidence)
    assert np.isclose(model.probability(evidence), joint.sum(), atol=1e-14)
    for method in EXACT:
        if joint.sum() == 0:
            with pytest.raises(ValueError, match="probability 0"):
                model.query(target, evidence, method=method)
        else:
            found = model.query(target, evidence, method=method).array
            assert np.allclose(found, joint / joint.sum(), rtol=0, atol=1e-12)
    if joint.sum() > 0:
        tree = JoinTree(model).condition(evidence)
        assert np.isclose(np.exp(tree.log_evidence), joint.sum(), rtol=1e-10)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_any_order_and_joint_targets(seed):
    model = random_network(seed)
    rng = np.random.default_rng(seed)
    names = rng.permutation(list(model.parents)).tolist()
    targets, order = names[:2], names[2:]
    found = model.query(targets, order=order).array
    assert np.allclose(found, model.query(targets, method="enumerate").array, atol=1e-13)
    with pytest.raises(ValueError, match="order must contain each"):
        model.query(targets, order=order[:-1] + order[:1])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_most_probable_is_the_largest_cell(seed, zeros):
    model = random_network(seed, zeros=zeros)
    names, joint = naive_joint(model)
    best = model.most_probable()
    assert np.isclose(joint[tuple(best[name] for name in names)], max(joint.values()))
    value = best["v2"]
    fixed = model.most_probable({"v2": value})
    assert fixed == best


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_join_tree_invariants(seed, zeros):
    model = random_network(seed, n=8, share=0.25, zeros=zeros)
    tree = JoinTree(model)
    assert tree.check() == []
    assert len(tree.links) == len(tree.sepsets) == len(tree.cliques) - 1
    names = list(model.parents)
    joint = model.query(names, method="enumerate").array

    def product():
        def spread(variables, table):
            order = sorted(range(len(variables)), key=lambda a: names.index(variables[a]))
            shape = [model.tables[n].shape[-1] if n in variables else 1 for n in names]
            return np.transpose(table, order).reshape(shape)

        whole = np.ones((1,) * len(names))
        for clique, table in zip(tree.cliques, tree.potentials, strict=True):
            whole = whole * spread(clique, table)
        for sepset, table in zip(tree.sepsets, tree.sepset_potentials, strict=True):
            part = spread(sepset, table)
            whole = np.divide(whole, part, out=np.zeros_like(whole), where=part > 0)
        return whole

    assert np.allclose(product(), joint, atol=1e-13)
    for center in range(len(tree.cliques)):
        tree.propagate(center)
        assert tree.check() == []
        assert np.allclose(product(), joint, atol=1e-13)
        for clique, table in zip(tree.cliques, tree.potentials, strict=True):
            assert np.allclose(table, model.query(clique).array, atol=1e-12)


def test_huang_darwiche_marginals():
    tree = JoinTree(huang_darwiche())
    expected = [0.5, 0.45, 0.45, 0.68, 0.465, 0.176306, 0.415, 0.823100]
    found = [tree.marginals()[name][1] for name in "ABCDEFGH"]
    assert np.allclose(found, expected, atol=1e-12)
    assert len(tree.cliques) + len(tree.sepsets) == 11


def test_a_broken_tree_is_found_out():
    tree = JoinTree(huang_darwiche())
    a, b = tree.links[0]
    far = next(
        n for n, c in enumerate(tree.cliques) if not set(c) & set(tree.cliques[a]) and n != b
    )
    tree.links = [(a, far), *tree.links[1:]]
    problems = " ".join(tree.check())
    assert "not connected" in problems and "share" in problems


def test_disconnected_networks_are_joined_by_empty_sets():
    model = BayesianNetwork(
        {"a": (), "b": (), "c": ("b",)},
        {
            "a": [0.1, 0.9],
            "b": [0.5, 0.5],
            "c": [[0.2, 0.8], [0.7, 0.3]],
        },
    )
    tree = JoinTree(model)
    assert sorted(map(len, tree.sepsets)) == [0]
    assert np.isclose(np.exp(tree.condition({"a": 0, "c": 1}).log_evidence), 0.1 * 0.55)
    assert BayesianNetwork(None, {"a": [0.3, 0.7]}).query("a").array.tolist() == [0.3, 0.7]


def test_very_unlikely_evidence_does_not_vanish():
    n = 600
    parents = {i: (i - 1,) if i else () for i in range(n)}
    step = np.array([[0.999, 0.001], [0.001, 0.999]])
    tables = {i: step if i else np.array([0.5, 0.5]) for i in range(n)}
    model = BayesianNetwork(parents, tables)
    evidence = {i: i // 2 % 2 for i in range(n - 1)}
    changes = sum(evidence[i] != evidence[i - 1] for i in range(1, n - 1))
    expected = np.log(0.5) + changes * np.log(0.001) + (n - 2 - changes) * np.log(0.999)
    tree = JoinTree(model).condition(evidence)
    assert np.isclose(tree.log_evidence, expected)
    assert expected < -1000
    last = evidence[n - 2]
    assert np.allclose(tree.marginal(n - 1).array, step[last])
    assert np.allclose(model.query(n - 1, evidence).array, step[last])


@pytest.mark.kernel
@pytest.mark.parametrize("method", ["sampling", "gibbs"])
def test_sampling_error_falls_with_the_root_of_draws(method):
    model = random_network(3, n=5)
    exact = model.query("v0", {"v3": 0}).array
    errors = []
    for n in (100, 6400):
        found = [
            model.query("v0", {"v3": 0}, method=method, n_samples=n, random_state=seed).array
            for seed in range(12)
        ]
        errors.append(np.sqrt(np.mean((np.array(found) - exact) ** 2)))
    assert 3 < errors[0] / errors[1] < 20  # 8 on average
    assert errors[1] < 0.02


@pytest.mark.kernel
def test_gibbs_visits_joint_targets():
    model = random_network(5, n=4)
    exact = model.query(["v1", "v0"], {"v3": 1}).array
    found = model.query(
        ["v1", "v0"], {"v3": 1}, method="gibbs", n_samples=20_000, random_state=0
    ).array
    assert np.abs(found - exact).max() < 0.03


def test_samples_have_the_joint_law():
    model = build(sprinkler())
    drawn = model.sample(20_000, random_state=0)
    assert drawn.shape == (20_000, 5)
    wet = np.mean(drawn[:, 3] == "yes")
    assert abs(wet - model.probability({"wet": "yes"})) < 4 * np.sqrt(0.25 / 20_000)
    assert not ((drawn[:, 3] == "no") & (drawn[:, 4] == "yes")).any()


@pytest.mark.parametrize("method", ["sampling", "gibbs"])
def test_sampling_refuses_impossible_evidence(method):
    model = build(sprinkler())
    with pytest.raises(ValueError, match="draws agrees with the evidence"):
        model.query("season", {"wet": "no", "slippery": "yes"}, method=method, n_samples=100)


@pytest.mark.parametrize(
    ("edges", "tables", "states", "message"),
    [
        ([("a", "b")], {"a": [0.5, 0.5]}, None, "'b' has none"),
        ([("a", "b")], {"a": [0.5, 0.5], "b": [0.5, 0.5]}, None, r"shape \(2, 2\)"),
        ([("a", "b")], {"a": [0.5, 0.4], "b": np.full((2, 2), 0.5)}, None, "sum to 1"),
        ({"a": ()}, {"a": [0.5, 0.5]}, {"a": ("x",)}, "2 different states"),
        ({"a": ()}, {"a": [1.0], "b": [[1.0]]}, None, "does not belong to the graph"),
        ([("a", "b"), ("b", "a")], {"a": [1.0], "b": [1.0]}, None, "no directed cycles"),
    ],
)
def test_networks_that_are_none(edges, tables, states, message):
    with pytest.raises(ValueError, match=message):
        BayesianNetwork(edges, tables, states=states).query("a")


def test_bad_questions():
    model = build(sprinkler())
    with pytest.raises(ValueError, match="no 'snow'"):
        model.query("snow")
    with pytest.raises(ValueError, match="no 'snow'"):
        model.query("rain", {"snow": 1})
    with pytest.raises(ValueError, match=r"'wet' has the values \['no', 'yes'\], got 1"):
        model.query("rain", {"wet": 1})
    with pytest.raises(ValueError, match="differ from one another"):
        model.query("rain", {"rain": "yes"})
    with pytest.raises(ValueError, match="method must be one of"):
        model.query("rain", method="guess")
    with pytest.raises(ValueError, match="n_samples"):
        model.query("rain", method="sampling", n_samples=0)
    with pytest.raises(ValueError, match="no clique contains all"):
        JoinTree(model).marginal(["season", "slippery"])
    with pytest.raises(ValueError, match="center must be"):
        JoinTree(model).propagate(99)
    with pytest.raises(NotFittedError, match="no tables"):
        BayesianNetwork([("a", "b")]).query("a")
    with pytest.raises(NotFittedError, match="no tables"):
        JoinTree(BayesianNetwork([("a", "b")]))
    with pytest.raises(ValueError, match="cells, too many to enumerate"):
        chain = {i: (i - 1,) if i else () for i in range(40)}
        tables = {i: np.full((2,) * (1 + bool(i)), 0.5) for i in chain}
        BayesianNetwork(chain, tables).query(39, method="enumerate")


def test_a_drawing_has_effects_below_their_causes():
    model = build(huang_darwiche())
    rows = model.draw("Eight variables")["data"]["values"]
    arcs = [row for row in rows if row["part"] == "arc"]
    nodes = {row["words"]: (row["x"], row["y"]) for row in rows if row["part"] == "node"}
    assert sorted(nodes) == list("ABCDEFGH") and len(set(nodes.values())) == 8
    expected = {(nodes[p], nodes[child]) for child, above in model.parents.items() for p in above}
    found = {((row["x"], row["y"]), (row["x_end"], row["y_end"])) for row in arcs}
    assert found == expected and len(arcs) == 9
    assert all(row["y_end"] < row["y"] for row in arcs)
