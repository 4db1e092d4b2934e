"""The layers that an estimator asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows._core.contract.targets import as_array
from shallows.descent._activations import ACTIVATIONS


def hidden_sizes(model: Any) -> list[int]:
    """Return the numbers of hidden units."""
    given = model.hidden_layer_sizes
    found = as_array(type(model).__name__, given, "hidden_layer_sizes")
    sizes = np.atleast_1d(found).tolist() if found.size else []
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(
            f"{type(model).__name__}: hidden_layer_sizes must be whole numbers > 0, got {given!r}."
        )
    return sizes


def hidden_activations(model: Any, n_hidden: int) -> tuple[str, ...]:
    """Return one activation for each hidden layer."""
    given = model.activation
    names = (given,) * n_hidden if isinstance(given, str) else tuple(given)
    if len(names) != n_hidden or not set(names) <= set(ACTIVATIONS):
        raise ValueError(
            f"{type(model).__name__}: activation must be one name or {n_hidden}, one per hidden "
            f"layer, out of {', '.join(ACTIVATIONS)}, got {given!r}."
        )
    return names


def check_activation(model: Any) -> None:
    """Refuse an activation that is not one of the known names."""
    if model.activation not in ACTIVATIONS:
        raise ValueError(
            f"{type(model).__name__}: activation must be one of {', '.join(ACTIVATIONS)}, "
            f"got {model.activation!r}."
        )


def frozen_layers(given: Any, n_layers: int) -> tuple[int, ...]:
    """Return the numbers of the frozen layers, from 0; negative ones count from the last."""
    found = tuple(int(layer) % n_layers for layer in given if -n_layers <= layer < n_layers)
    if len(found) < len(given) or len(set(found)) >= n_layers:
        raise ValueError(
            f"frozen_layers must name some of the layers 0 to {n_layers - 1}, not all of them, "
            f"got {given!r}."
        )
    return found
