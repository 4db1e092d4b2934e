"""Joint tables, graphs, moralisation, triangulation, cliques."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shallows.data import huang_darwiche, shop_table
from shallows.graphical import (
    BayesianNetwork,
    JointTable,
    UndirectedModel,
    bayes_formula,
    elimination_order,
    maximal_cliques,
    moralize,
    triangulate,
)


def shop():
    table = shop_table()
    return JointTable(table.table, table.axes, table.states)


def test_shop_table_marginals_and_reversal():
    table = shop()
    assert np.allclose(table.marginal("age").array, [0.01, 0.5, 0.4, 0.09])
    assert np.allclose(table.marginal("gender").array, [0.545, 0.345, 0.110])
    assert np.allclose(table.condition({"age": "a2"}).array, [0.6, 0.3, 0.1])
    forward = table.conditional("age", "gender")
    reversed_ = bayes_formula(table.marginal("gender").array, forward)
    assert np.allclose(reversed_, table.conditional("gender", "age"))
    assert table.probability({"gender": "g1", "age": "a3"}) == 0.2


def test_marginal_axes_follow_the_names():
    rng = np.random.default_rng(0)
    array = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)
    table = JointTable(array, list("abc"))
    assert np.allclose(table.marginal(["c", "b"]).array, array.sum(axis=0).T)
    assert np.allclose(table.marginal(list("bca")).array, array.transpose(1, 2, 0))
    given = table.conditional("a", ("c", "b"))
    assert np.allclose(given, (array / array.sum(axis=0)).transpose(2, 1, 0))


def test_conditional_is_nan_where_the_condition_is_impossible():
    table = JointTable([[0.5, 0.5], [0.0, 0.0]], ["a", "b"])
    assert np.isnan(table.conditional("b", "a")[1]).all()
    with pytest.raises(ValueError, match="probability 0"):
        table.condition({"a": 1})


@pytest.mark.parametrize(
    ("array", "names", "states", "message"),
    [
        ([0.5, 0.6], "a", None, "sum to 1"),
        ([1.5, -0.5], "a", None, "negative"),
        ([0.5, 0.5], ["a", "b"], None, "different names"),
        ([[0.5, 0.5]], ["a", "a"], None, "different names"),
        ([0.5, 0.5], "a", [("x", "x")], "different values"),
        ([np.nan, 1.0], "a", None, "sum to 1"),
    ],
)
def test_tables_that_are_none(array, names, states, message):
    with pytest.raises(ValueError, match=message):
        JointTable(array, names, states)


def test_unknown_names_and_values():
    with pytest.raises(ValueError, match="no 'weight'"):
        shop().marginal("weight")
    with pytest.raises(ValueError, match=r"\['a1', 'a2', 'a3', 'a4'\], got 'a9'"):
        shop().condition({"age": "a9"})


def naive_independent(array, left, right, given, tol=1e-9):
    """Compare P(y, z | s) with P(y | s) P(z | s) cell by cell."""
    for cell in itertools.product(*map(range, array.shape)):

        def chance(axes, cell=cell):
            place = tuple(cell[a] if a in axes else slice(None) for a in range(array.ndim))
            return array[place].sum()

        base = chance(given)
        if base > 0:
            both = chance(left + right + given) / base
            if abs(both - chance(left + given) * chance(right + given) / base**2) > tol:
                return False
    return True


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_independence_matches_the_definition_and_holds_for_subsets(seed):
    rng = np.random.default_rng(seed)
    if seed % 2:  # (a, b) and c are independent given d
        d = rng.dirichlet(np.ones(2))
        ab, c = rng.dirichlet(np.ones(4), 2).reshape(2, 2, 2), rng.dirichlet(np.ones(3), 2)
        array = np.einsum("d,dab,dc->abcd", d, ab, c)
    else:
        array = rng.dirichlet(np.ones(24)).reshape(2, 2, 3, 2)
    table = JointTable(array, list("abcd"))
    found = table.independent(["a", "b"], "c", "d")
    assert found == naive_independent(array, [0, 1], [2], [3]) == bool(seed % 2)
    if found:
        assert table.independent("a", "c", "d") and table.independent("c", "b", "d")


def test_two_ways_to_name_a_graph_and_cycles():
    by_edges = BayesianNetwork([("A", "C"), ("B", "C")])
    assert by_edges.parents == {"A": (), "B": (), "C": ("A", "B")}
    assert BayesianNetwork({"C": ["A", "B"]}).parents["C"] == ("A", "B")
    with pytest.raises(ValueError, match=r"no directed cycles.*\['A', 'B', 'C'\]"):
        moralize([("A", "B"), ("B", "C"), ("C", "A"), ("C", "D")][:3])
    with pytest.raises(ValueError, match="pair of nodes"):
        moralize([("A", "B", "C")])
    with pytest.raises(ValueError, match="must differ"):
        moralize({"A": ["B", "B"]})


def naive_separates(neighbours, left, right, given):
    """Look for a path from each node of the one to each of the other."""

    def paths(node, seen):
        yield node
        for other in neighbours[node]:
            if other not in seen and other not in given:
                yield from paths(other, seen | {other})

    return not any(
        end in right for start in left if start not in given for end in paths(start, {start})
    )


def random_graph(rng, n, share):
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < share]
    graph = {node: set() for node in range(n)}
    for a, b in pairs:
        graph[a].add(b)
        graph[b].add(a)
    return graph


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_separation_against_paths(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 7, 0.3)
    left, right, given = np.split(rng.permutation(7)[:5], [1, 3])
    model = UndirectedModel(graph)
    found = model.separates(left.tolist(), right.tolist(), given.tolist())
    assert found == naive_separates(graph, left, right, given)


def test_separation_implies_independence_and_blankets_hold():
    rng = np.random.default_rng(1)
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]
    model = UndirectedModel(edges)
    pairs = {edge: rng.random((2, 2)) + 0.1 for edge in edges}
    product = np.einsum("ab,bc,cd,da,de->abcde", *pairs.values())
    table = JointTable(product / product.sum(), list("abcde"))
    for left, right in itertools.combinations("abcde", 2):
        others = [name for name in "abcde" if name not in (left, right)]
        for size in range(4):
            for known in itertools.combinations(others, size):
                separate = model.separates(left, right, known)
                assert table.independent(left, right, known, tol=1e-12) == separate
    for node in "abcde":
        blanket = model.blanket(node)
        rest = [name for name in "abcde" if name != node and name not in blanket]
        assert not rest or table.independent(node, rest, sorted(blanket))
    chain = UndirectedModel([(i, i + 1) for i in range(9)])
    assert chain.blanket(4) == {3, 5}
    with pytest.raises(ValueError, match="no 99"):
        chain.blanket(99)


def test_moralizing_a_collider_loses_an_independence():
    tables = {
        "A": [0.3, 0.7],
        "B": [0.6, 0.4],
        "C": [[[0.9, 0.1], [0.2, 0.8]], [[0.4, 0.6], [0.5, 0.5]]],
    }
    network = BayesianNetwork([("A", "C"), ("B", "C")], tables)
    assert network.query(["A", "B"]).independent("A", "B")
    assert network.separates("A", "B") and not network.separates("A", "B", "C")
    assert not UndirectedModel(moralize(network)).separates("A", "B")


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_moral_graph_adds_no_independence(seed):
    rng = np.random.default_rng(seed)
    parents = {node: tuple(int(p) for p in range(node) if rng.random() < 0.4) for node in range(5)}
    tables = {n: rng.dirichlet([1, 1], (2,) * len(above)) for n, above in parents.items()}
    network = BayesianNetwork(parents, tables)
    joint = network.query(list(parents))
    moral = UndirectedModel(moralize(network))
    left, right, *given = rng.permutation(5)[: rng.integers(2, 6)].tolist()
    if moral.separates(left, right, given):
        assert network.separates(left, right, given)
    if network.separates(left, right, given):
        assert joint.independent(left, right, given)


def is_chordal_by_definition(graph):
    """Look for a cycle of four or more nodes without a chord."""
    nodes = list(graph)
    for size in range(4, len(nodes) + 1):
        for chosen in itertools.combinations(nodes, size):
            inner = {node: graph[node] & set(chosen) for node in chosen}
            if all(len(others) == 2 for others in inner.values()):
                walk, last = {chosen[0]}, chosen[0]
                while inner[last] - walk:
                    last = min(inner[last] - walk)
                    walk.add(last)
                if len(walk) == size:
                    return False
    return True


def naive_cliques(graph):
    """All sets of nodes that are joined pairwise, without those inside another."""
    found = [
        set(chosen)
        for size in range(1, len(graph) + 1)
        for chosen in itertools.combinations(graph, size)
        if all(b in graph[a] for a, b in itertools.combinations(chosen, 2))
    ]
    return {frozenset(one) for one in found if not any(one < other for other in found)}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["min-fill", "min-neighbours", "min-weight"]))
def test_triangulation_is_chordal_and_cliques_are_all(seed, heuristic):
    graph = random_graph(np.random.default_rng(seed), 7, 0.4)
    chordal = triangulate(graph, heuristic)
    assert all(graph[node] <= chordal[node] for node in graph)
    assert is_chordal_by_definition(chordal)
    found = maximal_cliques(chordal)
    assert {frozenset(clique) for clique in found} == naive_cliques(chordal)
    assert len(found) == len(set(found))
    if is_chordal_by_definition(graph):
        maximal_cliques(graph)
        assert heuristic != "min-fill" or chordal == graph
    else:
        with pytest.raises(ValueError, match="not chordal"):
            maximal_cliques(graph)


def test_huang_darwiche_has_six_cliques_of_three():
    cliques = maximal_cliques(triangulate(moralize(huang_darwiche())))
    assert [len(clique) for clique in cliques] == [3] * 6
    for name, above in huang_darwiche().parents.items():
        assert any({name, *above} <= set(clique) for clique in cliques)


def test_orders():
    star = [("hub", leaf) for leaf in "abcd"]
    assert elimination_order(star).index("hub") >= 3
    sizes = {"a": 50, "hub": 2, "b": 2, "c": 2, "d": 2}
    assert elimination_order(star, "min-weight", sizes)[0] != "a"
    with pytest.raises(ValueError, match="heuristic must be one of 'min-fill'"):
        elimination_order(star, "best")
    with pytest.raises(ValueError, match="two different nodes"):
        triangulate([("a", "a")])
