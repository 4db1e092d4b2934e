"""The generalisation error of linear classifiers, from an angle or from counts."""

from __future__ import annotations

from reprlib import repr as short

import numpy as np

from shallows.theory._dichotomies import log_count_dichotomies, whole_numbers


def generalization_error(w, w_star):
    r"""Return how often linear classifiers disagree with a teacher on isotropic inputs.

    The probability :math:`\frac1\pi \arccos \frac{w \cdot w^*}{|w| |w^*|}`: the angle between the
    weight vectors, divided by pi. It is computed from the sum and the difference of the unit
    vectors, which keeps the digits of small angles.

    Parameters
    ----------
    w : array-like of shape (N,) or (n_students, N)
        Weights of the students.
    w_star : array-like of shape (N,)
        Weights of the teacher.

    Returns
    -------
    error : float or ndarray of shape (n_students,)
        0 for parallel, 1/2 for orthogonal, 1 for antiparallel weights.

    Examples
    --------
    >>> from shallows.theory import generalization_error
    >>> generalization_error([[3, 0], [1, 1], [0, 2], [-1, 0]], [1, 0])
    array([0.  , 0.25, 0.5 , 1.  ])
    """
    w, w_star = _directions("w", w), _directions("w_star", w_star)
    if w_star.ndim != 1 or w.ndim > 2 or w.shape[-1] != w_star.shape[0]:
        raise ValueError(
            "generalization_error: w_star must have shape (N,) and w (N,) or (n_students, N), "
            f"got {w_star.shape} and {w.shape}."
        )
    # The angle is 2 arctan(|u - v| / |u + v|) for unit vectors u and v.
    apart = np.linalg.norm(w - w_star, axis=-1)
    together = np.linalg.norm(w + w_star, axis=-1)
    return 2 / np.pi * np.arctan2(apart, together)


def counting_error(P, N):
    r"""Return the generalisation error if all separable labelings were equally likely.

    A random student of the version space errs on half of the new inputs whose label the P
    examples leave open: :math:`\frac12 C(P, N - 1) / C(P, N)`.

    Parameters
    ----------
    P : int or array-like of int
        Number of examples.
    N : int or array-like of int
        Dimension, 1 or more.

    Returns
    -------
    error : float or ndarray
        1/2 up to ``P = N - 1``, less from ``P = N`` on.

    Examples
    --------
    >>> from shallows.theory import counting_error
    >>> counting_error([20, 40, 60, 80, 100], 20).round(5)
    array([0.5    , 0.37463, 0.21951, 0.15137, 0.1151 ])
    """
    P, N = whole_numbers("counting_error", P, N)
    if not np.all(N >= 1):
        raise ValueError(f"counting_error: N must be whole numbers, 1 or more, got {short(N)}.")
    return 0.5 * np.exp(log_count_dichotomies(P, N - 1) - log_count_dichotomies(P, N))


def counting_error_limit(alpha):
    r"""Return the counting error in infinitely many dimensions.

    1/2 up to :math:`\alpha = P/N = 2`, then :math:`1 / (2 (\alpha - 1))`.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        The limit of `counting_error`.

    Examples
    --------
    >>> from shallows.theory import counting_error_limit
    >>> counting_error_limit([1, 2, 3, 5])
    array([0.5  , 0.5  , 0.25 , 0.125])
    """
    alpha = np.asarray(alpha, dtype=float)
    if not np.all(alpha >= 0):
        raise ValueError(f"counting_error_limit: alpha must be 0 or more, got {short(alpha)}.")
    return 0.5 / np.maximum(alpha - 1, 1.0)


def _directions(name, vectors):
    vectors = np.asarray(vectors, dtype=float)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError(
            f"generalization_error: {name} must be finite and not zero, got {short(vectors)}."
        )
    return vectors / lengths
