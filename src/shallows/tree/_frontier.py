"""The nodes at work while trees grow, and their samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.tree._monotonic import turns_below
from shallows.tree._partition import choose_branches, hand_down, hand_down_parts
from shallows.tree._sparse_ranks import look_up_ranks

# Knuth's multiplier for 64-bit congruential generators, and an odd number to tell branches apart
MULTIPLIER, BRANCH = np.uint64(6364136223846793005), np.uint64(1442695040888963407)


class Frontier(NamedTuple):
    """Nodes at work, of one tree or of several.

    The samples of node k and their weights are those from ``starts[k]`` to ``starts[k + 1]``;
    `share` is the part of the parent's weight without gaps that came to a node. With effects that
    must rise or fall, values of a node lie within its `bounds`, and `turn` is 1 for a branch that
    must stay below its sibling, -1 for one above it, else 0.
    """

    samples: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    tree: np.ndarray
    depth: np.ndarray
    seed: np.ndarray
    share: np.ndarray
    bounds: np.ndarray
    turn: np.ndarray

    @classmethod
    def of(cls, roots) -> Frontier:
        """Return the roots of trees, given as (samples, weights, seed)."""
        sizes = [len(samples) for samples, _, _ in roots]
        n = len(roots)
        return cls(
            samples=np.concatenate([samples for samples, _, _ in roots]).astype(np.int32),
            weights=np.concatenate([weights for _, weights, _ in roots]).astype(np.float64),
            starts=np.concatenate([[0], np.cumsum(sizes)]),
            tree=np.arange(n),
            depth=np.zeros(n, dtype=np.int64),
            seed=np.array([seed for _, _, seed in roots], dtype=np.uint64),
            share=np.ones(n),
            bounds=np.tile([-np.inf, np.inf], (n, 1)),
            turn=np.zeros(n, dtype=np.int64),
        )

    @classmethod
    def none(cls) -> Frontier:
        """Return no nodes."""
        starts, numbers, shares = np.zeros(1, dtype=int), np.empty(0, dtype=int), np.empty(0)
        seeds = np.empty(0, dtype=np.uint64)
        bounds = np.empty((0, 2))
        return cls(numbers, shares, starts, numbers, numbers, seeds, shares, bounds, numbers)

    def without_samples(self) -> Frontier:
        """Return what is to be kept of nodes that have been worked on."""
        return self._replace(samples=self.samples[:0].copy(), weights=self.weights[:0].copy())

    @property
    def node_of(self) -> np.ndarray:
        """Node of each sample."""
        return np.repeat(np.arange(len(self.depth)), np.diff(self.starts))

    @property
    def ones(self) -> np.ndarray:
        """How many samples each of the samples stands for."""
        return np.ones(len(self.samples), dtype=np.int64)

    @property
    def states(self) -> np.ndarray:
        """Start of each node's random numbers: 32 bits, not all 0."""
        return (self.seed >> np.uint64(32)).astype(np.int64) | 1

    def part(self, node: int) -> Frontier:
        """Return one node alone."""
        rows, one = slice(self.starts[node], self.starts[node + 1]), slice(node, node + 1)
        return Frontier(
            samples=self.samples[rows],
            weights=self.weights[rows],
            starts=np.array([0, rows.stop - rows.start]),
            tree=self.tree[one],
            depth=self.depth[one],
            seed=self.seed[one],
            share=self.share[one],
            bounds=self.bounds[one],
            turn=self.turn[one],
        )

    @classmethod
    def joined(cls, parts) -> Frontier:
        """Return the nodes of several frontiers side by side."""
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        joined = cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        return joined._replace(starts=np.concatenate([[0], np.cumsum(sizes)]))


class Asked(NamedTuple):
    """Nodes that divide: their question, and the number of their first branch among all new.

    A sample of which the feature has the rank `missing` has a gap.
    """

    node: np.ndarray
    feature: np.ndarray
    missing: np.ndarray
    question: np.ndarray
    cut: np.ndarray
    side: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    heaviest: np.ndarray


class Branches(NamedTuple):
    """Number of samples of each branch, and the weight of those that have the asked value."""

    size: np.ndarray
    weight: np.ndarray


def divide(task, front: Frontier, questions, nodes):
    """Hand the samples of some nodes to their branches.

    Returns the frontier of all branches, and of each divided node the number of its first branch
    and its heaviest one. A sample with a gap goes to all branches, with their shares of its
    weight, or, if it is too light to be divided, to the heaviest.
    """
    ranks, light = task.ranks, task.rules.light
    n_branches = questions.branches[nodes]
    first = np.cumsum(n_branches) - n_branches
    asked = Asked(
        nodes,
        questions.feature[nodes],
        ranks.n_values[questions.feature[nodes]],
        questions.question[nodes],
        questions.cut[nodes],
        questions.side[nodes],
        first,
        n_branches,
        np.zeros(len(nodes), dtype=np.int64),
    )
    total = int(n_branches.sum())
    went = np.empty(len(front.samples), dtype=np.int32)
    branches = Branches(np.zeros(total, dtype=np.int64), np.zeros(total))
    _choose(front, ranks, asked, went, branches)
    parent = np.repeat(np.arange(len(nodes)), n_branches)
    share = branches.weight / np.bincount(parent, branches.weight)[parent]
    by_weight = np.lexsort((-np.arange(total), branches.weight, parent))
    asked.heaviest[:] = by_weight[first + n_branches - 1] - first
    samples, weights = _hand_down(front, asked, went, branches.size, share, light)
    seed = front.seed[nodes][parent] * MULTIPLIER
    seed += (np.arange(total) - first[parent] + 1).astype(np.uint64) * BRANCH
    below = Frontier(
        samples,
        weights,
        np.concatenate([[0], np.cumsum(branches.size)]),
        front.tree[nodes][parent],
        front.depth[nodes][parent] + 1,
        seed,
        share,
        front.bounds[nodes][parent],
        turns_below(task, questions, nodes, parent, first),
    )
    return below, first, asked.heaviest


def _choose(front, ranks, asked, went, branches):
    if ranks.listed is None:
        choose_branches(ranks.table, front, asked, went, branches)
        return
    # The looked-up ranks are a table with one column, which every node asks for.
    feature = np.zeros(len(front.depth), dtype=np.int64)
    feature[asked.node] = asked.feature
    found = look_up_ranks(ranks.listed, front.samples, feature[front.node_of])
    places = np.arange(len(found), dtype=np.int32)
    same = asked._replace(feature=np.zeros(len(asked.node), dtype=np.int64))
    choose_branches(found[None], front._replace(samples=places), same, went, branches)


def _hand_down(front, asked, went, size, share, light):
    """Return the samples of all branches and their weights; `size` counts the parts, too."""
    rows = np.diff(front.starts)[asked.node]
    known = np.add.reduceat(size, asked.first)
    if (known == rows).all():
        places = np.cumsum(size) - size
        samples, weights = np.empty(size.sum(), dtype=np.int32), np.empty(size.sum())
        hand_down(
            front.samples, front.weights, front.starts, asked.node, went, places, samples, weights
        )
        return samples, weights
    dividing = np.zeros(len(front.depth), dtype=bool)
    dividing[asked.node] = True
    place = np.zeros(len(front.depth), dtype=np.int64)
    place[asked.node] = np.arange(len(asked.node))
    gap = (went < 0) & dividing[front.node_of]
    of_gap, lighter = place[front.node_of[gap]], front.weights[gap] < light
    light_gaps = np.bincount(of_gap[lighter], minlength=len(rows))
    other_gaps = np.bincount(of_gap[~lighter], minlength=len(rows))
    parent = np.repeat(np.arange(len(rows)), asked.branches)
    size += np.where(share > 0, other_gaps[parent], 0)
    size[asked.first + asked.heaviest] += light_gaps
    places = np.cumsum(size) - size
    samples, weights = np.empty(size.sum(), dtype=np.int32), np.empty(size.sum())
    hand_down_parts(front, asked, went, share, light, places, samples, weights)
    return samples, weights
