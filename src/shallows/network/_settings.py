"""Settings of training, with defaults for what an estimator does not name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from shallows._core.contract.params import Range
from shallows.network import _penalties, _steps
from shallows.network._dropout import Dropout
from shallows.network._max_norm import MaxNorm

BatchSize = Literal["auto"] | Annotated[int, Range(1)] | None
LearningRate = Literal["constant", "invscaling", "adaptive"] | Callable[[int], float]
SHRINKING = ("shrink", "outside-momentum")


@dataclass(frozen=True)
class Settings:
    """What training needs to know; an estimator states the part that is its own."""

    solver: Any = "adam"
    loss: Any = None
    alpha: float = 0.0
    penalty: Any = "l2"
    max_norm: Any = None
    dropout: Dropout | None = None
    noise: float = 0.0
    batch_size: int | str | None = "auto"
    learning_rate: Any = "constant"
    learning_rate_init: float = 0.001
    max_iter: int = 200
    tol: float | None = 1e-4
    frozen_layers: Any = ()
    power_t: float = 0.5
    shuffle: bool = True
    max_fun: int = 10**9

    @classmethod
    def of(cls, model: Any) -> Settings:
        """Return the settings of an estimator, names replaced by what they stand for."""
        found = {f.name: getattr(model, f.name) for f in fields(cls) if hasattr(model, f.name)}
        found["solver"] = _steps.named_solver(model)
        if "penalty" in found:
            found["penalty"] = _penalties.BY_NAME.get(model.penalty, model.penalty)
        bound = found.get("max_norm")
        if bound is not None and not isinstance(bound, MaxNorm):
            found["max_norm"] = MaxNorm(bound)
        settings = cls(**found)
        settings.check_solver(type(model).__name__)
        return settings

    def batch_rows(self, n_samples: int) -> int:
        """Return the number of rows in a batch."""
        if self.batch_size is None or self.solver in ("rprop", "quickprop"):
            return n_samples
        return min(200 if self.batch_size == "auto" else int(self.batch_size), n_samples)

    def rate(self, epoch: int, n_seen: int) -> float:
        """Return the step size of an epoch, the first of which is 1, after `n_seen` samples."""
        if callable(self.learning_rate):
            return float(self.learning_rate(epoch))
        if self.learning_rate == "invscaling":
            return self.learning_rate_init / (1 + n_seen) ** self.power_t
        return self.learning_rate_init

    def check_solver(self, owner: str) -> None:
        """Raise where L-BFGS, which descends one fixed function, is asked for what changes it."""
        stepwise = {
            "loss='sign_squared'": self.loss == "sign_squared",
            "dropout": self.dropout is not None,
            "max_norm": self.max_norm is not None,
            "noise": self.noise > 0,
            f"penalty={self.penalty!r}": self.penalty in SHRINKING
            or isinstance(self.penalty, _penalties.SoftWeightSharing),
        }
        wanted = [name for name, given in stepwise.items() if given]
        if self.solver == "lbfgs" and wanted:
            raise ValueError(
                f"{owner}: solver='lbfgs' descends one fixed function and takes no "
                f"{', '.join(wanted)}; use 'adam' or 'sgd'."
            )
