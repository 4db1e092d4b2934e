"""Settings of training, with defaults for what an estimator does not name."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What training needs to know; an estimator states the part that is its own."""

    solver: str = "adam"
    alpha: float = 0.0
    batch_size: int | str | None = "auto"
    learning_rate: Any = "constant"
    learning_rate_init: float = 0.001
    power_t: float = 0.5
    max_iter: int = 200
    shuffle: bool = True
    tol: float | None = 1e-4
    momentum: float = 0.9
    nesterovs_momentum: bool = True
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    penalty: Any = "l2"
    p: float = 1.0
    n_components: int = 4
    decay: str = "gradient"
    max_norm: Any = None
    norm_of: str = "unit"
    keep_probability: float = 1.0
    keep_input: float = 1.0
    drop: str = "units"
    jitter: float = 0.0
    noise: float = 0.0
    frozen_layers: Any = ()

    @classmethod
    def of(cls, model: Any) -> Settings:
        """Return the settings of an estimator, and defaults for what it does not name."""
        names = [field.name for field in fields(cls) if hasattr(model, field.name)]
        found = cls(**{name: getattr(model, name) for name in names})
        found.check(type(model).__name__)
        return found

    def check(self, owner: str) -> None:
        """Refuse what can't be had together."""
        if self.decay != "gradient" and self.penalty != "l2":
            raise ValueError(
                f"{owner}: decay={self.decay!r} shrinks weights, which is penalty='l2'; use "
                f"decay='gradient' for penalty={self.penalty!r}."
            )
        stepwise = {
            "keep_probability": self.keep_probability < 1,
            "keep_input": self.keep_input < 1,
            "max_norm": self.max_norm is not None,
            "jitter": self.jitter > 0,
            "noise": self.noise > 0,
            "decay": self.decay != "gradient",
            "penalty='mixture'": self.penalty == "mixture",
        }
        wanted = [name for name, given in stepwise.items() if given]
        if self.solver == "lbfgs" and wanted:
            raise ValueError(
                f"{owner}: solver='lbfgs' descends one fixed function and takes no "
                f"{', '.join(wanted)}; use 'adam' or 'sgd'."
            )


def batch_rows(model: Any, n_samples: int) -> int:
    """Return the number of rows in a batch."""
    if model.batch_size is None or model.solver in ("rprop", "quickprop"):
        return n_samples
    return min(200 if model.batch_size == "auto" else model.batch_size, n_samples)


def frozen_layers(given: Any, n_layers: int) -> tuple[int, ...]:
    """Return the numbers of the frozen layers, from 0; negative ones count from the last."""
    found = tuple(int(layer) % n_layers for layer in given if -n_layers <= layer < n_layers)
    if len(found) < len(given) or len(found) >= n_layers:
        raise ValueError(
            f"frozen_layers must name some of the layers 0 to {n_layers - 1}, not all of them, "
            f"got {given!r}."
        )
    return found


def rule_settings(model: Any) -> dict[str, Any]:
    if model.solver == "sgd":
        nesterov = bool(model.nesterovs_momentum and model.momentum > 0)
        return {"momentum": float(model.momentum), "nesterov": nesterov}
    if model.solver == "adam":
        return {
            "mean_decay": float(model.beta_1),
            "square_decay": float(model.beta_2),
            "epsilon": float(model.epsilon),
        }
    if model.solver == "averaged_momentum":
        return {"momentum": float(model.momentum)}
    return {}
