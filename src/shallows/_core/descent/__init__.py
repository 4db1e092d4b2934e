"""The numerical ground of everything that learns by descent.

Activations, losses, schedules and update rules are small pure functions, chosen by name from
one dictionary each; parameters are flat vectors.
"""

from shallows._core.descent.activations import (
    ACTIVATIONS,
    Activation,
    softmax,
    softmax_backward,
)
from shallows._core.descent.adaptive import vsgd_init, vsgd_step
from shallows._core.descent.averaging import average_init, average_update, average_value
from shallows._core.descent.batches import batches, example_order
from shallows._core.descent.checks import (
    check_gradient,
    check_hessian,
    classify_stationary_point,
    numerical_gradient,
    numerical_hessian,
    transform_gradient,
)
from shallows._core.descent.coordinate import coordinate_descent
from shallows._core.descent.local_rates import curvature_rates, fan_in_rates
from shallows._core.descent.losses import LOSSES, Loss, mean_loss
from shallows._core.descent.minimize import minimize
from shallows._core.descent.optimizers import OPTIMIZERS, Optimizer, nesterov_base
from shallows._core.descent.projected import projected_gradient
from shallows._core.descent.result import Minimum
from shallows._core.descent.schedules import (
    SCHEDULES,
    RobbinsMonro,
    robbins_monro,
    schedule,
)
from shallows._core.descent.step_sizes import (
    STEP_RULES,
    DescentState,
    exact_rate,
    start_descent,
)
from shallows._core.descent.stochastic import StochasticRun, minimize_stochastic
from shallows._core.descent.stopping import StoppingRule

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "OPTIMIZERS",
    "SCHEDULES",
    "STEP_RULES",
    "Activation",
    "DescentState",
    "Loss",
    "Minimum",
    "Optimizer",
    "RobbinsMonro",
    "StochasticRun",
    "StoppingRule",
    "average_init",
    "average_update",
    "average_value",
    "batches",
    "check_gradient",
    "check_hessian",
    "classify_stationary_point",
    "coordinate_descent",
    "curvature_rates",
    "exact_rate",
    "example_order",
    "fan_in_rates",
    "mean_loss",
    "minimize",
    "minimize_stochastic",
    "nesterov_base",
    "numerical_gradient",
    "numerical_hessian",
    "projected_gradient",
    "robbins_monro",
    "schedule",
    "softmax",
    "softmax_backward",
    "start_descent",
    "transform_gradient",
    "vsgd_init",
    "vsgd_step",
]
