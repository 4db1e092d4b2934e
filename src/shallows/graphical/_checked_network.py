"""A checked Bayesian network as plain values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shallows.graphical._graphs import Parents, parents_of
from shallows.graphical._joint_table import SUM_TOLERANCE, state_index


class Network(NamedTuple):
    """Variables in an order with parents first, and their conditional probability tables.

    A table has one axis per parent, in the order of `parents`, and the variable itself last.
    """

    parents: Parents
    states: dict[Any, tuple[Any, ...]]
    tables: dict[Any, np.ndarray]

    @property
    def n_states(self) -> dict[Any, int]:
        return {name: len(states) for name, states in self.states.items()}


def as_network(network) -> Network:
    """Return the network of a `BayesianNetwork`, or of anything with graph, states and tables."""
    if isinstance(network, Network):
        return network
    if hasattr(type(network), "network"):  # look at the class: an instance may lack tables
        return network.network
    return check_network(network.parents, network.tables, network.states)


def check_network(dag, tables, states=None) -> Network:
    """Return the network with float tables that fit its graph and sum to one."""
    graph = dag if dag is not None else dict.fromkeys(tables, ())
    parents = parents_of(graph)
    strange = [name for name in tables if name not in parents]
    if strange and not any(np.ndim(tables[name]) > 1 for name in strange):
        parents = {**parents, **dict.fromkeys(strange, ())}
    elif strange:
        raise ValueError(
            f"BayesianNetwork: the table of {strange[0]!r} does not belong to the graph."
        )
    missing = [name for name in parents if name not in tables]
    if missing:
        raise ValueError(
            f"BayesianNetwork: all variables need tables, but {missing[0]!r} has none."
        )
    arrays = {name: np.array(tables[name], dtype=np.float64) for name in parents}
    named = {
        name: check_values(name, arrays[name].shape[-1], (states or {}).get(name))
        for name in parents
    }
    for name, above in parents.items():
        shape = tuple(len(named[other]) for other in (*above, name))
        _check_table(name, above, arrays[name], shape)
    return Network(parents, named, arrays)


def check_values(name, size, states) -> tuple[Any, ...]:
    """Return the names of the values of a variable, by default numbers."""
    if states is None:
        return tuple(range(size))
    states = tuple(states)
    if len(states) != size or len(set(states)) != size:
        raise ValueError(
            f"BayesianNetwork: {name!r} needs {size} different states, got {list(states)}."
        )
    return states


def count_parameters(network: Network) -> int:
    """Return the number of free probabilities."""
    return sum(table.size - table.size // table.shape[-1] for table in network.tables.values())


def evidence_codes(network: Network, evidence) -> dict[Any, int]:
    """Return the index of each known value."""
    codes = {}
    for name, value in (evidence or {}).items():
        if name not in network.parents:
            raise ValueError(
                f"BayesianNetwork: there is no {name!r} among {list(network.parents)}."
            )
        codes[name] = state_index(network.states[name], name, value)
    return codes


def _check_table(name, above, table, shape):
    if table.shape != shape:
        raise ValueError(
            f"BayesianNetwork: the table of {name!r} must have shape {shape}, with one axis for "
            f"each of its parents {list(above)} and the last for itself, got {table.shape}."
        )
    sums = table.sum(axis=-1)
    if not (table >= 0).all() or not (np.abs(sums - 1) <= SUM_TOLERANCE).all():
        raise ValueError(
            f"BayesianNetwork: the table of {name!r} must be probabilities that sum to 1 along "
            f"its last axis, got sums from {sums.min()} to {sums.max()}."
        )
