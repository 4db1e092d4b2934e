"""Test error of minimum-norm fits beyond the point where they interpolate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.threads import map_blocks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DoubleDescent:
    """Result of `double_descent_curve`.

    Parameters
    ----------
    n_parameters : ndarray of shape (n_sizes,)
        Numbers of random features.
    n_points : ndarray of shape (n_sizes,)
        Numbers of training rows.
    train_errors : ndarray of shape (n_sizes, n_repeats)
        Mean squared training errors.
    test_errors : ndarray of shape (n_sizes, n_repeats)
        Mean squared errors against the noise-free truth on fresh rows.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import DoubleDescent
    >>> errors = np.array([[1.0, 1.2], [9.0, 5.0], [0.7, 0.8]])
    >>> DoubleDescent(np.array([5, 10, 50]), np.full(3, 10), errors, errors).peak
    (10, 10)
    """

    n_parameters: NDArray[np.int64]
    n_points: NDArray[np.int64]
    train_errors: Floats
    test_errors: Floats

    @property
    def typical_test_errors(self) -> Floats:
        """Median over repeats; near the threshold a few runs dominate the mean."""
        return np.median(self.test_errors, axis=1)

    @property
    def peak(self) -> tuple[int, int]:
        """Parameters and points where the typical test error is largest."""
        place = int(self.typical_test_errors.argmax())
        return int(self.n_parameters[place]), int(self.n_points[place])


def double_descent_curve(
    n_parameters: Any,
    n_points: Any,
    *,
    n_inputs: PositiveInt = 20,
    noise: NonNegativeFloat = 0.3,
    alpha: NonNegativeFloat = 0.0,
    n_repeats: PositiveInt = 20,
    random_state: RandomState = None,
) -> DoubleDescent:
    r"""Fit random features by minimum-norm least squares, at many sizes.

    Inputs are standard normal, the truth is linear in them with unit variance, and features are
    :math:`\max(0, v_k \cdot x)` with random directions. With fewer features than points, least
    squares has a unique solution; with more features, the solution of smallest norm interpolates.
    The test error peaks where both numbers are equal and falls again beyond. Give many
    `n_parameters` for a curve over model sizes, or many `n_points` for a curve over sample sizes.

    Parameters
    ----------
    n_parameters : int or sequence of int
        Numbers of features.
    n_points : int or sequence of int
        Numbers of training rows; only one of the two may be a sequence.
    n_inputs : int, default=20
        Dimensions of the inputs.
    noise : float, default=0.3
        Standard deviation of the noise on training targets.
    alpha : float, default=0.0
        Ridge penalty, relative to the mean squared singular value of the features. A suitable
        penalty removes the peak.
    n_repeats : int, default=20
        Number of draws of training sets and features, each for the whole curve.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    curve : DoubleDescent
        Training and test errors of every size and repeat.

    References
    ----------
    .. [1] M. Belkin, D. Hsu, S. Ma and S. Mandal, "Reconciling modern machine-learning practice
       and the classical bias-variance trade-off", PNAS 116, 15849-15854, 2019.

    Examples
    --------
    >>> from shallows.validate import double_descent_curve
    >>> curve = double_descent_curve([5, 20, 30, 45, 300], 30, random_state=0)
    >>> curve.peak
    (30, 30)
    """
    check_arguments(double_descent_curve, locals())
    owner = "double_descent_curve"
    features, points = np.atleast_1d(n_parameters), np.atleast_1d(n_points)
    if min(len(features), len(points)) != 1:
        raise ValueError(
            f"{owner}: only one of n_parameters and n_points may be a sequence, got "
            f"{len(features)} and {len(points)} values."
        )
    if features.min() < 1 or points.min() < 1:
        raise ValueError(f"{owner}: n_parameters and n_points must be at least 1.")
    features, points = np.broadcast_arrays(features, points)
    streams = as_generator(random_state).spawn(n_repeats)

    def repeat(block: slice) -> list[tuple[float, float]]:
        return _one_curve(features, points, n_inputs, noise, alpha, streams[block.start])

    errors = np.array(map_blocks(repeat, n_repeats, block_rows=1))
    return DoubleDescent(features.copy(), points.copy(), errors[:, :, 0].T, errors[:, :, 1].T)


def _one_curve(
    features: NDArray[Any],
    points: NDArray[Any],
    n_inputs: int,
    noise: float,
    alpha: float,
    rng: np.random.Generator,
) -> list[tuple[float, float]]:
    """Return the errors of all sizes; a larger size extends the draws of a smaller one."""
    n_fresh = 1000
    slope = rng.normal(size=n_inputs)
    slope /= np.linalg.norm(slope)
    directions = rng.normal(size=(n_inputs, features.max())) / np.sqrt(n_inputs)
    X, fresh = rng.normal(size=(points.max(), n_inputs)), rng.normal(size=(n_fresh, n_inputs))
    y = X @ slope + noise * rng.normal(size=len(X))
    known, new = np.maximum(X @ directions, 0), np.maximum(fresh @ directions, 0)
    found = []
    for p, n in zip(features, points, strict=True):
        weights = minimum_norm(known[:n, :p], y[:n], alpha)
        train = np.mean((known[:n, :p] @ weights - y[:n]) ** 2)
        test = np.mean((new[:, :p] @ weights - fresh @ slope) ** 2)
        found.append((float(train), float(test)))
    return found


def minimum_norm(features: Floats, y: Floats, alpha: float) -> Floats:
    """Return the shortest least-squares weights, or ridge weights."""
    left, values, right = linalg.svd(features, full_matrices=False)
    penalty = alpha * np.mean(values**2)
    # Directions without singular value are dropped: the pseudo-inverse gives minimum norm.
    kept = values > max(features.shape) * np.finfo(values.dtype).eps * values[0]
    gains = values[kept] / (values[kept] ** 2 + penalty)
    weights: Floats = right[kept].T @ (gains * (left[:, kept].T @ y))
    return weights
