"""Directed graphs (parents of each node) and undirected graphs (neighbours of each node)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

Node = Hashable
Parents = dict[Any, tuple[Any, ...]]
Neighbours = dict[Any, set[Any]]


def parents_of(dag) -> Parents:
    """Return the parents of each node, sorted so that parents come before children.

    The argument is a list of pairs (parent, child), a dict of node to parents, or a network.
    """
    given = getattr(dag, "parents", dag)
    parents: dict[Any, list[Any]] = {}
    if isinstance(given, Mapping):
        for child, above in given.items():
            parents[child] = [above] if isinstance(above, str) else list(above)
    else:
        for parent, child in _pairs(given):
            parents.setdefault(parent, [])
            parents.setdefault(child, []).append(parent)
    for above in list(parents.values()):
        for parent in above:
            parents.setdefault(parent, [])
    for child, above in parents.items():
        if len(set(above)) != len(above):
            raise ValueError(f"The parents of {child!r} must differ, got {above}.")
    return {node: tuple(parents[node]) for node in _sorted_by_descent(parents)}


def children_of(parents: Parents) -> dict[Any, list[Any]]:
    """Return the children of each node."""
    children: dict[Any, list[Any]] = {node: [] for node in parents}
    for child, above in parents.items():
        for parent in above:
            children[parent].append(child)
    return children


def reachable(start: Iterable[Any], steps: Mapping[Any, Iterable[Any]]) -> set[Any]:
    """Return all nodes that can be reached from the start, such as ancestors along parents."""
    found, waiting = set(start), list(start)
    while waiting:
        for node in steps[waiting.pop()]:
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def neighbours_of(graph) -> Neighbours:
    """Return the neighbours of each node.

    The argument is a list of pairs, a dict of node to neighbours, or a model with such a graph.
    """
    given = getattr(graph, "neighbours", graph)
    neighbours: Neighbours = {}
    if isinstance(given, Mapping):
        pairs = [(node, other) for node, others in given.items() for other in others]
        neighbours = {node: set() for node in given}
    else:
        pairs = _pairs(given)
    for node, other in pairs:
        if node == other:
            raise ValueError(f"An edge joins two different nodes, got {node!r} twice.")
        neighbours.setdefault(node, set()).add(other)
        neighbours.setdefault(other, set()).add(node)
    return neighbours


def check_nodes(graph: Mapping[Any, Any], nodes: Iterable[Any]) -> None:
    """Raise ValueError for the first node that the graph does not have."""
    for node in nodes:
        if node not in graph:
            raise ValueError(f"There is no {node!r} in the graph of {list(graph)}.")


def _pairs(edges) -> list[tuple[Any, Any]]:
    pairs = [tuple(edge) for edge in edges]
    wrong = [edge for edge in pairs if len(edge) != 2]
    if wrong:
        raise ValueError(f"edges: an edge is a pair of nodes, got {wrong[0]}.")
    return [(first, second) for first, second in pairs]


def _sorted_by_descent(parents: Mapping[Any, list[Any]]) -> list[Any]:
    missing = {node: len(above) for node, above in parents.items()}
    children = children_of({node: tuple(above) for node, above in parents.items()})
    place = {node: number for number, node in enumerate(parents)}
    if all(place[parent] < place[node] for node, above in parents.items() for parent in above):
        return list(parents)
    # Kahn's algorithm: a node follows when all its parents have been listed.
    order = [node for node, count in missing.items() if count == 0]
    for node in order:
        for child in children[node]:
            missing[child] -= 1
            if missing[child] == 0:
                order.append(child)
    if len(order) < len(parents):
        circle = [node for node, count in missing.items() if count > 0]
        raise ValueError(
            f"A Bayesian network has no directed cycles, but there is one among {circle}. "
            "Reverse or remove one of its edges."
        )
    return order
