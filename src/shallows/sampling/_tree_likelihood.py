"""Likelihood of sequences at the leaves of a tree."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.clock_tree import ClockTree, decode
from shallows._core.numerics.compile import compiled
from shallows.sampling._molecular_clock import LETTERS, MolecularClock


def tree_log_likelihood(tree: ClockTree, sequences, clock: MolecularClock) -> float:
    """Return the log-probability of sequences that mutated along a tree.

    Letters of ancestors are summed out from the leaves to the root: for each letter that a node
    might have, it stores the probability of all letters below it (Felsenstein's pruning).

    Parameters
    ----------
    tree : ClockTree
        The tree.
    sequences : array-like of shape (n_leaves, n_sites), or list of str
        Letters A, C, G, T of each leaf, or their indices 0 to 3; anything else is unknown.
    clock : MolecularClock
        The mutation model; letters at the root have its frequencies.

    Returns
    -------
    log_likelihood : float
        Sum over the independent sites.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import ClockTree, MolecularClock, tree_log_likelihood
    >>> tree = ClockTree([0, 1], [100.0])
    >>> np.exp(tree_log_likelihood(tree, ["A", "C"], MolecularClock())).round(4)
    np.float64(0.0625)
    """
    leaves, counts = site_patterns(sequences, len(tree.order))
    shape = decode(tree.order, tree.distances)
    return float(prune_sites(leaves, counts, clock.frequencies, shape, clock.modes()))


def site_patterns(sequences, n_leaves):
    """Return the distinct columns, coded by the letters they allow, and their counts."""
    letters = np.array([list(row) for row in sequences] if _is_text(sequences) else sequences)
    if letters.ndim != 2 or len(letters) != n_leaves:
        raise ValueError(
            f"tree_log_likelihood: {n_leaves} leaves need as many sequences of the same length, "
            f"got shape {letters.shape}."
        )
    if letters.dtype.kind in "US":
        numbers = np.full(letters.shape, -1)
        for number, letter in enumerate(LETTERS):
            numbers[np.char.upper(letters.astype(str)) == letter] = number
    else:
        numbers = np.where((letters >= 0) & (letters < 4), letters, -1).astype(np.int64)
    # Equal columns are computed once; an unknown letter allows all four.
    patterns, counts = np.unique(numbers, axis=1, return_counts=True)
    allowed = np.ones((*patterns.shape, 4))
    known = patterns >= 0
    allowed[known] = np.eye(4)[patterns[known]]
    return allowed, counts.astype(np.float64)


def _is_text(sequences):
    return all(isinstance(row, str) for row in sequences)


@compiled
def prune_sites(leaves, counts, frequencies, shape, modes):
    """Return the log-likelihood, summed over site patterns; rescaling prevents underflow.

    `shape` are both children and the age of each ancestor, as `decode` returns them; `modes` the
    eigenvalues of the clock's rates and the matrices on both sides of them.
    """
    lefts, rights, heights = shape
    values, left, right = modes
    n_leaves, n_patterns, _ = leaves.shape
    below = np.empty((2 * n_leaves - 1, n_patterns, 4))
    ages = np.zeros(2 * n_leaves - 1)
    # A leaf has probability 1 for the letters it allows.
    for i in range(n_leaves):
        for s in range(n_patterns):
            for x in range(4):
                below[i, s, x] = leaves[i, s, x]
    for k in range(n_leaves - 1):
        ages[n_leaves + k] = heights[k]
    logs = np.zeros(n_patterns)
    P, product = np.empty((4, 4)), np.empty(4)
    for k in range(n_leaves - 1):
        node = n_leaves + k
        below[node] = 1.0

        # P(t) = exp(Q t) = L exp(values t) R, then Felsenstein's product over both children of
        # sum_y P_xy(t) below_child(y).
        for child in (lefts[k], rights[k]):
            # P(t) = left exp(values t) right: probabilities of change along the branch.
            time = ages[node] - ages[child]
            for x in range(4):
                for y in range(4):
                    P[x, y] = 0.0
                    for m in range(4):
                        P[x, y] += left[x, m] * np.exp(values[m] * time) * right[m, y]
                    P[x, y] = max(P[x, y], 0.0)
            # Multiply over children: sum over the child's letters y of P[x, y] below[child, y].
            for s in range(n_patterns):
                for x in range(4):
                    product[x] = 0.0
                    for y in range(4):
                        product[x] += P[x, y] * below[child, s, y]
                for x in range(4):
                    below[node, s, x] *= product[x]
        # Rescale tiny values and keep the logarithm of the factor.
        for s in range(n_patterns):
            largest = max(
                below[node, s, 0], below[node, s, 1], below[node, s, 2], below[node, s, 3]
            )
            if 0.0 < largest < 1e-100:
                logs[s] += np.log(largest)
                for x in range(4):
                    below[node, s, x] /= largest

    # The root's letters have the frequencies of the clock.
    total = 0.0
    for s in range(n_patterns):
        chance = 0.0
        for x in range(4):
            chance += frequencies[x] * below[2 * n_leaves - 2, s, x]
        total += counts[s] * (np.log(chance) + logs[s])
    return total
