"""Pairs of classes: who takes part, where solutions are stored, who wins."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shallows.kernel._smo import Problem

FOLDS = 5


def class_pairs(n_classes):
    """Return the pairs, the positive class first; of two classes it is the second."""
    return [(1, 0)] if n_classes == 2 else list(combinations(range(n_classes), 2))


def members_of(y, pairs):
    """Return for each pair its first class and the rows of both classes."""
    return [(i, np.flatnonzero((y == i) | (y == j))) for i, j in pairs]


def pair_places(pairs, sizes):
    """Yield each pair's number, its classes in order, and the slices of their support vectors.

    Support vectors stand class by class; `sizes` says how many each class has.
    """
    ends = np.cumsum(sizes)
    places = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    for k, pair in enumerate(pairs):
        low, high = sorted(pair)
        yield k, low, high, places[low], places[high]


def count_votes(decisions, pairs, n_classes):
    """Return the pairs won by each class, and its summed decisions squeezed into (-1/3, 1/3)."""
    votes, sums = np.zeros((2, len(decisions), n_classes))
    for k, (i, j) in enumerate(pairs):
        won = decisions[:, k] > 0
        votes[won, i] += 1
        votes[~won, j] += 1
        sums[:, i] += decisions[:, k]
        sums[:, j] -= decisions[:, k]
    return votes, sums / (3 * (np.abs(sums) + 1))


def held_out_decisions(points, problem, rng, limit):
    """Return the decision values of a problem's members, each from folds that lack it."""
    fold = np.empty(len(problem.members), dtype=np.intp)
    for sign in (-1, 1):
        rows = np.flatnonzero(problem.targets == sign)
        fold[rng.permutation(rows)] = np.arange(len(rows)) % FOLDS
    decisions = np.empty(len(fold))
    for number in range(FOLDS):
        kept, held = fold != number, fold == number
        if not held.any():  # fewer samples than folds
            continue
        targets = problem.targets[kept]
        if len(np.unique(targets)) < 2:
            decisions[held] = targets[0] if len(targets) else 0.0
            continue
        bounds = problem.low[kept], problem.high[kept]
        options = 0.0, problem.tol, problem.shrinking, None, points.cache_bytes
        part = Problem(points, problem.members[kept], targets, *bounds, *options).solve(limit)
        coefficients = np.zeros(len(points.diagonal))
        coefficients[part.members] = part.coef
        rows = problem.members[held]
        decisions[held] = points.products(coefficients, rows) + part.intercept
    return decisions
