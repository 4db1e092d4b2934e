"""The best question of each node at work."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.threads import map_blocks
from shallows.tree._ask_categories import ask_categories
from shallows.tree._ask_numbers import ask_listed_numbers, ask_numbers
from shallows.tree._ask_random import ask_random
from shallows.tree._draw_features import draw_features, turns_of
from shallows.tree._keys import Fields, Pairs
from shallows.tree._questions import Candidates, Questions, is_first
from shallows.tree._sparse_keys import varying_pairs
from shallows.tree._task import Task
from shallows.tree._totals import ROUNDING

KEYS_AT_ONCE = 2**16  # so that keys stay in the cache from stage to stage
ENTRIES_PER_KEY = 8  # of a sparse matrix: few of them belong to drawn features


def find_questions(task: Task, front, totals) -> Questions:
    """Return the best question of each node, and none for nodes that must not ask."""
    questions = Questions.none(len(front.depth), task.widest_subset)
    nodes = _nodes_that_may_ask(task.rules, front, totals)
    n_features, n_drawn = len(task.ranks.n_values), task.rules.n_drawn
    drawn = None
    if n_drawn < n_features:
        drawn = np.empty((len(nodes), n_drawn), dtype=np.int64)
        draw_features(front.states[nodes], n_features, drawn)
    ask = _ask_dense if task.ranks.listed is None else _ask_sparse
    found = ask(task, front, totals, nodes, drawn) if len(nodes) else []
    if found:
        _choose(task, totals, Candidates.joined(found), questions)
    return questions


def _nodes_that_may_ask(rules, front, totals):
    """Return the nodes that are mixed, and neither too small nor too deep."""
    large = np.diff(front.starts) >= rules.min_size
    heavy = totals.weight >= rules.least_weight
    return np.flatnonzero(totals.is_mixed & large & heavy & (front.depth < rules.max_depth))


def _ask_dense(task, front, totals, nodes, drawn) -> list[Candidates]:
    """Ask about dense columns: the drawn ones, and others where none of those varies."""
    n_features = len(task.ranks.n_values)
    if drawn is None:
        return _ask_pairs(task, front, totals, _all_pairs(nodes, n_features))
    by_feature = np.argsort(drawn, axis=None, kind="stable")
    pairs = Pairs.of(np.repeat(nodes, drawn.shape[1])[by_feature], drawn.ravel()[by_feature])
    found = _ask_pairs(task, front, totals, pairs)
    unlucky = np.setdiff1d(nodes, pairs.node[pairs.end > pairs.begin])
    if len(unlucky):
        pairs = _all_pairs(unlucky, n_features)
        others = Candidates.joined(_ask_pairs(task, front, totals, pairs))
        first = _first_turns(front, pairs.chosen(pairs.end > pairs.begin))
        found.append(others.chosen(np.isin(_cells(others), _cells(first))))
    return found


def _all_pairs(nodes, n_features) -> Pairs:
    """Return all pairs, feature by feature: one column at a time stays in the cache."""
    return Pairs.of(np.tile(nodes, n_features), np.repeat(np.arange(n_features), len(nodes)))


def _ask_pairs(task, front, totals, pairs) -> list[Candidates]:
    """Ask about pairs block by block."""
    fields = Fields.of(len(front.samples), task.ranks.n_values.max())
    blocks = _blocks(np.diff(front.starts)[pairs.node], fields.most_pairs)
    found = map_blocks(
        lambda k: _ask(task, front, totals, pairs.chosen(blocks[k.start])), len(blocks), 1
    )
    return [candidates for part in found for candidates in part]


def _ask(task, front, totals, pairs) -> list[Candidates]:
    about_categories = task.ranks.is_category[pairs.feature]
    about_numbers = ask_random if task.rules.splitter == "random" else ask_numbers
    if not about_categories.any():
        return [about_numbers(task, front, totals, pairs)]
    found = []
    for which, ask in ((~about_categories, about_numbers), (about_categories, ask_categories)):
        own = pairs.chosen(which)
        found.append(ask(task, front, totals, own))
        pairs.begin[which], pairs.end[which] = own.begin, own.end
    return found


def _ask_sparse(task, front, totals, nodes, drawn) -> list[Candidates]:
    """Ask about sparse columns, some nodes at a time."""
    sizes = np.diff(front.starts)[nodes] * task.ranks.listed.per_row
    blocks = _blocks(sizes // ENTRIES_PER_KEY, len(nodes))

    def ask(k):
        block = blocks[k.start]
        pairs = varying_pairs(task, front, nodes[block])
        if drawn is not None:
            pairs = _drawn_pairs(front, pairs, nodes[block], drawn[block])
        return ask_listed_numbers(task, front, totals, pairs)

    return map_blocks(ask, len(blocks), 1)


def _drawn_pairs(front, pairs, nodes, drawn) -> Pairs:
    """Return the pairs with drawn features, and one other of each node where none of those is."""
    own = Pairs.of(np.repeat(nodes, drawn.shape[1]), drawn.ravel())
    is_drawn = np.isin(_cells(pairs), _cells(own))
    others = pairs.chosen(~np.isin(pairs.node, pairs.node[is_drawn]))
    return pairs.chosen(is_drawn | np.isin(_cells(pairs), _cells(_first_turns(front, others))))


def _first_turns(front, pairs) -> Pairs:
    """Return for each node the feature whose turn comes first."""
    turns = turns_of(front.seed[pairs.node], pairs.feature)
    order = np.lexsort((turns, pairs.node))
    return pairs.chosen(order[is_first(pairs.node[order])])


def _cells(pairs):
    """Return one number for each pair."""
    return (pairs.node << 32) | pairs.feature


def _blocks(sizes, most: int) -> list[slice]:
    """Cut a list into slices of at most `most`, whose sizes sum to about `KEYS_AT_ONCE`."""
    number = np.cumsum(sizes) // KEYS_AT_ONCE
    ends = [*(np.flatnonzero(number[1:] > number[:-1]) + 1), len(sizes)]
    return [
        slice(first, min(first + most, end))
        for start, end in zip([0, *ends], ends, strict=False)
        for first in range(start, end, most)
    ]


def _choose(task, totals, found: Candidates, questions: Questions) -> None:
    """Write the best question of each node: the first of those with the best score."""
    if not len(found.node):
        return
    by_node = np.lexsort((found.feature, found.node))
    node, gain = found.node[by_node], found.gain[by_node]
    begins = np.flatnonzero(is_first(node))
    n_found = np.diff(np.append(begins, len(node)))
    score, tie = gain, ROUNDING * totals.weight[node]
    if task.rules.criterion == "gain-ratio":
        # Quinlan: the largest gain ratio among the questions with at least average gain
        mean = np.repeat(np.add.reduceat(gain, begins) / n_found, n_found)
        score = np.where(gain >= mean - tie, gain / found.parts[by_node], -np.inf)
        tie = np.full(len(node), ROUNDING)
    best = np.repeat(np.maximum.reduceat(score, begins), n_found)
    top = np.flatnonzero(score >= best - tie)
    top = top[is_first(node[top])]
    enough = gain[top] >= task.rules.min_gain - ROUNDING * totals.weight[node[top]]
    asks, chosen = node[top[enough]], by_node[top[enough]]
    for name in ("question", "feature", "cut", "side", "branches", "gain"):
        getattr(questions, name)[asks] = getattr(found, name)[chosen]
    questions.threshold[asks] = _thresholds(found, task.ranks, chosen)


def _thresholds(found, ranks, chosen):
    """Return thresholds as found, or half-way between the values on both sides."""
    thresholds = found.threshold[chosen]
    between = np.flatnonzero(np.isnan(thresholds))
    features = found.feature[chosen[between]]
    low, high = (
        ranks.values_at(side[chosen[between]], features) for side in (found.low, found.high)
    )
    middle = low / 2 + high / 2
    thresholds[between] = np.where((low <= middle) & (middle < high), middle, low)
    return thresholds
