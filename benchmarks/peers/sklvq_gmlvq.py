"""GMLVQ of sklvq, which runs only with old pins."""

from sklvq import GMLVQ


def fit(X, y, max_iter):
    """Stochastic descent for `max_iter` epochs with its default step sizes."""
    return GMLVQ(solver_params={"max_runs": max_iter}, random_state=0).fit(X, y)


def result(model):
    return {
        "prototypes_": model.prototypes_,
        "prototype_labels_": model.prototypes_labels_,
        "omega_": model.omega_,
    }
