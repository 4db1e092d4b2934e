"""Experiment: forms of weight decay that are the same, and one that is not."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import SGD, MLPRegressor


@experiment(
    chapter="network",
    sources="notes-000b Fig. 7.4, M72; notes-002 J10; notes-003 M93",
    quick={"steps": 20},
)
def weight_decay_forms(
    gamma: Annotated[float, Range(0.001, 0.3)] = 0.02,
    rate: Annotated[float, Range(0.01, 0.3)] = 0.1,
    momentum: Annotated[float, Range(0.1, 0.95)] = 0.8,
    steps: Annotated[int, Range(10, 500)] = 60,
    *,
    run: Run,
) -> None:
    """Do all notes mean the same by weight decay?

    Shrinking the weights by 1 - gamma in every step of plain descent is descent on E + gamma / (2
    eta) |W|^2. Another text writes the penalty as lambda |W|^2, so that lambda = gamma / (2 eta);
    a third shrinks by 2 lambda independently of eta. With the constants converted, all give the
    same weights, step by step. With momentum they differ: a decay inside the gradient is
    accumulated by the momentum, a decay outside is not.

    Parameters
    ----------
    gamma : float
        Share of a weight that is lost in a step.
    rate : float
        Learning rate eta.
    momentum : float
        Momentum of the second comparison.
    steps : int
        Steps of batch descent.
    """
    X, y = run.rng.standard_normal((30, 4)), run.rng.standard_normal(30)
    common: dict[str, Any] = {
        "hidden_layer_sizes": (),
        "learning_rate_init": rate,
        "batch_size": None,
        "tol": None,
        "random_state": 0,
    }
    strength = gamma / (2 * rate)
    forms: dict[str, dict[str, Any]] = {
        "(1 - gamma) W": {"penalty": "outside-momentum", "alpha": gamma},
        "penalty gamma / 2 eta": {"penalty": "l2", "alpha": 30 * gamma / rate},
        "penalty lambda": {"penalty": "shrink", "alpha": 2 * strength},
        "none": {"alpha": 0.0},
    }
    ends = {}
    for memory in (0.0, momentum):
        for form, options in run.progress(forms.items()):
            model = MLPRegressor(solver=SGD(memory, nesterov=False), **common, **options)
            for t in range(1, steps + 1):
                model.partial_fit(X, y)
                run.row(
                    momentum=memory,
                    form=form,
                    step=t,
                    length=float(np.linalg.norm(model.coefs_[0])),
                )
            ends[memory, form] = model.coefs_[0]
    run.figure(
        line("step", "length", color="form", facet="momentum", title="Length of the weights")
    )
    names = list(forms)
    plain = max(float(np.abs(ends[0.0, name] - ends[0.0, names[0]]).max()) for name in names[1:3])
    run.claim("without momentum all forms give the same weights", plain, expected=0, within=1e-12)
    size = float(np.linalg.norm(ends[momentum, names[0]]))
    apart = float(np.abs(ends[momentum, names[1]] - ends[momentum, names[0]]).max())
    run.claim(
        "with momentum, inside and outside differ (share of the length)",
        apart / size,
        at_least=1e-3,
    )
    run.claim(
        "decay makes weights shorter (ratio to none)",
        float(np.linalg.norm(ends[0.0, names[0]]) / np.linalg.norm(ends[0.0, "none"])),
        at_most=0.999,
    )
