"""From data to trees: several grow together, and each becomes a tree of its own."""

from __future__ import annotations

import numpy as np

from shallows.tree._grow import Nodes, grow_nodes
from shallows.tree._growth import Rules
from shallows.tree._purity import SQUARED
from shallows.tree._questions import LEAF
from shallows.tree._ranks import Ranks
from shallows.tree._targets import Targets
from shallows.tree._task import Task
from shallows.tree._totals import ROUNDING
from shallows.tree._tree import Tree

SEEDS = 2**63


def plant(ranks: Ranks, targets: Targets, rules: Rules, roots) -> list[Tree]:
    """Grow one tree from each root; a root has sample numbers, their weights and a seed."""
    offset, y, n_classes = np.zeros(1), targets.y, targets.n_classes
    if rules.criterion in SQUARED:  # sums of small numbers keep more digits
        offset = y.mean(axis=0)
        y = y - offset
    nodes = grow_nodes(Task(ranks, y, n_classes, rules), roots)
    order = np.argsort(nodes.tree, kind="stable")
    bounds = np.searchsorted(nodes.tree[order], np.arange(len(roots) + 1))
    totals = [weights.sum() for _, weights, _ in roots]
    return [
        _tree(nodes, order[bounds[k] : bounds[k + 1]], offset, targets, totals[k])
        for k in range(len(roots))
    ]


def _tree(nodes: Nodes, own, offset, targets, total) -> Tree:
    """Return some of the nodes as a tree; branches keep their order."""
    number = np.zeros(len(nodes.tree), dtype=np.int64)
    number[own] = np.arange(len(own))
    asked, weight = nodes.questions.rows(own), nodes.weight[own]
    gain, n_outputs = asked.gain, len(targets.widths)
    answer = nodes.sums[own] / np.where(weight > 0, weight, 1.0)[:, None] + offset
    tree = Tree(
        feature=asked.feature.astype(np.int32),
        question=asked.question,
        threshold=asked.threshold,
        first=np.where(asked.question != LEAF, number[nodes.first[own]], 0).astype(np.int32),
        branches=asked.branches.astype(np.int32),
        heaviest=nodes.heaviest[own],
        share=nodes.share[own],
        depth=nodes.depth[own].astype(np.int32),
        n_node_samples=nodes.size[own],
        weighted_n_node_samples=weight,
        impurity=nodes.impurity[own],
        gain=np.where(gain < ROUNDING * weight, 0.0, gain) / (n_outputs * total),
        answer=answer,
        side=asked.side,
        n_classes=targets.widths,
        n_features=targets.n_features,
    )
    empty = np.flatnonzero(tree.n_node_samples == 0)
    if len(empty):
        tree.answer[empty] = tree.answer[tree.parent[empty]]
    return tree
