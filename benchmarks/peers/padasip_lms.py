"""FilterLMS of padasip."""

import numpy as np
from padasip.filters import FilterLMS


def fit(X, y, **options):
    """One pass from zero weights."""
    options = {name: float(value) for name, value in options.items()}
    model = FilterLMS(n=X.shape[1], w="zeros", **options)
    model.run(y, X)
    return model


def result(model):
    return {"coef_": np.asarray(model.w)}
