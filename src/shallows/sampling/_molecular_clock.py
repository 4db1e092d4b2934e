"""How letters of DNA change in time."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import PositiveFloat, check_params

LETTERS = "ACGT"
_TRANSITION = np.array([[x + y in ("AG", "GA", "CT", "TC") for y in LETTERS] for x in LETTERS])


class MolecularClock:
    r"""Letters that mutate at a constant rate, transitions faster than transversions.

    The rate from x to y is :math:`\phi \pi_y`, times :math:`\kappa` for A-G and C-T [1]_.

    Parameters
    ----------
    rate : float, default=1.0
        Overall rate :math:`\phi`.
    kappa : float, default=2.0
        Factor of transitions.
    frequencies : array-like of shape (4,), default=(0.25, 0.25, 0.25, 0.25)
        Frequencies :math:`\pi` of A, C, G, T, which do not change in time.

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
        """Return the probabilities of a change from x to y within a time.

        Parameters
        ----------
        t : float or array-like
            Times.

        Returns
        -------
        P : ndarray of shape (..., 4, 4)
            Row x holds the probabilities of all y.
        """
        values, left, right = self.modes()
        return (left * np.exp(values * np.asarray(t)[..., None, None])) @ right

    def modes(self):
        """Return eigenvalues of Q, and the matrices on both sides of them.

        Returns
        -------
        values, left, right : ndarray
            Q is ``left @ diag(values) @ right``.
        """
        root = np.sqrt(self.frequencies)
        symmetric = self.rates * root[:, None] / root
        values, vectors = np.linalg.eigh((symmetric + symmetric.T) / 2)
        return values, vectors / root[:, None], (vectors * root[:, None]).T
