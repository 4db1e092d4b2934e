"""Features without information on the label, alone or next to one informative feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeInt, PositiveInt, Probability, check_arguments
from shallows._core.contract.rng import RandomState, as_generator


class Labelled(NamedTuple):
    """Inputs and labels 0 and 1."""

    X: np.ndarray
    y: np.ndarray


def make_random_features(
    n_samples: PositiveInt,
    n_features: PositiveInt,
    *,
    binary: bool = True,
    random_state: RandomState = None,
) -> Labelled:
    """Draw features and labels that are independent of each other.

    Valid validation finds an accuracy of 1/2. Selecting the feature that agrees best with all
    labels before validation finds much more.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : int
        Number of features.
    binary : bool, default=True
        Features 0 and 1 with equal probability; otherwise standard normal.
    random_state : int, RandomState, Generator or None, default=None
        Seeds features and labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.

    Examples
    --------
    >>> from shallows.data import make_random_features
    >>> X, y = make_random_features(25, 1000, random_state=0)
    >>> bool((X == y[:, None]).mean(axis=0).max() > 0.7)
    True
    """
    check_arguments(make_random_features, locals())
    rng = as_generator(random_state)
    shape = (n_samples, n_features)
    X = rng.integers(2, size=shape).astype(float) if binary else rng.standard_normal(shape)
    return Labelled(X, rng.integers(2, size=n_samples))


def make_irrelevant(
    n_samples: PositiveInt,
    n_noise: NonNegativeInt,
    *,
    error: Probability = 0.1,
    random_state: RandomState = None,
) -> Labelled:
    """Draw one informative binary feature and many uninformative ones.

    A full decision tree fits the training rows without error, but predicts worse than a single
    question about column 0.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_noise : int
        Number of random binary features, columns 1 and up.
    error : float, default=0.1
        Probability that column 0 differs from the class.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the table.

    Returns
    -------
    X : ndarray of shape (n_samples, 1 + n_noise)
        Properties 0.0 and 1.0.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1.

    Examples
    --------
    >>> from shallows.data import make_irrelevant
    >>> X, y = make_irrelevant(100, 20, error=0.0, random_state=0)
    >>> bool((X[:, 0] == y).all())
    True
    """
    check_arguments(make_irrelevant, locals())
    rng = as_generator(random_state)
    X = rng.integers(2, size=(n_samples, 1 + n_noise)).astype(float)
    y = np.where(rng.random(n_samples) < error, 1 - X[:, 0], X[:, 0]).astype(np.int64)
    return Labelled(X, y)
