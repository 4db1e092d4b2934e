"""GRLVQ of sklearn-lvq, which runs only with old pins."""

from sklearn_lvq import GrlvqModel


def fit(X, y):
    """L-BFGS with its default limits."""
    return GrlvqModel(random_state=0).fit(X, y)


def result(model):
    return {
        "prototypes_": model.w_,
        "prototype_labels_": model.c_w_,
        "relevances_": model.lambda_,
    }
