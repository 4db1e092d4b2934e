"""Playground: the AdaTron with kernels, its margin and its support vectors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.kernel import gaussian, linear, polynomial
from shallows.kernel._adatron_passes import visit
from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground, shade

Floats = NDArray[np.float64]
Kernel = Literal["linear", "polynomial", "gaussian"]
TOL = 1e-5  # violation of the optimality conditions at which learning ends
MOST_PASSES, SHOWN = 2000, 24
CELLS = 40
REACH = 2.0
START = [
    (-1.2, 0.9, 0), (-0.6, 1.4, 0), (-1.5, -0.1, 0), (-0.4, 0.5, 0), (-1.0, -0.8, 0),
    (-0.1, 1.1, 0), (-0.7, -0.2, 0), (1.1, -0.9, 1), (0.5, -1.3, 1), (1.4, 0.2, 1),
    (0.5, -0.3, 1), (0.9, 0.7, 1), (0.2, -0.9, 1), (1.5, -0.4, 1),
]  # fmt: skip

LESSONS = [
    Lesson(
        "Most points don't matter",
        "Drag a point that has no ring around; then one that has.",
        "The first changes nothing at all until it reaches the margin. The second moves the line.",
        "The weights are a sum over samples with strengths, and a strength is positive only where "
        "a sample is on the margin or beyond it. Without the other samples the same optimum is "
        "found, which the claim checks by learning from the ringed points alone.",
        "play=yes",
    ),
    Lesson(
        "The price of a mistake",
        "Drag an orange square among the blue dots; then turn C up and down.",
        "With a small C the margin stays wide and the stray point is given up: its strength is at "
        "its cap C (a red ring). With a large C the margin is bent or shrunk for its sake.",
        "C is the cost of one unit of violation. A strength can't exceed it, so one sample has "
        "only a limited influence on the line.",
        "C=1&points=-1.2,0.9,0;-0.6,1.4,0;-1.5,-0.1,0;-0.4,0.5,0;-1,-0.8,0;-0.1,1.1,0;1.1,-0.9,1;0.5,-1.3,1;1.4,0.2,1;0.5,-0.3,1;0.9,0.7,1;0.2,-0.9,1;-1.0,0.3,1",
    ),
    Lesson(
        "A width for bumps",
        "With the Gaussian kernel make the width smaller and smaller.",
        "The border becomes wavy, then breaks into islands around single points. In the end every "
        "point is a support vector.",
        "A narrow kernel sees only close neighbours. When no point is near another, each has to "
        "hold its own label: the training error is zero, and nothing was learned.",
        "kernel=gaussian&width=0.15&C=1000",
    ),
]
EXERCISE = Exercise(
    "Draw the exclusive or: two corners of one class, the two others of the other class. Which "
    "kernels separate them? What happens to the strengths with the linear one?",
    "The polynomial and the Gaussian kernel do, with a hard margin (large C). With the linear "
    "kernel all four strengths go to the cap C and stay there: no line is better than any other.",
    "kernel=linear&C=10&points=-1,-1,0;1,1,0;-1,1,1;1,-1,1",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=[
        "minover_adatron",
        "support_vectors",
        "support_fraction",
        "sv_fraction",
        "dietrich",
    ],
    sources="Biehl, The Shallow and the Deep, section 3.6: optimal stability and the AdaTron",
)
def support_vectors(
    points: Annotated[list, Points(most=60)] = START,  # type: ignore[type-arg]
    kernel: Kernel = "linear",
    width: Annotated[float, Slider(0.1, 3, step=1.1, log=True)] = 0.8,
    C: Annotated[float, Slider(0.01, 1000, step=1.25, log=True)] = 100.0,
) -> Scene:
    """Support vectors: the widest street between two classes.

    The AdaTron gives every sample a strength. A sample that is too close to the border gets
    stronger, one that is far enough gets weaker and ends at zero. Those with a strength are the
    support vectors, drawn with rings; the others could as well be absent.

    Parameters
    ----------
    points : list of (x, y, class)
        Samples.
    kernel : str
        Scalar product of the feature space; a constant 1 is added, as threshold.
    width : float
        Width of the Gaussian kernel.
    C : float
        Largest strength: the cost of a violated margin.
    """
    X = np.array([point[:2] for point in points], dtype=float).reshape(-1, 2)
    signs = np.array([1.0 if point[2] else -1.0 for point in points])
    if len(set(signs)) < 2:
        return Scene([{"strengths": []}], {"steps": [0]}, code="# Draw both classes.")
    gram = kernel_of(kernel, width, X, X)
    path = learn(gram, signs, C)
    ticks = (np.arange(CELLS) + 0.5) / CELLS * 2 * REACH - REACH
    grid = np.column_stack([part.ravel() for part in np.meshgrid(ticks, ticks)])
    towards = kernel_of(kernel, width, grid, X)
    shown = _some(len(path))
    frames = [
        {
            "strengths": path[i],
            "field": shade((towards @ (signs * path[i])).reshape(CELLS, CELLS), -3, 3),
            "pass": int(i),
        }
        for i in shown
    ]
    values = [values_of(gram, signs, path[i], C) for i in shown]
    primal, dual = zip(*values, strict=True)
    converged = len(path) <= MOST_PASSES
    common: dict[str, Any] = {
        "primal": np.minimum(primal, 5 * max(primal[-1], 1e-3)),
        "dual": dual,
        "C": C,
        "passes": shown,
    }
    rise = np.diff([values_of(gram, signs, strengths, C)[1] for strengths in path[:200]])
    fall = float(max(0.0, -rise.min())) if len(rise) else 0.0
    claims = [
        claim(
            "the dual value never falls; largest fall", fall, at_most=1e-9 * max(1, abs(dual[-1]))
        ),
        claim("primal less dual value", primal[-1] - dual[-1], at_least=-1e-9 * max(1, primal[-1])),
    ]
    if converged:
        claims += _claims_at_the_end(gram, towards, signs, path[-1], C, primal[-1], dual[-1])
    return Scene(frames, common, claims, _code(X, signs, kernel, width, C))


def kernel_of(name: str, width: float, X: Floats, Z: Floats) -> Floats:
    """Return the scalar products in feature space, with a constant input 1."""
    if name == "linear":
        return np.asarray(linear(X, Z)) + 1
    return (
        np.asarray(polynomial(X, Z, degree=3) if name == "polynomial" else gaussian(X, Z, width))
        + 1
    )


def learn(gram: Floats, signs: Floats, C: float) -> list[Floats]:
    """Return the strengths before and after each pass of the AdaTron."""
    strengths, fields = np.zeros((2, len(gram)))
    caps, path = np.full(len(gram), C), [np.zeros(len(gram))]
    step = 1 / gram.diagonal().max()
    for _ in range(MOST_PASSES):
        worst, _ = visit(gram, signs, caps, step, strengths, fields)
        path.append(strengths.copy())
        if worst <= TOL:
            break
    else:
        path.append(strengths.copy())  # one more than allowed: it has not ended
    return path


def values_of(gram: Floats, signs: Floats, strengths: Floats, C: float) -> tuple[float, float]:
    """Return the cost of the weights and the dual value of the strengths."""
    signed = signs * strengths
    fields = gram @ signed
    square = float(signed @ fields)
    slack = np.maximum(0, 1 - signs * fields).sum()
    return square / 2 + C * float(slack), float(strengths.sum()) - square / 2


def _claims_at_the_end(gram, towards, signs, strengths, C, primal, dual):  # type: ignore[no-untyped-def]
    """Return what is true of the optimum."""
    support = strengths > 0
    part = np.ix_(support, support)
    alone = learn(gram[part], signs[support], C)
    full = towards @ (signs * strengths)
    # No violation is above the tolerance, and each costs at most C times as much.
    text = "duality gap, against what the tolerance allows"
    found = [claim(text, primal - dual, at_most=3 * C * len(signs) * TOL)]
    if len(alone) <= MOST_PASSES:
        again = towards[:, support] @ (signs[support] * alone[-1])
        change = float(np.abs(full - again).max() / max(1.0, np.abs(full).max()))
        text = "learned from the support vectors alone, the field changes by"
        found.append(claim(text, change, at_most=0.02))
    return found


def _some(count: int) -> NDArray[np.intp]:
    """Return the numbers of the passes to be shown, closer at the start."""
    places = np.geomspace(1, count, min(count, SHOWN)).round().astype(int) - 1
    return np.unique(places)


def _code(X: Floats, signs: Floats, kernel: str, width: float, C: float) -> str:
    call = {
        "linear": "linear(A, B)",
        "polynomial": "polynomial(A, B, degree=3)",
        "gaussian": f"gaussian(A, B, {width:g})",
    }[kernel]
    return f"""import numpy as np
from shallows.kernel import KernelAdaTron, {call.partition("(")[0]}

X = np.array({X.round(3).tolist()})
y = np.array({signs.astype(int).tolist()})

def product(A, B):
    return {call} + 1  # the constant is the threshold

model = KernelAdaTron(C={C:g}, kernel=product, tol={TOL}, max_iter=20_000).fit(X, y)
print("support vectors:", model.support_)
print("strengths:", np.abs(model.dual_coef_[0]).round(4))
"""
