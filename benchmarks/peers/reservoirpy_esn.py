"""Reservoir with ridge read-out of reservoirpy."""

from reservoirpy.nodes import Reservoir, Ridge


def fit(X, y, units, series):
    """A leak rate of 1, a tenth of the connections, the same penalty and washout."""
    reservoir = Reservoir(int(units), lr=1.0, sr=0.9, rc_connectivity=0.1, seed=0)
    model = reservoir >> Ridge(ridge=1e-6)
    model.fit(X, y, warmup=100)
    return model, series


def result(fitted):
    model, series = fitted
    return {"predicted": model.run(series)}
