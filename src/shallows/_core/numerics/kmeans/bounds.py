"""Nearest centres of dense rows, with bounds in place of most distances.

Centres are cut into groups of neighbours. A row keeps an upper bound on the distance to its
own centre and, per group, a lower bound on the distance to all other centres in it (Ding
et al., "Yinyang K-means", ICML 2015); with one group this is Hamerly's algorithm. A centre
that moves weakens the bounds by the length of its way. They are stored with the way made so
far added on, so that a row whose bounds suffice is read and not written.

Bounds and the products they come from are float32, which takes half the time of float64;
data seen from their middle and scaled to the size of the centres fit in. Comparisons leave
room for rounding, and where that leaves more than one centre, exact distances decide: the
labels are those of `exhaustive`, and of centres equally near the first
counts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import (
    compiled,
    compiled_in_order,
    compiled_in_place,
    read_only,
)
from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
CHUNK = 512
GROUP_SIZE = 200
LARGEST_SCALED = 2.0**20  # of centres; products of them are far from the ends of float32
MOST_SEARCHED = 1 / 8
# How blocks are cut, in products that BLAS adds up in the same time.
LITTLE_WORK, WORK_PER_BLOCK = 2**23, 2**21  # little is sooner done than handed to threads
WORK_PER_ROW, WORK_PER_OPEN_ROW = 50, 150  # to look at its bounds, and beside its products
MOST_BLOCKS = 64


class Bounded:
    """The nearest of some moving centres for each row of X.

    `origin` is a point amid the data, from which products of large numbers are avoided. The
    centres stand in the order of their groups: centre ``order[place]`` at `place`. Rows that
    have none yet are at -1. Rows at no finite distance from any centre, as rows with NaN are,
    are lost: those of the last update are counted in `n_lost`.
    """

    def __init__(self, X: Array, origin: Array):
        self.X, self.origin = read_only(X), origin.astype(X.dtype)
        self.order = np.empty(0, np.int32)
        self.places = np.empty(0, np.int32)
        self.n_lost = 0
        self._centers: Array | None = None
        self._dtype: Any = np.float32

    @property
    def labels(self) -> Array:
        """Index of the nearest centre of each row."""
        return self.order[self.places]

    def update(self, centers: Array) -> Array:
        """Find the nearest centres; return the places before."""
        size = largest_coordinate(centers, self.origin)
        if self._centers is None or len(centers) != len(self._centers) or not self._fits(size):
            self._forget(centers, size)
        else:
            follow(
                centers, self._centers, self.order, self._starts, self._scale, self._moved,
                self._group_moved,
            )  # fmt: skip
        self._centers, before = centers, self.places.copy()
        scaled = np.empty(centers.shape, self._dtype), np.empty(len(centers), self._dtype)
        ordered = np.empty(centers.shape, self.X.dtype)
        write_factors(centers, self.origin, self.order, self._scale, ordered, *scaled)
        known = Centers(
            rows=ordered,
            factors=scaled[0],
            norms=scaled[1],
            origin=self.origin,
            scale=self.X.dtype.type(self._scale),
            starts=self._starts,
            order=self.order,
            moved=self._moved.astype(self._dtype),
            group_moved=self._group_moved.astype(self._dtype),
            slack=self._slack,
            tiny=self._tiny,
        )

        def block(rows: slice) -> tuple[int, int, int]:
            chunks = slice(rows.start // CHUNK, -(-rows.stop // CHUNK))
            return assign_rows(
                self.X[rows], known, self.places[rows], self._upper[rows], self._lower[chunks]
            )

        counts = map_blocks(block, len(self.X), self._block_rows(centers))
        opened, searched, self.n_lost = (sum(column) for column in zip(*counts, strict=True))
        self._open_share = opened / len(self.X)
        if searched > MOST_SEARCHED * len(self.X) and self._dtype != self.X.dtype:
            self._dtype, self._centers = self.X.dtype.type, None
        return before

    def _block_rows(self, centers: Array) -> int:
        """Return how many rows to hand to a thread; as many as before will have to be searched."""
        n_rows = len(self.X)
        work = WORK_PER_ROW + self._open_share * (WORK_PER_OPEN_ROW + centers.size)
        if n_rows * work < LITTLE_WORK:
            return n_rows
        return CHUNK * math.ceil(max(WORK_PER_BLOCK / work, n_rows / MOST_BLOCKS) / CHUNK)

    def _fits(self, size: float) -> bool:
        """Tell whether the scale may stay: it suits the size of the centres still."""
        return 1 / LARGEST_SCALED < self._power(size) * self._scale < LARGEST_SCALED

    def _power(self, size: float) -> float:
        """Return the next larger power of two, unless it is near the ends of the dtype."""
        most = np.finfo(self.X.dtype).maxexp - 4
        return 2.0 ** max(-most, min(math.frexp(size)[1], most))

    def _forget(self, centers: Array, size: float) -> None:
        groups = _groups(centers - self.origin.astype(np.float64), np.arange(len(centers)))
        self.order = np.concatenate(groups).astype(np.int32)
        self.places = np.full(len(self.X), -1, np.int32)
        self._scale = 1 / self._power(size)
        self._starts = np.cumsum([0] + [len(group) for group in groups])
        self._moved, self._group_moved = np.zeros(len(centers)), np.zeros(len(groups))
        self._upper = np.full(len(self.X), np.inf, self._dtype)
        n_chunks = -(-len(self.X) // CHUNK)
        self._lower = np.full((n_chunks, len(groups), CHUNK), -np.inf, self._dtype)
        limits = np.finfo(self._dtype)
        self._slack = self._dtype((self.X.shape[1] + 10) * limits.eps)
        self._tiny = self._dtype(1e8 * limits.tiny)
        self._open_share = 1.0


def _groups(centers: Array, members: Array) -> list[Array]:
    """Halve along the widest axis until groups are small; members stay in order."""
    if len(members) <= GROUP_SIZE:
        return [np.sort(members)]
    axis = centers[members].var(axis=0).argmax()
    ranked = members[np.argsort(centers[members, axis], kind="stable")]
    half = len(ranked) // 2
    return _groups(centers, ranked[:half]) + _groups(centers, ranked[half:])


@compiled
def largest_coordinate(centers, origin):
    """Return the largest of the centres as seen from the origin."""
    largest = 0.0
    for c in range(len(centers)):
        for j in range(len(origin)):
            largest = max(largest, abs(np.float64(centers[c, j]) - origin[j]))
    return largest


@compiled
def follow(centers, before, order, starts, scale, moved, group_moved):
    """Add the ways from the centres before, times the scale, and the longest of each group."""
    for g in range(len(group_moved)):
        longest = 0.0
        for place in range(starts[g], starts[g + 1]):
            c, squared = order[place], 0.0
            for j in range(centers.shape[1]):
                squared += (np.float64(centers[c, j]) - before[c, j]) ** 2
            way = np.sqrt(squared) * scale
            moved[place] += way
            longest = max(longest, way)
        group_moved[g] += longest


@compiled
def write_factors(centers, origin, order, scale, ordered, factors, norms):
    """Write the centres in order and, seen from the origin and scaled, times -2 and squared."""
    for place in range(len(order)):
        c, norm = order[place], norms.dtype.type(0)
        for j in range(len(origin)):
            ordered[place, j] = centers[c, j]
            value = factors.dtype.type((np.float64(centers[c, j]) - origin[j]) * scale)
            factors[place, j] = -2 * value
            norm += value * value
        norms[place] = norm


class Centers(NamedTuple):
    """Centres in the order of their groups; group g is at ``starts[g] : starts[g + 1]``.

    Seen from the `origin` and times the `scale`, a centre has the squared length `norms` and, times
    -2, the `factors`. `order` is the number of the centre at each place. `moved` and `group_moved`
    are the ways that centres have made, and the longest in each group. Ways and bounds are scaled,
    too.

    A squared distance is the squared length of the row plus the norm of the centre plus the product
    of row and factor. Rounding leaves it uncertain by no more than `slack` times the first two,
    plus `tiny` for underflow.
    """

    rows: Array
    factors: Array
    norms: Array
    origin: Array
    scale: float
    starts: Array
    order: Array
    moved: Array
    group_moved: Array
    slack: float
    tiny: float


class Bounds(NamedTuple):
    """What is known of the rows of a chunk: place of the nearest centre, and bounds on distances.

    `upper` bounds the distance to the own centre, `lower` of shape (n_groups, CHUNK) those to all
    other centres of a group.
    """

    places: Array
    upper: Array
    lower: Array


class Found(NamedTuple):
    """What the products say of each open row: where the least value is, and what comes next.

    `best` is the least value, at place `winner` of group `home`; `others` is the second least of
    that group, `next_best` the least of the other groups.
    """

    best: Array
    next_best: Array
    others: Array
    winner: Array
    home: Array


class Scratch(NamedTuple):
    """Room for the products of one group with the rows that it may be nearest to."""

    products: Array
    turned: Array
    some: Array
    picked: Array
    near: Array
    second: Array
    at: Array


@compiled
def assign_rows(X, centers, places, upper, lower):
    """Update places and bounds; count rows that were open, searched exactly, and lost.

    `lower` has the shape (n_chunks, n_groups, CHUNK).
    """
    dtype, n_features, largest = centers.norms.dtype, X.shape[1], 0
    for g in range(len(centers.group_moved)):
        largest = max(largest, centers.starts[g + 1] - centers.starts[g])
    scratch = Scratch(
        np.empty(CHUNK * largest, dtype),
        np.empty(CHUNK * largest, dtype),
        np.empty((CHUNK, n_features), dtype),
        np.empty(CHUNK, np.int64),
        np.empty(CHUNK, dtype),
        np.empty(CHUNK, dtype),
        np.empty(CHUNK, np.int32),
    )
    found = Found(
        np.empty(CHUNK, dtype),
        np.empty(CHUNK, dtype),
        np.empty(CHUNK, dtype),
        np.empty(CHUNK, np.int32),
        np.empty(CHUNK, np.int32),
    )
    tile, length = np.empty((CHUNK, n_features), dtype), np.empty(CHUNK, dtype)
    reach, hits = np.empty(CHUNK, dtype), np.empty(CHUNK, np.int32)
    todo, least_norms = np.empty(CHUNK, np.int64), np.empty(len(centers.norms), dtype)
    for c in range(len(least_norms)):
        least_norms[c] = centers.norms[c] - centers.slack * centers.norms[c]
    n_opened = n_searched = n_lost = 0
    for chunk in range(len(lower)):
        # Which rows may change place?
        begin = chunk * CHUNK
        rows, bounds = X[begin:], Bounds(places[begin:], upper[begin:], lower[chunk])
        n_open = open_rows(rows, centers, bounds, todo, reach, hits)
        n_opened += n_open

        # Products with the groups that may contain their nearest centre, then the decision.
        shift_rows(rows, centers.origin, centers.scale, todo[:n_open], tile, length)
        search_groups(
            centers, least_norms, bounds, todo[:n_open], reach, (tile, length), found, scratch
        )
        searched, lost = settle(rows, centers, bounds, todo[:n_open], length, found)
        n_searched += searched
        n_lost += lost
    return n_opened, n_searched, n_lost


@compiled_in_place
def search_groups(centers, least_norms, bounds, todo, reach, shifted, found, scratch):
    """Write to `found` what the groups say that a row may be near to, and their lower bounds.

    `shifted` are the open rows as `shift_rows` writes them, and their squared lengths.
    """
    _, factors, norms, _, _, starts, _, _, group_moved, slack, tiny = centers
    best, next_best, others, winner, home = found
    products, turned, some, picked, near, second, at = scratch
    (tile, length), dtype, n_groups = shifted, norms.dtype, len(group_moved)
    shrink, zero, infinite = dtype.type(1 - slack), dtype.type(0), dtype.type(np.inf)
    n_open, n_features, largest = len(todo), tile.shape[1], len(products) // CHUNK
    # With few centres and many features BLAS takes half the time for the product turned round.
    by_rows = largest < 32 <= n_features
    for t in range(n_open):
        best[t], next_best[t], others[t] = infinite, infinite, infinite
        winner[t], home[t] = 0, 0
    for g in range(n_groups):
        # Rows whose own centre is in the group, or for which its lower bound is within reach.
        start, stop, way = starts[g], starts[g + 1], group_moved[g]
        count = 0
        for t in range(n_open):
            own = bounds.places[todo[t]]
            held = (start <= own) & (own < stop)
            picked[count] = t
            count += held | (bounds.lower[g, todo[t]] * shrink - way <= reach[t])
        if count == 0:
            continue
        part = tile[:count]
        if count < n_open:
            part = some[:count]
            for p in range(count):
                for f in range(n_features):
                    part[p, f] = tile[picked[p], f]

        # -2 x'c for all pairs, in a matrix with a row per centre; |c|^2 is added in `two_least`.
        product = products[: (stop - start) * count].reshape(stop - start, count)
        if by_rows:
            flat = turned[: count * (stop - start)].reshape(count, stop - start)
            np.dot(part, factors[start:stop].T, flat)
            for p in range(count):
                for c in range(stop - start):
                    product[c, p] = flat[p, c]
        else:
            np.dot(factors[start:stop], part.T, product)
        two_least(product, least_norms, start, near, second, at)

        # The best of all groups so far; the least value of the group is its new lower bound.
        for p in range(count):
            t, value = picked[p], near[p]
            if value < best[t]:
                next_best[t] = best[t]
                best[t], others[t], winner[t], home[t] = value, second[p], at[p], g
            elif value < next_best[t]:
                next_best[t] = value
            if n_groups > 1:
                value += length[t] - slack * length[t] - tiny
                bounds.lower[g, todo[t]] = np.sqrt(max(value, zero)) + way


@compiled_in_place
def settle(X, centers, bounds, todo, length, found):
    """Give each open row its place; count those searched exactly, and those lost."""
    slack, tiny = centers.slack, centers.tiny
    best, next_best, others, winner, home = found
    n_searched = n_lost = 0
    for t in range(len(todo)):
        i, place, g = todo[t], winner[t], home[t]
        error = slack * length[t] + tiny
        low = length[t] - error
        high = length[t] + error + best[t] + (slack + slack) * centers.norms[place]

        # The winner is certain where no other can be nearer, whatever the rounding errors.
        if low + min(others[t], next_best[t]) > high:
            bounds.places[i] = place
            bounds.upper[i] = np.sqrt(high) - centers.moved[place]
            bounds.lower[g, i] = np.sqrt(low + others[t]) + centers.group_moved[g]
        else:
            n_lost += not search_all(X, i, centers, bounds)
            n_searched += 1
    return n_searched, n_lost


@compiled_in_place
def open_rows(X, centers, bounds, todo, reach, hits):
    """Count the rows that may change place; list them in `todo`, how far to look in `reach`.

    Loops run over rows and avoid branches, so that they vectorise. Where there is but one
    group to search, finding out the exact distance to the own centre first does not pay.
    """
    places, upper, lower = bounds
    moved, group_moved, slack = centers.moved, centers.group_moved, centers.slack
    shrink = upper.dtype.type(1 - slack)
    n_rows = min(CHUNK, len(X))

    # The upper bound, weakened by the way of the own centre, against each group's lower bound.
    for q in range(n_rows):
        way = moved[places[q]]
        bound = upper[q] + way
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

    # The same with the exact distance to the own centre as upper bound.
    for t in range(n_open):
        i = todo[t]
        squared = squared_distance(X, i, centers.rows, np.int64(places[i]), centers.scale)
        way, bound = moved[places[i]], upper.dtype.type(np.sqrt(squared))
        upper[i] = bound - way
        reach[t] = bound + slack * (bound + way)
        hits[t] = 0
    for g in range(len(lower)):
        for t in range(n_open):
            hits[t] += not lower[g, todo[t]] * shrink - group_moved[g] > reach[t]  # or NaN
    n_kept = 0
    for t in range(n_open):
        todo[n_kept], reach[n_kept] = todo[t], reach[t]
        n_kept += hits[t] > 0
    return n_kept


@compiled
def shift_rows(X, origin, scale, todo, tile, length):
    """Write the rows to do, less the origin and scaled, to `tile`, and their squared lengths."""
    for t in range(len(todo)):
        row, total = X[todo[t]], tile.dtype.type(0)
        for j in range(len(row)):
            value = tile.dtype.type((row[j] - origin[j]) * scale)
            tile[t, j] = value
            total += value * value
        length[t] = total


@compiled
def two_least(product, norms, start, near, second, at):
    """Find the two least ``norm + product`` of each column, and where the least stands."""
    for p in range(product.shape[1]):
        near[p], second[p], at[p] = np.inf, np.inf, start
    for c in range(len(product)):
        for p in range(product.shape[1]):
            value = norms[start + c] + product[c, p]
            least, next_least = near[p], second[p]
            larger = value if value > least else least
            second[p] = larger if larger < next_least else next_least
            near[p] = value if value < least else least
            at[p] = start + c if value < least else at[p]


@compiled
def search_all(X, i, centers, bounds):
    """Set place and bounds of row i from its exact distances; tell whether one is finite."""
    starts, order, group_moved = centers.starts, centers.order, centers.group_moved
    lower = bounds.lower
    best, winner, home = X.dtype.type(np.inf), np.int32(-1), 0
    for g in range(len(lower)):
        near, second, at = search(X, i, centers.rows, starts[g], starts[g + 1], centers.scale)

        # Of equally near centres the first counts; the group of the old winner gets its bound.
        if winner < 0 or near < best or (near == best and order[at] < order[winner]):
            if winner >= 0:
                lower[home, i] = np.sqrt(best) + group_moved[home]
            best, winner, home = near, at, g
            near = second
        lower[g, i] = np.sqrt(near) + group_moved[g]
    bounds.places[i] = winner
    bounds.upper[i] = np.sqrt(best) - centers.moved[winner]
    return best < np.inf


@compiled_in_order
def search(X, i, centers, start, stop, scale):
    """Return the two least scaled squares of row i's distances to some centres, and the nearest."""
    near = second = X.dtype.type(np.inf)
    at = np.int32(start)
    for c in range(start, stop):
        value = X.dtype.type(0)
        for j in range(X.shape[1]):
            value += ((X[i, j] - centers[c, j]) * scale) ** 2
        if value < near:
            near, second, at = value, near, np.int32(c)
        elif value < second:
            second = value
    return near, second, at


@compiled
def squared_distance(X, i, centers, c, scale):
    """Return the scaled squared distance of row i to centre c."""
    total = X[i, 0] - X[i, 0]
    for j in range(X.shape[1]):
        total += ((X[i, j] - centers[c, j]) * scale) ** 2
    return total
