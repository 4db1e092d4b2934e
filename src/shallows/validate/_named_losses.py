"""Losses by name: functions of a prediction and the truth, in this order, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

Loss = Literal["zero_one", "squared", "absolute"] | Callable[[Any, Any], Any]


def _zero_one(prediction: Any, truth: Any) -> Any:
    return np.not_equal(prediction, truth).astype(np.float64)


def _squared(prediction: Any, truth: Any) -> Any:
    return (np.asarray(prediction, dtype=np.float64) - truth) ** 2


def _absolute(prediction: Any, truth: Any) -> Any:
    return np.abs(np.asarray(prediction, dtype=np.float64) - truth)


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "zero_one": _zero_one,
    "squared": _squared,
    "absolute": _absolute,
}


def loss_function(loss: Loss) -> Callable[[Any, Any], Any]:
    """Return the function of a named loss, or the function itself."""
    if callable(loss):
        return loss
    if loss not in LOSSES:
        raise ValueError(f"loss must be a function or one of {', '.join(LOSSES)}, got {loss!r}.")
    return LOSSES[loss]
