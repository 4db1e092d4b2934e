"""RSLVQ of sklearn-lvq, which runs only with old pins."""

from sklearn_lvq import RslvqModel


def fit(X, y, variance):
    """L-BFGS with its default limits, for the given variance of the Gaussians."""
    return RslvqModel(sigma=variance, random_state=0).fit(X, y)


def result(model):
    return {"prototypes_": model.w_, "prototype_labels_": model.c_w_}
