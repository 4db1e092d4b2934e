"""Exact inference: enumeration, variable elimination, the most probable explanation."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from shallows.graphical._factors import (
    Factor,
    family_factors,
    multiply,
    n_cells,
    reduce_factor,
    union_of,
)
from shallows.graphical._graphs import reachable
from shallows.graphical._joint_table import as_names
from shallows.graphical._triangulate import elimination_order

MOST_CELLS = 2**26


class Operations(NamedTuple):
    """Number of additions and multiplications of a sum of products.

    Parameters
    ----------
    sums : int
        Additions.
    multiplications : int
        Multiplications.

    Examples
    --------
    >>> from shallows.data import sprinkler
    >>> from shallows.graphical import BayesianNetwork
    >>> season = sprinkler()
    >>> network = BayesianNetwork(season.parents, season.tables, states=season.states)
    >>> network.operations((), {"wet": "yes"}, method="enumerate")
    Operations(sums=31, multiplications=128)
    """

    sums: int
    multiplications: int


class Answer(NamedTuple):
    """P(targets, evidence) divided by exp(`log_scale`), and the number of operations."""

    values: np.ndarray
    log_scale: float
    operations: Operations


def enumerate_joint(network, targets, codes) -> Answer:
    """Sum the joint table, with evidence fixed, to the targets."""
    factors = [reduce_factor(factor, codes) for factor in family_factors(network)]
    sizes = union_of(factors)
    cells = n_cells(sizes, sizes)
    if cells > MOST_CELLS:
        raise ValueError(
            f"BayesianNetwork: the joint table has {cells} cells, too many to enumerate. Use "
            'method="elimination" or method="join-tree".'
        )
    rest = [name for name in sizes if name not in targets]
    table = _sum_out(factors, targets, rest)
    return Answer(table.values, 0.0, _cost(len(factors), cells, table.values.size))


def eliminate(network, targets, codes, order=None) -> Answer:
    """Sum out one variable after the other, in a given or a greedy order.

    Descendants that are neither targets nor evidence sum to one and are omitted.
    """
    factors = _needed_factors(network, targets, codes)
    log_scale, cost = 0.0, Operations(0, 0)
    for group in _groups(factors, targets, order):
        inside, factors = _split(factors, group)
        sizes = union_of(inside)
        table = _sum_out(inside, [name for name in sizes if name not in group], group)
        cost = _add(cost, _cost(len(inside), n_cells(sizes, sizes), table.values.size))
        top = table.values.max()
        if top > 0:  # rescale, or products of many tables underflow
            log_scale += np.log(top)
            table = Factor(table.names, table.values / top)
        factors.append(table)
    values = multiply([factor for factor in factors if factor.names], targets).values
    log_scale += _log_scalars(factors)
    cost = _add(cost, Operations(0, max(len(factors) - 1, 0) * values.size))
    return Answer(values, log_scale, cost)


def explain(network, codes) -> tuple[dict[Any, int], float]:
    """Return the most probable values of all unknown variables, and the log of P."""
    factors = [reduce_factor(factor, codes) for factor in family_factors(network)]
    log_probability, steps = 0.0, []
    # Max-product: maximise instead of summing, and remember the maximising value.
    for (name,) in _groups(factors, (), None):
        inside, factors = _split(factors, (name,))
        left = [other for other in union_of(inside) if other != name]
        whole = multiply(inside, [*left, name]).values
        steps.append((name, left, whole.argmax(axis=-1)))
        table = whole.max(axis=-1)
        top = table.max()
        if top > 0:
            log_probability += np.log(top)
            table = table / top
        factors.append(Factor(tuple(left), table))
    chosen = dict(codes)
    for name, left, best in reversed(steps):
        chosen[name] = int(best[tuple(chosen[other] for other in left)])
    return chosen, log_probability + _log_scalars(factors)


def _needed_factors(network, targets, codes):
    needed = reachable([*targets, *codes], network.parents)
    kept = [factor for factor in family_factors(network) if factor.names[-1] in needed]
    return [reduce_factor(factor, codes) for factor in kept]


def _groups(factors, targets, order):
    """Return the variables to sum out, in order, as tuples."""
    sizes = union_of(factors)
    hidden = [name for name in sizes if name not in targets]
    if order is None:
        # Without an order: a greedy one, on the graph that joins variables of one factor.
        graph: dict[Any, set[Any]] = {name: set() for name in hidden}
        for factor in factors:
            for first, second in combinations(factor.names, 2):
                if first in graph and second in graph:
                    graph[first].add(second)
                    graph[second].add(first)
        return [(name,) for name in elimination_order(graph, n_states=sizes)]
    groups = [as_names(group) for group in order]
    named = [name for group in groups for name in group]
    if len(set(named)) != len(named) or not set(hidden) <= set(named):
        raise ValueError(
            f"BayesianNetwork: order must contain each of {hidden} once, got {list(order)}."
        )
    inner = [tuple(name for name in group if name in hidden) for group in groups]
    return [group for group in inner if group]


def _split(factors, group):
    """Return the factors with a variable of the group, and the others."""
    touched = [any(name in factor.names for name in group) for factor in factors]
    inside = [factor for factor, is_in in zip(factors, touched, strict=True) if is_in]
    outside = [factor for factor, is_in in zip(factors, touched, strict=True) if not is_in]
    return inside, outside


def _sum_out(factors, kept, summed) -> Factor:
    whole = multiply(factors, [*kept, *summed]).values
    return Factor(tuple(kept), whole.sum(axis=tuple(range(len(kept), whole.ndim))))


def _log_scalars(factors) -> float:
    """Return the log of the product of all factors without a variable."""
    with np.errstate(divide="ignore"):
        return float(sum(np.log(factor.values) for factor in factors if not factor.names))


def _cost(n_factors, cells, kept_cells) -> Operations:
    return Operations(cells - kept_cells, (n_factors - 1) * cells)


def _add(first: Operations, second: Operations) -> Operations:
    return Operations(first.sums + second.sums, first.multiplications + second.multiplications)
