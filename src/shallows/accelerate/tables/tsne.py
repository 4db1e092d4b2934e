"""TSNE."""

import numpy as np

from shallows.accelerate._table import Table, free, same


def _rate(ours, theirs):
    if theirs.learning_rate != "auto":
        return theirs.learning_rate
    return max(len(ours.embedding_) / theirs.early_exaggeration / 4, 50)


TABLE = Table(
    theirs="sklearn.manifold.TSNE",
    ours="shallows.reduce.TSNE",
    parameters={
        "n_components": same(2),
        "perplexity": same(),
        "early_exaggeration": same(),
        "learning_rate": same(),
        "max_iter": same(),
        "init": same("pca", "random"),
        "random_state": same(),
        "method": free("barnes_hut"),
        "angle": free(),
        "n_jobs": free(),
    },
    attributes={
        "embedding_": lambda ours, theirs: ours.embedding_.astype(np.float32),
        "kl_divergence_": "kl_divergence_",
        "learning_rate_": _rate,
        "n_iter_": "n_iter_",
    },
    then={"fit_transform": "embedding_"},
)
