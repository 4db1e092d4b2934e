"""A tree of boxes around the rows of an array, for nearest neighbours.

Rows are halved at the median of their widest feature until few are left, and each part remembers
the smallest box around its rows. A search leaves out the boxes that are farther away than the
neighbours found so far. In a leaf the values of a feature lie side by side, so that the distances
to all of its rows are computed at once. Distances are those of Minkowski with the power 1, 2 or
infinity; meanwhile those of Euclid are squares.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
LEAF_ROWS = 32
QUERIES = 256  # in a block; near ones lie in one, so that they pass by the same leaves
WORK_PER_BLOCK = 2**20  # numbers; fewer are sooner looked at than handed to a thread
PROBES, TRIAL_PROBES, PROBED_NEIGHBORS, SAMPLE = 64, 16, 5, 1024
HOPELESS = 0.95  # share of the leaves visited in a sample of rows; it falls with their number
# The share, by power, from which on all distances are quicker; it rises for few rows.
WORTH, ROWS = {1: 0.7, 2: 0.09, np.inf: 0.7}, 200
SLACK = 1 - 1e-13  # rounding never leaves out a box of rows that are just as near


class BoxTree(NamedTuple):
    """Rows in leaves, and the boxes of all nodes: node i has the branches 2 i and 2 i + 1.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The rows.
    order : ndarray of shape (n_rows,)
        Places of the rows from leaf to leaf.
    leaves : ndarray of shape (n_leaves, n_features, LEAF_ROWS)
        The same rows, side by side; infinity where a leaf has fewer.
    boxes : ndarray of shape (2 * n_leaves, 2, n_features)
        Smallest and largest values of each node; node 1 is the root.
    firsts : ndarray of shape (2 * n_leaves,)
        The first of the places of each node's rows.
    power : float
        Power of the distance: 1, 2 or infinity.
    """

    rows: Array
    order: Array
    leaves: Array
    boxes: Array
    firsts: Array
    power: float

    @classmethod
    def of(cls, X: Array, power: float = 2.0) -> BoxTree:
        """Put the rows of X, at least one and without gaps, into a tree.

        Examples
        --------
        >>> import numpy as np
        >>> tree = BoxTree.of(np.arange(100.0)[:, None])
        >>> tree.leaves.shape
        (4, 1, 32)
        >>> tree.query(np.array([[41.8]]), 2)[0]
        array([[42, 41]])
        """
        rows = read_only(np.ascontiguousarray(X, dtype=np.float64))
        n, d = rows.shape
        n_leaves = 1
        while n > n_leaves * LEAF_ROWS:
            n_leaves *= 2
        order = np.arange(n)
        leaves = np.full((n_leaves, d, LEAF_ROWS), np.inf)
        boxes, firsts = np.empty((2 * n_leaves, 2, d)), np.full(2 * n_leaves, n)
        halve(rows, order, n_leaves)
        fill(rows, order, leaves, boxes, firsts)
        return cls(rows, order, leaves, boxes, firsts, float(power))

    def query(self, X: Array, k: int) -> tuple[Array, Array]:
        """Return the places of the k nearest rows, from near to far, and their distances.

        Of equally near rows the first counts.
        """
        k = min(k, len(self.rows))
        queries = read_only(np.ascontiguousarray(X, dtype=np.float64))
        homes = map_blocks(lambda part: home_leaves(queries[part], self.boxes, self.power), len(X))
        visit = np.argsort(np.concatenate(homes), kind="stable") if homes else np.arange(0)
        index, distances = np.empty((len(X), k), dtype=np.int64), np.empty((len(X), k))
        visited = search(queries, visit[:QUERIES], *self, distances, index)
        rest = visit[QUERIES:]
        map_blocks(
            lambda part: search(queries, rest[part], *self, distances, index),
            len(rest),
            self._block_queries(visited / min(len(X), QUERIES), k) if len(rest) else 1,
        )
        return index, np.sqrt(distances) if self.power == 2 else distances

    def _block_queries(self, visited: float, k: int) -> int:
        """Return how many searches, that each visit so many leaves, are worth a thread."""
        work = visited * (LEAF_ROWS * self.rows.shape[1] + 100) + 50 * k
        return QUERIES * math.ceil(WORK_PER_BLOCK / work / QUERIES)

    def is_worth_it(self, X: Array, k: int) -> bool:
        """Tell whether a search for all rows of X would be quicker than all distances."""
        if len(X) < 8:
            return True
        limit = WORTH[self.power] + ROWS / len(self.rows)
        return self.share_visited(X[:: max(8, len(X) // PROBES)], k) < limit

    def share_visited(self, X: Array, k: int) -> float:
        """Return the mean share of the leaves that a search for k neighbours looks into."""
        queries = read_only(np.ascontiguousarray(X, dtype=np.float64))
        index, distances = np.empty((len(X), k), dtype=np.int64), np.empty((len(X), k))
        visited = search(queries, np.arange(len(X)), *self, distances, index)
        return float(visited) / (len(X) * len(self.leaves))


def plant(X: Array, power: float = 2.0) -> BoxTree | None:
    """Return a tree of the rows, or None where all distances will take less time anyway."""
    some = X[:: -(-len(X) // SAMPLE)]
    tree = BoxTree.of(some, power)
    probes = some[:: max(1, len(some) // TRIAL_PROBES)]
    if tree.share_visited(probes, min(PROBED_NEIGHBORS, len(some))) > HOPELESS:
        return None
    return tree if len(some) == len(X) else BoxTree.of(X, power)


@compiled
def halve(rows, order, n_leaves):  # type: ignore[no-untyped-def]
    """Order the rows so that each node's are side by side, the halves of a node apart."""
    n, d = rows.shape
    keys = np.empty(n)
    parts = 1
    while parts < n_leaves:
        for part in range(parts):
            start, end = n * part // parts, n * (part + 1) // parts
            middle = n * (2 * part + 1) // (2 * parts)

            # The feature in which the rows of this node spread most.
            widest, width = 0, -1.0
            for j in range(d):
                low, high = np.inf, -np.inf
                for i in range(start, end):
                    value = rows[order[i], j]
                    low, high = min(low, value), max(high, value)
                if high - low > width:
                    widest, width = j, high - low

            # Halve the node at the median of that feature.
            for i in range(start, end):
                keys[i] = rows[order[i], widest]
            _select(keys, order, start, end - 1, middle)
        parts *= 2


@compiled
def _select(keys, order, low, high, wanted):  # type: ignore[no-untyped-def]
    """Move the smaller keys before place `wanted`, and their rows with them."""
    while low < high:
        # Quickselect with the median of three as pivot (Hoare 1961).
        first, middle, last = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1

        # Go on in the part that contains the wanted place.
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            high = low


@compiled
def fill(rows, order, leaves, boxes, firsts):  # type: ignore[no-untyped-def]
    """Copy the rows into their leaves, and find the boxes from the leaves upwards."""
    n, d = rows.shape
    n_leaves = len(leaves)
    # Leaves: values feature by feature, the box around them, and the first row.
    for leaf in range(n_leaves):
        start, end = n * leaf // n_leaves, n * (leaf + 1) // n_leaves
        for i in range(start, end):
            firsts[n_leaves + leaf] = min(firsts[n_leaves + leaf], order[i])
        for j in range(d):
            low, high = np.inf, -np.inf
            for i in range(start, end):
                value = rows[order[i], j]
                leaves[leaf, j, i - start] = value
                low, high = min(low, value), max(high, value)
            boxes[n_leaves + leaf, 0, j], boxes[n_leaves + leaf, 1, j] = low, high

    # Inner nodes: the box around the boxes of both branches.
    for node in range(n_leaves - 1, 0, -1):
        firsts[node] = min(firsts[2 * node], firsts[2 * node + 1])
        for j in range(d):
            boxes[node, 0, j] = min(boxes[2 * node, 0, j], boxes[2 * node + 1, 0, j])
            boxes[node, 1, j] = max(boxes[2 * node, 1, j], boxes[2 * node + 1, 1, j])


@compiled
def home_leaves(queries, boxes, power):  # type: ignore[no-untyped-def]
    """Return for each query the leaf to which the nearer boxes lead."""
    homes = np.empty(len(queries), np.int64)
    for i in range(len(queries)):
        node = 1
        while 2 * node < len(boxes):
            node *= 2
            if _gap(queries[i], boxes[node + 1], power) < _gap(queries[i], boxes[node], power):
                node += 1
        homes[i] = node
    return homes


@compiled
def search(  # type: ignore[no-untyped-def]
    queries, visit, rows, order, leaves, boxes, firsts, power, nearest, index
):
    """Write the nearest rows of the queries in `visit`; return how many leaves were looked into.

    The k nearest so far are a heap whose largest stands in front.
    """
    n, n_leaves, k = len(rows), len(leaves), index.shape[1]
    nodes, bounds = np.empty(128, np.int64), np.empty(128)
    distances = np.empty(leaves.shape[2])
    best, found = np.empty(k), np.empty(k, np.int64)
    visited = 0
    for q in visit:
        query = queries[q]
        for place in range(k):
            best[place], found[place] = np.inf, n

        # Nodes still to look at are a stack, with the distances to their boxes.
        nodes[0], bounds[0] = 1, 0.0
        top = 1
        while top > 0:
            top -= 1
            node = nodes[top]
            if bounds[top] * SLACK > best[0] or (best[0] == 0 and firsts[node] > found[0]):
                continue

            # A leaf: its rows compete with the neighbours so far; of equally near ones the first
            # counts.
            if node >= n_leaves:
                visited += 1
                leaf = node - n_leaves
                if _distances(query, leaves[leaf], power, distances) <= best[0]:
                    start = n * leaf // n_leaves
                    for i in range(n * (leaf + 1) // n_leaves - start):
                        value, row = distances[i], order[start + i]
                        if value < best[0] or (value == best[0] and row < found[0]):
                            _replace_worst(best, found, value, row)
                continue

            # An inner node: the nearer branch goes on top.
            near, far = 2 * node, 2 * node + 1
            gap, other = _gap(query, boxes[near], power), _gap(query, boxes[far], power)
            if other < gap or (other == gap and firsts[far] < firsts[near]):
                near, far, gap, other = far, near, other, gap
            nodes[top], bounds[top] = far, other
            nodes[top + 1], bounds[top + 1] = near, gap
            top += 2
        _sort_heap(best, found)
        _write_sorted(query, rows, found, power, nearest[q], index[q])
    return visited


@compiled
def _gap(query, box, power):  # type: ignore[no-untyped-def]
    """Return the distance to a box, zero inside."""
    total, largest = 0.0, 0.0
    for j in range(len(query)):
        outside = max(max(box[0, j] - query[j], query[j] - box[1, j]), 0.0)
        total += outside * outside if power == 2 else outside
        largest = max(largest, outside)
    return total if power <= 2 else largest


@compiled
def _distances(query, leaf, power, distances):  # type: ignore[no-untyped-def]
    """Write the distances to the rows of a leaf and return the least."""
    for i in range(len(distances)):
        distances[i] = 0.0
    for j in range(len(query)):
        value, column = query[j], leaf[j]
        if power == 2:
            for i in range(len(distances)):
                gap = column[i] - value
                distances[i] += gap * gap
        elif power == 1:
            for i in range(len(distances)):
                distances[i] += abs(column[i] - value)
        else:
            for i in range(len(distances)):
                distances[i] = max(distances[i], abs(column[i] - value))

    # The least decides whether the leaf is looked at row by row.
    least = np.inf
    for i in range(len(distances)):
        least = min(least, distances[i])
    return least


@compiled
def _replace_worst(best, found, value, row):  # type: ignore[no-untyped-def]
    """Put a value for the largest in a heap, of equal ones for that of the last row."""
    k, place, child = len(best), 0, 1
    while child < k:
        if child + 1 < k and (
            best[child + 1] > best[child]
            or (best[child + 1] == best[child] and found[child + 1] > found[child])
        ):
            child += 1
        if best[child] < value or (best[child] == value and found[child] < row):
            break
        best[place], found[place] = best[child], found[child]
        place = child
        child = 2 * place + 1
    best[place], found[place] = value, row


@compiled
def _sort_heap(best, found):  # type: ignore[no-untyped-def]
    """Turn a heap into rising order."""
    for last in range(len(best) - 1, 0, -1):
        value, row = best[last], found[last]
        best[last], found[last] = best[0], found[0]
        _replace_worst(best[:last], found[:last], value, row)


@compiled
def _write_sorted(query, rows, found, power, nearest, index):  # type: ignore[no-untyped-def]
    """Compute the distances to the rows found once more, one by one, and put them in order.

    Those in a leaf may have been rounded otherwise, so a few change places.
    """
    for count in range(len(found)):
        # The exact distance of this row.
        row, total, largest = found[count], 0.0, 0.0
        for j in range(len(query)):
            gap = abs(query[j] - rows[row, j])
            total += gap * gap if power == 2 else gap
            largest = max(largest, gap)
        value = total if power <= 2 else largest

        # Insert it among the rows before.
        place = count
        while place > 0 and (
            nearest[place - 1] > value or (nearest[place - 1] == value and index[place - 1] > row)
        ):
            nearest[place], index[place] = nearest[place - 1], index[place - 1]
            place -= 1
        nearest[place], index[place] = value, row
