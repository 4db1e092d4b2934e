"""The cost of a fitted LVQ model as a function of a vector, for tests."""

from functools import partial

from shallows.prototype._start import Samples


def vector_of(model):
    """Return what a model learned as a vector without unit."""
    return model._rule().vector_of(model._place())


def whole_cost(model, X, y, weights):
    """Return the function of a vector that gives the mean cost and its gradient."""
    return partial(model._rule().value_and_gradient, samples=Samples(X, y, weights))


def set_vector(model, vector):
    """Let a model keep the place of a vector."""
    model._keep(model._rule().place_at(vector))
