"""What a node may ask, and where the growth of a tree writes it."""

from __future__ import annotations

from typing import NamedTuple

GINI, ENTROPY, RATIO, ERROR, SQUARES = range(5)
LEAF, BELOW, EACH, EQUALS = range(4)  # a node asks: nothing, x <= t?, which x?, x = a?

# Columns of the integers and of the numbers that describe a node
FEATURE, QUESTION, CUT, LOW, HIGH, BRANCHES, FIRST, HEAVIEST, DEPTH, SIZE, START = range(11)
WEIGHT, SQUARE, GAIN, SHARE = range(4)

ROUNDING = 1e-12  # of the weight: gains closer than this are equal, and the first is taken


class Rules(NamedTuple):
    """Which nodes ask, what a question is judged by, and what its branches must have."""

    criterion: int
    multiway: bool
    max_depth: int
    max_leaves: int  # 0 for any number
    min_size: int
    min_leaf: int
    least_weight: float
    min_weight: float
    min_gain: float
    n_drawn: int
    light: float  # a part of a sample that weighs less is not divided further
