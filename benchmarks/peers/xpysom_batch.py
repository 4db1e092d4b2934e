"""Batch training of xpysom, on NumPy."""

import warnings

import numpy as np
from xpysom import XPySom


def fit(X, side, start, max_iter, width, final_width):
    """Width from first to last as in ours; the peer computes in float32.

    Its Gaussian is exp(-2 z^2 / sigma^2), ours exp(-z^2 / width^2).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # roots of distances that rounding made negative
        model = XPySom(
            int(side),
            int(side),
            X.shape[1],
            sigma=2**0.5 * float(width),
            sigmaN=2**0.5 * float(final_width),
            decay_function="exponential",
            xp=np,
            random_seed=0,
        )
        model._weights = start.reshape(side, side, -1).astype(np.float32)
        model.train(X, int(max_iter))
    return model


def result(model):
    return {"prototypes_": model.get_weights().reshape(-1, model.get_weights().shape[2])}
