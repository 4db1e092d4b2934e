"""What a reduction loses, whatever its kind."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from shallows._core.numerics.k_nearest import nearest

CODEBOOKS = ("prototypes_", "cluster_centers_", "codebook_")


def reconstruction_loss(model, X) -> float:
    r"""Return the mean squared distance of samples to their reconstructions.

    A reduction is an encoder :math:`e` and a decoder :math:`d`; it is judged by the mean of
    :math:`|x - d(e(x))|^2`. The encoder is `transform` and the decoder `inverse_transform`;
    for a vector quantiser (k-means, a self-organising map) the decoder returns the nearest
    prototype.

    Parameters
    ----------
    model : estimator
        A fitted reduction with `transform` and `inverse_transform`, or a quantiser with
        `cluster_centers_` or `prototypes_`.
    X : array-like of shape (n_samples, n_features)
        Samples, seen in training or not.

    Returns
    -------
    loss : float
        Mean over samples of the squared distance, summed over features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import PCA, reconstruction_loss
    >>> X, y = load_iris(return_X_y=True)
    >>> round(reconstruction_loss(PCA(2).fit(X), X), 4)
    0.1014
    """
    check_is_fitted(model)
    X = check_array(X, dtype=(np.float64, np.float32))
    if hasattr(model, "inverse_transform"):
        restored = np.asarray(model.inverse_transform(model.transform(X)))
        return float(np.mean(np.sum((X - restored) ** 2, axis=1, dtype=np.float64)))
    for name in CODEBOOKS:
        if hasattr(model, name):
            codebook = np.asarray(getattr(model, name)).reshape(-1, X.shape[1])
            _, squared = nearest(X, codebook.astype(X.dtype))
            return float(squared.mean(dtype=np.float64))
    raise TypeError(
        f"reconstruction_loss: {type(model).__name__} can't decode; it needs inverse_transform, "
        f"or prototypes in one of {', '.join(CODEBOOKS)}."
    )
