"""Approximate inference: likelihood weighting and Gibbs sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.graphical._graphs import children_of

BLOCK = 4096
WARM_UP = 200  # sweeps before states are counted


def draw_forward(network, n_samples, codes, rng) -> tuple[dict, np.ndarray]:
    """Draw variables after their parents; return their codes and the log weight of each draw.

    Known variables keep their values and multiply the weight by their probability. Without
    evidence this is a sample of the joint distribution.
    """
    drawn: dict = {}
    logs = np.zeros(n_samples)
    for name, above in network.parents.items():
        # P(name given its parents), one row per draw.
        rows = network.tables[name][tuple(drawn[parent] for parent in above)]
        if name in codes:
            drawn[name] = np.full(n_samples, codes[name])
            with np.errstate(divide="ignore"):
                logs += np.log(rows[..., codes[name]])
            continue
        rows = np.broadcast_to(rows, (n_samples, rows.shape[-1]))

        # Invert the cumulative sum.
        limits = rows.cumsum(axis=1)
        point = rng.random((n_samples, 1)) * limits[:, -1:]
        drawn[name] = (point >= limits[:, :-1]).sum(axis=1)
    return drawn, logs


def by_weighting(network, targets, codes, n_samples, rng) -> np.ndarray:
    """Estimate P(targets | evidence) by weighted forward draws."""
    drawn, logs = draw_forward(network, n_samples, codes, rng)
    top = logs.max()
    if top == -np.inf:
        raise ValueError(_unlikely(n_samples))
    return _table(network, targets, drawn, np.exp(logs - top))


def by_gibbs(network, targets, codes, n_samples, rng) -> np.ndarray:
    """Estimate P(targets | evidence) by a Markov chain that resamples one variable at a time."""
    drawn, logs = draw_forward(network, max(BLOCK, n_samples), codes, rng)
    if logs.max() == -np.inf:
        # Start from a forward draw that agrees with the evidence, chosen by its weight.
        raise ValueError(_unlikely(len(logs)))

    # A start that agrees with the evidence, drawn by its likelihood.
    weights = np.exp(logs - logs.max())
    start = rng.choice(len(logs), p=weights / weights.sum())
    names = list(network.parents)
    state = np.array([drawn[name][start] for name in names], dtype=np.intp)
    free = np.array([i for i, name in enumerate(names) if name not in codes], dtype=np.intp)
    wanted = np.array([names.index(name) for name in targets], dtype=np.intp)
    shape = tuple(len(network.states[name]) for name in targets)

    # Cell of a joint state in the flat table of counts.
    steps = np.ones(len(shape), dtype=np.intp)
    steps[:-1] = np.cumprod(shape[:0:-1])[::-1]
    tally = Tally(wanted, steps, np.zeros(int(np.prod(shape))))
    tables = _flatten(network)
    left, warm_up = n_samples + WARM_UP, WARM_UP
    while left > 0:
        uniforms = rng.random((min(BLOCK, left), len(free)))
        gibbs_sweeps(state, free, uniforms, warm_up, tally, tables)
        left, warm_up = left - BLOCK, max(warm_up - BLOCK, 0)
    return tally.counts.reshape(shape) / tally.counts.sum()


def _table(network, targets, drawn, weights):
    shape = tuple(len(network.states[name]) for name in targets)
    cells = np.ravel_multi_index(tuple(drawn[name] for name in targets), shape)
    table = np.bincount(cells, weights, minlength=int(np.prod(shape))).reshape(shape)
    return table / table.sum()


def _unlikely(n_samples):
    return (
        f"BayesianNetwork: none of {n_samples} draws agrees with the evidence, which is impossible "
        'or too unlikely for sampling. Use method="elimination".'
    )


def _flatten(network) -> Tables:
    """Return the tables as flat arrays, and the families that contain each variable."""
    names = list(network.parents)
    number = {name: i for i, name in enumerate(names)}
    children = children_of(network.parents)
    logs: list[np.ndarray] = []
    offset: list[int] = []
    member: list[int] = []
    stride: list[int] = []
    first = [0]
    for name, above in network.parents.items():
        table = network.tables[name]
        offset.append(sum(part.size for part in logs))
        with np.errstate(divide="ignore"):
            logs.append(np.log(table).ravel())
        member += [number[other] for other in (*above, name)]
        stride += [step // table.itemsize for step in np.ascontiguousarray(table).strides]
        first.append(len(member))
    family, begin = [], [0]
    for name in names:
        family += [number[name], *(number[child] for child in children[name])]
        begin.append(len(family))
    sizes = [len(network.states[name]) for name in names]
    lists = (offset, member, stride, first, family, begin, sizes)
    return Tables(np.concatenate(logs), *(np.array(values, dtype=np.intp) for values in lists))


class Tables(NamedTuple):
    """The tables of a network as flat arrays.

    Family f, a variable and its parents, has the log table ``logs[offset[f]:]`` and the members
    ``member[first[f] : first[f + 1]]``, with the strides of the table at the same places. Variable
    v has ``sizes[v]`` states and is in the families ``family[begin[v] : begin[v + 1]]``, its own
    and those of its children.
    """

    logs: np.ndarray
    offset: np.ndarray
    member: np.ndarray
    stride: np.ndarray
    first: np.ndarray
    family: np.ndarray
    begin: np.ndarray
    sizes: np.ndarray


class Tally(NamedTuple):
    """How often the states of the variables `wanted` occurred together; their strides in it."""

    wanted: np.ndarray
    steps: np.ndarray
    counts: np.ndarray


@compiled
def gibbs_sweeps(state, free, uniforms, warm_up, tally, tables):
    """Resample all free variables once per row of `uniforms`; change state and counts in place."""
    logs, offset, member, stride, first, family, begin, sizes = tables
    wanted, steps, counts = tally
    chances = np.empty(sizes.max())
    for sweep in range(uniforms.shape[0]):
        for k in range(len(free)):
            # log P(v = value | its Markov blanket): the sum over the families that contain v.
            v = free[k]
            # Log-probability of each value: sum over the families of v (its Markov blanket).
            top = -np.inf
            for value in range(sizes[v]):
                total = 0.0
                for place in range(begin[v], begin[v + 1]):
                    f = family[place]
                    cell = offset[f]
                    for i in range(first[f], first[f + 1]):
                        cell += stride[i] * (value if member[i] == v else state[member[i]])
                    total += logs[cell]
                chances[value] = total
                top = max(top, total)
            # Draw from the normalised cumulative sum.
            total = 0.0
            for value in range(sizes[v]):
                total += np.exp(chances[value] - top)
                chances[value] = total
            point = uniforms[sweep, k] * total
            value = 0
            while value < sizes[v] - 1 and point >= chances[value]:
                value += 1
            state[v] = value
        # Count the cell of the query variables.
        if sweep >= warm_up:
            cell = 0
            for i in range(len(wanted)):
                cell += steps[i] * state[wanted[i]]
            counts[cell] += 1
