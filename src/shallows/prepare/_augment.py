"""Data augmentation: noisy, shifted, rotated and stretched copies of the training data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import affine_transform

from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    Probability,
    check_arguments,
)
from shallows._core.contract.rng import RandomState, as_generator


class Augmented(NamedTuple):
    """Originals followed by copies, their labels, and the original row of each."""

    X: np.ndarray
    y: np.ndarray | None
    source: np.ndarray


def add_noisy_copies(
    X,
    y=None,
    *,
    copies: PositiveInt = 1,
    variance: NonNegativeFloat = 0.01,
    random_state: RandomState = None,
) -> Augmented:
    r"""Append copies of all rows with Gaussian noise on every feature.

    For linear regression, l copies with noise of variance :math:`s^2` act on average like ridge
    regression with penalty :math:`s^2 l / (l + 1)` per row.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,) or None, default=None
        Labels or targets.
    copies : int, default=1
        Copies l of each row.
    variance : float, default=0.01
        Variance of the noise.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the noise.

    Returns
    -------
    X : ndarray of shape ((copies + 1) * n_samples, n_features)
        Originals first.
    y : ndarray or None
        Labels of all rows.
    source : ndarray of int
        Index of the original of each row.

    Examples
    --------
    >>> from shallows.prepare import add_noisy_copies
    >>> X, y, source = add_noisy_copies([[0.0], [1.0]], [5, 6], copies=2, random_state=0)
    >>> X.shape, y.tolist()
    ((6, 1), [5, 6, 5, 6, 5, 6])
    """
    check_arguments(add_noisy_copies, locals())
    X = _rows(X, "add_noisy_copies")
    moved = np.tile(X, (copies, 1))
    noise = as_generator(random_state).standard_normal(moved.shape)
    return _append(X, moved + np.sqrt(variance) * noise, y, copies, "add_noisy_copies")


def augment_images(
    X,
    y=None,
    *,
    shape: tuple,
    copies: PositiveInt = 1,
    shift: NonNegativeFloat = 1.0,
    rotate: NonNegativeFloat = 10.0,
    scale: Probability = 0.1,
    random_state: RandomState = None,
) -> Augmented:
    """Append copies of images that are slightly shifted, rotated and scaled.

    Copies keep their labels: use only transformations that don't change what an image shows, and
    only on training data. Pixels are interpolated linearly; pixels from outside the image are 0.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_pixels)
        Images as rows.
    y : array-like of shape (n_samples,) or None, default=None
        Labels.
    shape : tuple of int
        Rows and columns of an image.
    copies : int, default=1
        Copies of each image.
    shift : float, default=1.0
        Largest shift along each axis, in pixels.
    rotate : float, default=10.0
        Largest rotation in either direction, in degrees, around the middle of the image.
    scale : float, default=0.1
        Largest relative change of size.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the changes.

    Returns
    -------
    X : ndarray of shape ((copies + 1) * n_samples, n_pixels)
        Originals first.
    y : ndarray or None
        Labels of all rows.
    source : ndarray of int
        Index of the original of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from shallows.prepare import augment_images
    >>> X, y = load_digits(return_X_y=True)
    >>> augment_images(X[:10], y[:10], shape=(8, 8), copies=3, random_state=0).X.shape
    (40, 64)
    """
    check_arguments(augment_images, locals())
    X = _rows(X, "augment_images")
    if len(shape) != 2 or X.shape[1] != shape[0] * shape[1]:
        raise ValueError(
            f"augment_images: images of shape {shape} do not fit rows of {X.shape[1]} pixels."
        )
    rng = as_generator(random_state)
    n_copies = copies * len(X)
    shifts = rng.uniform(-shift, shift, size=(n_copies, 2))
    angles = np.deg2rad(rng.uniform(-rotate, rotate, size=n_copies))
    sizes = rng.uniform(1 - scale, 1 + scale, size=n_copies)
    images = np.tile(X, (copies, 1)).reshape(-1, *shape)
    moved = [
        _move(image, *change) for image, *change in zip(images, shifts, angles, sizes, strict=True)
    ]
    flat = np.reshape(moved, (n_copies, -1))
    return _append(X, flat, y, copies, "augment_images")


def augment_signals(
    X,
    y=None,
    *,
    copies: PositiveInt = 1,
    shift: NonNegativeInt = 0,
    stretch: Probability = 0.1,
    amplitude: Probability = 0.1,
    random_state: RandomState = None,
) -> Augmented:
    """Append copies of signals that are slightly shifted, stretched in time and scaled.

    Values between samples are interpolated linearly. Before the first and after the last sample a
    signal is constant.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_steps)
        Signals as rows.
    y : array-like of shape (n_samples,) or None, default=None
        Labels.
    copies : int, default=1
        Copies of each signal.
    shift : int, default=0
        Largest shift in either direction, in steps.
    stretch : float, default=0.1
        Largest relative change of speed, around the middle of the signal.
    amplitude : float, default=0.1
        Largest relative change of amplitude.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the changes.

    Returns
    -------
    X : ndarray of shape ((copies + 1) * n_samples, n_steps)
        Originals first.
    y : ndarray or None
        Labels of all rows.
    source : ndarray of int
        Index of the original of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import augment_signals
    >>> signals = np.sin(np.linspace(0, 6, 50))[None]
    >>> augment_signals(signals, copies=4, shift=3, random_state=0).X.shape
    (5, 50)
    """
    check_arguments(augment_signals, locals())
    X = _rows(X, "augment_signals")
    rng = as_generator(random_state)
    n_copies, steps = copies * len(X), np.arange(X.shape[1])
    delays = rng.integers(-shift, shift, size=n_copies, endpoint=True)
    speeds = rng.uniform(1 - stretch, 1 + stretch, size=n_copies)
    sizes = rng.uniform(1 - amplitude, 1 + amplitude, size=n_copies)
    middle = (X.shape[1] - 1) / 2
    moved = [
        size * np.interp(middle + speed * (steps - delay - middle), steps, signal)
        for signal, delay, speed, size in zip(
            np.tile(X, (copies, 1)), delays, speeds, sizes, strict=True
        )
    ]
    return _append(X, np.array(moved), y, copies, "augment_signals")


def _move(image, shift, angle, size):
    """Return the image scaled and turned around its middle, then shifted."""
    # affine_transform maps each output pixel to its input position, so this is the inverse.
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) / size
    middle = (np.array(image.shape) - 1) / 2
    return affine_transform(image, turn, middle - turn @ (middle + shift), order=1)


def _rows(X, name):
    X = np.array(X, dtype=np.float64)
    if X.ndim != 2 or not X.size:
        raise ValueError(f"{name}: X must have rows and columns, got shape {X.shape}.")
    return X


def _append(X, moved, y, copies, name):
    source = np.tile(np.arange(len(X)), copies + 1)
    if y is not None:
        y = np.asarray(y)
        if len(y) != len(X):
            raise ValueError(f"{name}: X has {len(X)} rows, y has {len(y)}.")
        y = y[source]
    return Augmented(np.vstack([X, moved]), y, source)
