"""Experiment: backpropagation against finite differences."""

from __future__ import annotations

from itertools import product
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.descent import numerical_gradient
from shallows.lab import Run, bars, experiment
from shallows.network import Network, backpropagate, initialize

LOSSES = {"quadratic": ("identity", "squared_error"), "cross-entropy": ("softmax", "log_loss")}


@experiment(
    chapter="network",
    sources="notes-000b M9; notes-002 J6; notes-003 M77; notes-004b G6",
    quick={"width": 4, "examples": 5},
)
def gradient_check(
    width: Annotated[int, Range(2, 20)] = 6,
    examples: Annotated[int, Range(2, 50)] = 10,
    *,
    run: Run,
) -> None:
    """Is backpropagation the gradient?

    Errors are propagated back through the weights, layer by layer, and give all derivatives at the
    cost of about one more pass. Central differences need two passes for each weight, and must
    agree for every activation, loss and depth. Thresholds enter with a minus sign: a unit that
    fires above its threshold has the opposite sign in that derivative.

    Parameters
    ----------
    width : int
        Units of each layer.
    examples : int
        Random examples.
    """
    X = run.rng.standard_normal((examples, width))
    target = np.eye(3)[run.rng.integers(0, 3, examples)]
    worst = 0.0
    cases = list(product((1, 2), ("tanh", "logistic", "relu"), LOSSES))
    for hidden, name, loss in run.progress(cases):
        output, kind = LOSSES[loss]
        sizes = [width] * (hidden + 1) + [3]
        weights, biases = initialize(sizes, "uniform", scale=1.0, random_state=run.rng)
        biases = [run.rng.uniform(-1, 1, len(bias)) for bias in biases]
        net = Network(weights, biases, (name,) * hidden + (output,), kind)
        found = backpropagate(net, X, target)

        def moved(step: np.ndarray, net: Network = net) -> float:
            first = [net.weights[0] + step.reshape(net.weights[0].shape), *net.weights[1:]]
            return backpropagate(net._replace(weights=first), X, target).loss

        exact = numerical_gradient(moved, np.zeros(weights[0].size))
        scale = float(np.linalg.norm(exact))
        gap = float(np.linalg.norm(found.weights[0].ravel() - exact)) / scale
        worst = max(worst, gap)
        run.row(network=f"{hidden + 1} layers, {name}", loss=loss, difference=gap)

        def raised(step: np.ndarray, net: Network = net) -> float:
            return backpropagate(
                net._replace(biases=[net.biases[0] - step, *net.biases[1:]]), X, target
            ).loss

        by_threshold = numerical_gradient(raised, np.zeros(width))
        sign = float(np.linalg.norm(by_threshold + found.biases[0])) / scale
        worst = max(worst, sign)
    run.figure(
        bars(
            "network",
            "difference",
            color="loss",
            title="Relative difference of the first layer's gradient",
        )
    )
    run.claim("largest relative difference of weights and (minus) thresholds", worst, at_most=1e-6)
