"""Merges along the edges of a graph.

Each cluster has its edges in a linked list, knows its nearest neighbour, or at least a lower bound
on that distance, and stands in a heap by it. When two merge, the one with fewer edges hands them
over; of two edges to one neighbour one goes. Memory grows with the number of edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled, compiled_inside

COMPLETE, AVERAGE, WARD = 0, 1, 2
CODES = {"complete": COMPLETE, "average": AVERAGE, "ward": WARD}


class Edges(NamedTuple):
    """The edges of a graph: one linked list of halves per cluster.

    `head` is the first half of each cluster's list and `follow` the next of each half, -1 at the
    end. `ends` is the cluster that a half leads to, `gap` the length of each edge, `gone` whether
    it was dropped, and `degree` the number of edges of each cluster.
    """

    head: np.ndarray
    follow: np.ndarray
    ends: np.ndarray
    gap: np.ndarray
    gone: np.ndarray
    degree: np.ndarray


@compiled
def merge_over_edges(ends, gap, centers, mass, code, first, second, height):
    """Merge clusters in order, and write for each merge a sample of either and the height.

    Edge e has two halves, 2 e and 2 e + 1: `ends` holds the cluster that a half leads to, and
    the other half leads back. Apart from `code` all is overwritten. Ward's heights are what
    a merge adds to the sum of squares.
    """
    n = len(mass)
    head, follow, degree = np.full(n, -1), np.empty_like(ends), np.zeros(n, np.int64)
    edges = Edges(head, follow, ends, gap, np.zeros(len(gap), np.bool_), degree)
    seen = np.full(n, -1)
    near, bound = np.full(n, -1), np.full(n, -np.inf)
    heap, place = np.arange(n), np.arange(n)

    # Hang each half into the list of its owner.
    for half in range(len(ends)):
        owner = ends[half ^ 1]
        follow[half], head[owner] = head[owner], half
        degree[owner] += 1
        if code == WARD:
            gap[half >> 1] = added_squares(centers, mass, owner, ends[half])
    for step in range(n - 1):
        # The pair of least distance; a bound whose neighbour is gone is found anew.
        left = n - step
        j = heap[0]
        while near[j] < 0:
            near[j], bound[j] = search(head[j], edges)
            move(heap, place, bound, place[j], left)
            j = heap[0]
        i, height[step] = near[j], bound[j]

        # Merge i into j, the one with more edges, and take i off the heap.
        if degree[i] > degree[j]:
            i, j = j, i
        first[step], second[step] = i, j
        share = mass[i] / (mass[i] + mass[j])
        mass[j] += mass[i]
        if code == WARD:
            for f in range(centers.shape[1]):
                centers[j, f] += share * (centers[i, f] - centers[j, f])
        hand_over(i, j, share, code, edges, seen)
        last = heap[left - 1]
        heap[place[i]], place[last] = last, place[i]
        move(heap, place, bound, place[last], left - 1)
        bound[j] = -np.inf  # j stays on top of the heap until its neighbours are in order
        move(heap, place, bound, place[j], left - 1)

        # Bring the neighbours of j up to date, and find its nearest on the way.
        nearest, least = -1, np.inf
        half = head[j]
        while half >= 0:
            k, edge = ends[half], half >> 1
            if code == WARD:
                gap[edge] = added_squares(centers, mass, j, k)
            if gap[edge] < bound[k]:
                near[k], bound[k] = j, gap[edge]
                move(heap, place, bound, place[k], left - 1)
            elif near[k] in (i, j):
                near[k] = j if gap[edge] == bound[k] else -1
            if gap[edge] < least:
                nearest, least = k, gap[edge]
            half = follow[half]
        near[j], bound[j] = nearest, least
        move(heap, place, bound, place[j], left - 1)


@compiled_inside
def hand_over(i, j, share, code, edges, seen):
    """Give the edges of cluster i to j; of two to one neighbour, one has the joint distance."""
    head, follow, ends, gap, gone, degree = edges

    # Note the edges of i by the neighbour that they lead to; the edge between i and j goes.
    half = head[i]
    while half >= 0:
        if ends[half] == j:
            gone[half >> 1] = True
        elif not gone[half >> 1]:
            seen[ends[half]] = half >> 1
        half = follow[half]

    # Go through the list of j: drop what is gone, and join edges that i has, too.
    before, half = -1, head[j]
    while half >= 0:
        edge, other = half >> 1, seen[ends[half]]
        if gone[edge] and before < 0:
            head[j] = follow[half]
        elif gone[edge]:
            follow[before] = follow[half]
        else:
            before = half
            if other >= 0:
                gone[other] = True
                degree[ends[half]] -= 1
                if code == COMPLETE:
                    gap[edge] = max(gap[edge], gap[other])
                else:
                    gap[edge] += share * (gap[other] - gap[edge])
        half = follow[half]
    degree[j] -= 1

    # What i still has is put in front of the list of j.
    half = head[i]
    while half >= 0:
        after = follow[half]
        seen[ends[half]] = -1
        if not gone[half >> 1]:
            ends[half ^ 1] = j
            follow[half], head[j] = head[j], half
            degree[j] += 1
        half = after


@compiled
def search(half, edges):
    """Return the nearest cluster in a list of edges that starts with a half, and its distance."""
    _, follow, ends, gap, gone, _ = edges
    near, least = -1, np.inf
    while half >= 0:
        if not gone[half >> 1] and (near < 0 or gap[half >> 1] < least):
            near, least = ends[half], gap[half >> 1]
        half = follow[half]
    return near, least


@compiled
def move(heap, place, bound, at, count):
    """Move one of the `count` clusters in the heap to where its bound belongs."""
    if at >= count:
        return
    cluster = heap[at]
    value = bound[cluster]
    # Up while the parent's bound is larger,
    while at > 0 and bound[heap[(at - 1) >> 1]] > value:
        heap[at] = heap[(at - 1) >> 1]
        place[heap[at]] = at
        at = (at - 1) >> 1
    # then down to the smaller child while that is smaller.
    child = 2 * at + 1
    while child < count:
        if child + 1 < count and bound[heap[child + 1]] < bound[heap[child]]:
            child += 1
        if bound[heap[child]] >= value:
            child = count
        else:
            heap[at] = heap[child]
            place[heap[at]] = at
            at, child = child, 2 * child + 1
    heap[at], place[cluster] = cluster, at


@compiled
def added_squares(centers, mass, a, b):
    """Return what merging two clusters adds to the sum of squares."""
    total = 0.0
    for f in range(centers.shape[1]):
        difference = centers[a, f] - centers[b, f]
        total += difference * difference
    return total * (mass[a] * mass[b] / (mass[a] + mass[b]))
