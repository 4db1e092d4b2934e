"""Probability tables from counts, or by expectation-maximisation with missing entries."""

from __future__ import annotations

import numpy as np

from shallows.graphical._clique_tree import CliqueTree
from shallows.graphical._table_data import group_rows


class Learner:
    """Weighted counts of each family of variables, and the tables that they give.

    `codes` has one column per variable, -1 for missing values.
    """

    def __init__(self, parents, sizes, codes, weights, alpha):
        self.parents, self.sizes, self.alpha = parents, sizes, alpha
        self.total = float(weights.sum())
        complete = (codes >= 0).all(axis=1)
        self.counts = [
            self._count(family, codes[complete], weights[complete]) for family in self._families()
        ]
        self.rows, self.weights, _ = group_rows(codes[~complete], weights[~complete])
        self.complete = bool(complete.all())
        if not self.complete:
            self.tree = CliqueTree(parents, sizes)

    def start(self, rng, given) -> list[np.ndarray]:
        """Return initial tables: given, or estimated from known entries, or random.

        A family that is never observed completely gets a random table.
        """
        tables = []
        for node, family in enumerate(self._families()):
            known = (self.rows[:, family] >= 0).all(axis=1)
            counts = self.counts[node] + self._count(family, self.rows[known], self.weights[known])
            if given[node] is not None:
                tables.append(np.array(given[node], dtype=np.float64))
            elif counts.any():
                tables.append(normalize_rows(counts + 1))
            else:
                shape = counts.shape
                tables.append(rng.dirichlet(np.ones(shape[-1]), size=shape[:-1]))
        return tables

    def step(self, tables) -> tuple[float, list[np.ndarray]]:
        """Return the loss of tables, and the tables after one EM step."""
        value, counts = self.expect(tables)
        if value == -np.inf:
            raise ValueError(
                "BayesianNetwork: the given tables make the data impossible, so EM has nothing to "
                "start from. Raise their zeros."
            )
        return -value, self.maximize(counts, tables)

    def expect(self, tables) -> tuple[float, list[np.ndarray]]:
        """Return the penalised mean log-likelihood of tables, and the expected counts."""
        counts = [part.copy() for part in self.counts]
        log_likelihood = sum(map(_log_sum, counts, tables)) + self.alpha * sum(
            np.log(table).sum() if self.alpha else 0.0 for table in tables
        )
        if not self.complete:
            started = self.tree.start(tables)
            for block in self.tree.blocks(len(self.rows)):
                log_likelihood += self._add_expected(started, block, counts)
        return float(log_likelihood) / self.total, counts

    def maximize(self, counts, old=None) -> list[np.ndarray]:
        """Return tables from counts; rows without counts keep the old values, or are uniform."""
        kept = [None] * len(counts) if old is None else old
        return [
            normalize_rows(part + self.alpha, before)
            for part, before in zip(counts, kept, strict=True)
        ]

    def _add_expected(self, started, block, counts):
        tree, weights = self.tree, self.weights[block]
        codes = {node: self.rows[block, node] for node in range(len(self.parents))}
        seen = {node: values for node, values in codes.items() if (values >= 0).any()}

        # Posteriors of all cliques, for many rows at once.
        found = tree.propagate(tree.enter(started, seen))
        logs = np.broadcast_to(found.log_scale, weights.shape)
        sums: dict[int, np.ndarray] = {}
        for node, family in enumerate(self._families()):
            clique = tree.homes[node]
            if clique not in sums:
                # Sum cases before marginalising: one sum per clique serves all its families.
                table = found.cliques[clique]
                rows = np.broadcast_to(table, (len(weights), *table.shape[1:]))
                sums[clique] = np.tensordot(weights, rows, 1)
            # Sum out of the clique all but the family, in the order of the family's table.
            rest = tuple(
                axis for axis, other in enumerate(tree.cliques[clique]) if other not in family
            )
            expected = sums[clique].sum(axis=rest)
            counts[node] += expected.transpose(np.argsort(np.argsort(family)))
        return float(weights @ logs)

    def _families(self):
        return [[*above, node] for node, above in enumerate(self.parents)]

    def _count(self, family, codes, weights):
        shape = tuple(self.sizes[node] for node in family)
        cells = np.ravel_multi_index(codes[:, family].T, shape)
        counts = np.bincount(cells, weights, minlength=int(np.prod(shape)))
        return counts.astype(np.float64).reshape(shape)  # without rows bincount returns integers


def normalize_rows(counts, otherwise=None) -> np.ndarray:
    """Divide by the sums along the last axis; rows of zeros become uniform or `otherwise`."""
    total = counts.sum(axis=-1, keepdims=True)
    rest = np.full(counts.shape, 1 / counts.shape[-1]) if otherwise is None else otherwise.copy()
    return np.divide(counts, total, out=rest, where=total > 0)


def log_probabilities(parents, tables, codes) -> np.ndarray:
    """Return the log of the joint probability of complete rows."""
    logs = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for node, (above, table) in enumerate(zip(parents, tables, strict=True)):
            logs += np.log(table)[tuple(codes[:, other] for other in (*above, node))]
    return logs


def _log_sum(counts, table):
    """Return the sum of counts times logs, with 0 log 0 = 0."""
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[seen] @ np.log(table[seen]))
