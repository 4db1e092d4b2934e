"""GLVQ of sklvq, which runs only with old pins."""

from sklvq import GLVQ


def fit(X, y, max_iter, learning_rate, n_prototypes=1):
    """Stochastic descent for `max_iter` epochs, in steps that decay by its own rule."""
    solver = {"max_runs": max_iter, "batch_size": 1, "step_size": learning_rate}
    model = GLVQ(solver_params=solver, prototype_n_per_class=n_prototypes, random_state=0)
    return model.fit(X, y)


def result(model):
    return {"prototypes_": model.prototypes_, "prototype_labels_": model.prototypes_labels_}
