"""Pairs of classes: who takes part, where solutions are stored, who wins."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shallows.kernel._class_blocks import ClassBlocks
from shallows.kernel._gram_rows import opener
from shallows.kernel._smo import Problem, working_set_size

FOLDS = 5
FEWEST = 4  # pairs worked on at a time, below which threads lack work


def class_pairs(n_classes):
    """Return the pairs, the positive class first; of two classes it is the second."""
    return [(1, 0)] if n_classes == 2 else list(combinations(range(n_classes), 2))


def members_of(y, pairs):
    """Return for each pair the rows of both classes."""
    return [np.flatnonzero((y == i) | (y == j)) for i, j in pairs]


def rows_of_pairs(points, y, pairs, members):
    """Return a function per pair that opens its kernel rows, and how many may be open at once.

    `y` is sorted where there are more than two classes. Pairs share the blocks of kernel values
    within classes where these leave room for a few blocks between two.
    """
    if len(pairs) == 1:
        return [opener(points, members[0], points.cache_bytes)], 1
    sizes = np.bincount(y)
    if points.gram is not None:
        return _openers(ClassBlocks(points, sizes), pairs), len(pairs)
    own, across = 4.0 * np.sum(sizes**2), 4.0 * np.prod(np.sort(sizes)[-2:])
    if own + FEWEST * across <= points.cache_bytes:
        at_once = int((points.cache_bytes - own) // across)
        return _openers(ClassBlocks(points, sizes), pairs), at_once
    widest = max(len(some) for some in members)
    least = 4.0 * widest * working_set_size(widest)
    at_once = min(int(max(points.cache_bytes // least, 1)), len(pairs))
    return [opener(points, some, points.cache_bytes / at_once) for some in members], at_once


def _openers(blocks, pairs):
    return [lambda _, pair=pair: blocks.pair(*pair) for pair in pairs]


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
        members = problem.members[kept]
        part = Problem(
            points,
            members,
            targets,
            low=problem.low[kept],
            high=problem.high[kept],
            epsilon=0.0,
            tol=problem.tol,
            shrinking=problem.shrinking,
            start=None,
            open_rows=opener(points, members, points.cache_bytes),
        ).solve(limit)
        coefficients = np.zeros(len(points.diagonal))
        coefficients[part.members] = part.coef
        rows = problem.members[held]
        decisions[held] = points.products(coefficients, rows) + part.intercept
    return decisions
