"""Distance to the k-th nearest neighbour, by PyOD."""

from pyod.models.knn import KNN


def fit(X, n_neighbors, contamination):
    """Its own search, on all cores."""
    model = KNN(contamination=contamination, n_neighbors=n_neighbors, method="largest", n_jobs=-1)
    return model.fit(X)


def result(model):
    return {"index_": model.decision_scores_}
