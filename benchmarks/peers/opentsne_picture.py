"""t-SNE of openTSNE, with interpolation on a grid or with a tree."""

import os

from openTSNE import TSNE


def fit(X, max_iter, method):
    """From the principal components, on as many threads as ours, with its own rates."""
    model = TSNE(
        perplexity=30,
        early_exaggeration_iter=250,
        n_iter=int(max_iter) - 250,
        negative_gradient_method=str(method),
        n_jobs=int(os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0)))),
        random_state=0,
    )
    return model.fit(X)


def result(model):
    return {"embedding_": model}
