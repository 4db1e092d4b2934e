"""Linkage of fastcluster."""

import fastcluster


def fit(X, method, vector):
    """With `vector` in memory for the samples alone, else from condensed distances."""
    work = fastcluster.linkage_vector if vector else fastcluster.linkage
    return work(X, str(method))


def result(model):
    return {"tree": model}
