"""Pruning: inner nodes of a full tree become leaves."""

from __future__ import annotations

from copy import copy

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, column_or_1d

from shallows._core.contract.data import check_new, check_weights
from shallows._core.numerics.compile import compiled
from shallows.tree._columns import encode_columns
from shallows.tree._tree import Tree


def prune(tree, X_val, y_val, sample_weight=None):
    """Return a copy of a tree without the questions that do not help on other data.

    Reduced-error pruning: from the bottom upwards an inner node becomes a leaf where the leaf
    makes no more errors on the validation samples than what hangs below it. So the validation
    error never rises, and a question whose gain only shows further down (XOR) survives.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree; it is left as it is. A regression tree is judged by its squared error.
    X_val : array-like of shape (n_samples, n_features)
        Samples that the tree has not been grown from.
    y_val : array-like of shape (n_samples,)
        Their labels or targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the error.

    Returns
    -------
    pruned : DecisionTreeClassifier or DecisionTreeRegressor
        A smaller tree, or an equal one.

    Examples
    --------
    >>> from shallows.data import make_irrelevant
    >>> from shallows.tree import DecisionTreeClassifier, prune
    >>> X, y = make_irrelevant(300, 20, random_state=0)
    >>> tree = DecisionTreeClassifier().fit(X[:150], y[:150])
    >>> tree.get_n_leaves() > 20, prune(tree, X[150:], y[150:]).get_n_leaves() < 10
    (True, True)
    """
    check_is_fitted(tree)
    X = check_new(tree, encode_columns(tree, X_val), sparse=True, allow_nan=True)
    weights = check_weights(sample_weight, X.shape[0])
    if is_classifier(tree):
        errors = _label_errors(tree, X, y_val, weights)
    else:
        errors = _squared_errors(tree.tree_, X, y_val, weights)
    grown, cut = tree.tree_, []
    total = errors.copy()
    for node in range(len(total) - 1, -1, -1):  # branches come after their parent
        if grown.branches[node]:
            below = total[grown.first[node] : grown.first[node] + grown.branches[node]].sum()
            if errors[node] <= below:
                cut.append(node)
            else:
                total[node] = below
    pruned = copy(tree)
    pruned.tree_ = grown.cut(cut)
    return pruned


def pruning_path(tree: Tree) -> Bunch:
    """Return the penalties at which a tree gets smaller, and the impurities that are left."""
    _, alphas, impurities = _weakest_links(
        tree.first, tree.branches, tree.parent, _costs(tree), np.inf
    )
    return Bunch(ccp_alphas=alphas, impurities=impurities)


def prune_by_cost(tree: Tree, ccp_alpha: float) -> Tree:
    """Cut all links that are not worth the penalty `ccp_alpha` per leaf."""
    nodes, _, _ = _weakest_links(
        tree.first, tree.branches, tree.parent, _costs(tree), float(ccp_alpha)
    )
    return tree.cut(nodes[1:])


def _costs(tree):
    return tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]


def _label_errors(tree, X, y, weights):
    y = column_or_1d(y)
    known = np.isin(y, tree.classes_)
    places = np.searchsorted(tree.classes_, y[known])
    grown, n_classes = tree.tree_, len(tree.classes_)
    marks = np.full(len(y), n_classes)  # a class the tree never saw is an error everywhere
    marks[known] = places
    visits = grown.visits(X, marks, weights, n_classes + 1)
    return visits.sum(axis=1) - visits[np.arange(len(visits)), grown.answer.argmax(axis=1)]


def _squared_errors(grown, X, y, weights):
    y = np.asarray(y, dtype=np.float64).reshape(X.shape[0], -1)
    marks, errors = np.zeros(X.shape[0], dtype=np.int64), 0.0
    mass = grown.visits(X, marks, weights, 1)[:, 0]
    for target, value in zip(y.T, grown.answer.T, strict=True):
        first = grown.visits(X, marks, weights * target, 1)[:, 0]
        second = grown.visits(X, marks, weights * target**2, 1)[:, 0]
        errors = errors + second - 2 * value * first + value**2 * mass
    return errors


@compiled
def _weakest_links(first, branches, parent, cost, largest):
    """Return the nodes in the order of cutting, their effective penalties and what is left.

    A link's effective penalty is what its cutting costs per leaf saved. The first entry stands
    for the full tree; cutting ends above the penalty `largest`.
    """
    n = len(cost)
    below, leaves, alive = cost.copy(), np.ones(n), branches > 0
    for node in range(n - 1, -1, -1):
        if branches[node] > 0:
            below[node], leaves[node] = 0.0, 0.0
            for child in range(first[node], first[node] + branches[node]):
                below[node] += below[child]
                leaves[node] += leaves[child]
    nodes, alphas = np.zeros(alive.sum() + 1, np.int64), np.zeros(alive.sum() + 1)
    impurities = np.zeros(alive.sum() + 1)
    nodes[0], impurities[0] = -1, below[0]
    steps, hidden = 1, np.zeros(n, np.bool_)
    while alive[0]:
        weakest, least = -1, np.inf
        for node in range(n):
            if node > 0:
                hidden[node] = hidden[parent[node]] or not alive[parent[node]]
            if alive[node] and not hidden[node]:
                alpha = (cost[node] - below[node]) / (leaves[node] - 1)
                if alpha < least:
                    weakest, least = node, alpha
        if least > largest:
            break
        alive[weakest] = False
        change, fewer = cost[weakest] - below[weakest], leaves[weakest] - 1
        node = weakest
        while node >= 0:
            below[node] += change
            leaves[node] -= fewer
            node = parent[node]
        nodes[steps], alphas[steps], impurities[steps] = weakest, max(least, 0.0), below[0]
        steps += 1
    return nodes[:steps], alphas[:steps], impurities[:steps]
