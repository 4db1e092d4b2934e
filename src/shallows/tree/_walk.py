"""Compiled walks down a tree: to leaves, to answers, and to counts at every node."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled
from shallows.tree._grow import BELOW, EQUALS, LEAF

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
def find_leaves(X, packed, threshold, heaviest, leaves):
    """Write the leaf of each row; where a value is missing the heaviest branch is followed."""
    for start in range(0, len(X), GROUP):
        end = min(start + GROUP, len(X))
        for i in range(start, end):
            leaves[i] = 0
        walking = True
        while walking:
            walking = False
            for i in range(start, end):
                node = leaves[i]
                asked = packed[node] & 3
                if asked == LEAF:
                    continue
                walking = True
                x = X[i, (packed[node] & FEATURE_BITS) >> 2]
                if x != x:
                    branch = np.int64(heaviest[node])
                elif asked == BELOW:
                    branch = np.int64(x > threshold[node])
                elif asked == EQUALS:
                    branch = np.int64(x != threshold[node])
                else:
                    branch = np.int64(x)
                leaves[i] = (packed[node] >> 32) + branch


@compiled
def add_visits(X, marks, weights, feature, question, threshold, first, branches, share, visits):
    """Add each row's weight to column `marks[i]` of `visits` at all nodes that it comes by.

    Where a value is missing a row goes down all branches, with their share of its weight.
    """
    stack, parts = np.empty(len(feature), np.int64), np.empty(len(feature))
    for i in range(len(X)):
        stack[0], parts[0] = 0, weights[i]
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, weight = stack[waiting], parts[waiting]
            visits[node, marks[i]] += weight
            asked = question[node]
            if asked == LEAF:
                continue
            x = X[i, feature[node]]
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
def add_answers(X, feature, question, threshold, first, branches, share, value, answers):
    """Add the mean value of the leaves that each row comes to, by their share of its weight."""
    stack, parts = np.empty(len(feature), np.int64), np.empty(len(feature))
    for i in range(len(X)):
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
            x = X[i, feature[node]]
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
