"""Playground: Rosenblatt's perceptron in the plane and on the sphere of its weights."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.lab._trace_perceptron import trace_perceptron
from shallows.perceptron import Perceptron, VersionSpace, separability
from shallows.theory import mistake_bound

Floats = NDArray[np.float64]
MOST_UPDATES = 400
DRAWS = 4000  # random weight vectors, to count those in the version space
START = [
    (-1.0, 1.2, 1), (0.8, 0.8, 1), (-0.1, -1.5, 0), (-1.5, 0.2, 0), (-0.9, -0.7, 0),
    (-0.5, 1.5, 1), (-1.1, 0.6, 0), (0.9, 1.5, 1), (0.3, -1.2, 0), (0.4, 0.1, 0),
]  # fmt: skip

LESSONS = [
    Lesson(
        "Only mistakes teach",
        "Go back to the first step and walk on with the full stop key, or press Play.",
        "Each step is one update. The ringed point was on the wrong side; its great circle on the "
        "sphere is drawn bold, and the weights jump across it or towards it.",
        "A point x with label S is a mistake while S w·x is not positive. Adding S x to the "
        "weights raises this field by |x|². A point that is right moves nothing.",
        "play=yes",
    ),
    Lesson(
        "A narrow gap takes long",
        "Drag one orange square towards the blue dots, slowly.",
        "The green cell on the sphere shrinks, the bound on the number of updates rises, and the "
        "two curves of the proof cross later.",
        "The bound is (R / κ)²: R is the length of the longest example, κ the margin of the best "
        "line. The overlap with the best weights grows by at least κ per update, the length of the "
        "weights only like R times the root of their number, so that the first overtakes.",
        "points=-1,1.2,1;0.8,0.8,1;-0.1,-1.5,0;-1.5,0.2,0;-0.9,-0.7,0;-0.5,1.5,1;-1.1,0.6,0;0.9,1.5,1;0.3,-1.2,0;0.6,0.5,0",
    ),
    Lesson(
        "Contradict it",
        "Put an orange square between the blue dots.",
        "The cell is gone. The line turns for ever, and rings show the points that contradict one "
        "another.",
        "Either a line exists, or some examples, with weights that are not negative, add up to "
        "zero (Gordan). The rings are these weights: a line would have to be on both sides.",
        "points=-1,1.2,1;0.8,0.8,1;-0.1,-1.5,0;-1.5,0.2,0;-0.9,-0.7,0;-0.5,1.5,1;-1.1,0.6,0;0.9,1.5,1;0.3,-1.2,0;0.4,0.1,0;-0.5,-0.4,1",
    ),
]
EXERCISE = Exercise(
    "Place four points, two of each class, so that a line separates them and the perceptron still "
    "needs more than 100 updates. Where must they be?",
    "Put the two classes almost on top of each other and far from the middle, for instance at "
    "(1.5, 1.5) and (1.45, 1.55) for one class and a nearby pair on the other side of a thin gap. "
    "The margin κ is then small and R large, and updates grow like (R / κ)².",
    "points=1.5,1.2,0;1.2,1.5,0;1.6,1.3,1;1.3,1.6,1",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["rosenblatt_trace", "convergence_bound", "version_space", "gordan"],
    sources="Biehl, The Shallow and the Deep, chapter 3: the perceptron algorithm, its convergence "
    "and the version space",
)
def perceptron(
    points: Annotated[list, Points(most=40)] = START,  # type: ignore[type-arg]
    shuffle: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Perceptron: a line that turns with every mistake.

    Draw points of two classes. The left picture is the plane of the points with the line that
    the perceptron has learned; the right one is the sphere of all weights, which every point
    cuts along a great circle. The cell on the right side of all circles is the version space: all
    lines that separate the classes.

    Parameters
    ----------
    points : list of (x, y, class)
        Examples.
    shuffle : int
        Which random order examples are visited in; with 0 it is that of drawing.
    """
    X = np.array([point[:2] for point in points], dtype=float).reshape(-1, 2)
    labels = np.array([1.0 if point[2] else -1.0 for point in points])
    turn = np.random.default_rng(shuffle).permutation(len(X)) if shuffle else np.arange(len(X))
    if len(set(labels)) < 2:
        return Scene(
            [{"w": [0, 0, 0]}], {"planes": _planes(X, labels)}, code="# Draw both classes."
        )
    inputs = np.column_stack([X, np.ones(len(X))])
    trace = trace_perceptron(X[turn], labels[turn], max_steps=MOST_UPDATES)
    proof = separability(inputs, labels, threshold=False)
    common: dict[str, Any] = {"planes": _planes(X, labels), "separable": proof.separable}
    claims = []
    if proof.coef is not None:
        best = proof.coef / np.linalg.norm(proof.coef)
        bound = mistake_bound(inputs, labels)
        vertices = cell(common["planes"])
        common |= {"best": best, "kappa": proof.stability, "bound": bound, "cell": vertices}
        claims += _claims_of_learning(inputs, labels, trace, turn, bound, vertices)
    elif proof.null_vector is not None:
        null = proof.null_vector
        common["null"] = null / null.max()
        residue = np.abs((null * labels) @ inputs).max()
        claims += [
            claim("no line: weighted examples add up to zero (Gordan)", residue, at_most=1e-8),
            claim("so every pass makes an update", trace.separated, holds=not trace.separated),
        ]
    weights = np.array([np.zeros(3)] + [step.weights for step in trace.steps])
    length = np.linalg.norm(weights, axis=1)
    common["length"] = length
    if proof.coef is not None:
        longest = np.linalg.norm(inputs, axis=1).max()
        updates = np.arange(len(weights))
        common |= {"overlap": weights @ best, "least": proof.stability * updates}
        common["most"] = longest * np.sqrt(updates)
    rest = [{"sample": int(turn[step.sample]), "before": step.field, "after": step.field_after}
            for step in trace.steps]  # fmt: skip
    frames = [{"w": w} | more for w, more in zip(weights, [{}, *rest], strict=True)]
    return Scene(frames, common, claims, _code(X[turn], labels[turn]))


def cell(planes: Floats) -> Floats:
    """Return the corners, in order, of the part of the sphere where no plane's field is negative.

    A corner is where two planes meet, along their cross product, and no other plane cuts it off.
    """
    first, second = np.triu_indices(len(planes), 1)
    corners = np.cross(planes[first], planes[second])
    lengths = np.linalg.norm(corners, axis=1)
    corners = corners[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    corners = np.concatenate([corners, -corners])
    inside = corners[(corners @ planes.T > -1e-9).all(axis=1)]
    if len(inside) < 3:
        return np.empty((0, 3))
    middle = inside.mean(axis=0)
    axes = np.linalg.svd(middle[None])[2][1:]
    angles = np.arctan2(*(axes @ (inside - middle).T))
    inside = inside[np.argsort(angles)]
    apart = np.linalg.norm(inside - np.roll(inside, 1, axis=0), axis=1) > 1e-7
    return inside[apart]


def share_of_sphere(vertices: Floats) -> float:
    """Return the share of a convex cell, from the excess of its angles (Girard)."""
    before, after = np.roll(vertices, 1, axis=0), np.roll(vertices, -1, axis=0)
    ahead, behind = np.cross(vertices, after), np.cross(before, vertices)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    behind /= np.linalg.norm(behind, axis=1, keepdims=True)
    angles = np.pi - np.arccos(np.clip((ahead * behind).sum(axis=1), -1, 1))
    return float((angles.sum() - (len(vertices) - 2) * np.pi) / (4 * np.pi))


def _claims_of_learning(inputs, labels, trace, turn, bound, vertices):  # type: ignore[no-untyped-def]
    """Return what must be true of a run on separable points."""
    updates = len(trace.steps)
    squares = np.array([step.weights @ step.weights for step in trace.steps])
    longest = (inputs**2).sum(axis=1).max()
    excess = float((squares - longest * np.arange(1, updates + 1)).max())
    ended = updates < MOST_UPDATES
    claims = [
        claim("updates until all is learned, and their bound", updates, at_most=bound + 1e-6),
        claim("|w|² is at most R² times the updates, excess", excess, at_most=1e-9),
    ]
    if ended:
        model = Perceptron(shuffle=False, tol=None).fit(trace.X, trace.y)
        learned = np.append(model.coef_[0], model.intercept_[0])
        gap = float(np.abs(learned - trace.steps[-1].weights).max())
        claims.append(claim("`Perceptron` learns the same weights, gap", gap, at_most=1e-9))
    if len(vertices) >= 3:
        drawn = np.random.default_rng(0).standard_normal((DRAWS, 3))
        share = share_of_sphere(vertices)
        counted = float(VersionSpace(inputs, labels).contains(drawn).mean())
        sigma = np.sqrt(share * (1 - share) / DRAWS)
        text = f"share of {DRAWS} random lines that separate, and that of the cell"
        limits = {"expected": share, "within": 5 * sigma + 2 / DRAWS}
        claims.append(claim(text, counted, **limits, probability=1e-5))
    return claims


def _planes(X: Floats, labels: Floats) -> Floats:
    """Return the unit normals of the great circles; weights on their positive side are right."""
    folded = np.column_stack([X, np.ones(len(X))]) * labels[:, None]
    return folded / np.linalg.norm(folded, axis=1, keepdims=True)


def _code(X: Floats, labels: Floats) -> str:
    rows = ", ".join(f"[{x:g}, {y:g}]" for x, y in np.round(X, 3))
    return f"""import numpy as np
from shallows.perceptron import Perceptron, separability
from shallows.theory import mistake_bound

X = np.array([{rows}])
y = np.array({[int(label) for label in labels]})
inputs = np.column_stack([X, np.ones(len(X))])  # the last weight is the threshold

found = separability(inputs, y, threshold=False)
if found.separable:
    model = Perceptron(shuffle=False, tol=None).fit(X, y)
    print(model.n_updates_, "updates; at most", mistake_bound(inputs, y))
    print("line:", model.coef_[0], model.intercept_[0])
else:
    print("no line separates; samples that contradict:", found.contradicting)
"""
