"""Principal components as images."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted


def eigenimages(model, shape, *, scale: bool = True) -> np.ndarray:
    """Return the components of a fitted model on the pixel grid of its images.

    Parameters
    ----------
    model : estimator
        A fitted PCA, ICA or the like with `components_` (rows of pixels).
    shape : tuple of int
        Shape of an image, such as (16, 15).
    scale : bool, default=True
        Stretch each image to the grey values 0 to 1. The zero of a component, where it
        does not depend on a pixel, then has another grey in each image.

    Returns
    -------
    images : ndarray of shape (n_components, ...)
        One image of the given shape per component.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from shallows.reduce import PCA, eigenimages
    >>> X, y = load_digits(return_X_y=True)
    >>> eigenimages(PCA(5).fit(X), (8, 8)).shape
    (5, 8, 8)
    """
    check_is_fitted(model)
    components = np.asarray(model.components_)
    if np.prod(shape) != components.shape[1]:
        raise ValueError(
            f"eigenimages: an image of shape {tuple(shape)} has {int(np.prod(shape))} pixels, "
            f"but the components have {components.shape[1]} features."
        )
    images = components.reshape(-1, *shape).copy()
    if scale:
        flat = images.reshape(len(images), -1)
        low, high = flat.min(axis=1, keepdims=True), flat.max(axis=1, keepdims=True)
        flat -= low
        flat /= np.where(high > low, high - low, 1)
    return images
