"""Update rules that change the parameters of a network in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveFloat, Probability, Range
from shallows._core.numerics.compile import compiled
from shallows.descent._optimizers import OPTIMIZERS
from shallows.network._checked import Checked
from shallows.network._network import Array

Share = Annotated[float, Range(0, 1, open="high")]


@dataclass(frozen=True)
class SGD(Checked):
    """Descent in batches with momentum, as a `solver` with settings of its own.

    Parameters
    ----------
    momentum : float, default=0.9
        Share of the last step that is kept.
    nesterov : bool, default=True
        Whether the gradient is taken where the momentum leads.
    noise : float, default=0.0
        Standard deviation of noise added to all parameters after each step.

    Examples
    --------
    >>> from shallows.network import SGD, MLPRegressor
    >>> MLPRegressor(hidden_layer_sizes=5, solver=SGD(momentum=0.5)).solver.momentum
    0.5
    """

    momentum: Probability = 0.9
    nesterov: bool = True
    noise: NonNegativeFloat = 0.0


@dataclass(frozen=True)
class Adam(Checked):
    """Descent with one adaptive rate per parameter, as a `solver` with settings of its own.

    Parameters
    ----------
    beta_1 : float, default=0.9
        Memory of the average of gradients.
    beta_2 : float, default=0.999
        Memory of the average of their squares.
    epsilon : float, default=1e-8
        Against division by zero.

    Examples
    --------
    >>> from shallows.network import Adam, MLPClassifier
    >>> MLPClassifier(5, solver=Adam(beta_2=0.99)).solver.beta_1
    0.9
    """

    beta_1: Share = 0.9
    beta_2: Share = 0.999
    epsilon: PositiveFloat = 1e-8


Solver = (
    Literal["adam", "sgd", "lbfgs", "rprop", "quickprop", "rmsprop", "adagrad", "averaged_momentum"]
    | SGD
    | Adam
)


def named_solver(model: Any) -> Any:
    """Return the solver of an estimator, "sgd" and "adam" with the settings that it has."""
    if model.solver == "sgd":
        defaults = SGD()
        momentum = getattr(model, "momentum", defaults.momentum)
        return SGD(momentum, getattr(model, "nesterovs_momentum", defaults.nesterov))
    if model.solver == "adam":
        if not hasattr(model, "beta_1"):
            return Adam()
        return Adam(model.beta_1, model.beta_2, model.epsilon)
    return model.solver


class Stepper:
    """An update rule and what it remembers.

    "sgd" and "adam" run in one compiled pass; the others are the rules that all descent of the
    library shares.

    Parameters
    ----------
    solver : SGD, Adam or str
        The rule.
    vector : ndarray
        The parameters; each step changes them.
    """

    def __init__(self, solver: SGD | Adam | str, vector: Array):
        self.solver, self.vector = solver, vector
        self.n_steps = 0
        self.memory: Any
        if isinstance(solver, SGD):
            self.memory = [np.zeros_like(vector)]
        elif isinstance(solver, Adam):
            self.memory = [np.zeros_like(vector), np.zeros_like(vector)]
        else:
            self.memory = OPTIMIZERS[solver].init(vector)

    def step(self, gradient: Array, rate: float) -> None:
        """Move the parameters."""
        self.n_steps += 1
        if isinstance(self.solver, SGD):
            (velocity,) = self.memory
            momentum, nesterov = float(self.solver.momentum), bool(self.solver.nesterov)
            momentum_update(self.vector, gradient, velocity, float(rate), momentum, nesterov)
        elif isinstance(self.solver, Adam):
            self._adam(self.solver, gradient, rate)
        else:
            rule = OPTIMIZERS[self.solver]
            moved, self.memory = rule.step(self.vector, gradient, self.memory, rate)
            self.vector[:] = moved

    def _adam(self, rule: Adam, gradient: Array, rate: float) -> None:
        first, second = float(rule.beta_1), float(rule.beta_2)
        root = (1 - second**self.n_steps) ** 0.5
        rate = float(rate) * root / (1 - first**self.n_steps)
        epsilon = float(rule.epsilon) * root
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
