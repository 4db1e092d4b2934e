"""Prototype methods against the packages that have them."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case

SKLVQ = ["sklvq==0.1.2", "scikit-learn==1.5.2", "numpy<1.24"]


@case("GLVQ", sizes=[{"data": "iris", "max_iter": 100}, {"data": "digits", "max_iter": 20}])
def glvq(data, max_iter):
    """Same cost, start, step sizes and number of epochs; only the order of the samples differs."""
    from sklearn import datasets
    from sklearn.preprocessing import scale

    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    X = scale(X)
    options = {"max_iter": max_iter, "learning_rate": 0.1}

    def accuracy(model):
        nearest = np.linalg.norm(X[:, None] - model.prototypes_, axis=2).argmin(axis=1)
        return np.mean(model.prototype_labels_[nearest] == y)

    return Comparison(
        ours=Run(
            "shallows.prototype.GLVQ",
            lambda GLVQ: GLVQ(tol=None, random_state=0, **options).fit(X, y),
        ),
        peers=[RunApart("sklvq_glvq", SKLVQ, name="sklvq", X=X, y=y, **options)],
        quality=[Quality("training accuracy", accuracy, better="larger", within=0.01)],
    )
