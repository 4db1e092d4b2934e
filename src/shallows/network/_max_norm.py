"""A bound on the length of weights, kept after each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shallows._core.contract.params import PositiveFloat
from shallows.network._checked import Checked
from shallows.network._network import Array


@dataclass(frozen=True)
class MaxNorm(Checked):
    """A bound on squared lengths of weight vectors, for `max_norm` of a network.

    Parameters
    ----------
    square : float
        Largest squared length.
    of : {"unit", "network"}, default="unit"
        Whether it bounds the weights into each unit, or all weights together.

    Examples
    --------
    >>> from shallows.network import MaxNorm, MLPClassifier
    >>> MLPClassifier(5, max_norm=MaxNorm(10.0, of="network")).max_norm.of
    'network'
    """

    square: PositiveFloat
    of: Literal["unit", "network"] = "unit"


def shorten(layers: list[Array], bound: MaxNorm) -> None:
    """Pull weights that are too long back onto the sphere, in place."""
    if bound.of == "network":
        square = sum(float(np.sum(np.square(weights, dtype=np.float64))) for weights in layers)
        if square > bound.square:
            for weights in layers:
                weights *= (bound.square / square) ** 0.5
        return
    for weights in layers:
        square = np.einsum("ij,ij->j", weights, weights)
        factor = np.sqrt(bound.square / np.maximum(square, bound.square))
        weights *= factor.astype(weights.dtype)
