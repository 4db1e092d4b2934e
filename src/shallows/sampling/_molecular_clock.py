"""Mutation of DNA letters in time."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import PositiveFloat, check_params

LETTERS = "ACGT"
_TRANSITION = np.array([[x + y in ("AG", "GA", "CT", "TC") for y in LETTERS] for x in LETTERS])


class MolecularClock:
    r"""Mutation of letters at a constant rate, with transitions faster than transversions.

    The rate from x to y is :math:`\phi \pi_y`, multiplied by :math:`\kappa` for A-G and C-T [1]_.

    Parameters
    ----------
    rate : float, default=1.0
        Overall rate :math:`\phi`.
    kappa : float, default=2.0
        Factor of transitions.
    frequencies : array-like of shape (4,), default=(0.25, 0.25, 0.25, 0.25)
        Stationary frequencies :math:`\pi` of A, C, G, T.

    Attributes
    ----------
    rates : ndarray of shape (4, 4)
        The matrix Q of rates; rows sum to 0.

    References
    ----------
    .. [1] M. Hasegawa, H. Kishino, T. Yano, "Dating of the human-ape splitting by a molecular
       clock of mitochondrial DNA", Journal of Molecular Evolution 22, 160-174, 1985.

    Examples
    --------
    >>> from shallows.sampling import MolecularClock
    >>> MolecularClock(kappa=1.0).transition(0.0).diagonal()
    array([1., 1., 1., 1.])
    """

    def __init__(
        self,
        rate: PositiveFloat = 1.0,
        kappa: PositiveFloat = 2.0,
        frequencies=(0.25, 0.25, 0.25, 0.25),
    ):
        self.rate, self.kappa = rate, kappa
        check_params(self)
        self.frequencies = np.asarray(frequencies, dtype=np.float64)
        shares = self.frequencies
        if shares.shape != (4,) or (shares <= 0).any() or not np.isclose(shares.sum(), 1):
            raise ValueError(
                "MolecularClock: frequencies must be four positive numbers that sum to 1, got "
                f"{frequencies!r}."
            )
        self.rates = rate * shares * np.where(_TRANSITION, kappa, 1.0)
        np.fill_diagonal(self.rates, 0.0)
        np.fill_diagonal(self.rates, -self.rates.sum(axis=1))

    def transition(self, t) -> np.ndarray:
        """Return the probabilities of changes from x to y in time t.

        Parameters
        ----------
        t : float or array-like
            Times.

        Returns
        -------
        P : ndarray of shape (..., 4, 4)
            Row x has the probabilities of all y.
        """
        values, left, right = self.modes()
        return (left * np.exp(values * np.asarray(t)[..., None, None])) @ right

    def modes(self):
        """Return the eigenvalues of Q with left and right factors.

        Returns
        -------
        values, left, right : ndarray
            Q is ``left @ diag(values) @ right``.
        """
        # Scaling by the root of the frequencies makes Q symmetric, because it is reversible.
        root = np.sqrt(self.frequencies)
        symmetric = self.rates * root[:, None] / root
        values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
        return values, vectors / root[:, None], (vectors * root[:, None]).T
