"""Clique tree with message passing for many cases of evidence at once.

The first axis of a potential is the case; its length is one until evidence reaches the clique.
Variables are numbers here. Those of a clique are in ascending order, so that a message needs only
a sum and a reshape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shallows.graphical._moralize import moralize
from shallows.graphical._triangulate import maximal_cliques, triangulate

BLOCK_CELLS = 2**22


class Pass(NamedTuple):
    """One message: sum the sender over `axes`, multiply into the receiver in `shape`."""

    sender: int
    receiver: int
    link: int
    axes: tuple[int, ...]
    shape: tuple[int, ...]


class Potentials(NamedTuple):
    """Tables of cliques and sepsets, and the log of the normalisation so far."""

    cliques: list[np.ndarray]
    sepsets: list[np.ndarray]
    log_scale: Any


class CliqueTree:
    """Cliques of the triangulated moral graph, joined along the largest intersections."""

    def __init__(self, parents: list[tuple[int, ...]], sizes: list[int], heuristic="min-fill"):
        self.parents, self.sizes = parents, sizes
        graph = moralize(dict(enumerate(parents)))
        graph = {node: graph[node] for node in range(len(parents))}
        chordal = triangulate(graph, heuristic, dict(enumerate(sizes)))
        self.cliques = maximal_cliques(chordal)
        self.links = _join(self.cliques, sizes)
        self.sepsets = [
            tuple(node for node in self.cliques[a] if node in self.cliques[b])
            for a, b in self.links
        ]
        self.members = [set(clique) for clique in self.cliques]
        self.shapes = [tuple(sizes[node] for node in clique) for clique in self.cliques]
        self.cells = [int(np.prod(shape)) for shape in self.shapes]
        self.homes = [self.home({node, *above}) for node, above in enumerate(parents)]
        self.places = [self.home({node}) for node in range(len(parents))]

    def home(self, nodes) -> int:
        """Return the smallest clique that contains these nodes, or -1."""
        nodes = set(nodes)
        found = [clique for clique, members in enumerate(self.members) if nodes <= members]
        return min(found, key=self.cells.__getitem__, default=-1)

    def start(self, tables) -> Potentials:
        """Multiply each table into a clique with its family; sepsets start as ones."""
        cliques = [np.ones((1, *shape)) for shape in self.shapes]
        for node, table in enumerate(tables):
            family = (*self.parents[node], node)
            order = sorted(range(len(family)), key=family.__getitem__)
            table = table.transpose(order)
            cliques[self.homes[node]] *= table.reshape(
                self._shape(self.homes[node], sorted(family))
            )
        sepsets = [np.ones((1, *(self.sizes[node] for node in nodes))) for nodes in self.sepsets]
        return Potentials(cliques, sepsets, 0.0)

    def enter(self, potentials: Potentials, codes) -> Potentials:
        """Multiply 0/1 likelihoods of known values into cliques.

        `codes` maps variables to one index per case, negative for unknown values.
        """
        cliques = list(potentials.cliques)
        for node, values in codes.items():
            likelihood = values[:, None] == np.arange(self.sizes[node])
            likelihood[values < 0] = True
            place = self.places[node]
            shape = self._shape(place, (node,))
            cliques[place] = cliques[place] * likelihood.reshape(len(values), *shape[1:])
        return Potentials(cliques, potentials.sepsets, potentials.log_scale)

    def propagate(self, potentials: Potentials, center: int = 0) -> Potentials:
        """Pass messages to the centre and back; afterwards each table is P(its variables | e).

        `log_scale` is then log P(e). Tables are zero if the evidence is impossible.
        """
        cliques, sepsets, log_scale = potentials
        cliques, sepsets = list(cliques), list(sepsets)
        inwards = self.schedule(center)
        for step in inwards:
            log_scale = log_scale + _normalize(cliques, step.sender)
            _send(cliques, sepsets, step)
        log_scale = log_scale + _normalize(cliques, center)
        for step in reversed(inwards):
            _send(cliques, sepsets, self._turned(step))
        return Potentials(cliques, sepsets, log_scale)

    def schedule(self, center: int) -> list[Pass]:
        """Return the messages towards the centre, each after the messages it depends on."""
        around: list[list[tuple[int, int]]] = [[] for _ in self.cliques]
        for link, (a, b) in enumerate(self.links):
            around[a].append((b, link))
            around[b].append((a, link))
        outwards, waiting, found = [], [center], {center}
        for clique in waiting:
            for other, link in around[clique]:
                if other not in found:
                    found.add(other)
                    waiting.append(other)
                    outwards.append(self._pass(other, clique, link))
        return outwards[::-1]

    def marginal(self, potentials: Potentials, clique: int, nodes) -> np.ndarray:
        """Sum a clique to some of its variables, in ascending order."""
        axes = self._axes(clique, nodes)
        return potentials.cliques[clique].sum(axis=axes) if axes else potentials.cliques[clique]

    def blocks(self, n_cases: int) -> list[slice]:
        """Split cases into slices whose tables fit in memory."""
        rows = max(1, BLOCK_CELLS // sum(self.cells))
        return [slice(start, min(start + rows, n_cases)) for start in range(0, n_cases, rows)]

    def _pass(self, sender, receiver, link) -> Pass:
        nodes = self.sepsets[link]
        shape = self._shape(receiver, nodes)
        return Pass(sender, receiver, link, self._axes(sender, nodes), (-1, *shape[1:]))

    def _turned(self, step: Pass) -> Pass:
        return self._pass(step.receiver, step.sender, step.link)

    def _axes(self, clique, nodes):
        return tuple(axis for axis, node in enumerate(self.cliques[clique], 1) if node not in nodes)

    def _shape(self, clique, nodes):
        """Return the shape that broadcasts a table over these variables to the clique's table."""
        return (1, *(self.sizes[node] if node in nodes else 1 for node in self.cliques[clique]))


def run_cases(tree, tables, rows, read):
    """Propagate all rows of evidence, block by block, and apply `read` to the result."""
    started, parts = tree.start(tables), []
    for block in tree.blocks(len(rows)):
        seen = {
            node: rows[block, node]
            for node in range(rows.shape[1])
            if (rows[block, node] >= 0).any()
        }
        values = read(tree.propagate(tree.enter(started, seen)))
        values = np.atleast_1d(values)
        parts.append(np.broadcast_to(values, (block.stop - block.start, *values.shape[1:])))
    return np.concatenate(parts)


def _join(cliques, sizes) -> list[tuple[int, int]]:
    """Join cliques by the largest intersections (Kruskal); ties go to the smaller tables."""
    holders: dict[int, list[int]] = {}
    for number, clique in enumerate(cliques):
        for node in clique:
            holders.setdefault(node, []).append(number)
    mass: dict[tuple[int, int], int] = {}
    for numbers in holders.values():
        for i, a in enumerate(numbers):
            for b in numbers[i + 1 :]:
                mass[a, b] = mass.get((a, b), 0) + 1
    cells = [float(np.prod([float(sizes[node]) for node in clique])) for clique in cliques]
    ranked = sorted(mass, key=lambda pair: (-mass[pair], cells[pair[0]] + cells[pair[1]], pair))
    ranked += [(0, other) for other in range(1, len(cliques))]  # connects separate components
    group = list(range(len(cliques)))
    links = []
    for a, b in ranked:
        first, second = _root(group, a), _root(group, b)
        if first != second:
            group[second] = first
            links.append((a, b))
    return links


def _root(group, node):
    while group[node] != node:
        group[node] = group[group[node]]
        node = group[node]
    return node


def _normalize(cliques, number):
    """Divide a table by its sum, in place; return the log of it."""
    table = cliques[number]
    total = table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(total.reshape(-1))
    cliques[number] = table / np.where(total > 0, total, 1.0)
    return logs


def _send(cliques, sepsets, step: Pass):
    """Marginalise the sender to the sepset, and multiply the change into the receiver."""
    table = cliques[step.sender]
    new = table.sum(axis=step.axes) if step.axes else table
    old = sepsets[step.link]
    shape = np.broadcast_shapes(new.shape, old.shape)
    ratio = np.divide(new, old, out=np.zeros(shape), where=old > 0)
    sepsets[step.link] = new
    cliques[step.receiver] = cliques[step.receiver] * ratio.reshape(step.shape)
