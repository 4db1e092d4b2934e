"""Baum-Welch for Gaussian emissions by hmmlearn."""

import warnings

from hmmlearn.hmm import GaussianHMM


def fit(X, n_components, covariance_type, max_iter, seed, implementation):
    """Run a fixed number of steps from its own start."""
    model = GaussianHMM(
        int(n_components),
        str(covariance_type),
        n_iter=int(max_iter),
        tol=-float("inf"),
        random_state=int(seed),
        implementation=str(implementation),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    return model.score(X) / len(X)


def result(model):
    return {"score": model}
