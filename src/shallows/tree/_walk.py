"""Compiled walks down a tree: to leaves, to answers, and to counts at every node.

Rows come as `_rows.Rows` holds them.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.tree._questions import BELOW, EQUALS, LEAF

FEATURE_BITS = 2**32 - 1
GROUP = 8  # rows that walk abreast: the processor waits for the memory of one while others go on


@compiled
def pack(feature, question, first):
    """Return first branch, feature and question of each node as one number."""
    packed = np.empty(len(feature), np.int64)
    for node in range(len(feature)):
        packed[node] = (
            (np.int64(first[node]) << 32) | (np.int64(feature[node]) << 2) | question[node]
        )
    return packed


@compiled
def find_leaves(values, columns, starts, width, packed, threshold, heaviest, leaves):
    """Write the leaf of each row; where a value is missing the heaviest branch is followed."""
    is_sparse = len(starts) > 0
    spread = np.zeros(min(GROUP, len(leaves)) * width if is_sparse else 0, values.dtype)
    for start in range(0, len(leaves), GROUP):
        end = min(start + GROUP, len(leaves))
        for i in range(start, end):
            leaves[i] = 0
            for entry in range(starts[i] if is_sparse else 0, starts[i + 1] if is_sparse else 0):
                spread[(i - start) * width + columns[entry]] = values[entry]
        walking = True
        while walking:
            walking = False
            for i in range(start, end):
                node = leaves[i]
                asked = packed[node] & 3
                if asked == LEAF:
                    continue
                walking = True
                feature = (packed[node] & FEATURE_BITS) >> 2
                if is_sparse:
                    x = spread[(i - start) * width + feature]
                else:
                    x = values[i * width + feature]
                if x != x:
                    branch = np.int64(heaviest[node])
                elif asked == BELOW:
                    branch = np.int64(x > threshold[node])
                elif asked == EQUALS:
                    branch = np.int64(x != threshold[node])
                else:
                    branch = np.int64(x)
                leaves[i] = (packed[node] >> 32) + branch
        for i in range(start, end if is_sparse else start):
            for entry in range(starts[i], starts[i + 1]):
                spread[(i - start) * width + columns[entry]] = 0


@compiled
def add_values(value, leaves, answers):
    """Add the value of each row's leaf."""
    for i in range(len(leaves)):
        for k in range(value.shape[1]):
            answers[i, k] += value[leaves[i], k]


@compiled
def add_visits(
    values, columns, starts, width, marks, weights, feature, question, threshold, first, branches,
    share, visits,
):  # fmt: skip
    """Add each row's weight to column `marks[i]` of `visits` at all nodes that it comes by.

    Where a value is missing a row goes down all branches, with their share of its weight.
    """
    stack, parts = np.empty(len(feature), np.int64), np.empty(len(feature))
    for i in range(len(marks)):
        stack[0], parts[0] = 0, weights[i]
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, weight = stack[waiting], parts[waiting]
            visits[node, marks[i]] += weight
            asked = question[node]
            if asked == LEAF:
                continue
            x = _value(values, columns, starts, width, i, feature[node])
            if x != x:
                for child in range(first[node], first[node] + branches[node]):
                    if share[child] > 0:
                        stack[waiting], parts[waiting] = child, weight * share[child]
                        waiting += 1
                continue
            if asked == BELOW:
                branch = 0 if x <= threshold[node] else 1
            elif asked == EQUALS:
                branch = 0 if x == threshold[node] else 1
            else:
                branch = int(x)
            stack[waiting], parts[waiting] = first[node] + branch, weight
            waiting += 1


@compiled
def add_answers(
    values, columns, starts, width, feature, question, threshold, first, branches, share, value,
    answers,
):  # fmt: skip
    """Add the mean value of the leaves that each row comes to, by their share of its weight."""
    stack, parts = np.empty(len(feature), np.int64), np.empty(len(feature))
    for i in range(len(answers)):
        stack[0], parts[0] = 0, 1.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, weight = stack[waiting], parts[waiting]
            asked = question[node]
            if asked == LEAF:
                for k in range(value.shape[1]):
                    answers[i, k] += weight * value[node, k]
                continue
            x = _value(values, columns, starts, width, i, feature[node])
            if x != x:
                for child in range(first[node], first[node] + branches[node]):
                    if share[child] > 0:
                        stack[waiting], parts[waiting] = child, weight * share[child]
                        waiting += 1
                continue
            if asked == BELOW:
                branch = 0 if x <= threshold[node] else 1
            elif asked == EQUALS:
                branch = 0 if x == threshold[node] else 1
            else:
                branch = int(x)
            stack[waiting], parts[waiting] = first[node] + branch, weight
            waiting += 1


@compiled
def _value(values, columns, starts, width, i, feature):
    if len(starts) > 0:
        return _find_value(values, columns, starts, i, feature)
    return values[i * width + feature]


@compiled
def _find_value(values, columns, starts, i, feature):
    """Look up a value by halves in what a row lists; zero where it does not."""
    low, high = starts[i], starts[i + 1]
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < feature:
            low = middle + 1
        else:
            high = middle
    if low < starts[i + 1] and columns[low] == feature:
        return values[low]
    return values.dtype.type(0)
