"""Greedy top-down growth of decision trees, level by level.

A level is worked on in four stages, each a short compiled loop over plain arrays in a file of its
own: keys of the columns that the nodes look at (`_keys`), sorted; a scan of each for the best cut
(`_scan_classes`, `_scan_numbers`); the choice among the columns of a node; the samples handed down
to the branches (`_partition`). Several trees grow at once, so that small ones cost little. With a
limit on the number of leaves a tree divides one node at a time, the one that gains most.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from shallows.tree._find_questions import find_questions
from shallows.tree._frontier import Frontier, divide
from shallows.tree._monotonic import narrowed
from shallows.tree._purity import impurity_of_nodes
from shallows.tree._questions import LEAF, Questions
from shallows.tree._task import Task
from shallows.tree._totals import Totals, total_of

OF_LEAF = {"question": LEAF, "branches": 0, "gain": 0.0, "feature": -2, "threshold": -2.0}


class Level(NamedTuple):
    """Nodes in the order in which they were numbered, with what their samples sum to."""

    front: Frontier
    totals: Totals
    questions: Questions


class Division(NamedTuple):
    """Nodes that have branches, the number of the first one, and which is the heaviest."""

    node: np.ndarray
    first: np.ndarray
    heaviest: np.ndarray


class Nodes(NamedTuple):
    """What is known of all nodes of all trees, an entry for each."""

    tree: np.ndarray
    depth: np.ndarray
    share: np.ndarray
    size: np.ndarray
    weight: np.ndarray
    sums: np.ndarray
    impurity: np.ndarray
    questions: Questions
    first: np.ndarray
    heaviest: np.ndarray


def grow_nodes(task: Task, roots) -> Nodes:
    """Grow a tree from each root: its samples, their weights and a seed."""
    front, n_nodes = Frontier.of(roots), 0
    levels: list[Level] = []
    divisions: list[Division] = []
    waiting = Waiting(len(roots), task.rules.max_leaves)
    while len(front.depth):
        totals = total_of(task, front)
        front = narrowed(task, front, totals)
        questions = find_questions(task, front, totals)
        numbers = n_nodes + np.arange(len(front.depth))
        n_nodes += len(numbers)
        levels.append(Level(front.without_samples(), totals._replace(own=None), questions))
        if task.rules.max_leaves:
            waiting.add(front, questions, numbers)
            front, questions, numbers = waiting.take_best()
        nodes = np.flatnonzero(questions.question != LEAF)
        if not len(nodes):
            break
        front, first, heaviest = divide(task, front, questions, nodes)
        divisions.append(Division(numbers[nodes], first + n_nodes, heaviest))
    return _assemble(task, levels, divisions)


class Waiting:
    """Nodes that may divide, and what each tree divides next: the node that gains most."""

    def __init__(self, n_trees: int, max_leaves: int):
        self._heaps: list[list] = [[] for _ in range(n_trees)]
        self._left = np.full(n_trees, max_leaves - 1)  # leaves that a tree may still add

    def add(self, front: Frontier, questions: Questions, numbers) -> None:
        """Remember the nodes that have a question; of equal gains the later one goes first."""
        for k in np.flatnonzero(questions.question != LEAF):
            entry = (-questions.gain[k], -numbers[k], front.part(int(k)), questions.rows([k]))
            heapq.heappush(self._heaps[front.tree[k]], entry)

    def take_best(self) -> tuple[Frontier, Questions, np.ndarray]:
        """Return one node of each tree that may still grow."""
        taken = []
        for tree, heap in enumerate(self._heaps):
            while heap:
                _, number, front, question = heapq.heappop(heap)
                more = question.branches[0] - 1
                if more <= self._left[tree]:
                    self._left[tree] -= more
                    taken.append((front, question, -number))
                    break
        if not taken:
            return Frontier.none(), Questions.none(0, 0), np.empty(0, dtype=int)
        fronts, questions, numbers = zip(*taken, strict=True)
        return Frontier.joined(fronts), Questions.joined(questions), np.array(numbers)


def _assemble(task, levels, divisions) -> Nodes:
    """Put the levels together; nodes that were not divided become leaves."""
    fronts, totals, questions = zip(*levels, strict=True)
    sums, squares, weight = (
        np.concatenate([getattr(part, name) for part in totals])
        for name in ("sums", "squares", "weight")
    )
    asked, n_nodes = Questions.joined(questions), len(weight)
    first, heaviest = np.zeros(n_nodes, dtype=np.int32), np.zeros(n_nodes, dtype=np.int32)
    divided = np.zeros(n_nodes, dtype=bool)
    for division in divisions:
        first[division.node], heaviest[division.node] = division.first, division.heaviest
        divided[division.node] = True
    for name, of_leaf in OF_LEAF.items():
        getattr(asked, name)[~divided] = of_leaf
    return Nodes(
        tree=np.concatenate([front.tree for front in fronts]),
        depth=np.concatenate([front.depth for front in fronts]),
        share=np.concatenate([front.share for front in fronts]),
        size=np.concatenate([np.diff(front.starts) for front in fronts]),
        weight=weight,
        sums=_within(fronts, sums, weight) if task.rules.signs else sums,
        impurity=impurity_of_nodes(
            task.rules.criterion, sums, squares, weight, task.rules.n_outputs
        ),
        questions=asked,
        first=first,
        heaviest=heaviest,
    )


def _within(fronts, sums, weight):
    """Return the sums by which nodes answer within their bounds."""
    low, high = np.concatenate([front.bounds for front in fronts]).T
    last = np.clip(sums[:, -1], low * weight, high * weight)
    if sums.shape[1] == 1:
        return last[:, None]
    return np.column_stack([weight - last, last])
