"""Sampling of family trees from their posterior distribution."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import cophenet, leaves_list, linkage
from scipy.spatial.distance import squareform

from shallows._core.contract.params import PositiveFloat, PositiveInt, check_arguments
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.clock_tree import ClockTree, decode
from shallows._core.numerics.compile import compiled
from shallows.sampling._molecular_clock import MolecularClock
from shallows.sampling._tree_likelihood import prune_sites, site_patterns


class TreeSample(NamedTuple):
    """Sampled trees, their log posteriors up to a constant, and parameters of the clock.

    `rates` and `kappas` are parameters of the clock; `acceptance` has the shares of accepted moves
    of the clock and of the tree.
    """

    trees: list[ClockTree]
    log_posteriors: np.ndarray
    rates: np.ndarray
    kappas: np.ndarray
    acceptance: tuple[float, float]

    def topologies(self) -> dict[str, float]:
        """Return the share of each topology, the most frequent first."""
        counts = Counter(tree.topology() for tree in self.trees)
        return {name: count / len(self.trees) for name, count in counts.most_common()}

    def clades(self) -> dict[frozenset[int], float]:
        """Return the share of trees that have each clade, the most frequent first."""
        counts = Counter(clade for tree in self.trees for clade in tree.clades())
        return {clade: count / len(self.trees) for clade, count in counts.most_common()}


def sample_trees(
    sequences,
    n: PositiveInt,
    *,
    delta: PositiveFloat = 0.1,
    max_height: PositiveFloat = 1.0,
    max_rate: PositiveFloat = 10.0,
    max_kappa: PositiveFloat = 20.0,
    burn_in: int = 1000,
    thin: PositiveInt = 10,
    start: Literal["clusters", "random"] = "clusters",
    random_state=None,
) -> TreeSample:
    """Draw family trees of sequences with the Metropolis algorithm.

    The prior is uniform over drawings of trees up to a height, and over the clock's parameters up
    to their bounds. Moves alternate: the clock's parameters move within a box; the tree is redrawn
    by swapping random branches, and its distances move, reflected at zero. Both moves are
    symmetric, and every tree can be reached [1]_.

    Parameters
    ----------
    sequences : array-like of shape (n_leaves, n_sites), or list of str
        Letters of each leaf; anything other than A, C, G, T is unknown.
    n : int
        Number of trees.
    delta : float, default=0.1
        Largest change of a distance, relative to `max_height`. Parameters of the clock move by at
        most this share of their bounds.
    max_height : float, default=1.0
        Largest age of the root.
    max_rate, max_kappa : float
        Bounds of the mutation rate and of the factor of transitions.
    burn_in : int, default=1000
        Moves of the tree before the first kept tree.
    thin : int, default=10
        Moves of the tree between kept trees.
    start : {"clusters", "random"}, default="clusters"
        First tree: from clustering the sequences by their share of different letters, or a random
        tree, from which convergence takes longer.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the chain.

    Returns
    -------
    sample : TreeSample
        Trees and parameters.

    References
    ----------
    .. [1] B. Mau, M. A. Newton, B. Larget, "Bayesian phylogenetic inference via Markov chain
       Monte Carlo methods", Biometrics 55, 1-12, 1999.

    Examples
    --------
    >>> from shallows.sampling import sample_trees
    >>> sequences = ["AAAACCCC", "AAAACCCG", "GGTTCCCC"]
    >>> sample = sample_trees(sequences, 200, random_state=0)
    >>> max(sample.topologies(), key=sample.topologies().get)
    '((0,1),2)'
    """
    check_arguments(sample_trees, locals())
    rng = as_generator(random_state)
    leaves, counts = site_patterns(sequences, len(sequences))
    known = leaves.sum(axis=2) == 1
    letters = (leaves[known] * np.broadcast_to(counts, known.shape)[known][:, None]).sum(axis=0)
    frequencies = (letters + 1) / (letters.sum() + 4)

    def posterior(order, distances, modes):
        if distances.max() > 2 * max_height:
            return -np.inf
        return prune_sites(leaves, counts, frequencies, decode(order, distances), modes)

    n_leaves = len(sequences)
    if start == "random":
        order, distances = rng.permutation(n_leaves), max_height * rng.random(n_leaves - 1)
    else:
        order, distances = _clustered(leaves, counts, max_height)
    rate, kappa = min(1.0, max_rate / 2), min(2.0, max_kappa / 2)
    modes = MolecularClock(rate, kappa, frequencies).modes()
    height = posterior(order, distances, modes)
    trees, kept, taken = [], [], np.zeros(2)
    n_moves = burn_in + n * thin
    for move in range(n_moves):
        # Move the clock: rate and kappa.
        steps = delta * rng.uniform(-1, 1, size=2) * (max_rate, max_kappa)
        new_rate = _reflected(rate + steps[0], max_rate)
        new_kappa = _reflected(kappa + steps[1], max_kappa)
        new_modes = MolecularClock(new_rate, new_kappa, frequencies).modes()
        new = posterior(order, distances, new_modes)
        if np.log1p(-rng.random()) <= new - height:
            rate, kappa, modes, height = new_rate, new_kappa, new_modes, new
            taken[0] += 1
        # Move the tree: another drawing, with some distances changed.
        drawn, turned = turn_branches(order, distances, rng.random(n_leaves - 1))
        # Most moves change few distances; otherwise hardly any would be accepted in a large tree.
        share = rng.choice([1.0, 1.0 / (n_leaves - 1)])
        moves = rng.random(n_leaves - 1) < share
        jitter = 2 * max_height * delta * rng.uniform(-1, 1, size=n_leaves - 1)
        turned = np.abs(turned + jitter * moves)
        new = posterior(drawn, turned, modes)
        if np.log1p(-rng.random()) <= new - height:
            order, distances, height = drawn, turned, new
            taken[1] += 1
        if move >= burn_in and (move - burn_in) % thin == thin - 1:
            trees.append(ClockTree(order, distances))
            kept.append((height, rate, kappa))
    heights, rates, kappas = np.array(kept).T
    return TreeSample(trees, heights, rates, kappas, (taken[0] / n_moves, taken[1] / n_moves))


def _clustered(leaves, counts, max_height):
    """Return the drawing of the average-linkage tree of the shares of different letters."""
    n = len(leaves)
    agree = np.einsum("asx,bsx,s->ab", leaves, leaves, counts)
    tree = linkage(squareform((1 - agree / counts.sum()).clip(0, 1), checks=False), "average")
    order = leaves_list(tree)
    apart = squareform(cophenet(tree))[order[:-1], order[1:]]
    scale = max_height / max(apart.max(), 1e-12)
    return order.astype(np.int64), np.maximum(apart * scale, 1e-3 * max_height / n)


def _reflected(value, bound):
    """Return the value reflected into the interval from 0 to the bound."""
    value = abs(value)
    return float(max(2 * bound - value if value > bound else value, 1e-12))


@compiled
def turn_branches(order, distances, draws):
    """Return another drawing of the same tree: swap branches at random."""
    order, distances = order.copy(), distances.copy()
    firsts, lasts, turned = [0], [len(order) - 1], 0
    while len(firsts) > 0:
        # The largest distance between neighbouring leaves is the root of these leaves.
        first, last = firsts.pop(), lasts.pop()
        if first == last:
            continue
        # The largest distance within the range is its oldest ancestor.
        place = first + np.argmax(distances[first:last])
        turned += 1
        if draws[turned - 1] < 0.5:
            # Turn about: the right branch first, with the distances inside both branches kept.
            leaves, paths = order[first : last + 1].copy(), distances[first:last].copy()
            split, n_right = place - first, last - place
            for i in range(n_right):
                order[first + i] = leaves[split + 1 + i]
            for i in range(split + 1):
                order[first + n_right + i] = leaves[i]
            for i in range(n_right - 1):
                distances[first + i] = paths[split + 1 + i]
            for i in range(split):
                distances[first + n_right + i] = paths[i]
            place = first + n_right - 1
            distances[place] = paths[split]

        # Then both branches.
        firsts.append(first)
        lasts.append(place)
        firsts.append(place + 1)
        lasts.append(last)
    return order, distances
