"""Playground: gradient descent in a bowl."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.descent import OPTIMIZERS, nesterov_base
from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground, shade

Floats = NDArray[np.float64]
Rule = Literal["plain", "heavy ball", "Nesterov"]
NAMES = {"plain": "gradient", "heavy ball": "momentum", "Nesterov": "nesterov"}
FAR = 1e3  # distance from the minimum at which a run counts as lost
CELLS = 64
REACH = 2.0

LESSONS = [
    Lesson(
        "The stiffest direction decides",
        "Raise the rate slowly, up to and beyond the mark 2 / ρ at the right.",
        "First the path creeps, then it zig-zags across the valley, and past the mark it is thrown "
        "out, however gentle the slope along the valley is.",
        "Along an eigenvector with curvature ρ each step multiplies the distance by 1 - ηρ. This "
        "is "
        "smaller than 1 in size only while η < 2 / ρ, for the largest ρ.",
        "rate=0.19&play=yes",
    ),
    Lesson(
        "A narrow valley is slow",
        "Make the bowl rounder and narrower with the stiffness.",
        "With a stiffness of 1 the best rate hits the minimum in one step. With 50 the flat "
        "direction "
        "hardly moves while the other one zig-zags.",
        "No rate suits both: the best, 2 / (ρ₁ + ρ₂), shrinks both parts by (κ - 1) / (κ + 1), "
        "where κ is the ratio of the curvatures.",
        "stiffness=30&rate=0.064&steps=60",
    ),
    Lesson(
        "A heavy ball",
        "Switch to the heavy ball and raise the momentum.",
        "The zig-zag averages out, the flat direction gains speed; too much momentum overshoots "
        "and "
        "circles.",
        "The last step is repeated in part, so that steps in a constant direction add up to 1 / "
        "(1 - "
        "m) times their size. Stability reaches up to η = 2 (1 + m) / ρ.",
        "stiffness=30&rate=0.06&rule=heavy ball&momentum=0.6&play=yes",
    ),
]
EXERCISE = Exercise(
    "The stiffness is 9 and the other curvature 1. Which rate gets closest to the minimum in 20 "
    "plain steps, and by which factor does the distance shrink in each of them?",
    "2 / (1 + 9) = 0.2. Both parts shrink by 0.8 in each step, one of them with changing sign.",
    "stiffness=9&rate=0.1&steps=20",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["gradient_regimes", "momentum_valley", "batch_limit"],
    sources="Biehl, The Shallow and the Deep, appendix on optimisation: gradient descent",
)
def descent(
    start: Annotated[list, Points(most=1, classes=1, least=1)] = [(-1.6, 1.2, 0.0)],  # type: ignore[type-arg]  # noqa: B006
    rate: Annotated[float, Slider(0.001, 2.5, step=1.02, log=True)] = 0.17,
    stiffness: Annotated[float, Slider(1, 50, step=0.5)] = 10.0,
    angle: Annotated[float, Slider(0, 90, step=1)] = 30.0,
    rule: Rule = "plain",
    momentum: Annotated[float, Slider(0, 0.99, step=0.01)] = 0.5,
    steps: Annotated[int, Slider(1, 100)] = 40,
) -> Scene:
    """Descent: how large may a step be?

    A quadratic cost is a bowl with one flat and one stiff direction. Drag the start, turn the
    bowl, and choose the step size: there is one number beyond which descent turns into ascent.

    Parameters
    ----------
    start : list of (x, y, 0)
        Where the run starts.
    rate : float
        Step size η.
    stiffness : float
        Curvature ρ of the stiff direction; that of the flat one is 1.
    angle : float
        Direction of the flat one, in degrees.
    rule : str
        Plain descent, or with one of two kinds of momentum.
    momentum : float
        Share of the last step that is repeated; plain descent has none.
    steps : int
        Number of steps.
    """
    axes = _axes(angle)
    curvatures = np.array([1.0, stiffness])
    hessian = axes.T * curvatures @ axes
    share = 0.0 if rule == "plain" else momentum
    path = walk(hessian, np.array(start[0][:2]), rule, rate, share, steps)
    parts = path @ axes.T
    limit = 2 / stiffness
    ticks = (np.arange(CELLS) + 0.5) / CELLS * 2 * REACH - REACH
    x, y = np.meshgrid(ticks, ticks)
    along = np.stack([x, y], axis=-1) @ axes.T
    cost = (along**2 * curvatures).sum(axis=-1) / 2
    largest = spectral_radius(rate, share, rule, curvatures)
    common: dict[str, Any] = {
        "axes": axes,
        "field": shade(np.sqrt(cost), 0, float(np.sqrt(cost.max()))),
        "parts": np.maximum(np.abs(parts), 1e-12).T,
        "cost": (parts**2 * curvatures).sum(axis=1) / 2,
        "limit": limit,
        "radius": largest,
    }
    claims = _claims(path, parts, curvatures, rate, share, rule, largest)
    frames = [{"at": at} for at in path]
    return Scene(frames, common, claims, _code(start[0], hessian, rule, rate, share, steps))


def walk(hessian: Floats, at: Floats, rule: str, rate: float, share: float, steps: int) -> Floats:
    """Return the places of a run in the bowl, until it is lost."""
    init, step = OPTIMIZERS[NAMES[rule]]
    state = init(at)
    path: list[Floats] = [at]
    options = {} if rule == "plain" else {"momentum": share}
    for _ in range(steps):
        here = path[-1]
        base = nesterov_base(here, state, share) if rule == "Nesterov" else here
        moved, state = step(here, hessian @ base, state, rate, **options)
        path.append(np.asarray(moved, dtype=np.float64))
        if np.abs(moved).max() > FAR:
            break
    return np.array(path)


def spectral_radius(rate: float, share: float, rule: str, curvatures: Floats) -> float:
    """Return by which factor the slowest or wildest part shrinks or grows per step, in the end."""
    radii = []
    for curvature in curvatures:
        keep = 1 - rate * curvature
        if rule == "Nesterov":
            matrix = [[keep * (1 + share), -keep * share], [1, 0]]
        else:
            matrix = [[keep + share, -share], [1, 0]]
        radii.append(np.abs(np.linalg.eigvals(matrix)).max())
    return float(max(radii))


def _claims(path, parts, curvatures, rate, share, rule, largest):  # type: ignore[no-untyped-def]
    """Return what theory says of this run."""
    found = []
    if rule == "plain":
        powers = (1 - rate * curvatures) ** np.arange(len(path))[:, None]
        gap = np.abs(parts - powers * parts[0]).max() / max(np.abs(parts).max(), 1e-12)
        found.append(
            claim("after t steps a part is (1 - ηρ)ᵗ times the first, gap", gap, at_most=1e-8)
        )
    text = "largest factor per step; the run is stable only below 1"
    lost = np.abs(path[-1]).max() > FAR
    found.append(claim(text, largest, holds=largest >= 1 if lost else largest < 1.5))
    if rule != "Nesterov":
        bound = 2 * (1 + share) / curvatures.max()
        inside = rate < bound * (1 - 1e-9)
        text = f"η is {'below' if inside else 'not below'} 2 (1 + m) / ρ = {bound:.4g}; factor"
        limits = {"at_most": 1.0} if inside else {"at_least": 1 - 1e-9}
        found.append(claim(text, largest, **limits))
    return found


def _axes(angle: float) -> Floats:
    """Return the unit vectors of the flat and of the stiff direction as rows."""
    turn = np.deg2rad(angle)
    return np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])


def _code(start, hessian, rule, rate, share, steps):  # type: ignore[no-untyped-def]
    name = NAMES[rule]
    extra = "" if rule == "plain" else f", momentum={share:g}"
    base = f"nesterov_base(w, state, {share:g})" if rule == "Nesterov" else "w"
    imports = "OPTIMIZERS, nesterov_base" if rule == "Nesterov" else "OPTIMIZERS"
    return f"""import numpy as np
from shallows.descent import {imports}

H = np.array({np.round(hessian, 6).tolist()})
init, step = OPTIMIZERS[{name!r}]
w = np.array([{start[0]:g}, {start[1]:g}])
state = init(w)
for t in range({steps}):
    w, state = step(w, H @ {base}, state, {rate:g}{extra})
print(w, "cost", w @ H @ w / 2)
"""
