"""DNA sequences that mutate along a random family tree with a molecular clock."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.linalg import expm

from shallows._core.contract.params import PositiveFloat, PositiveInt, Range, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.clock_tree import ClockTree

LETTERS = np.array(list("ACGT"))
TRANSITIONS = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=bool)


def random_clock_tree(
    n_leaves: Annotated[int, Range(2)],
    *,
    height: PositiveFloat = 1.0,
    random_state: RandomState = None,
) -> ClockTree:
    """Draw a family tree by merging random pairs of lineages, backwards in time.

    With k lineages, the next merger comes after an exponential time of rate k(k-1)/2 (Kingman's
    coalescent). The tree is then scaled to the given height.

    Parameters
    ----------
    n_leaves : int
        Number of living species.
    height : float, default=1.0
        Height of the root.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the tree.

    Returns
    -------
    tree : shallows.sampling.ClockTree
        The tree; `to_parents` gives parent and age of each node.

    Examples
    --------
    >>> from shallows.data import random_clock_tree
    >>> tree = random_clock_tree(3, random_state=0)
    >>> tree.topology(), tree.height
    ('((0,1),2)', 1.0)
    """
    check_arguments(random_clock_tree, locals())
    rng = as_generator(random_state)
    n_nodes = 2 * n_leaves - 1
    parents, heights = np.full(n_nodes, -1), np.zeros(n_nodes)
    alive = list(range(n_leaves))
    for node in range(n_leaves, n_nodes):
        pairs = len(alive) * (len(alive) - 1) / 2
        heights[node] = heights[node - 1] + rng.exponential(1 / pairs)
        for _ in range(2):
            parents[alive.pop(rng.integers(len(alive)))] = node
        alive.append(node)
    return ClockTree.from_parents(parents, heights * (height / heights[-1]))


def simulate_sequences(
    tree: ClockTree,
    n_sites: PositiveInt,
    *,
    rate: PositiveFloat = 1.0,
    kappa: PositiveFloat = 2.0,
    frequencies=(0.25, 0.25, 0.25, 0.25),
    random_state: RandomState = None,
) -> np.ndarray:
    r"""Let DNA mutate along a tree and return the sequences of the leaves.

    Sites are independent. A letter x changes to y at the rate :math:`\phi \pi_y`, multiplied by
    :math:`\kappa` for the transitions A-G and C-T [1]_. The root is drawn from the frequencies
    :math:`\pi`, which are stationary.

    Parameters
    ----------
    tree : shallows.sampling.ClockTree
        The tree, as from `random_clock_tree`.
    n_sites : int
        Length of the sequences.
    rate : float, default=1.0
        Overall mutation rate :math:`\phi` per unit of height.
    kappa : float, default=2.0
        Rate of transitions relative to transversions.
    frequencies : array-like of shape (4,), default=(0.25, 0.25, 0.25, 0.25)
        Stationary frequencies of A, C, G, T.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the mutations.

    Returns
    -------
    sequences : ndarray of shape (n_leaves, n_sites)
        Letters A, C, G, T.

    References
    ----------
    .. [1] M. Hasegawa, H. Kishino and T. Yano, "Dating of the human-ape splitting by a
       molecular clock of mitochondrial DNA", Journal of Molecular Evolution 22, 160-174, 1985.

    Examples
    --------
    >>> from shallows.data import random_clock_tree, simulate_sequences
    >>> tree = random_clock_tree(5, random_state=0)
    >>> simulate_sequences(tree, 40, rate=0.1, random_state=0).shape
    (5, 40)
    """
    check_arguments(simulate_sequences, locals())
    shares = np.asarray(frequencies, dtype=np.float64)
    if shares.shape != (4,) or (shares <= 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise ValueError(
            "simulate_sequences: frequencies must be 4 positive numbers that sum to 1, "
            f"got {frequencies!r}."
        )
    rng = as_generator(random_state)
    parents, heights = tree.to_parents()
    rates = mutation_rates(rate, kappa, shares)
    letters = np.empty((len(parents), n_sites), dtype=np.int64)
    letters[-1] = rng.choice(4, size=n_sites, p=shares)
    for node in range(len(parents) - 2, -1, -1):
        parent = parents[node]
        # Matrix exponential: probabilities of the child's letter given that of its parent.
        chances = expm(rates * (heights[parent] - heights[node])).cumsum(axis=1)
        drawn = rng.random((n_sites, 1)) > chances[letters[parent]]
        letters[node] = np.minimum(drawn.sum(axis=1), 3)
    return LETTERS[letters[: (len(parents) + 1) // 2]]


def mutation_rates(rate, kappa, frequencies):
    """Return the rate matrix, from letter (row) to letter (column); rows sum to 0."""
    rates = rate * frequencies * np.where(TRANSITIONS, kappa, 1.0)
    np.fill_diagonal(rates, 0.0)
    np.fill_diagonal(rates, -rates.sum(axis=1))
    return rates
