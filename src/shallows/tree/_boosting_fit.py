"""Gradient boosting: trees that each descend the loss of all before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from shallows._core.contract.training import Training
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.tree._histogram_bins import bin_rows, learn_bins
from shallows.tree._histogram_grower import Grower, Limits, Relations
from shallows.tree._histogram_kernels import Rules
from shallows.tree._histogram_tree import Trees, add_answers, join_trees

BLOCK_ROWS = 8192
MIN_HESSIAN = 1e-3  # of a side of a split, for rows of weight one
SMOOTHING = 10.0  # rows of hessian one that a category is thought to have more


class Samples(NamedTuple):
    """Checked rows, targets and weights."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray


class Plan(NamedTuple):
    """How to boost: what does not depend on the data."""

    learning_rate: float
    max_iter: int
    max_bins: int
    limits: Limits
    min_samples: int
    l2: float
    relations: Relations
    n_categories: list


class Boosted(NamedTuple):
    """Where predictions begin, and the trees that are added."""

    start: np.ndarray
    trees: Trees


class Patience(NamedTuple):
    """When to stop early: after so many iterations without an improvement by `tol`.

    `score` rates the trees so far on training and validation rows; None takes minus the loss.
    """

    n_iter: int
    tol: float
    score: Callable[[Boosted], tuple[float, float]] | None


def raw_answers(boosted: Boosted, X, last=None):
    """Return raw predictions, of the first `last` trees or of all."""
    raw = np.tile(boosted.start, (len(X), 1))
    add_answers(boosted.trees, X, raw, 0, last)
    return raw


def staged_answers(boosted: Boosted, X):
    """Yield raw predictions after each iteration, each in an array of its own."""
    raw = np.tile(boosted.start, (len(X), 1))
    n_outputs = boosted.trees.n_outputs
    for first in range(0, len(boosted.trees.roots), n_outputs):
        add_answers(boosted.trees, X, raw, first, first + n_outputs)
        yield raw.copy()


class Descent:
    """Raw predictions of the training rows, and the slopes of their loss.

    Parameters
    ----------
    loss : object
        One of `_boosting_losses`.
    samples : Samples
        Training rows.
    raw : ndarray of shape (n_samples, n_outputs)
        Predictions to start from; changed in place.
    """

    def __init__(self, loss, samples: Samples, raw):
        self.loss, self.samples, self.raw = loss, samples, raw
        shape = raw.shape[::-1]
        self.gradients, self.hessians = np.empty(shape), np.ones(shape)
        self._weighted = bool((samples.weights != 1).any())

    def slopes(self) -> float:
        """Compute gradients and hessians of all rows; returns the mean loss."""
        y, weights = self.samples.y, self.samples.weights

        def part(rows: slice) -> float:
            loss, gradient, hessian = self.loss.slopes(y[rows], self.raw[rows])
            self.gradients[:, rows] = gradient.T
            if hessian is not None:
                self.hessians[:, rows] = hessian.T
            elif self._weighted:
                self.hessians[:, rows] = 1.0
            if self._weighted:
                self.gradients[:, rows] *= weights[rows]
                self.hessians[:, rows] *= weights[rows]
            return float(loss @ weights[rows])

        return sum(map_blocks(part, len(y), BLOCK_ROWS)) / weights.sum()

    def add(self, tree, output: int, learning_rate: float) -> None:
        """Shrink the leaves of a tree and add them to the predictions of their rows."""
        nodes = tree.nodes
        if self.loss.leaf_value is not None:
            self._refit(tree, output)
        nodes["value"] *= learning_rate
        column = self.raw[:, output]
        values = np.repeat(nodes["value"][tree.leaves], np.diff(tree.bounds))
        column[tree.rows] += values

    def _refit(self, tree, output: int) -> None:
        """Give each leaf the constant that minimises the loss of its rows."""
        y, weights = self.samples.y, self.samples.weights
        for leaf, start, end in zip(tree.leaves, tree.bounds, tree.bounds[1:], strict=False):
            rows = tree.rows[start:end]
            residuals = y[rows] - self.raw[rows, output]
            tree.nodes["value"][leaf] = self.loss.leaf_value(residuals, weights[rows])


def boost(
    estimator: Any,
    loss: Any,
    plan: Plan,
    train: Samples,
    held: Samples | None,
    patience: Patience | None,
    before: Boosted | None,
    rng: np.random.Generator,
) -> tuple[Boosted, Training, list[list[float]]]:
    """Add trees until `max_iter` or until the loss on held-out rows stops falling.

    Returns what has been learned, the training with its history, and the scores on training
    and validation rows before the first iteration and after each.
    """
    bin_rng, tree_rng = rng.spawn(2)
    bins = learn_bins(train.X, train.weights, plan.max_bins, plan.n_categories, bin_rng)
    rules = Rules(plan.min_samples, MIN_HESSIAN * train.weights.mean(), plan.l2, SMOOTHING)
    table = bin_rows(bins, train.X)
    grower = Grower(bins, table, rules, plan.limits, plan.relations, tree_rng)
    start = loss.start(train.y, train.weights) if before is None else before.start
    before = before or Boosted(start, join_trees([], loss.n_outputs))
    added: list = []

    def so_far() -> Boosted:
        return Boosted(start, join_trees(added, loss.n_outputs, before.trees))

    descent = Descent(loss, train, raw_answers(before, train.X))
    check = Check(loss, held, before, patience)
    training = Training(
        estimator,
        plan.max_iter - len(before.trees.roots) // loss.n_outputs,
        state=lambda: {"_boosted": so_far()},
        X=train.X,
        y=train.y,
    )
    with hold_threads():
        check.add([], descent.slopes(), so_far)
        for _ in training:
            for output in range(loss.n_outputs):
                tree = grower.grow(descent.gradients[output], descent.hessians[output])
                descent.add(tree, output, plan.learning_rate)
                added.append(tree._replace(rows=tree.rows[:0]))
            mean_loss = descent.slopes()
            watched = check.add(added[-loss.n_outputs :], mean_loss, so_far)
            training.record(loss=mean_loss, **watched)
            if check.is_stalled():
                training.stop("early")
    return so_far(), training, check.scores


class Check:
    """Watches the loss or a score for early stopping."""

    def __init__(self, loss, held: Samples | None, boosted: Boosted, patience: Patience | None):
        self.loss, self.held, self.patience = loss, held, patience
        self.scores: list[list[float]] = [[], []]
        self._raw = None if held is None else raw_answers(boosted, held.X)

    def add(self, trees: list, train_loss: float, so_far) -> dict[str, float]:
        """Take in an iteration; returns what is recorded of held-out rows."""
        if self.patience is None:
            return {}
        if self.patience.score is not None:
            train, held = self.patience.score(so_far())
        else:
            train, held = -train_loss, -self._held_loss(trees)
        self.scores[0].append(train)
        if self.held is None:
            return {}
        self.scores[1].append(held)
        return {"val_loss": -held} if self.patience.score is None else {"held_score": held}

    def is_stalled(self) -> bool:
        """Tell whether none of the last scores is better than the one before them by `tol`."""
        if self.patience is None:
            return False
        scores = self.scores[0 if self.held is None else 1]
        if len(scores) <= self.patience.n_iter:
            return False
        before = scores[-self.patience.n_iter - 1]
        return max(scores[-self.patience.n_iter :]) <= before + self.patience.tol

    def _held_loss(self, trees: list) -> float:
        if self.held is None:
            return 0.0
        if trees:
            add_answers(join_trees(trees, self.loss.n_outputs), self.held.X, self._raw)
        loss, _, _ = self.loss.slopes(self.held.y, self._raw)
        return float(np.average(loss, weights=self.held.weights))
