"""Playground: a Hopfield network that heals patterns of 50 x 50 pixels."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from shallows.attractor import Hopfield
from shallows.attractor._sweeps import sweep, tie_size
from shallows.lab._play_parameters import Slider, Text
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground

Floats = NDArray[np.float64]
Pattern = Literal["rings", "face", "letter A", "spiral", "stripes", "random"]
SIDE = 50
UNITS = SIDE * SIDE
PARTS = 20  # frames of a sweep
MOST_SWEEPS = 6
CRITICAL = 0.138  # patterns per unit; beyond, nothing is recalled (Amit, Gutfreund, Sompolinsky)
BINS = np.linspace(-3, 5, 65)

LESSONS = [
    Lesson(
        "It heals",
        "Press Play. Then wipe or scribble over the picture with the pointer and play again.",
        "Units are updated one after the other, in random order. Noise disappears, the overlap "
        "with the stored picture rises to 1, and the energy only falls.",
        "A unit turns to the sign of its field. With symmetric weights and none from a unit to "
        "itself this can only lower the energy -Σ w s s / 2, so that the state runs into a "
        "minimum. Hebb's rule puts the patterns there.",
        "play=yes",
    ),
    Lesson(
        "Too much to remember",
        "Choose the random pattern and store more and more, from 100 to 400 of them.",
        "The bell below is the field of each unit times its stored sign. It gets wider, its tail "
        "crosses zero, and past 345 patterns (0.138 per unit) the memory is lost at once.",
        "The other P - 1 patterns add noise of variance P / N to the field. Wrong units disturb "
        "others, and beyond α = 0.138 this avalanche does not stop: the pattern is no minimum.",
        "pattern=random&stored=400&flipped=0.02&play=yes",
    ),
    Lesson(
        "Flip until it breaks",
        "Raise the share of flipped pixels beyond one half.",
        "Just below one half it still finds the picture, above it finds the negative.",
        "The negative of a stored pattern has the same energy, since the energy does not change "
        "when all signs do. Which one is nearer decides.",
        "stored=4&flipped=0.56",
    ),
]
EXERCISE = Exercise(
    "With 20 stored patterns, half of the picture is painted black. Is it recalled? And what of a "
    "mixture: paint the lower half of the face as if it were rings?",
    "Half a picture is enough: the right half gives every field the right sign, because the wrong "
    "half is not correlated with any pattern. A mixture of two patterns goes to the one with the "
    "larger overlap; where both are equal, a mixture of three is a minimum of its own.",
    "stored=20&flipped=0&painted=n1250b1250",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["hopfield_retrieval", "hopfield_capacity", "hopfield_energy"],
    sources="the course on neural networks: attractor networks, Hebb's rule and their capacity",
)
def memory(
    pattern: Pattern = "face",
    stored: Annotated[int, Slider(1, 500)] = 20,
    flipped: Annotated[float, Slider(0, 1, step=0.01)] = 0.25,
    painted: Annotated[str, Text()] = "",
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Memory: damage a picture and watch it heal.

    A Hopfield network of 2,500 units stores pictures by Hebb's rule. Paint over a picture, flip
    some of its pixels, and let the network go: it falls into the nearest minimum of its energy.

    Parameters
    ----------
    pattern : str
        The picture that is damaged.
    stored : int
        How many patterns are stored; those beyond the pictures are random.
    flipped : float
        Share of pixels that are flipped.
    painted : str
        Runs of pixels that are left as they are (n), black (b) or white (w), row by row.
    seed : int
        Which pixels are flipped, and the order of updates.
    """
    weights, target = stored_patterns(pattern, stored)
    rng = np.random.default_rng(seed)
    start = paint(np.where(rng.random(UNITS) < flipped, -target, target), painted)
    states, fields = start[None].copy(), (weights @ start)[None]
    frames = [_frame(states[0], fields[0], target)]
    for _ in range(MOST_SWEEPS):
        moved = False
        for order in np.array_split(rng.permutation(UNITS), PARTS):
            task = np.zeros(1, dtype=np.int64), weights, order[None], np.empty((0, 0)), 0.0
            moved |= bool(sweep(states, fields, *task, _tie(pattern, stored))[0])
            frames.append(_frame(states[0], fields[0], target))
        if not moved:
            break
    energies = np.array([frame["energy"] for frame in frames])
    rise = float(max(0.0, np.diff(energies).max()))
    load, end = stored / UNITS, frames[-1]["overlap"]
    stabilities = stabilities_of(pattern, stored)
    claims = [claim("the energy never rises; largest rise", rise, at_most=1e-9)]
    rested = not moved
    if rested:
        unhappy = int(((states[0] * fields[0]) < -1e-9).sum())
        claims.append(claim("at rest no unit is against its field", unhappy, at_most=0))
    if pattern == "random":
        claims += _claims_of_load(load, stabilities, flipped, painted, end)
    common = {
        "load": load,
        "target": pack(target),
        "energies": energies,
        "overlaps": [frame["overlap"] for frame in frames],
        "histogram": np.histogram(stabilities, BINS, density=True)[0],
        "theory": np.exp(-((BINS - 1) ** 2) / (2 * load)) / np.sqrt(2 * np.pi * load),
        "bins": BINS,
    }
    return Scene(frames, common, claims, _code(pattern, stored, flipped, painted, seed))


@lru_cache(maxsize=2)
def stored_patterns(pattern: str, stored: int) -> tuple[Floats, Floats]:
    """Return the weights of a network that has stored so many patterns, and the chosen one."""
    target = picture(pattern)
    others = [
        name for name in ("rings", "face", "letter A", "spiral", "stripes") if name != pattern
    ]
    pictures = [] if pattern == "random" else [picture(name) for name in others]
    noise = np.random.default_rng(2).choice([-1.0, 1.0], (stored, UNITS))
    patterns = np.vstack([target, *pictures, *noise])[:stored]
    mean = Hopfield().fit(patterns).weights_
    return mean * (stored / UNITS), target  # so that the signal of a field is 1


@lru_cache(maxsize=2)
def stabilities_of(pattern: str, stored: int) -> Floats:
    """Return the fields of the chosen pattern times its signs."""
    weights, target = stored_patterns(pattern, stored)
    found: Floats = target * (weights @ target)
    return found


@lru_cache(maxsize=2)
def _tie(pattern: str, stored: int) -> float:
    return float(tie_size(stored_patterns(pattern, stored)[0]))


def picture(name: str) -> Floats:
    """Return a picture as units of -1 and 1, row by row from the top."""
    y, x = np.mgrid[1 : -1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    if name == "random":
        black = np.random.default_rng(1).random((SIDE, SIDE)) < 0.5
    elif name == "rings":
        black = np.sin(14 * radius) > 0
    elif name == "spiral":
        black = np.sin(3 * angle + 9 * radius) > 0
    elif name == "stripes":
        black = np.sin(11 * (x + y)) > 0
    elif name == "letter A":
        side = np.abs(np.abs(x) - (0.8 - y) * 0.5) < 0.24
        bar = (np.abs(y + 0.25) < 0.17) & (np.abs(x) < 0.5)
        black = (side | bar) & (np.abs(y) < 0.85)
    else:
        eyes = np.hypot(np.abs(x) - 0.32, y - 0.25) < 0.16
        mouth = (np.abs(radius - 0.5) < 0.09) & (y < -0.12)
        black = (radius < 0.86) & ~eyes & ~mouth
    return np.where(black, 1.0, -1.0).ravel()


def paint(units: Floats, runs: str) -> Floats:
    """Return the units with runs such as ``n10b5w2`` painted over them, from the first on."""
    if not re.fullmatch(r"([nbw]\d{1,4})*", runs):
        raise ValueError(f"memory: painted must be runs such as n10b5w2, got {runs[:40]!r}.")
    painted, place = units.copy(), 0
    for kind, count in re.findall(r"([nbw])(\d+)", runs):
        if kind != "n":
            painted[place : place + int(count)] = 1.0 if kind == "b" else -1.0
        place += int(count)
    return painted


def pack(units: Floats) -> str:
    """Return the units as bits in base 64."""
    return b64encode(np.packbits(units > 0).tobytes()).decode()


def _frame(state: Floats, field: Floats, target: Floats) -> dict[str, Any]:
    energy, overlap = -float(state @ field) / 2 / UNITS, float(state @ target) / UNITS
    return {"units": pack(state), "energy": energy, "overlap": overlap}


def _claims_of_load(load: float, stabilities: Floats, flipped: float, painted: str, end: float):  # type: ignore[no-untyped-def]
    """Return what the number of random patterns decides."""
    wrong = float((stabilities < 0).mean())
    theory = float(erfc(1 / np.sqrt(2 * load)) / 2)
    # Units share the patterns, so their errors come in clusters: twice the binomial deviation.
    within = 10 * np.sqrt(theory * (1 - theory) / UNITS) + 2 / UNITS
    text = "share of stored pixels that are unstable at first"
    found = [claim(text, wrong, expected=theory, within=within, probability=1e-4)]
    if flipped <= 0.1 and not painted:
        if load <= 0.12:
            found.append(claim("below α = 0.138 it is recalled; overlap", end, at_least=0.95))
        elif load >= 0.17:
            found.append(claim("above α = 0.138 it is lost; overlap", end, at_most=0.9))
    return found


def _code(pattern: str, stored: int, flipped: float, painted: str, seed: int) -> str:
    head = f"start = paint(start, {painted!r})\n" if painted else ""
    return f"""import numpy as np
from shallows.attractor import Hopfield, energy
from shallows.lab.play.memory import paint, picture

rng = np.random.default_rng({seed})
target = picture({pattern!r})
others = rng.choice([-1.0, 1.0], ({stored - 1}, {UNITS}))
model = Hopfield(update="random", random_state={seed}).fit(np.vstack([target, others]))

start = np.where(rng.random({UNITS}) < {flipped:g}, -target, target)
{head}end = model.transform(start[None])[0]
print("overlap before and after:", target @ start / {UNITS}, target @ end / {UNITS})
print("energy before and after:", *energy(model.weights_, np.array([start, end])))
"""
