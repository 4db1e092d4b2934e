"""A multiway tree as a binary one."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows.tree._purity import impurity_of_nodes, purity
from shallows.tree._questions import EACH, EQUALS
from shallows.tree._tree import BY_NODE, Tree


def to_binary(tree):
    """Return a tree with two branches everywhere that decides as the given one does.

    A question with one branch per category becomes a chain: "is it the first?", if not "is it
    the second?", and so on. Categories that no training sample had share the end of the chain.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree; it is left as it is.

    Returns
    -------
    binary : DecisionTreeClassifier or DecisionTreeRegressor
        The same decisions, in more questions.

    Examples
    --------
    >>> from shallows.tree import DecisionTreeClassifier, to_binary
    >>> X = [["green"], ["yellow"], ["red"]]
    >>> model = DecisionTreeClassifier().fit(X, ["melon", "lemon", "apple"])
    >>> print(to_binary(model).export_text())
    x0 = green: melon (1)
    x0 is not green
    |   x0 = red: apple (1)
    |   x0 is not red: lemon (1)
    """
    check_is_fitted(tree)
    binary = copy(tree)
    binary.tree_ = _unfold(tree.tree_, tree.criterion)
    return binary


def _unfold(tree: Tree, criterion: str) -> Tree:
    """Write the nodes anew: `rows` holds the values of each.

    What waits is the place of a node, its values, its number in the old tree, and, inside a
    chain, the branches that are still to be told apart.
    """
    rows: list[dict] = [{}]
    waiting: list[tuple] = [(0, _row(tree, 0), 0, None)]
    while waiting:
        place, row, node, left = waiting.pop()
        rows[place] = row
        if not tree.branches[node]:
            continue
        first, yes = int(tree.first[node]), len(rows)
        row["first"], row["branches"] = yes, 2
        rows += [{}, {}]
        below = {"depth": row["depth"] + 1}
        if tree.question[node] != EACH:
            for side in (0, 1):
                child = _row(tree, first + side) | below
                waiting.append((yes + side, child, first + side, None))
            continue
        left = left or _told_apart(tree, node)
        asked, others = left[0], left[1:]
        row |= {"question": EQUALS, "threshold": float(asked)}
        row["heaviest"] = int(asked != tree.heaviest[node])
        whole = tree.share[[first + branch for branch in left]].sum()
        share = tree.share[first + asked] / whole
        child = _row(tree, first + asked) | below | {"share": share}
        waiting.append((yes, child, first + asked, None))
        below["share"] = 1.0 - share
        if len(others) == 1:
            child = _row(tree, first + others[0]) | below
            waiting.append((yes + 1, child, first + others[0], None))
        else:
            rest = row | _together(tree, [first + branch for branch in others], criterion) | below
            waiting.append((yes + 1, rest, node, others))
    types = {name: getattr(tree, name).dtype for name in BY_NODE}
    arrays: dict[str, Any] = {
        name: np.array([row[name] for row in rows], kind) for name, kind in types.items()
    }
    return replace(tree, **arrays)


def _told_apart(tree, node):
    """Return the branches that had training samples, then one of those that had none."""
    number, first = int(tree.branches[node]), tree.first[node]
    used = [branch for branch in range(number) if tree.n_node_samples[first + branch] > 0]
    return used + [branch for branch in range(number) if branch not in used][:1]


def _row(tree, node):
    return {name: getattr(tree, name)[node] for name in BY_NODE}


def _together(tree, nodes, criterion):
    """Return what describes several nodes as one."""
    weights, impurities = tree.weighted_n_node_samples[nodes], tree.impurity[nodes]
    sums, weight = tree.answer[nodes] * weights[:, None], weights.sum()
    squares = tree.n_outputs * weights * impurities + purity(criterion, sums, weights)
    total = sums.sum(axis=0)
    mixed = impurity_of_nodes(
        criterion, total[None], squares.sum()[None], weight[None], tree.n_outputs
    )
    return {
        "n_node_samples": tree.n_node_samples[nodes].sum(),
        "weighted_n_node_samples": weight,
        "answer": total / weight,
        "impurity": mixed[0],
        "gain": 0.0,
    }
