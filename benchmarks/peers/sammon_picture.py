"""Sammon's mapping of the package of that name."""

from sammon.sammon import sammon


def fit(X, max_iter, tol):
    """From the principal components, with Sammon's own steps."""
    return sammon(X, 2, inputdist="raw", maxiter=int(max_iter), tolfun=float(tol))


def result(model):
    return {"embedding_": model[0], "stress_": model[1]}
