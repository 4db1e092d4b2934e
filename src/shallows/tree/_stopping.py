"""Early stopping, and Quinlan's pruning: which questions of a full tree are not asked.

What a node asks does not depend on what happens elsewhere, so a full tree cut from the top gives
the tree that would have stopped growing there.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import beta, chi2

from shallows.tree._tree import Tree

SLACK = 0.1  # errors: C4.5 takes a leaf that is expected to err this much more


def stop_by_chi2(tree: Tree, significance: float) -> Tree:
    """Cut where branch and class are not significantly dependent by Pearson's chi-square test."""
    counts = tree.answer * tree.weighted_n_node_samples[:, None]
    refused = []
    for node in np.flatnonzero(~tree.is_leaf):
        table = counts[tree.first[node] : tree.first[node] + tree.branches[node]]
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        statistic = ((table - expected) ** 2 / expected).sum()
        if freedom == 0 or chi2.sf(statistic, freedom) > significance:
            refused.append(node)
    return tree.cut(refused)


def stop_by_validation(tree: Tree, X, y, weights) -> Tree:
    """Cut where a question does not lower the number of errors among held-out samples."""
    visits = tree.visits(X, y, weights, tree.answer.shape[1])
    best = tree.answer.argmax(axis=1)
    errors = visits.sum(axis=1) - visits[np.arange(len(best)), best]
    below = np.bincount(tree.parent[1:], weights=errors[1:], minlength=len(errors))
    return tree.cut(np.flatnonzero(~tree.is_leaf & (below >= errors)))


def prune_by_pessimism(tree: Tree, confidence: float) -> Tree:
    """Cut where a leaf is expected to err no more often than what hangs below it.

    Of n cases with e errors as many are expected as the upper end of a binomial confidence
    interval says, a chance of `confidence` beyond it [Quinlan 1993, section 4.2].
    """
    n = tree.weighted_n_node_samples
    errors = n * (1 - tree.answer.max(axis=1))
    bound = beta.ppf(1 - confidence, errors + 1, np.maximum(n - errors, 1e-9))
    expected, refused = np.where(n > 0, n * bound, 0.0), []
    below = expected.copy()
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:  # branches come after their parent
        below[node] = below[tree.first[node] : tree.first[node] + tree.branches[node]].sum()
        if expected[node] <= below[node] + SLACK:
            refused.append(node)
            below[node] = expected[node]
    return tree.cut(refused)
