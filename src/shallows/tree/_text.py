"""Trees in words: branches, whole trees, and the way of a row."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier

from shallows.tree._questions import BELOW, EQUALS


def feature_names(model) -> list[str]:
    """Return the names of the columns, x0, x1 and so on where they have none."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(names)


def branch_words(model, node: int, decimals: int = 2) -> list[tuple[str, str, str]]:
    """Return (property, relation, value) of each branch of a node."""
    tree = model.tree_
    feature, threshold = tree.feature[node], tree.threshold[node]
    name, categories = feature_names(model)[feature], model.categories_[feature]
    if tree.question[node] == BELOW:
        value = f"{threshold:.{decimals}f}"
        return [(name, "<=", value), (name, ">", value)]
    if tree.question[node] == EQUALS:
        value = str(categories[int(threshold)])
        return [(name, "=", value), (name, "is not", value)]
    return [(name, "=", str(value)) for value in categories]


def answer_words(model, node: int) -> str:
    """Return what a leaf answers."""
    value = model.tree_.answer[node]
    if is_classifier(model):
        return str(model.classes_[value.argmax()])
    return ", ".join(f"{number:.4g}" for number in value)


def write_text(model, decimals: int) -> str:
    """Return the tree as indented lines, branches in their order."""
    tree, lines = model.tree_, []
    stack = [(0, "")]
    while stack:
        node, words = stack.pop()
        indent = "|   " * (tree.depth[node] - 1)
        if tree.branches[node]:
            lines += [f"{indent}{words}"] if words else []
            branches = branch_words(model, node, decimals)
            children = [(tree.first[node] + i, " ".join(part)) for i, part in enumerate(branches)]
            stack += reversed(children)
        else:
            weight = f"{tree.weighted_n_node_samples[node]:g}"
            lines.append(f"{indent}{words}: {answer_words(model, node)} ({weight})".lstrip(": "))
    return "\n".join(lines)


def path_to(tree, node: int, parents: np.ndarray) -> list[tuple[int, int]]:
    """Return (node, branch) from the root down to a node."""
    path = []
    while parents[node] >= 0:
        path.append((int(parents[node]), int(node - tree.first[parents[node]])))
        node = parents[node]
    return path[::-1]


def explain_rows(model, leaves: np.ndarray) -> list[str]:
    """Return a sentence for the way to each of these leaves."""
    tree, parents = model.tree_, model.tree_.parent
    sentences = {}
    for leaf in np.unique(leaves):
        words = [
            " ".join(branch_words(model, node)[branch])
            for node, branch in path_to(tree, leaf, parents)
        ]
        answer = answer_words(model, leaf)
        sentences[leaf] = f"{answer}, because {' and '.join(words)}" if words else answer
    return [sentences[leaf] for leaf in leaves]
