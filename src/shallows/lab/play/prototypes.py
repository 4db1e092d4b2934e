"""Playground: learning vector quantization, prototype by prototype."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.prototype import GLVQ, LVQ1, LVQ21

Floats = NDArray[np.float64]
Rule = Literal["LVQ1", "LVQ2.1", "GLVQ"]
RULES: dict[str, Any] = {"LVQ1": LVQ1, "LVQ2.1": LVQ21, "GLVQ": GLVQ}
FAR = 20.0
STARTS = [(-1.5, 1.5, 0), (-1.2, -1.5, 0), (1.5, 1.5, 1), (1.6, -1.4, 1), (0.2, 1.7, 1)]


def _blobs() -> list[tuple[float, ...]]:
    rng = np.random.default_rng(5)
    parts = [
        ((-0.9, 0.6), 0),
        ((0.1, -1.0), 0),
        ((0.7, 0.8), 1),
        ((1.0, -0.5), 1),
        ((-0.2, 0.1), 1),
    ]
    rows = [(*np.clip(rng.normal(middle, 0.33), -1.95, 1.95).round(2), label)
            for middle, label in parts for _ in range(14)]  # fmt: skip
    return [(float(x), float(y), float(label)) for x, y, label in rows]


LESSONS = [
    Lesson(
        "Attract the right one, repel the wrong one",
        "Play, then drag the prototypes to other starts and play again.",
        "Each large mark moves to the middle of samples that it represents. The border is where "
        "two "
        "prototypes of different classes are equally near.",
        "LVQ1 moves the nearest prototype only: towards a sample of its own class, away from one "
        "of "
        "another. Nothing is known of the border itself.",
        "rule=LVQ1&play=yes",
    ),
    Lesson(
        "The one that runs away",
        "Choose LVQ2.1 with a wide window and let it run; then GLVQ from the same start.",
        "Prototypes drift away from the data, without an end. Under GLVQ they stay.",
        "LVQ2.1 repels the wrong prototype as strongly as it attracts the right one, which widens "
        "the distance without limit. The cost of GLVQ depends on the ratio (d - d') / (d + d'), "
        "which is bounded, and so are its forces.",
        "rule=LVQ2.1&rate=0.1&window=0.9&epochs=60&play=yes",
    ),
    Lesson(
        "Too few, too many",
        "Erase prototypes until there is one per class; then draw ten of each.",
        "With one per class the border is a straight line. With many it follows single samples.",
        "Prototypes cut the plane into cells of the nearest one (Voronoi), and borders between two "
        "cells are straight. Each prototype more is one more piece of the border.",
        "prototypes=-0.5,0.5,0;0.5,-0.5,1",
    ),
]
EXERCISE = Exercise(
    "Place two prototypes per class so that LVQ1 fails although the classes can be separated. Why "
    "does it not recover?",
    "Put both prototypes of a class behind those of the other. They are never the nearest for "
    "their "
    "own samples, so that they are never attracted, only the others are repelled: a dead start.",
    "prototypes=-1.8,-1.8,1;-1.9,-1.5,1;1.8,1.8,0;1.9,1.5,0",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["lvq_stability", "glvq_steepness", "decision_regions", "nn_vs_prototypes"],
    sources="Biehl, The Shallow and the Deep, chapter 6: prototype-based learning",
)
def prototypes(
    data: Annotated[list, Points(most=120, least=2)] = _blobs(),  # type: ignore[type-arg]  # noqa: B008
    prototypes: Annotated[list, Points(most=20, least=2)] = STARTS,  # type: ignore[type-arg]
    rule: Rule = "LVQ1",
    rate: Annotated[float, Slider(0.005, 0.5, step=1.1, log=True)] = 0.05,
    window: Annotated[float, Slider(0.05, 0.95, step=0.05)] = 0.3,
    epochs: Annotated[int, Slider(1, 80)] = 30,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Prototypes: a class is what is near to its examples.

    Drag the large prototypes, draw samples, and let learning vector quantization move the
    prototypes. A new point gets the class of the nearest one.

    Parameters
    ----------
    data : list of (x, y, class)
        Samples.
    prototypes : list of (x, y, class)
        Where the prototypes start.
    rule : str
        How a sample moves prototypes.
    rate : float
        Step size.
    window : float
        Of LVQ2.1: how near to the border a sample must be.
    epochs : int
        Passes over the samples.
    seed : int
        The order of the samples.
    """
    samples, places = np.array(data), np.array(prototypes)
    X, y = samples[:, :2], samples[:, 2].astype(int)
    places = places[np.argsort(places[:, 2], kind="stable")]
    owners = places[:, 2].astype(int)
    if len(set(y)) < 2 or len(set(owners)) < 2:
        return Scene([{"places": places[:, :2]}], {"owners": owners}, code="# Both classes.")
    path = learn(X, y, places[:, :2], owners, rule, rate, window, epochs, seed)
    common: dict[str, Any] = {
        "owners": owners,
        "errors": [_error(X, y, at, owners) for at in path],
        "costs": [_cost(X, y, at, owners) for at in path],
        "far": float(np.abs(path[-1]).max()),
    }
    claims = _claims(X, y, path, owners, rule, rate)
    frames = [{"places": at} for at in path]
    return Scene(frames, common, claims, _code(X, y, owners, rule, rate, window, epochs, seed))


def learn(X, y, start, owners, rule, rate, window, epochs, seed):  # type: ignore[no-untyped-def]
    """Return the prototypes after each epoch, until they have left."""
    counts = np.bincount(owners, minlength=2)
    options = {"window": window} if rule == "LVQ2.1" else {}
    model = RULES[rule](counts, learning_rate=rate, random_state=0, **options)
    model.partial_fit(X, y)  # makes places for prototypes, which the next line fills
    model.prototypes_, path = start.copy(), [start]
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        order = rng.permutation(len(X))
        model.partial_fit(X[order], y[order])
        path.append(np.array(model.prototypes_))
        if np.abs(path[-1]).max() > FAR:
            break
    return path


def _error(X: Floats, y: Any, places: Floats, owners: Any) -> float:
    distances = ((X[:, None] - places) ** 2).sum(axis=2)
    return float((owners[distances.argmin(axis=1)] != y).mean())


def _cost(X: Floats, y: Any, places: Floats, owners: Any) -> float:
    """Return the mean of (d - d') / (d + d'), the cost of GLVQ with its identity."""
    distances = ((X[:, None] - places) ** 2).sum(axis=2)
    same = owners == y[:, None]
    right = np.where(same, distances, np.inf).min(axis=1)
    wrong = np.where(same, np.inf, distances).min(axis=1)
    return float(((right - wrong) / np.maximum(right + wrong, 1e-12)).mean())


def _claims(X, y, path, owners, rule, rate):  # type: ignore[no-untyped-def]
    """Return what the rules promise."""
    end = path[-1]
    costs = [_cost(X, y, at, owners) for at in path]
    found = [claim("cost of GLVQ lies in [-1, 1]", costs[-1], at_least=-1.0, at_most=1.0)]
    if rule == "LVQ1":
        step = np.abs(np.diff(path, axis=0)).max() if len(path) > 1 else 0.0
        reach = float(np.abs(np.vstack([X, path[0]])).max())
        # A sample moves one prototype by at most the rate times its distance.
        most = rate * len(X) * 2 * max(reach, float(np.abs(end).max()))
        found.append(claim("no epoch moves a prototype further than it may", step, at_most=most))
    elif rule == "GLVQ":
        text = "GLVQ ends with a lower cost than it began with"
        found.append(claim(text, costs[-1] - costs[0], at_most=0.05))
    same = owners[((X[:, None] - end) ** 2).sum(axis=2).argmin(axis=1)] == y
    negative = _cost_each(X, y, end, owners) < 0
    text = "a sample is right exactly where its cost is negative; differences"
    found.append(claim(text, int((same != negative).sum()), at_most=0))
    return found


def _cost_each(X, y, places, owners):  # type: ignore[no-untyped-def]
    distances = ((X[:, None] - places) ** 2).sum(axis=2)
    same = owners == y[:, None]
    right = np.where(same, distances, np.inf).min(axis=1)
    return right - np.where(same, np.inf, distances).min(axis=1)


def _code(X, y, owners, rule, rate, window, epochs, seed):  # type: ignore[no-untyped-def]
    name = RULES[rule].__name__
    counts = np.bincount(owners, minlength=2).tolist()
    extra = f", window={window:g}" if rule == "LVQ2.1" else ""
    return f"""import numpy as np
from shallows.prototype import {name}

X = np.array({X.round(3).tolist()})
y = np.array({y.tolist()})
model = {name}({counts}, learning_rate={rate:g}, max_iter={epochs}{extra}, random_state={seed})
print("training accuracy:", model.fit(X, y).score(X, y))
print(model.prototypes_)
"""
