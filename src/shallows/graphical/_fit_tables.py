"""Estimation of the tables of a Bayesian network from data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_weights
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import Training
from shallows.graphical._checked_network import check_values
from shallows.graphical._graphs import parents_of
from shallows.graphical._learning import Learner
from shallows.graphical._table_data import (
    MISSING,
    UNKNOWN,
    column_names,
    encode,
    find_states,
    read_columns,
)


def fit_tables(owner, X, y, sample_weight):
    """Set `parents_`, `states_`, `tables_`, `history_` and `n_iter_` of the owner; return it."""
    # Rows without weight take no part, not even in the list of states.
    X = read_columns(owner, X, reset=True)
    weights = check_weights(sample_weight, len(X))
    X, weights = X[weights > 0], weights[weights > 0]
    names = column_names(owner)
    parents = parents_of(owner.edges if owner.edges is not None else {})
    parents |= {name: () for name in names if name not in parents}
    states = _all_states(owner, X, names, parents)
    number = {name: node for node, name in enumerate(parents)}

    # Codes of the values, with gaps marked; hidden variables are gaps throughout.
    codes = np.full((len(X), len(parents)), MISSING, dtype=np.intp)
    for column, name in zip(X.T, names, strict=True):
        codes[:, number[name]] = _known_codes(name, column, states[name])
    above = [tuple(number[parent] for parent in parents[name]) for name in parents]
    sizes = [len(states[name]) for name in parents]

    # Counting where nothing is missing, else EM.
    learner = Learner(above, sizes, codes, weights, float(owner.alpha))
    owner.parents_, owner.states_ = parents, states
    training_data = {"X": X, "y": y, "sample_weight": sample_weight}
    best = _best_start(owner, learner, training_data)
    _store(owner, best.result)
    owner.history_, owner.n_iter_ = best.history, best.n_iter
    if not learner.complete and owner.tol is not None and not best.converged:
        warnings.warn(
            f"BayesianNetwork stopped after max_iter={owner.max_iter} steps before it "
            "converged. Raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return owner


def _best_start(owner, learner, data):
    """Run all starts and return the most likely tables.

    Without missing values a single step is enough.
    """
    given = [_given_table(owner, name) for name in owner.parents_]
    streams = as_generator(owner.random_state).spawn(1 if learner.complete else owner.n_init)
    steps, tol = (1, None) if learner.complete else (owner.max_iter, owner.tol)
    run = Training(owner, steps, tol, state=("tables_",), **data)
    for stream in run.starts(streams):
        # Complete data need one step; hidden ones a random start each.
        tables = learner.maximize(learner.counts)
        if not learner.complete:
            tables = learner.start(stream, given)
        for _ in run.epochs():
            loss, tables = learner.step(tables)
            run.record(loss)
            _store(owner, tables)
        run.keep(tables)
    return run.best()


def _store(owner, tables):
    owner.tables_ = dict(zip(owner.parents_, tables, strict=True))


def _all_states(owner, X, names, parents) -> dict[Any, tuple[Any, ...]]:
    given, hidden, tables = owner.states or {}, owner.hidden or {}, owner.tables or {}
    states: dict[Any, tuple[Any, ...]] = {}
    for name in parents:
        if name in given:
            states[name] = check_values(name, len(tuple(given[name])), given[name])
        elif name in names:
            states[name] = find_states(X[:, names.index(name)])
        elif name in hidden:
            values = hidden[name]
            states[name] = tuple(range(values) if isinstance(values, int) else values)
        elif name in tables:
            states[name] = tuple(range(np.shape(tables[name])[-1]))
        if not states.get(name):
            raise ValueError(
                f"BayesianNetwork: {name!r} has no values in X with {len(names)} feature(s). "
                f"It must be one of the columns {names}, with an entry that is not missing; a "
                "hidden variable needs its number of values in `hidden`."
            )
    return states


def _known_codes(name, column, states):
    codes = encode(column, states)
    if (codes == UNKNOWN).any():
        strange = column[[np.argmax(codes == UNKNOWN)]].tolist()[0]
        raise ValueError(
            f"BayesianNetwork: column {name!r} has {strange!r}, which is not one of the "
            f"states {list(states)}."
        )
    return codes


def _given_table(owner, name):
    """Return the table to start from if one is given for this variable, else None."""
    if owner.tables is None or name not in owner.tables:
        return None
    shape = tuple(len(owner.states_[other]) for other in (*owner.parents_[name], name))
    table = np.array(owner.tables[name], dtype=np.float64)
    if table.shape != shape:
        raise ValueError(
            f"BayesianNetwork: the table of {name!r} must have shape {shape} to start from, "
            f"got {table.shape}."
        )
    return table
