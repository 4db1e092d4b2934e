"""Factors: arrays with named axes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class Factor(NamedTuple):
    """A table with the names of its axes."""

    names: tuple[Any, ...]
    values: np.ndarray


def family_factors(network) -> list[Factor]:
    """Return the conditional tables of a network as factors."""
    return [Factor((*above, name), network.tables[name]) for name, above in network.parents.items()]


def reduce_factor(factor: Factor, codes) -> Factor:
    """Keep the part of a factor that agrees with known values."""
    if not any(name in codes for name in factor.names):
        return factor
    place = tuple(codes.get(name, slice(None)) for name in factor.names)
    kept = tuple(name for name in factor.names if name not in codes)
    return Factor(kept, factor.values[place])


def union_of(factors) -> dict[Any, int]:
    """Return the size of each variable of the factors."""
    return {
        name: size
        for factor in factors
        for name, size in zip(factor.names, factor.values.shape, strict=True)
    }


def multiply(factors, names) -> Factor:
    """Return the product over exactly these variables, multiplying small factors first."""
    values = np.ones((1,) * len(names))
    for factor in sorted(factors, key=lambda factor: factor.values.size):
        values = values * align(factor, names)
    sizes = union_of(factors)
    shape = tuple(sizes[name] for name in names)
    return Factor(tuple(names), np.broadcast_to(values, shape))


def align(factor: Factor, names) -> np.ndarray:
    """Return the values with the axes of `names`; axes the factor lacks have length one."""
    place = {name: axis for axis, name in enumerate(names)}
    order = sorted(range(len(factor.names)), key=lambda axis: place[factor.names[axis]])
    shape = [1] * len(names)
    for axis in order:
        shape[place[factor.names[axis]]] = factor.values.shape[axis]
    return factor.values.transpose(order).reshape(shape)


def n_cells(sizes, names) -> int:
    """Return the number of cells of a table over these variables."""
    return math.prod(sizes[name] for name in names)
