"""Sequential and parallel updates of binary units by their fields."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

TIE = 1e-12  # share of the largest possible field; smaller fields are rounding errors of zero
UPDATES_PER_BLOCK = 2**15


def tie_size(weights):
    """Return the size up to which a field counts as zero."""
    return TIE * np.abs(weights).sum(axis=1).max(initial=0.0)


def sweep_rows(states, weights, biases, rng, *, shuffle=False, temperature=0.0, n_sweeps=1):
    """Update each unit of each row `n_sweeps` times, in place; return which rows still moved.

    At temperature 0 a unit takes the sign of its field and keeps its state if that is zero; rows
    at rest are not visited again. At a higher temperature a unit is +1 with probability 1 / (1 +
    exp(-2 field / temperature)).
    """
    columns, tie = np.ascontiguousarray(weights.T), tie_size(weights)
    moving = np.ones(len(states), dtype=bool)
    fields = states @ columns + biases
    for _ in range(n_sweeps):
        rows = np.flatnonzero(moving) if temperature == 0 else np.arange(len(states))
        if not len(rows):
            break
        size = len(rows), states.shape[1]
        orders = rng.random(size).argsort(axis=1) if shuffle else np.arange(size[1])[None]
        draws = rng.random(size) if temperature > 0 else np.empty((0, 0))

        def block(part, rows=rows, orders=orders, draws=draws):
            order = orders[part] if shuffle else orders
            task = states, fields, rows[part], columns, order, draws[part], temperature, tie
            return sweep(*task)

        per_block = max(1, UPDATES_PER_BLOCK // states.shape[1])
        moving[rows] = np.concatenate(map_blocks(block, len(rows), per_block))
    return moving


def step_together(states, weights, max_steps):
    """Update all units of a row at the same time, in place, until it rests or cycles.

    Fields are updated by the changed units only, which are few after some steps.
    """
    tie, rows = tie_size(weights), np.arange(len(states))
    fields, before = states @ weights.T, np.zeros_like(states)
    for _ in range(max_steps):
        now = states[rows]
        new = np.where(np.abs(fields) > tie, np.sign(fields), now)
        states[rows] = new
        goes_on = (new != now).any(axis=1) & (new != before).any(axis=1)
        rows, before, change = rows[goes_on], now[goes_on], (new - now)[goes_on]
        if not len(rows):
            break
        units = np.flatnonzero(change.any(axis=0))
        fields = fields[goes_on] + change[:, units] @ weights[:, units].T


@compiled
def sweep(states, fields, rows, columns, orders, draws, temperature, tie):
    """Visit the units of `rows` in order; column j of the weights updates all fields."""
    n = states.shape[1]
    moved = np.zeros(len(rows), dtype=np.bool_)
    for k, row in enumerate(rows):
        state, field, order = states[row], fields[row], orders[k % len(orders)]
        for i in order:
            new = state[i]
            if temperature > 0.0:
                chance = 1.0 / (1.0 + np.exp(-2.0 * field[i] / temperature))
                new = 1.0 if draws[k, i] < chance else -1.0
            elif abs(field[i]) > tie:
                new = 1.0 if field[i] > 0.0 else -1.0
            # A flip changes every field by the weight from this unit.
            if new != state[i]:
                change = new - state[i]
                state[i] = new
                moved[k] = True
                for j in range(n):
                    field[j] += change * columns[i, j]
    return moved
