"""Playground: a question, a tree, a forest, and boosting."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground, shade
from shallows.tree import (
    DecisionTreeClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    correlation,
    gain,
    generalization_error,
    strength,
)

Floats = NDArray[np.float64]
Method = Literal["tree", "forest", "boosting"]
CELLS = 48
ENOUGH = 30  # trees, so that nearly every sample was left out by one of them
REACH = 2.0
THRESHOLDS = np.linspace(-REACH, REACH, 81)[1:-1]

LESSONS = [
    Lesson(
        "One question",
        "Drag in the lower left picture: it is the gain of asking whether x, or y, is below a "
        "threshold. Find the best first question.",
        "The dashed line in the plane follows. The tree asks the question at the highest peak.",
        "The gain is the entropy of all labels less the mean entropy of both sides. A tree tries "
        "all thresholds, takes the best, and goes on with each side.",
        "method=tree&depth=1",
    ),
    Lesson(
        "Too deep",
        "Play the growth of a tree of depth 8 on data with a stray point or two.",
        "The training error goes to zero. The error on the held-out points (drawn pale) falls, "
        "then "
        "rises or stays: thin boxes serve single points.",
        "Every split lowers the training impurity, so that it can't say when to stop. A question "
        "that only one sample needs fits noise.",
        "method=tree&depth=8&play=yes",
    ),
    Lesson(
        "A crowd of bad trees",
        "Choose the forest and add trees.",
        "Single trees are jagged, their mean is smooth. The error settles and does not rise again.",
        "Each tree sees a bootstrap sample and draws features, so trees err in different places. "
        "Breiman: the error is at most ρ (1 - s²) / s², with the strength s of the trees and the "
        "correlation ρ of their mistakes.",
        "method=forest&trees=40&play=yes",
    ),
]
EXERCISE = Exercise(
    "The exclusive or: two corners of each class. What is the gain of the best first question, and "
    "what does a tree of depth 2 do?",
    "The gain of every first question is small, here 0.14 bits at the margin and none in the "
    "middle, because both sides are as mixed as the whole. A tree that looks one question ahead "
    "picks one by chance; only the second question "
    "pays. With depth 2 or 3 it separates the classes all the same.",
    "method=tree&depth=2&points=-1.2,-1,0;-0.9,-1.2,0;-1,-0.8,0;1,1.1,0;1.2,0.9,0;0.8,1,0;-1,1,1;-1.2,0.8,1;-0.8,1.2,1;1,-1.1,1;1.1,-0.8,1;0.8,-1,1",
)


def _start() -> list[tuple[float, ...]]:
    """Return two interlocked half moons with noise."""
    rng = np.random.default_rng(3)
    turn = rng.uniform(0, np.pi, 72)
    label = np.arange(72) % 2
    side = np.where(label, -1, 1)
    x = side * np.cos(turn) * 1.1 + 0.45 * np.where(label, 1, -1)
    y = side * np.sin(turn) * 1.1 - 0.3 * side
    noise = rng.normal(0, 0.2, (2, 72))
    xs, ys = np.clip([x, y] + noise, -1.9, 1.9).round(2)
    return [(float(a), float(b), float(c)) for a, b, c in zip(xs, ys, label, strict=True)]


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["fruit_gains", "breiman_bound", "irrelevant_properties"],
    sources="the course on data analysis: decision trees, random forests and boosting",
)
def forest(
    points: Annotated[list, Points(most=120, least=2)] = _start(),  # type: ignore[type-arg]  # noqa: B008
    method: Method = "tree",
    depth: Annotated[int, Slider(1, 8)] = 4,
    trees: Annotated[int, Slider(1, 60)] = 30,
    axis: Literal["x", "y"] = "x",
    cut: Annotated[float, Slider(-REACH, REACH, step=0.05)] = 0.5,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Trees: one question after the other.

    A tree cuts the plane into boxes, along the axes, by the questions that tell most. A forest
    lets many trees vote that saw different samples; boosting adds small trees that repair what the
    earlier ones got wrong. Every third point is held out, to test.

    Parameters
    ----------
    points : list of (x, y, class)
        Samples; every third one is held out.
    method : str
        One tree, a random forest, or gradient boosting.
    depth : int
        Largest depth of a tree.
    trees : int
        Number of trees.
    axis : str
        What your question asks for.
    cut : float
        The threshold of your question.
    seed : int
        Which samples and features the forest draws.
    """
    held = np.arange(len(points)) % 3 == 2
    table = np.array(points)
    X, y = table[:, :2], table[:, 2].astype(int)
    train, test = (X[~held], y[~held]), (X[held], y[held])
    if len(set(train[1])) < 2:
        return Scene([{}], {"held": held}, code="# Draw both classes.")
    grid = _grid()
    everything = np.vstack([grid, X])
    chances, claims, more = _grow(method, depth, trees, seed, train, test, everything)
    errors = (chances[:, len(grid) :] > 0.5) != y
    common: dict[str, Any] = {
        "held": held,
        "train": errors[:, ~held].mean(axis=1),
        "test": errors[:, held].mean(axis=1) if held.any() else [],
        "gains": [gains_at(*train, axis, THRESHOLDS) for axis in (0, 1)],
        "thresholds": THRESHOLDS,
        **more,
    }
    mine = _gain_of(train[0], train[1], "xy".index(axis), cut)
    text = "gain of your question, at most that of the best one"
    claims = [claim(text, mine, at_most=_best_gain(*train) + 1e-9), *claims]
    frames = [{"field": shade(row[: len(grid)].reshape(CELLS, CELLS), 0, 1)} for row in chances]
    return Scene(frames, common, claims, _code(train, test, method, depth, trees, seed))


def _grow(method, depth, trees, seed, train, test, where):  # type: ignore[no-untyped-def]
    """Return the chance of class 1 at all places as the model grows, claims, and its parts."""
    if method == "tree":
        options: dict[str, Any] = {"criterion": "entropy", "random_state": 0}
        models = [
            DecisionTreeClassifier(max_depth=d, **options).fit(*train) for d in range(1, depth + 1)
        ]
        chances = np.array([model.predict_proba(where)[:, 1] for model in models])
        wrong = [float((model.predict(train[0]) != train[1]).mean()) for model in models]
        root = float(models[-1].tree_.gain[0])
        rise = float(np.diff(wrong, prepend=wrong[0]).max())
        first = models[-1].tree_
        own = _gain_of(train[0], train[1], int(first.feature[0]), float(first.threshold[0]))
        text = "gain of the tree's first question is the difference of entropies"
        claims = [claim(text, root, expected=own, within=1e-9)]
        claims.append(claim("training error never rises with depth; rise", rise, at_most=1e-12))
        return chances, claims, {"tree": _outline(models[-1].tree_), "root": root}
    if method == "forest":
        rated = trees >= ENOUGH
        model = RandomForestClassifier(trees, max_depth=depth, oob_score=rated, random_state=seed)
        model.fit(*train)
        votes = np.array([tree.answers(where, True)[:, 1] for tree in model.trees_])
        chances = np.cumsum(votes, axis=0) / np.arange(1, trees + 1)[:, None]
        claims = []
        if len(test[1]):
            s, error = strength(model, *test), generalization_error(model, *test)
            if s > 0:
                bound = correlation(model, *test) * (1 - s**2) / s**2
                text = "error of the forest, at most Breiman's bound"
                claims.append(claim(text, error, at_most=bound + 1e-9))
        return chances, claims, {"oob": 1 - float(model.oob_score_)} if rated else {}
    model = HistGradientBoostingClassifier(
        max_iter=trees, max_depth=depth, min_samples_leaf=2, learning_rate=0.2, early_stopping=False
    ).fit(*train)
    chances = np.array([chance[:, 1] for chance in model.staged_predict_proba(where)])
    seen = np.array([chance[:, 1] for chance in model.staged_predict_proba(train[0])])
    right = np.where(train[1] == 1, seen, 1 - seen)
    loss = -np.log(np.maximum(right, 1e-15)).mean(axis=1)
    rise = float(np.diff(loss, prepend=loss[0]).max())
    return (
        chances,
        [claim("each tree lowers the training loss; largest rise", rise, at_most=1e-9)],
        {},
    )


def _gain_of(X: Any, y: Any, axis: int, threshold: float) -> float:
    below = X[:, axis] <= threshold
    sides = [np.bincount(y[side], minlength=2) for side in (below, ~below)]
    if not all(side.sum() for side in sides):
        return 0.0
    return float(gain(np.bincount(y, minlength=2), sides, "entropy"))


def gains_at(X: Floats, y: NDArray[np.intp], axis: int, thresholds: Floats) -> Floats:
    """Return the information gain in bits of asking whether a coordinate is at most a threshold."""
    below = X[:, axis] <= thresholds[:, None]
    left = np.stack([(below & (y == label)).sum(axis=1) for label in (0, 1)], axis=1)
    whole = np.bincount(y, minlength=2)
    sizes = left.sum(axis=1) / len(y)
    mixed = sizes * _entropy(left) + (1 - sizes) * _entropy(whole - left)
    found: Floats = _entropy(whole[None])[0] - mixed
    return found


def _entropy(counts: NDArray[np.intp]) -> Floats:
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    bits: Floats = entr(shares).sum(axis=1) / np.log(2)
    return bits


def _best_gain(X: Floats, y: NDArray[np.intp]) -> float:
    return max(float(gains_at(X, y, axis, np.unique(X[:, axis])).max()) for axis in (0, 1))


@lru_cache(maxsize=1)
def _grid() -> Floats:
    ticks = (np.arange(CELLS) + 0.5) / CELLS * 2 * REACH - REACH
    return np.column_stack([part.ravel() for part in np.meshgrid(ticks, ticks)])


def _outline(tree: Any) -> list[dict[str, Any]]:
    """Return the nodes of a tree with their boxes and places in a drawing."""
    nodes: list[dict[str, Any]] = []

    def visit(
        node: int, box: list[float], place: float, width: float, level: int, parent: int
    ) -> None:
        number = len(nodes)
        nodes.append({"x": place, "level": level, "parent": parent, "share": tree.answer[node][1],
                      "size": tree.n_node_samples[node], "words": "", "box": box})  # fmt: skip
        left = tree.children_left[node]
        if left < 0:
            return
        axis, cut = int(tree.feature[node]), float(tree.threshold[node])
        nodes[number]["words"] = f"{'xy'[axis]} ≤ {cut:.2g}"
        nodes[number]["axis"], nodes[number]["cut"] = axis, cut
        lower, upper = list(box), list(box)
        lower[2 * axis + 1], upper[2 * axis] = cut, cut
        visit(left, lower, place - width / 2, width / 2, level + 1, number)
        visit(tree.children_right[node], upper, place + width / 2, width / 2, level + 1, number)

    visit(0, [-REACH, REACH, -REACH, REACH], 0.0, 1.0, 0, -1)
    return nodes


def _code(train, test, method, depth, trees, seed):  # type: ignore[no-untyped-def]
    name, call = {
        "tree": ("DecisionTreeClassifier", f'criterion="entropy", max_depth={depth}'),
        "forest": (
            "RandomForestClassifier",
            f"{trees}, max_depth={depth}, random_state={seed}",
        ),
        "boosting": (
            "HistGradientBoostingClassifier",
            f"max_iter={trees}, max_depth={depth}, min_samples_leaf=2, learning_rate=0.2",
        ),
    }[method]
    return f"""import numpy as np
from shallows.tree import {name}

X = np.array({train[0].round(3).tolist()})
y = np.array({train[1].tolist()})
model = {name}({call}).fit(X, y)
print("training accuracy:", model.score(X, y))
"""
