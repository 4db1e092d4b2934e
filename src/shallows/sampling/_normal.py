"""Normal draws from uniform ones."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from shallows._core.contract.rng import as_generator


def box_muller(n: int, *, random_state=None) -> np.ndarray:
    r"""Draw standard normal values :math:`\sqrt{-2 \ln A} \cos 2 \pi B`, and the same with sine.

    A and B are uniform and independent; so are the two results. NumPy's
    ``Generator.standard_normal`` uses another method, which is faster.

    Parameters
    ----------
    n : int
        Number of draws.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    draws : ndarray of shape (n,)
        Independent standard normal values.

    Examples
    --------
    >>> from shallows.sampling import box_muller
    >>> draws = box_muller(100_000, random_state=0)
    >>> bool(abs(draws.mean()) < 0.02 and abs(draws.std() - 1) < 0.02)
    True
    """
    a, b = as_generator(random_state).random((2, -(-n // 2)))
    radius, angle = np.sqrt(-2 * np.log1p(-a)), 2 * np.pi * b  # 1 - a is never zero
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:n]


def multivariate_normal(mean, cov, n: int, *, random_state=None) -> np.ndarray:
    r"""Draw :math:`x = \mu + A z` with :math:`A A^T = \Sigma` and standard normal z.

    Parameters
    ----------
    mean : array-like of shape (n_dimensions,)
        Mean.
    cov : array-like of shape (n_dimensions, n_dimensions)
        Covariance matrix, symmetric. A is its Cholesky factor or, if it is singular, made of
        eigenvectors.
    n : int
        Number of draws.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    draws : ndarray of shape (n, n_dimensions)
        Independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import multivariate_normal
    >>> draws = multivariate_normal([1.0, 2.0], [[1.0, 0.5], [0.5, 1.0]], 100_000, random_state=0)
    >>> np.corrcoef(draws.T)[0, 1].round(1)
    np.float64(0.5)
    """
    mean, cov = np.asarray(mean, dtype=np.float64), np.asarray(cov, dtype=np.float64)
    if mean.ndim != 1 or cov.shape != (len(mean), len(mean)) or not np.allclose(cov, cov.T):
        raise ValueError(
            "multivariate_normal: cov must be symmetric with a row for each of "
            f"{mean.size} means, got shape {cov.shape}."
        )
    try:
        factor = np.linalg.cholesky(cov)
    except np.linalg.LinAlgError:
        values, vectors = eigh(cov)  # a singular covariance has no Cholesky factor
        if values[0] < -1e-10 * max(values[-1], 0.0) or values[-1] <= 0:
            raise ValueError(
                f"multivariate_normal: cov must not have negative eigenvalues, got {values[0]:.3g}."
            ) from None
        factor = vectors * np.sqrt(np.maximum(values, 0.0))
    return mean + as_generator(random_state).standard_normal((n, len(mean))) @ factor.T
