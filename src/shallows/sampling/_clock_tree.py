"""Family trees whose leaves all live today."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled


class ClockTree(NamedTuple):
    """Tree as it is drawn: leaves from left to right, and how far neighbours are apart.

    The path between two neighbours goes up to their last common ancestor and down again, so that
    it is twice as long as the ancestor is old. Turning the two branches of an ancestor about gives
    another drawing of the same tree: n leaves have 2^(n-1) drawings.

    Parameters
    ----------
    order : ndarray of shape (n_leaves,)
        Numbers of the leaves, from 0.
    distances : ndarray of shape (n_leaves - 1,)
        Lengths of the paths between neighbours.

    Examples
    --------
    >>> from shallows.sampling import ClockTree
    >>> ClockTree.of([0, 1, 2], [2.0, 6.0]).topology()
    '((0,1),2)'
    """

    order: np.ndarray
    distances: np.ndarray

    @classmethod
    def of(cls, order, distances) -> ClockTree:
        """Return a tree from any sequences, checked.

        Parameters
        ----------
        order : array-like of shape (n_leaves,)
            Numbers of the leaves, from 0, each once.
        distances : array-like of shape (n_leaves - 1,)
            Lengths of the paths between neighbours, not negative.

        Returns
        -------
        tree : ClockTree
            The tree.
        """
        order = np.asarray(order, dtype=np.int64)
        distances = np.asarray(distances, dtype=np.float64)
        if sorted(order.tolist()) != list(range(len(order))) or len(distances) != len(order) - 1:
            raise ValueError(
                "ClockTree: order must hold the numbers from 0 on, each once, and distances one "
                f"entry less, got {order.tolist()} and {len(distances)} distances."
            )
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ValueError("ClockTree: distances must be finite and not negative.")
        return cls(order, distances)

    @classmethod
    def from_parents(cls, parents, heights) -> ClockTree:
        """Return a drawing of a tree that is given by the parent and the age of each node.

        Parameters
        ----------
        parents : array-like of shape (2 * n_leaves - 1,)
            Parent of each node, -1 for the root; leaves come first.
        heights : array-like of shape (2 * n_leaves - 1,)
            Age of each node.

        Returns
        -------
        tree : ClockTree
            The tree.
        """
        parents, heights = np.asarray(parents), np.asarray(heights, dtype=np.float64)
        n_leaves = (len(parents) + 1) // 2

        def draw(node):
            if node < n_leaves:
                return [node], []
            (left, a), (right, b) = (draw(child) for child in np.flatnonzero(parents == node))
            return left + right, [*a, 2 * heights[node], *b]

        return cls.of(*draw(int(np.flatnonzero(parents == -1)[0])))

    @property
    def height(self) -> float:
        """Age of the root."""
        return float(self.distances.max() / 2)

    def clades(self) -> set[frozenset[int]]:
        """Return the sets of leaves that have an ancestor of their own.

        Returns
        -------
        clades : set of frozenset of int
            One per ancestor, the root included.
        """
        below = [frozenset([leaf]) for leaf in range(len(self.order))]
        left, right, _ = decode(self.order, self.distances)
        for a, b in zip(left, right, strict=True):
            below.append(below[a] | below[b])
        return set(below[len(self.order) :])

    def topology(self) -> str:
        """Return the tree as nested parentheses, the same for all of its drawings.

        Returns
        -------
        topology : str
            Of two branches the one with the smaller leaf comes first.
        """
        least = list(range(len(self.order)))
        words = [str(leaf) for leaf in least]
        left, right, _ = decode(self.order, self.distances)
        for a, b in zip(left, right, strict=True):
            a, b = sorted((a, b), key=lambda node: least[node])
            words.append(f"({words[a]},{words[b]})")
            least.append(least[a])
        return words[-1]


@compiled
def decode(order, distances):
    """Return the two children of each ancestor and its age, ancestors from young to old.

    Nodes are numbered leaves first; the largest distance is where the root parts the drawing.
    """
    n = len(order)
    ranks = np.argsort(distances)
    left, right = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64)
    heights = np.empty(n - 1)
    first, last = np.arange(n), np.arange(n)  # of the block that a place belongs to
    top = order.copy()  # the node over the block that begins or ends at a place
    for k in range(n - 1):
        place = ranks[k]
        begin, end = first[place], last[place + 1]
        left[k], right[k], heights[k] = top[begin], top[end], distances[place] / 2
        top[begin] = top[end] = n + k
        first[end], last[begin] = begin, end
    return left, right, heights
