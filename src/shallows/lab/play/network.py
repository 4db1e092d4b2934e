"""Playground: a small network that learns spirals, with its hidden units."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.descent import OPTIMIZERS, numerical_gradient
from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground, shade
from shallows.network import Network, backpropagate, forward, initialize, layer_outputs

Floats = NDArray[np.float64]
Data = Literal["spirals", "circles", "exclusive or", "drawn only"]
Activation = Literal["tanh", "relu", "logistic"]
Solver = Literal["adam", "momentum", "gradient"]
CELLS, SMALL = 32, 14  # of the large field, and of those of hidden units
SHOWN = 20
REACH = 2.0
SAMPLES = 120

LESSONS = [
    Lesson(
        "Units draw lines, layers combine them",
        "Play with one hidden layer of 2 units, then of 4, then of 10.",
        "Each hidden unit is a soft step across the plane, drawn at the right. Their weighted sum "
        "makes the border: two units can't bend around a circle, four can.",
        "A unit is constant along lines. The output adds as many such ridges as there are units; "
        "with enough of them any border is possible, but the data must determine it.",
        "data=circles&units=4&layers=1&play=yes",
    ),
    Lesson(
        "Learned by heart",
        "Train three layers of 10 units on noisy spirals, with no decay; then raise the decay.",
        "The training loss goes on falling while that of test data turns upwards. Decay holds the "
        "weights small, the border smooth, and the test loss down.",
        "A network with more weights than data needs can fit noise. Decay subtracts a share of "
        "each "
        "weight per step, so that only weights which the data keep asking for stay large.",
        "noise=0.35&layers=3&units=10&steps=300&decay=0&play=yes",
    ),
    Lesson(
        "The rate again",
        "With plain gradient steps raise the rate from 0.05 to 20.",
        "Slow, then fast, then jumps: the loss rises now and then, or is stuck.",
        "Near a minimum the cost is a bowl, and the bound of the bowl is valid here, too: η < 2 / "
        "ρ with the largest curvature ρ. Adam divides by the size of recent gradients and so suits "
        "steep and flat directions at once.",
        "solver=gradient&rate=4&data=circles&play=yes",
    ),
]
EXERCISE = Exercise(
    "How few hidden units in one layer separate the exclusive or? Check with several seeds whether "
    "each start gets there.",
    "Two: one for each of the parallel lines that part the corners. From some starts gradient "
    "descent with two units ends in a local minimum all the same; a third unit nearly always "
    "helps.",
    "data=exclusive or&units=2&layers=1&noise=0.1",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["gradient_check", "starts", "regularisers", "weight_decay_forms"],
    sources="Biehl, The Shallow and the Deep, chapter 5: layered networks and backpropagation",
)
def network(
    points: Annotated[list, Points(most=60)] = [],  # type: ignore[type-arg]  # noqa: B006
    data: Data = "spirals",
    noise: Annotated[float, Slider(0, 0.6, step=0.05)] = 0.1,
    layers: Annotated[int, Slider(1, 3)] = 2,
    units: Annotated[int, Slider(1, 12)] = 8,
    activation: Activation = "tanh",
    solver: Solver = "adam",
    rate: Annotated[float, Slider(0.001, 20, step=1.15, log=True)] = 0.05,
    decay: Annotated[float, Slider(0, 0.05, step=0.001)] = 0.0,
    steps: Annotated[int, Slider(10, 400, step=10)] = 120,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Networks: layers of simple units that learn a border.

    Every unit adds up its inputs and bends the sum a little. Backpropagation says how each weight
    must change for the loss to fall; the pictures show what each unit of the last hidden layer has
    become. Your own points are added to the data.

    Parameters
    ----------
    points : list of (x, y, class)
        Training samples that you draw.
    data : str
        Where the other samples lie.
    noise : float
        How much they scatter.
    layers : int
        Hidden layers.
    units : int
        Units in each of them.
    activation : str
        What a unit does with its sum.
    solver : str
        How gradients become steps.
    rate : float
        Step size.
    decay : float
        Share of the squared weights in the cost.
    steps : int
        Steps, each along the gradient of all samples.
    seed : int
        Which samples and which first weights are drawn.
    """
    rng = np.random.default_rng(seed)
    X, y = _samples(data, noise, rng)
    test = _samples(data, noise, rng)
    if points:
        mine = np.array(points)
        X, y = np.vstack([X, mine[:, :2]]), np.concatenate([y, mine[:, 2]])
    if len(X) < 2:
        return Scene([{}], {"samples": X, "labels": y}, code="# Draw samples.")
    first = start_network(layers, units, activation, seed)
    nets, losses = train(first, X, y, solver, rate, decay, steps)
    shown = np.unique(np.linspace(0, len(nets) - 1, SHOWN).round().astype(int))
    large, small = _grid(CELLS), _grid(SMALL)
    frames = []
    for i in shown:
        hidden = np.asarray(layer_outputs(nets[i], small)[-2])
        low, high = (0, 1) if activation == "logistic" else (-1, 1)
        frames.append(
            {
                "step": int(i),
                "field": shade(forward(nets[i], large).reshape(CELLS, CELLS), 0, 1),
                "units": [shade(unit.reshape(SMALL, SMALL), low, high) for unit in hidden.T],
                "test": _loss(nets[i], *test) if len(test[0]) else None,
            }
        )
    common: dict[str, Any] = {
        "samples": X.round(3),
        "labels": y,
        "drawn": len(points),
        "train": [losses[i] for i in shown],
        "weights": int(sum(w.size for w in first.weights) + sum(b.size for b in first.biases)),
    }
    claims = _claims(nets[-1], X, y, losses, solver)
    return Scene(frames, common, claims, _code(data, noise, layers, units, activation, solver, rate,
                                               decay, steps, seed))  # fmt: skip


def start_network(layers: int, units: int, activation: str, seed: int) -> Network:
    """Return a network of two inputs and one logistic output."""
    sizes = [2, *[units] * layers, 1]
    weights, biases = initialize(sizes, "glorot", random_state=seed)
    return Network(weights, biases, (activation,) * layers + ("logistic",), "log_loss")


def train(net, X, y, solver, rate, decay, steps):  # type: ignore[no-untyped-def]
    """Return the network before and after each step, and its loss, until it is lost."""
    init, step = OPTIMIZERS[solver]
    arrays = [*net.weights, *net.biases]
    states = [init(array) for array in arrays]
    nets, losses = [net], []
    for _ in range(steps + 1):
        found = backpropagate(nets[-1], X, y[:, None])
        losses.append(float(found.loss))
        slopes = [g + decay * w for g, w in zip(found.weights, nets[-1].weights, strict=True)]
        slopes += list(found.biases)
        moved = []
        for k, (array, slope) in enumerate(zip(arrays, slopes, strict=True)):
            new, states[k] = step(array, slope, states[k], rate)
            moved.append(new)
        if len(losses) > steps or not np.isfinite(losses[-1]):
            break
        arrays = moved
        half = len(net.weights)
        nets.append(net._replace(weights=arrays[:half], biases=arrays[half:]))
    return nets, losses


def _loss(net: Network, X: Floats, y: Floats) -> float:
    chance = np.clip(np.asarray(forward(net, X))[:, 0], 1e-12, 1 - 1e-12)
    return float(-(y * np.log(chance) + (1 - y) * np.log(1 - chance)).mean())


def _claims(net, X, y, losses, solver):  # type: ignore[no-untyped-def]
    """Return that gradients are differences, and that the loss is what it is said to be."""
    first = net.weights[0]

    def moved(change: NDArray[Any]) -> float:
        weights = [first + change.reshape(first.shape), *net.weights[1:]]
        return float(backpropagate(net._replace(weights=weights), X, y[:, None]).loss)

    exact = numerical_gradient(moved, np.zeros(first.size))
    found = backpropagate(net, X, y[:, None]).weights[0].ravel()
    scale = float(np.linalg.norm(exact)) + 1e-6
    gap = float(np.linalg.norm(found - exact)) / scale
    loss = _loss(net, X, y)
    within = 1e-6 * (1 + loss)
    return [
        claim("backpropagation is what differences say, relative gap", gap, at_most=2e-2),
        claim(
            "loss is the mean of -log p of the right class",
            losses[-1],
            expected=loss,
            within=within,
        ),
    ]


def _samples(
    data: str, noise: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    label = np.arange(SAMPLES) % 2.0
    if data == "spirals":
        turn = np.sqrt(rng.uniform(0.02, 1, SAMPLES)) * 2.5 * np.pi
        angle = turn + np.pi * label
        X = (1.7 * turn / (2.5 * np.pi))[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    elif data == "circles":
        angle, radius = rng.uniform(0, 2 * np.pi, SAMPLES), np.where(label, 1.4, 0.5)
        X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    elif data == "exclusive or":
        X = rng.uniform(-1.6, 1.6, (SAMPLES, 2))
        label = (X[:, 0] * X[:, 1] > 0) * 1.0
    else:
        return np.empty((0, 2)), np.empty(0)
    return (X + noise * rng.standard_normal((SAMPLES, 2))).clip(-2, 2), label


def _grid(cells: int) -> Floats:
    ticks = (np.arange(cells) + 0.5) / cells * 2 * REACH - REACH
    return np.column_stack([part.ravel() for part in np.meshgrid(ticks, ticks)])


def _code(data, noise, layers, units, activation, solver, rate, decay, steps, seed):  # type: ignore[no-untyped-def]
    kind = "adam" if solver == "adam" else "sgd"
    return f"""import numpy as np
from shallows.network import MLPClassifier

rng = np.random.default_rng({seed})
X = rng.uniform(-1.6, 1.6, ({SAMPLES}, 2))  # your data here
y = X[:, 0] * X[:, 1] > 0
model = MLPClassifier(
    {(units,) * layers},
    activation={activation!r},
    solver={kind!r},
    learning_rate_init={min(rate, 1.0):g},
    alpha={decay * SAMPLES:g},
    batch_size={SAMPLES},
    max_iter={steps},
    tol=None,
    random_state={seed},
).fit(X, y)
print("training accuracy:", model.score(X, y))
"""
