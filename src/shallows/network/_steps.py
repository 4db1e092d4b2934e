"""Update rules that change the parameters of a network in place."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from shallows._core.compile import compiled
from shallows._core.descent.optimizers import OPTIMIZERS
from shallows.network._network import Array

Solver = Literal["adam", "sgd", "adagrad", "rmsprop", "averaged_momentum", "rprop", "quickprop"]


class Stepper:
    """An update rule and what it remembers.

    "sgd" and "adam" run in one compiled pass; the others are the rules that all descent of the
    library shares.

    Parameters
    ----------
    solver : str
        Name of the rule.
    vector : ndarray
        The parameters; each step changes them.
    settings : dict
        "momentum" and "nesterov" of "sgd"; settings of the rule for the others.
    """

    def __init__(self, solver: str, vector: Array, settings: dict[str, Any]):
        self.solver, self.vector, self.settings = solver, vector, settings
        self.n_steps = 0
        self.memory: Any = [np.zeros_like(vector), np.zeros_like(vector)]
        if solver == "sgd":
            self.memory = [np.zeros_like(vector)]
        elif solver != "adam":
            self.memory = OPTIMIZERS[solver].init(vector)

    def step(self, gradient: Array, rate: float) -> None:
        """Move the parameters."""
        self.n_steps += 1
        if self.solver == "adam":
            self._adam(gradient, rate)
        elif self.solver == "sgd":
            momentum, nesterov = self.settings["momentum"], self.settings["nesterov"]
            momentum_update(self.vector, gradient, self.memory[0], rate, momentum, nesterov)
        else:
            moved, self.memory = OPTIMIZERS[self.solver].step(
                self.vector, gradient, self.memory, rate, **self.settings
            )
            self.vector[:] = moved

    def _adam(self, gradient: Array, rate: float) -> None:
        first, second = self.settings["mean_decay"], self.settings["square_decay"]
        root = (1 - second**self.n_steps) ** 0.5
        rate *= root / (1 - first**self.n_steps)
        epsilon = self.settings["epsilon"] * root
        mean, square = self.memory
        adam_update(self.vector, gradient, mean, square, rate, first, second, epsilon)


@compiled
def momentum_update(vector, gradient, velocity, rate, momentum, nesterov):
    """Heavy ball or Nesterov's momentum in the form of look-ahead places, in place."""
    real = vector.dtype.type
    share, size = real(momentum), real(rate)
    for i in range(vector.size):
        pull = size * gradient[i]
        velocity[i] = share * velocity[i] - pull
        vector[i] += share * velocity[i] - pull if nesterov else velocity[i]


@compiled
def adam_update(vector, gradient, mean, square, rate, mean_decay, square_decay, epsilon):
    """One step of Adam, with both corrections of the start in `rate` and `epsilon`."""
    real = vector.dtype.type
    fresh, fresh_square = real(1 - mean_decay), real(1 - square_decay)
    size, least = real(rate), real(epsilon)
    for i in range(vector.size):
        slope = gradient[i]
        mean[i] += fresh * (slope - mean[i])
        square[i] += fresh_square * (slope * slope - square[i])
        vector[i] -= size * mean[i] / (np.sqrt(square[i]) + least)
