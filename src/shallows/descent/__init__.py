"""Building blocks of learning by descent: activations, losses, update rules, minimisers.

Activations, losses, schedules and update rules are small pure functions, each kind in a dictionary
by name; parameters are flat vectors.
"""

from shallows.descent._activations import (
    ACTIVATIONS,
    Activation,
    softmax,
    softmax_backward,
)
from shallows.descent._adaptive import vsgd_init, vsgd_step
from shallows.descent._averaging import average_init, average_update, average_value
from shallows.descent._batches import batches, example_order
from shallows.descent._checks import (
    check_gradient,
    check_hessian,
    classify_stationary_point,
    numerical_gradient,
    numerical_hessian,
    transform_gradient,
)
from shallows.descent._coordinate import coordinate_descent
from shallows.descent._local_rates import curvature_rates, fan_in_rates
from shallows.descent._losses import LOSSES, Loss, mean_loss
from shallows.descent._minimize import minimize
from shallows.descent._optimality import kuhn_tucker_residuals, wolfe_dual
from shallows.descent._optimizers import OPTIMIZERS, Optimizer, nesterov_base
from shallows.descent._projected import projected_gradient
from shallows.descent._result import Minimum
from shallows.descent._schedules import (
    SCHEDULES,
    RobbinsMonro,
    robbins_monro,
    schedule,
)
from shallows.descent._step_sizes import (
    STEP_RULES,
    DescentState,
    exact_rate,
    start_descent,
)
from shallows.descent._stochastic import StochasticRun, minimize_stochastic
from shallows.descent._stopping import StoppingRule

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
    "kuhn_tucker_residuals",
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
    "wolfe_dual",
]
