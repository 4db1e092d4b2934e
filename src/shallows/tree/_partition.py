"""The samples of nodes go to their branches."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

BELOW, EQUALS, SUBSET = 1, 3, 4  # as in _questions; a kernel's file has its constants
GAP = -1


@compiled
def choose_branches(table, front, asked, went, branches):
    """Write the branch that each sample of a dividing node goes to, -1 where a value is missing.

    `branches` gets the number and the weight of the samples that went to each.
    """
    samples, weights, starts = front.samples, front.weights, front.starts
    for a in range(len(asked.node)):
        node, j, question, cut = asked.node[a], asked.feature[a], asked.question[a], asked.cut[a]
        column, missing, first = table[j], asked.missing[a], asked.first[a]
        for i in range(starts[node], starts[node + 1]):
            rank = np.int64(column[samples[i]])
            if rank == missing:
                went[i] = GAP
                continue
            branch = first + rank
            if question == BELOW:
                branch = first + (rank > cut)
            elif question == EQUALS:
                branch = first + (rank != cut)
            elif question == SUBSET:
                branch = first + asked.side[a, rank]
            went[i] = branch
            branches.size[branch] += 1
            branches.weight[branch] += weights[i]


@compiled
def hand_down(samples, weights, starts, nodes, went, places, new_samples, new_weights):
    """Copy the samples of some nodes to their branches; `places` has where each branch begins."""
    for node in nodes:
        for i in range(starts[node], starts[node + 1]):
            at = places[went[i]]
            new_samples[at], new_weights[at] = samples[i], weights[i]
            places[went[i]] = at + 1


@compiled
def hand_down_parts(front, asked, went, share, light, places, new_samples, new_weights):
    """Copy samples like `hand_down`; those with a gap go in parts to all branches with samples.

    A part has the branch's share of the weight. A sample lighter than `light` is not divided but
    goes to the heaviest branch.
    """
    samples, weights, starts = front.samples, front.weights, front.starts
    for a in range(len(asked.node)):
        first, end = asked.first[a], asked.first[a] + asked.branches[a]
        for i in range(starts[asked.node[a]], starts[asked.node[a] + 1]):
            whole = went[i] != GAP or weights[i] < light
            low, high = first, end
            if whole:
                low = went[i] if went[i] != GAP else first + asked.heaviest[a]
                high = low + 1
            for branch in range(low, high):
                part = 1.0 if whole else share[branch]
                if part > 0:
                    at = places[branch]
                    new_samples[at], new_weights[at] = samples[i], weights[i] * part
                    places[branch] = at + 1
