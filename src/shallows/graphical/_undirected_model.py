"""Undirected graphical models, and the independences in their graphs."""

from __future__ import annotations

from typing import Any

from shallows.graphical._graphs import check_nodes, neighbours_of
from shallows.graphical._joint_table import as_names


class UndirectedModel:
    """Undirected graph in which separation means independence.

    Variables are independent given a set if every path between them passes through the set. If all
    probabilities are positive, this is equivalent to the local property: given its neighbours, a
    variable is independent of all others.

    Parameters
    ----------
    graph : pairs of nodes or dict
        Edges, or the neighbours of each node.

    Attributes
    ----------
    neighbours : dict of node to set
        Neighbours of each node.

    Examples
    --------
    >>> from shallows.graphical import UndirectedModel
    >>> chain = UndirectedModel([("x1", "x2"), ("x2", "x3"), ("x3", "x4")])
    >>> chain.separates("x1", "x4", "x3"), sorted(chain.blanket("x2"))
    (True, ['x1', 'x3'])
    """

    def __init__(self, graph):
        self.neighbours = neighbours_of(graph)

    def separates(self, left, right, given=()) -> bool:
        """Return whether every path between two sets of nodes passes through a third set.

        Parameters
        ----------
        left, right : node or sequence of nodes
            The two sets.
        given : node or sequence of nodes, default=()
            The separating set.

        Returns
        -------
        separates : bool
            True if `left` and `right` are independent given `given` in every distribution with
            this graph.
        """
        left, right, given = as_names(left), as_names(right), as_names(given)
        check_nodes(self.neighbours, (*left, *right, *given))
        blocked, found = set(given), set(left) - set(given)
        waiting = list(found)
        while waiting:
            new = self.neighbours[waiting.pop()] - blocked - found
            found |= new
            waiting += new
        return not found & set(right)

    def blanket(self, node) -> set[Any]:
        """Return the Markov blanket: given these nodes, a node is independent of all others.

        Parameters
        ----------
        node : node
            The node.

        Returns
        -------
        blanket : set
            Its neighbours.
        """
        check_nodes(self.neighbours, [node])
        return set(self.neighbours[node])
