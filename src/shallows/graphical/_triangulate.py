"""Chordal graphs: elimination orders, fill-in, maximal cliques."""

from __future__ import annotations

from typing import Any, Literal

from shallows._core.contract.params import check_arguments
from shallows.graphical._graphs import Neighbours, neighbours_of

Heuristic = Literal["min-fill", "min-neighbours", "min-weight"]


def elimination_order(graph, heuristic: Heuristic = "min-fill", n_states=None) -> list[Any]:
    """Return an order of variable elimination that keeps tables small.

    The best order is hard to find; a greedy order is good in practice. Eliminating a node joins
    all its neighbours.

    Parameters
    ----------
    graph : pairs of nodes, dict or UndirectedModel
        Edges, or the neighbours of each node.
    heuristic : {"min-fill", "min-neighbours", "min-weight"}, default="min-fill"
        Which node is next: the one that adds the fewest edges; the one with the fewest neighbours;
        or the one whose table, with its neighbours, has the fewest cells.
    n_states : dict of node to int, default=None
        Number of values of each variable, for the cells of tables; 2 by default.

    Returns
    -------
    order : list
        All nodes.

    Examples
    --------
    >>> from shallows.graphical import elimination_order
    >>> elimination_order([("hub", "a"), ("hub", "b"), ("hub", "c")])[-1] != "a"
    True
    """
    check_arguments(elimination_order, locals())
    return [node for node, _ in _eliminate(neighbours_of(graph), heuristic, n_states or {})]


def triangulate(graph, heuristic: Heuristic = "min-fill", n_states=None) -> Neighbours:
    """Add edges until every cycle of four or more nodes has a chord.

    Parameters
    ----------
    graph : pairs of nodes, dict or UndirectedModel
        Edges, or the neighbours of each node.
    heuristic : {"min-fill", "min-neighbours", "min-weight"}, default="min-fill"
        How nodes are chosen, as in `elimination_order`.
    n_states : dict of node to int, default=None
        Number of values of each variable, for the cells of tables; 2 by default.

    Returns
    -------
    neighbours : dict of node to set
        The chordal graph.

    Examples
    --------
    >>> from shallows.graphical import triangulate
    >>> square = triangulate([(1, 2), (2, 3), (3, 4), (4, 1)])
    >>> sum(map(len, square.values())) // 2
    5
    """
    check_arguments(triangulate, locals())
    given = neighbours_of(graph)
    chordal: Neighbours = {node: set(others) for node, others in given.items()}
    for node, later in _eliminate(given, heuristic, n_states or {}):
        chordal[node] |= later
        for other in later:
            chordal[other].add(node)
    return chordal


def maximal_cliques(graph) -> list[tuple[Any, ...]]:
    """Return the maximal cliques of a chordal graph, found in a single search.

    Parameters
    ----------
    graph : pairs of nodes, dict or UndirectedModel
        A chordal graph, for example from `triangulate`.

    Returns
    -------
    cliques : list of tuple
        Nodes of each clique, in the order of the graph.

    Examples
    --------
    >>> from shallows.graphical import maximal_cliques
    >>> maximal_cliques([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])
    [('a', 'b', 'c'), ('c', 'd')]
    """
    neighbours = neighbours_of(graph)
    place = {node: number for number, node in enumerate(neighbours)}
    cliques: list[set[Any]] = []
    for node, earlier in _visits(neighbours):
        if any(not earlier - {other} <= neighbours[other] for other in earlier):
            raise ValueError(
                f"maximal_cliques: the graph is not chordal near {node!r}. Triangulate it first."
            )
        if cliques and cliques[-1] == earlier:
            cliques[-1] = earlier | {node}
        else:
            cliques.append(earlier | {node})
    return [tuple(sorted(clique, key=place.__getitem__)) for clique in cliques]


def _eliminate(neighbours, heuristic, n_states):
    """Yield nodes in a greedy order, each with its neighbours at that time."""
    left = {node: set(others) for node, others in neighbours.items()}
    scores = {node: _score(node, left, heuristic, n_states) for node in left}
    while scores:
        node = min(scores, key=scores.__getitem__)
        around = left.pop(node)
        del scores[node]
        for other in around:
            left[other] |= around
            left[other] -= {node, other}
        touched = set(around).union(*(left[other] for other in around)) if around else set()
        for other in touched:
            scores[other] = _score(other, left, heuristic, n_states)
        yield node, around


def _score(node, left, heuristic, n_states):
    """Return the quantity to minimise; ties go to the smaller table."""
    around = left[node]
    cells = n_states.get(node, 2)
    for other in around:
        cells *= n_states.get(other, 2)
    if heuristic == "min-weight":
        return cells, len(around)
    if heuristic == "min-neighbours":
        return len(around), cells
    size = len(around)
    return sum(size - 1 - len(around & left[other]) for other in around) // 2, cells


def _visits(neighbours):
    """Yield nodes by maximum cardinality search, each with its neighbours visited before.

    In a chordal graph these neighbours form a clique. If they equal the previous clique, the node
    extends it.
    """
    place = {node: number for number, node in enumerate(neighbours)}
    earlier: dict[Any, set[Any]] = {node: set() for node in neighbours}
    levels: list[dict[Any, None]] = [dict.fromkeys(neighbours)]
    while levels:
        # levels[k] contains the unvisited nodes with k visited neighbours.
        if not levels[-1]:
            levels.pop()
            continue

        # Maximum cardinality search: the next node has the most neighbours visited before.
        node = next(iter(levels[-1]))
        del levels[-1][node]
        before = earlier.pop(node)
        for other in sorted(neighbours[node] & earlier.keys(), key=place.__getitem__):
            level = len(earlier[other])
            del levels[level][other]
            earlier[other].add(node)
            if level + 1 == len(levels):
                levels.append({})
            levels[level + 1][other] = None
        yield node, before
