"""Nearest centres of dense rows, with bounds in place of most distances.

Centres are cut into groups of neighbours. A row keeps an upper bound on the distance to its
own centre and, per group, a lower bound on the distance to all other centres in it (Ding
et al., "Yinyang K-means", ICML 2015); with one group this is Hamerly's algorithm. A centre
that moves weakens the bounds by the length of its way. They are stored with the way made so
far added on, so that a row whose bounds suffice is read and not written.

Comparisons leave room for rounding: the labels are those of an exhaustive search, and of
centres equally near the first counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

Array = NDArray[Any]
CHUNK = 256
FEWEST_CHUNKS, MOST_BLOCKS = 32, 64  # enough blocks to keep threads busy, not too short ones
GROUP_SIZE = 200


class Assignment:
    """The nearest of some moving centres for each row of X.

    `origin` is a point amid the data, from which products of large numbers are avoided. The
    centres stand in the order of their groups: centre ``order[place]`` at `place`.
    """

    def __init__(self, X: Array, origin: Array):
        self.X, self.origin = X, origin
        self.order = np.empty(0, np.int32)
        self.places = np.empty(0, np.int32)
        self._centers: Array | None = None

    @property
    def labels(self) -> Array:
        """Index of the nearest centre of each row."""
        return self.order[self.places]

    def update(self, centers: Array) -> Array:
        """Find the nearest centres; return the places before."""
        if self._centers is None or len(centers) != len(self._centers):
            self._forget(centers)
        else:
            way = np.sqrt(((centers - self._centers.astype(np.float64)) ** 2).sum(axis=1))
            self._moved += way[self.order]
            self._group_moved += np.maximum.reduceat(way[self.order], self._starts[:-1])
        self._centers = centers
        before, dtype = self.places.copy(), self.X.dtype
        fixed = (
            np.ascontiguousarray(centers[self.order]),
            self.origin.astype(dtype),
            self._starts,
            self.order,
            self._moved.astype(dtype),
            self._group_moved.astype(dtype),
        )

        def block(rows: slice) -> None:
            chunks = slice(rows.start // CHUNK, -(-rows.stop // CHUNK))
            own = self.places[rows], self._upper[rows], self._lower[chunks]
            assign_rows(self.X[rows], *fixed, *own)

        chunks_per_block = max(FEWEST_CHUNKS, -(-len(self.X) // (CHUNK * MOST_BLOCKS)))
        map_blocks(block, len(self.X), chunks_per_block * CHUNK)
        return before

    def _forget(self, centers: Array) -> None:
        groups = _groups(centers, np.arange(len(centers)))
        self.order = np.concatenate(groups).astype(np.int32)
        self.places = np.zeros(len(self.X), np.int32)
        self._starts = np.cumsum([0] + [len(group) for group in groups])
        self._moved, self._group_moved = np.zeros(len(centers)), np.zeros(len(groups))
        self._upper = np.full(len(self.X), np.inf, self.X.dtype)
        n_chunks = -(-len(self.X) // CHUNK)
        self._lower = np.full((n_chunks, len(groups), CHUNK), -np.inf, self.X.dtype)


def nearest_centers(X: Array, centers: Array) -> Array:
    """Return the nearest centre of each row; of centres equally near the first."""
    assignment = Assignment(X, centers.mean(axis=0, dtype=np.float64))
    assignment.update(centers)
    return assignment.labels


def _groups(centers: Array, members: Array) -> list[Array]:
    """Halve along the widest axis until groups are small; members stay in order."""
    if len(members) <= GROUP_SIZE:
        return [np.sort(members)]
    axis = centers[members].var(axis=0).argmax()
    ranked = members[np.argsort(centers[members, axis], kind="stable")]
    half = len(ranked) // 2
    return _groups(centers, ranked[:half]) + _groups(centers, ranked[half:])


@compiled
def assign_rows(X, centers, origin, starts, order, moved, group_moved, places, upper, lower):
    """Update places, upper and lower bounds in place.

    `centers` stand in group order, group g at ``starts[g]:starts[g + 1]``. `lower` has the
    shape (n_chunks, n_groups, CHUNK); `moved` and `group_moved` are the ways that centres
    have made and the longest in each group.
    """
    n_features, n_groups = X.shape[1], len(group_moved)
    slack = X.dtype.type((n_features + 10) * np.finfo(X.dtype).eps)
    shrink, zero = X.dtype.type(1 - slack), X.dtype.type(0)
    shifted = centers - origin
    norms, largest = np.zeros(len(centers), X.dtype), np.zeros(n_groups, X.dtype)
    for g in range(n_groups):
        for c in range(starts[g], starts[g + 1]):
            for j in range(n_features):
                norms[c] += shifted[c, j] * shifted[c, j]
            largest[g] = max(largest[g], norms[c])
    tile = np.empty((CHUNK, n_features), X.dtype)
    near, second, at = np.empty(CHUNK, X.dtype), np.empty(CHUNK, X.dtype), np.empty(CHUNK, np.int32)
    length, reach, best = (
        np.empty(CHUNK, X.dtype),
        np.empty(CHUNK, X.dtype),
        np.empty(CHUNK, X.dtype),
    )
    winner, home = np.empty(CHUNK, np.int32), np.empty(CHUNK, np.int64)
    todo, picked, hits = (
        np.empty(CHUNK, np.int64),
        np.empty(CHUNK, np.int64),
        np.empty(CHUNK, np.int64),
    )
    for chunk in range(len(lower)):
        begin = chunk * CHUNK
        n_open = open_rows(
            X,
            centers,
            moved,
            group_moved,
            places,
            upper,
            lower[chunk],
            begin,
            slack,
            todo,
            reach,
            hits,
        )
        for t in range(n_open):
            best[t], winner[t], home[t] = np.inf, -1, 0
        for g in range(n_groups):
            start, stop, way = starts[g], starts[g + 1], group_moved[g]
            count = 0
            for t in range(n_open):
                own = places[begin + todo[t]]
                held = (start <= own) & (own < stop)
                picked[count] = t
                count += held | (lower[chunk, g, todo[t]] * shrink - way <= reach[t])
            if count == 0:
                continue
            for p in range(count):
                i = begin + todo[picked[p]]
                total = zero
                for j in range(n_features):
                    value = X[i, j] - origin[j]
                    tile[p, j] = value
                    total += value * value
                length[p] = total
            product = np.dot(shifted[start:stop], tile[:count].T)
            two_least(product, norms, start, near, second, at)
            for p in range(count):
                t = picked[p]
                i, last = todo[t], winner[t]
                error = slack * (length[p] + largest[g])
                error += error
                value, rest, place = (
                    length[p] + near[p] - error,
                    length[p] + second[p] - error,
                    at[p],
                )
                if value <= best[t]:
                    if rest - value <= error + error:
                        value, rest, place = search(X, begin + i, centers, start, stop)
                    else:
                        value = squared_distance(X, begin + i, centers, place)
                    if (
                        value < best[t]
                        or last < 0
                        or (value == best[t] and order[place] < order[last])
                    ):
                        if last >= 0:
                            lower[chunk, home[t], i] = np.sqrt(best[t]) + group_moved[home[t]]
                        best[t], winner[t], home[t] = value, place, g
                        value = rest
                lower[chunk, g, i] = np.sqrt(max(value, zero)) + way
        for t in range(n_open):
            places[begin + todo[t]] = winner[t]
            upper[begin + todo[t]] = np.sqrt(best[t]) - moved[winner[t]]


@compiled
def open_rows(
    X, centers, moved, group_moved, places, upper, lower, begin, slack, todo, reach, hits
):
    """Count the rows that may change place; list them in `todo`, how far to look in `reach`.

    Loops run over rows and avoid branches, so that they vectorise. Where there is but one
    group to search, finding out the exact distance to the own centre first does not pay.
    """
    shrink = X.dtype.type(1 - slack)
    n_rows = min(CHUNK, len(X) - begin)
    for q in range(n_rows):
        way = moved[places[begin + q]]
        bound = upper[begin + q] + way
        reach[q] = bound + slack * (bound + way)
        hits[q] = 0
    for g in range(len(lower)):
        for q in range(n_rows):
            hits[q] += lower[g, q] * shrink - group_moved[g] <= reach[q]
    n_open = 0
    for q in range(n_rows):
        todo[n_open], reach[n_open] = q, reach[q]
        n_open += hits[q] > 0
    if len(lower) == 1:
        return n_open
    for t in range(n_open):
        i = begin + todo[t]
        way, bound = moved[places[i]], np.sqrt(squared_distance(X, i, centers, places[i]))
        upper[i] = bound - way
        reach[t] = bound + slack * (bound + way)
        hits[t] = 0
    for g in range(len(lower)):
        for t in range(n_open):
            hits[t] += lower[g, todo[t]] * shrink - group_moved[g] <= reach[t]
    n_kept = 0
    for t in range(n_open):
        todo[n_kept], reach[n_kept] = todo[t], reach[t]
        n_kept += hits[t] > 0
    return n_kept


@compiled
def two_least(product, norms, start, near, second, at):
    """Find the two least ``norm - 2 product`` of each column, and where the least stands."""
    for p in range(product.shape[1]):
        near[p], second[p], at[p] = np.inf, np.inf, start
    for c in range(len(product)):
        for p in range(product.shape[1]):
            value = norms[start + c] - product[c, p] - product[c, p]
            least, next_least = near[p], second[p]
            larger = value if value > least else least
            second[p] = larger if larger < next_least else next_least
            near[p] = value if value < least else least
            at[p] = start + c if value < least else at[p]


@compiled
def search(X, i, centers, start, stop):
    """Return the two least squared distances of row i to some centres, and the nearest."""
    near = second = X.dtype.type(np.inf)
    at = np.int32(start)
    for c in range(start, stop):
        value = squared_distance(X, i, centers, c)
        if value < near:
            near, second, at = value, near, np.int32(c)
        elif value < second:
            second = value
    return near, second, at


@compiled
def squared_distance(X, i, centers, c):
    """Return the squared distance of row i to centre c."""
    total = X[i, 0] - X[i, 0]
    for j in range(X.shape[1]):
        total += (X[i, j] - centers[c, j]) ** 2
    return total
