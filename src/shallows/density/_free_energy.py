"""The lower bound that expectation-maximisation climbs."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def free_energy(log_joint, shares, sample_weight=None):
    r"""Return the lower bound :math:`F(q, \theta) = E_q[\ln p(D, Y|\theta)] + H(q)`.

    It never exceeds the log-likelihood; the gap is the Kullback-Leibler divergence of q from
    the posterior, and closes where q is the posterior.

    Parameters
    ----------
    log_joint : array-like of shape (n_samples, n_states)
        :math:`\ln p(x_i, Y_i = j | \theta)`.
    shares : array-like of shape (n_samples, n_states)
        Probabilities q of the states of each hidden variable.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    bound : float
        The lower bound of the log-likelihood of all samples.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import free_energy
    >>> joint = np.log([[0.1, 0.3]])
    >>> round(free_energy(joint, [[0.25, 0.75]]), 4), round(float(np.log(0.4)), 4)
    (-0.9163, -0.9163)
    """
    log_joint, shares = np.asarray(log_joint, dtype=float), np.asarray(shares, dtype=float)
    if log_joint.shape != shares.shape or (shares < 0).any():
        raise ValueError(
            "free_energy: shares must be probabilities in the shape of log_joint, "
            f"{log_joint.shape}, got {shares.shape}."
        )
    expected = np.where(shares > 0, shares * np.where(shares > 0, log_joint, 0.0), 0.0)
    bounds = expected.sum(axis=1) - xlogy(shares, shares).sum(axis=1)
    return float(bounds.sum() if sample_weight is None else np.asarray(sample_weight) @ bounds)
