"""Steps that learn the least stable sample, and what they have come to.

With ``x`` the number of times that each sample was learned and ``E`` the potentials, the squared
length of the weights is ``x E``, and the product of earlier weights with the present ones is that
of the earlier ``x`` with the present ``E``: no step and no measure needs the weights themselves.
"""

from __future__ import annotations

from math import acos, copysign, pi, sqrt

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.compile import compiled

BLOCK = 16  # potentials whose least is found at once


class Problem:
    """One class against the rest, whose least stable sample is learned step after step.

    Parameters
    ----------
    S : ndarray of shape (n_samples,)
        Labels -1.0, +1.0.

    Attributes
    ----------
    counts : ndarray of shape (n_samples,)
        How often each sample was learned.
    potentials : ndarray of shape (n_samples,)
        Potentials of the weights that the counts stand for.
    lowest, length : float
        Smallest potential and length of the weights.
    stability : float
        The one over the other.
    bound : float
        Upper bound of the largest stability.
    left : float
        What is left to fall below the tolerance, as the learner measures it.
    """

    def __init__(self, S):
        self.S = S
        self.counts, self.potentials = np.zeros(len(S), dtype=np.int64), np.zeros(len(S))
        self.lowest = self.length = self.stability = self.bound = 0.0
        self.left = np.inf

    @property
    def gap(self):
        """Share by which the squared stability lies below its upper bound."""
        share = _ratio(self.stability, self.bound)
        return 1 - copysign(share**2, share)

    def learn(self, gram, margin, gap):
        """Make as many steps as there are samples, fewer where margin or gap are reached."""
        share = copysign(sqrt(abs(1 - gap)), 1 - gap)
        self._keep(*learn_least_stable(gram, self.S, margin, share, self.potentials, self.counts))

    def learn_from(self, X, offset, margin, gap):
        """Do the same without a Gram matrix, by a product with X in every step."""
        for _ in range(len(self.S)):
            least = int(self.potentials.argmin())
            if self.potentials[least] >= margin:
                break
            self.counts[least] += 1
            row = X[[least]].toarray()[0] if issparse(X) else X[least]
            self.potentials += self.S * self.S[least] * (X @ row + offset)
            self._keep(*measure(self.potentials, self.counts))
            if self.gap <= gap:
                break

    def state(self):
        """Return counts, stabilities of all samples, and length of the weights."""
        return self.counts.copy(), _ratio(self.potentials, self.length), self.length

    def angle(self, earlier):
        """Return the angle over pi by which the weights have turned since an earlier state."""
        counts, _, length = earlier
        cosine = _ratio(float((counts * self.potentials).sum()), length * self.length)
        return acos(min(max(cosine, -1.0), 1.0)) / pi

    def restlessness(self, earlier):
        """Return the sum of squared changes of the stabilities since an earlier state."""
        return float(((_ratio(self.potentials, self.length) - earlier[1]) ** 2).sum())

    def _keep(self, square, lowest, steps):
        self.lowest, self.length = lowest, sqrt(max(square, 0.0))
        self.stability = _ratio(self.lowest, self.length)
        self.bound = self.length / max(steps, 1)


def _ratio(value, scale):
    """Return value over scale, 0 where the scale is."""
    return value / scale if scale > 0 else 0.0 * value


@compiled
def learn_least_stable(gram, S, margin, share, potentials, counts):
    """Learn the sample of the smallest potential, step after step, in place.

    It ends when the smallest potential reaches `margin`, or the stability this share of its upper
    bound. Returns what `measure` does.
    """
    square, lowest, steps = measure(potentials, counts)
    least = np.argmin(potentials)
    for _ in range(len(S)):
        if lowest >= margin:
            break
        square += 2 * lowest + gram[least, least]
        counts[least] += 1
        steps += 1
        label, row = S[least], gram[least]
        for i in range(len(S)):
            potentials[i] += label * S[i] * row[i]
        # Blocks have no need to wait for the least of all before them.
        lowest, block = np.inf, 0
        for start in range(0, len(S), BLOCK):
            part = potentials[start : start + BLOCK]
            smallest = part[0]
            for value in part:
                smallest = min(smallest, value)
            if smallest < lowest:
                lowest, block = smallest, start
        least = block
        for i in range(block, min(block + BLOCK, len(S))):
            if potentials[i] == lowest:
                least = i
                break
        if lowest * steps >= share * square:
            break
    return measure(potentials, counts)


@compiled
def measure(potentials, counts):
    """Return the squared length of the weights, the smallest potential and the number of steps."""
    square, lowest, steps = 0.0, np.inf, 0
    for i in range(len(counts)):
        square += counts[i] * potentials[i]
        lowest = min(lowest, potentials[i])
        steps += counts[i]
    return square, lowest, steps
