"""Family trees whose leaves all live today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.numerics.compile import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClockTree:
    """Tree as it is drawn: leaves from left to right, and how far neighbours are apart.

    The path between two neighbours goes up to their last common ancestor and down again, so that
    it is twice as long as the ancestor is old. Turning the two branches of an ancestor about gives
    another drawing of the same tree: n leaves have 2^(n-1) drawings.

    Parameters
    ----------
    order : array-like of shape (n_leaves,)
        Numbers of the leaves, from 0, each once.
    distances : array-like of shape (n_leaves - 1,)
        Lengths of the paths between neighbours, not negative.

    Examples
    --------
    >>> from shallows.sampling import ClockTree
    >>> ClockTree([0, 1, 2], [2.0, 6.0]).topology()
    '((0,1),2)'
    """

    order: Any
    distances: Any

    def __post_init__(self) -> None:
        order, distances = np.asarray(self.order), np.asarray(self.distances, dtype=np.float64)
        if (
            sorted(order.ravel().tolist()) != list(range(order.size))
            or order.ndim != 1
            or distances.shape != (len(order) - 1,)
        ):
            raise ValueError(
                "ClockTree: order must hold the numbers from 0 on, each once, and distances one "
                f"entry less, got {order.tolist()} and distances of shape {distances.shape}."
            )
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ValueError("ClockTree: distances must be finite and not negative.")
        object.__setattr__(self, "order", order.astype(np.int64, copy=False))
        object.__setattr__(self, "distances", distances)

    @classmethod
    def from_parents(cls, parents: ArrayLike, heights: ArrayLike) -> ClockTree:
        """Return a drawing of a tree that is given by the parent and the age of each node.

        Parameters
        ----------
        parents : array-like of shape (2 * n_leaves - 1,)
            Parent of each node, -1 for the root; leaves come first.
        heights : array-like of shape (2 * n_leaves - 1,)
            Age of each node; 0 for leaves.

        Returns
        -------
        tree : ClockTree
            The tree.
        """
        above, ages = np.asarray(parents), np.asarray(heights, dtype=np.float64)
        n_leaves = (len(above) + 1) // 2
        _check_parents(above, ages, n_leaves)
        children = np.argsort(above, kind="stable")[1:].reshape(-1, 2)  # of nodes n_leaves, ...
        order: list[int] = []
        distances: list[float] = []
        waiting = [int(np.argmin(above))]
        while waiting:
            node = waiting.pop()
            if node < 0:  # the left branch of this ancestor is drawn
                distances.append(2 * ages[~node])
            elif node < n_leaves:
                order.append(node)
            else:
                left, right = children[node - n_leaves].tolist()
                waiting += [right, ~node, left]
        return cls(order, distances)

    def to_parents(self) -> tuple[Ints, Floats]:
        """Return the parent and the age of each node.

        Returns
        -------
        parents : ndarray of shape (2 * n_leaves - 1,)
            Parent of each node, -1 for the root, which is the last. Leaves come first, then
            ancestors from young to old.
        heights : ndarray of shape (2 * n_leaves - 1,)
            Age of each node; 0 for leaves.
        """
        n_leaves = len(self.order)
        left, right, ages = decode(self.order, self.distances)
        parents = np.full(2 * n_leaves - 1, -1)
        parents[left] = parents[right] = np.arange(n_leaves, 2 * n_leaves - 1)
        return parents, np.concatenate([np.zeros(n_leaves), ages])

    @property
    def height(self) -> float:
        """Age of the root."""
        return float(self.distances.max(initial=0.0) / 2)

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


def _check_parents(parents: NDArray[Any], heights: Floats, n_leaves: int) -> None:
    """Raise unless each ancestor has two children, none of them older than it."""
    n_nodes = 2 * n_leaves - 1
    if parents.shape != heights.shape or parents.shape != (n_nodes,) or parents.dtype.kind != "i":
        raise ValueError(
            "ClockTree: parents and heights must hold one number for each of 2 n - 1 nodes, the "
            f"parents whole ones, got shapes {parents.shape} and {heights.shape}."
        )
    n_children = np.bincount(np.maximum(parents + 1, 0), minlength=n_nodes + 1)
    if n_children.tolist() != [1] + [0] * n_leaves + [2] * (n_leaves - 1):
        raise ValueError(
            "ClockTree: parents must name each of the nodes after the leaves twice, and -1 once, "
            f"got {parents.tolist()}."
        )
    inner = parents >= 0
    if heights[:n_leaves].any() or (heights[parents[inner]] < heights[inner]).any():
        raise ValueError(
            "ClockTree: heights must be 0 for leaves, and for no node above that of its parent, "
            f"got {heights.tolist()}."
        )


def decode(order: Ints, distances: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the two children of each ancestor and its age, ancestors from young to old.

    Nodes are numbered leaves first; the largest distance is where the root parts the drawing.
    """
    ranks = np.argsort(distances)
    left, right = join(order.copy(), ranks)
    return left, right, distances[ranks] / 2


@compiled
def join(top, ranks):  # type: ignore[no-untyped-def]
    """Return the children of each ancestor; neighbours at the places in `ranks` join in turn.

    `top` has the node over the block that begins or ends at a place, and changes.
    """
    n = len(top)
    left, right = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64)
    first, last = np.arange(n), np.arange(n)  # of the block that a place belongs to
    for k in range(n - 1):
        begin, end = first[ranks[k]], last[ranks[k] + 1]
        left[k], right[k] = top[begin], top[end]
        top[begin] = top[end] = n + k
        first[end], last[begin] = begin, end
    return left, right
