"""Moralisation: from directed to undirected graphs."""

from __future__ import annotations

from itertools import combinations

from shallows.graphical._graphs import Neighbours, parents_of


def moralize(dag) -> Neighbours:
    """Join the parents of every node and remove the directions.

    The moral graph implies no independence that the network lacks, but may lose some: parents of a
    common child may be independent, but are joined.

    Parameters
    ----------
    dag : pairs of nodes, dict or BayesianNetwork
        Edges from parent to child, or the parents of each node.

    Returns
    -------
    neighbours : dict of node to set
        The undirected graph.

    Examples
    --------
    >>> from shallows.graphical import moralize
    >>> sorted(moralize([("A", "C"), ("B", "C")])["A"])
    ['B', 'C']
    """
    parents = parents_of(dag)
    neighbours: Neighbours = {node: set() for node in parents}
    for child, above in parents.items():
        for first, second in combinations((*above, child), 2):
            neighbours[first].add(second)
            neighbours[second].add(first)
    return neighbours
