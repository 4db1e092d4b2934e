"""Samples of nodes handed to the branches of their questions."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled
from shallows.tree._questions import BELOW, BRANCHES, CUT, EQUALS, FEATURE, QUESTION


@compiled
def divide(starts, samples, weights, nodes, integers, table, light):
    """Return samples and weights of the branches of some nodes side by side, where each starts,
    its share of the weight without gaps, and the heaviest branch of each node.

    A sample goes down its branch. One with a gap goes down all branches that have samples, with
    their shares of its weight, or, if it weighs less than `light`, down the heaviest.
    """  # fmt: skip
    first, n_branches, n_inside = np.empty(len(nodes), np.int64), 0, 0
    for k in range(len(nodes)):
        first[k] = n_branches
        n_branches += integers[nodes[k], BRANCHES]
        n_inside += starts[nodes[k] + 1] - starts[nodes[k]]
    share, heaviest = np.zeros(n_branches), np.zeros(len(nodes), np.int64)
    went, counts = np.empty(n_inside, np.int64), np.zeros(n_branches + 1, np.int64)
    place = np.int64(0)
    for k in range(len(nodes)):
        node, last = nodes[k], first[k] + integers[nodes[k], BRANCHES]
        place = _find_branches(
            starts[node], starts[node + 1], first[k], samples, weights, integers[node], table,
            place, went, counts, share,
        )  # fmt: skip
        known, branch = 0.0, first[k]
        for b in range(first[k], last):
            known += share[b]
            branch = b if share[b] > share[branch] else branch
        heaviest[k] = branch - first[k]
        for b in range(first[k], last):
            share[b] /= known
        for i in range(place - starts[node + 1] + starts[node], place):
            if went[i] < 0:
                w = weights[starts[node + 1] - place + i]
                for b in range(first[k], last):
                    if (share[b] > 0 and w >= light) or b == branch:
                        counts[b + 1] += 1
    for b in range(n_branches):
        counts[b + 1] += counts[b]
    ends = counts.copy()
    new_samples, new_weights = np.empty(counts[-1], samples.dtype), np.empty(counts[-1])
    place = 0
    for k in range(len(nodes)):
        last, branch = first[k] + integers[nodes[k], BRANCHES], first[k] + heaviest[k]
        for i in range(starts[nodes[k]], starts[nodes[k] + 1]):
            divided = went[place] < 0 and weights[i] >= light
            low, high = (first[k], last) if divided else (branch, branch + 1)
            if went[place] >= 0:
                low, high = went[place], went[place] + 1
            for b in range(low, high):
                if share[b] > 0:
                    new_samples[ends[b]] = samples[i]
                    new_weights[ends[b]] = weights[i] * share[b] if divided else weights[i]
                    ends[b] += 1
            place += 1
    return counts, new_samples, new_weights, share, heaviest


@compiled
def _find_branches(
    start, end, first, samples, weights, integers, table, place, went, counts, share
):
    """Write the branch of each sample, -1 for a gap, and count; return the next place."""
    feature, question, cut = integers[FEATURE], integers[QUESTION], integers[CUT]
    for i in range(start, end):
        rank = _rank(samples[i], feature, table)
        branch = -1
        if rank != table.n_values[feature]:
            branch = first + rank
            if question == BELOW:
                branch = first + (rank > cut)
            elif question == EQUALS:
                branch = first + (rank != cut)
            counts[branch + 1] += 1
            share[branch] += weights[i]
        went[place] = branch
        place += 1
    return place


@compiled
def _rank(sample, feature, table):
    """Look up the rank of a sample: in a table, or by halves in what its row lists."""
    if len(table.starts) == 0:
        place = table.place[feature]
        if place >= 0:
            return np.int64(table.few[place, sample])
        return np.int64(table.many[-1 - place, sample])
    low, high = table.starts[sample], table.starts[sample + 1]
    while low < high:
        middle = (low + high) // 2
        if table.columns[middle] < feature:
            low = middle + 1
        else:
            high = middle
    if low < table.starts[sample + 1] and table.columns[low] == feature:
        return np.int64(table.ranks[low])
    return table.usual[feature]
