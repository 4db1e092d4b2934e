"""Examples labelled by a teacher rule."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveInt,
    Probability,
    check_arguments,
)
from shallows._core.contract.rng import RandomState, as_generator


class Teacher(NamedTuple):
    """Inputs, labels -1 and 1, and the unit vector of the rule (None for random labels)."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None


def make_teacher(
    n_samples: PositiveInt,
    n_features: PositiveInt,
    *,
    rule: Literal["perceptron", "parity", "random"] = "perceptron",
    label_noise: Probability = 0.0,
    input_noise: NonNegativeFloat = 0.0,
    weights: np.ndarray | list | tuple | None = None,
    random_state: RandomState = None,
) -> Teacher:
    r"""Draw Gaussian inputs and label them by a teacher, with or without noise.

    Inputs have independent components of mean 0 and variance 1, so they are in general
    position and no direction is preferred.

    Parameters
    ----------
    n_samples : int
        Number of examples P.
    n_features : int
        Dimension N.
    rule : {"perceptron", "parity", "random"}, default="perceptron"
        ``"perceptron"``: the sign of :math:`w^* \cdot \xi`, which a student can learn without
        error. ``"parity"``: the product of the signs of the first two inputs and of the
        perceptron's answer; no hyperplane realises it on a large sample. ``"random"``: random
        labels.
    label_noise : float, default=0.0
        Probability that a label is flipped after the rule has been applied.
    input_noise : float, default=0.0
        Standard deviation of noise that is added to the inputs after labelling.
    weights : array-like of shape (n_features,) or None, default=None
        The teacher, scaled to length 1. None draws a random direction.
    random_state : int, RandomState, Generator or None, default=None
        Seeds inputs, teacher and noise.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Inputs.
    y : ndarray of shape (n_samples,)
        Labels -1.0 and 1.0.
    weights : ndarray of shape (n_features,) or None
        Teacher vector of length 1; None for random labels.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import make_teacher
    >>> X, y, weights = make_teacher(50, 10, random_state=0)
    >>> bool((np.sign(X @ weights) == y).all())
    True
    """
    check_arguments(make_teacher, locals())
    rng = as_generator(random_state)
    inputs = rng.standard_normal((n_samples, n_features))
    teacher = rng.standard_normal(n_features) if weights is None else np.array(weights, float)
    if teacher.shape != (n_features,) or not teacher.any():
        raise ValueError(
            f"make_teacher: weights must be {n_features} numbers, not all zero, got {weights!r}."
        )
    teacher /= np.linalg.norm(teacher)

    if rule == "random":
        labels = 2.0 * rng.integers(2, size=n_samples) - 1.0
    else:
        labels = _sign(inputs @ teacher)
        if rule == "parity":
            labels *= _sign(inputs[:, :2]).prod(axis=1)
    labels[rng.random(n_samples) < label_noise] *= -1.0
    inputs += input_noise * rng.standard_normal(inputs.shape)
    return Teacher(inputs, labels, None if rule == "random" else teacher)


def _sign(values):
    return np.where(values >= 0, 1.0, -1.0)
