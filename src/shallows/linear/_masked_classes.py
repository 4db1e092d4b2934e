"""Which classes does a classifier never choose?"""

from __future__ import annotations

import numpy as np


def masked_classes(model, X) -> np.ndarray:
    """Return the classes that a fitted classifier predicts for none of the samples.

    Parameters
    ----------
    model : classifier
        Fitted, with `classes_` and `predict`.
    X : array-like of shape (n_samples, n_features)
        Samples from everywhere that matters, such as the training data.

    Returns
    -------
    classes : ndarray
        Classes that are never predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.linear import LeastSquaresClassifier, masked_classes
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array(["left", "middle", "right"])
    >>> X, y = np.repeat(X, 5, axis=0) + np.tile(np.linspace(-0.2, 0.2, 5), 3)[:, None], y.repeat(5)
    >>> masked_classes(LeastSquaresClassifier().fit(X, y), X)
    array(['middle'], dtype='<U6')
    """
    return np.setdiff1d(model.classes_, model.predict(X))
