"""Online training of minisom, which does not declare that it needs NumPy."""

from minisom import MiniSom


def fit(X, side, start, max_iter, width, final_width):
    """As many presentations as ours, in random order; its own decay of the rate.

    Its Gaussian is exp(-z^2 / 2 sigma^2), ours exp(-z^2 / width^2), and sigma ends at 1.
    """
    side = int(side)
    sigma = float(width) / 2**0.5
    model = MiniSom(side, side, X.shape[1], sigma=sigma, learning_rate=0.5, random_seed=0)
    model._weights = start.reshape(side, side, -1).copy()
    model.train(X, int(max_iter) * len(X), random_order=True)
    return model


def result(model):
    return {"prototypes_": model.get_weights().reshape(-1, model.get_weights().shape[2])}
