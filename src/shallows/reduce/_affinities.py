"""Probabilities that a sample picks another as its neighbour, for stochastic embeddings."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

ENTROPY_TOL = 1e-5
BISECTIONS = 100


def conditional_probabilities(squared, perplexity):
    """Return Gaussian neighbour probabilities, by row, whose perplexity is as given.

    Parameters
    ----------
    squared : ndarray of shape (n_samples, k)
        Squared distances to the neighbours of each sample, from near to far.
    perplexity : float
        Exponential of the entropy that each row shall have.
    """
    squared = np.ascontiguousarray(squared, dtype=np.float64)
    probabilities = np.empty_like(squared)

    def block(rows):
        perplexity_rows(squared[rows], np.log(perplexity), probabilities[rows])

    map_blocks(block, len(squared), 512)
    return probabilities


def joint_probabilities(distances, index, perplexity):
    """Return the symmetric sparse matrix of (p_j|i + p_i|j) / (2 n), which sums to one."""
    n, k = index.shape
    conditional = conditional_probabilities(distances.astype(np.float64) ** 2, perplexity)
    one_way = csr_array((conditional.ravel(), index.ravel(), np.arange(n + 1) * k), shape=(n, n))
    joint = (one_way + one_way.T).tocsr()
    joint.data /= joint.data.sum()
    joint.sort_indices()
    return joint


@compiled
def perplexity_rows(squared, wanted, probabilities):
    """Find for each row the Gaussian width with the entropy wanted, by bisection."""
    k = squared.shape[1]
    for i in range(squared.shape[0]):
        # Start with the precision beta at which the mean gap counts about 1.
        low, high = 0.0, np.inf
        # Start from the inverse mean squared distance.
        spread = 0.0
        for j in range(k):
            spread += squared[i, j] - squared[i, 0]
        beta = k / spread if spread > 0.0 else 1.0
        for _ in range(BISECTIONS):
            # Probabilities exp(-beta d^2) and their entropy log(sum) + beta mean(d^2).
            total, inner = 0.0, 0.0
            for j in range(k):
                gap = squared[i, j] - squared[i, 0]
                value = np.exp(-beta * gap)
                probabilities[i, j] = value
                total += value
                inner += gap * value
            entropy = np.log(total) + beta * inner / total
            if abs(entropy - wanted) < ENTROPY_TOL:
                break
            # A larger beta narrows the Gaussian and lowers the entropy.
            if entropy > wanted:
                low = beta
                beta = 2.0 * beta if high == np.inf else (low + high) / 2.0
            else:
                high = beta
                beta = (low + high) / 2.0
        for j in range(k):
            probabilities[i, j] /= total
