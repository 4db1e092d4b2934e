"""Competitive learning by minisom: the neighbourhood of a winner is the winner itself."""

from minisom import MiniSom


def fit(X, n_units, start, max_iter):
    """As many presentations as ours, in random order; the rate ends at a third of the first."""
    only_winner = {"neighborhood_function": "bubble", "sigma": 0.5}
    options = {"learning_rate": 0.1, "random_seed": 0, **only_winner}
    model = MiniSom(1, int(n_units), X.shape[1], **options)
    model._weights = start.reshape(1, int(n_units), -1).copy()
    model.train(X, int(max_iter) * len(X), random_order=True)
    return model


def result(model):
    return {"prototypes_": model.get_weights()[0]}
