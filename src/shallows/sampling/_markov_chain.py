"""Markov chains with finitely many states."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.compile import compiled


class MarkovChain:
    """Markov chain that moves from state i to state j with probability M[i, j].

    Parameters
    ----------
    M : array-like of shape (n_states, n_states)
        Transition matrix; rows sum to 1.

    Examples
    --------
    >>> from shallows.sampling import MarkovChain
    >>> chain = MarkovChain([[0.9, 0.1], [0.5, 0.5]])
    >>> chain.invariant().round(4)
    array([0.8333, 0.1667])
    """

    def __init__(self, M):
        self.M = np.asarray(M, dtype=np.float64)
        square = self.M.ndim == 2 and self.M.shape[0] == self.M.shape[1] and len(self.M)
        if not square or (self.M < 0).any() or not np.allclose(self.M.sum(axis=1), 1):
            raise ValueError(
                "MarkovChain: M must be square, not negative, and each row sum to 1, got "
                f"{self.M!r}."
            )

    def path(self, n: int, start=None, random_state=None) -> np.ndarray:
        """Simulate the chain.

        Parameters
        ----------
        n : int
            Number of visited states, including the first.
        start : int, array-like of shape (n_states,) or None, default=None
            First state, or its probabilities; None draws it from the invariant distribution.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the path.

        Returns
        -------
        states : ndarray of shape (n,)
            Indices of states.
        """
        rng = as_generator(random_state)
        start = self.invariant() if start is None else start
        first = start if np.ndim(start) == 0 else rng.choice(len(self.M), p=start)
        sums = np.cumsum(self.M, axis=1)
        sums[:, -1] = 1.0
        return walk(sums, int(first), rng.random(max(n - 1, 0)))[:n]

    def power(self, m: int) -> np.ndarray:
        """Return the transition matrix of m steps.

        Parameters
        ----------
        m : int
            Number of steps.

        Returns
        -------
        M : ndarray of shape (n_states, n_states)
            The m-th power of the transition matrix.
        """
        return np.linalg.matrix_power(self.M, m)

    def propagate(self, law, n: int = 1) -> np.ndarray:
        """Return the distribution of the state n steps later.

        Parameters
        ----------
        law : array-like of shape (n_states,)
            Probabilities of the states now.
        n : int, default=1
            Number of steps.

        Returns
        -------
        law : ndarray of shape (n_states,)
            Probabilities of the states then.
        """
        law = np.asarray(law, dtype=np.float64)
        for _ in range(n):
            law = law @ self.M
        return law

    def invariant(self) -> np.ndarray:
        """Return the invariant distribution, the left eigenvector of M for eigenvalue 1.

        Returns
        -------
        law : ndarray of shape (n_states,)
            Probabilities. An error is raised if there are several invariant distributions.
        """
        n = len(self.M)
        if np.linalg.matrix_rank(np.eye(n) - self.M.T, tol=1e-10) < n - 1:
            raise ValueError(
                "MarkovChain: there are several invariant distributions, because the chain "
                "consists of parts that it never leaves."
            )
        # Solve law (I - M) = 0 together with sum(law) = 1.
        rows = np.vstack([np.eye(n) - self.M.T, np.ones(n)])
        law = np.linalg.lstsq(rows, np.append(np.zeros(n), 1.0), rcond=None)[0]
        law = np.maximum(law, 0.0)
        return law / law.sum()

    def is_ergodic(self) -> bool:
        """Return whether all starts lead to the same distribution: one eigenvalue of modulus 1.

        Returns
        -------
        ergodic : bool
            True if the chain is irreducible and aperiodic.
        """
        sizes = np.sort(np.abs(np.linalg.eigvals(self.M)))
        return bool(len(sizes) == 1 or sizes[-2] < 1 - 1e-10)


def detailed_balance_gap(M, law) -> float:
    r"""Return the largest difference between :math:`g_i M_{ij}` and :math:`g_j M_{ji}`.

    If it is zero, the chain is in detailed balance with the distribution, which is then invariant.
    The converse is not true: a chain that moves around a circle has an invariant distribution
    without detailed balance.

    Parameters
    ----------
    M : array-like of shape (n_states, n_states)
        Transition matrix.
    law : array-like of shape (n_states,)
        Probabilities g.

    Returns
    -------
    gap : float
        Largest difference between the flows in both directions.

    Examples
    --------
    >>> from shallows.sampling import detailed_balance_gap
    >>> circle = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    >>> round(detailed_balance_gap(circle, [1 / 3, 1 / 3, 1 / 3]), 3)
    0.333
    """
    flow = np.asarray(law, dtype=np.float64)[:, None] * np.asarray(M, dtype=np.float64)
    return float(np.abs(flow - flow.T).max())


@compiled
def walk(sums, first, draws):
    """Return the visited states; row i of `sums` has the cumulative probabilities of state i."""
    states = np.empty(len(draws) + 1, dtype=np.int64)
    states[0] = first
    for t in range(len(draws)):
        row, j = sums[states[t]], 0
        while draws[t] >= row[j]:
            j += 1
        states[t + 1] = j
    return states
