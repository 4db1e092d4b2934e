"""MiniBatchKMeans."""

import numpy as np
from sklearn.utils import check_random_state

from shallows.accelerate._centers import refuse, starts
from shallows.accelerate._table import Table, same


def _sizes(ours, theirs, X, y):
    """Return the sizes that scikit-learn goes on with, and its count of passes."""
    n, batch = X.shape[0], min(theirs.batch_size, X.shape[0])
    start = 3 * batch if theirs.init_size is None else theirs.init_size
    passes = int(np.ceil(ours.n_steps_ * batch / n))
    start = min(3 * theirs.n_clusters if start < theirs.n_clusters else start, n)
    return {"_batch_size": batch, "_init_size": start, "n_iter_": passes}


TABLE = Table(
    theirs="sklearn.cluster.MiniBatchKMeans",
    ours="shallows.cluster.MiniBatchKMeans",
    parameters={
        "n_clusters": same(),
        "init": same("k-means++", "random", np.ndarray),
        "max_iter": same(),
        "batch_size": same(),
        "random_state": same(),
        "tol": same(),
        "max_no_improvement": same(),
        "init_size": same(),
        "n_init": same(),
        "reassignment_ratio": same(),
    },
    attributes={
        "cluster_centers_": "cluster_centers_",
        "labels_": lambda ours, theirs: ours.labels_.astype(np.int32),
        "inertia_": "inertia_",
        "n_iter_": "n_iter_",
        "n_steps_": "n_steps_",
        "_counts": lambda ours, theirs: ours._counts.astype(ours.cluster_centers_.dtype),
        "_n_since_last_reassign": lambda ours, theirs: 0,
        "_random_state": lambda ours, theirs: check_random_state(theirs.random_state),
        "_n_init": starts(3),
        "_n_threads": lambda ours, theirs: 1,
        "_n_features_out": lambda ours, theirs: len(ours.cluster_centers_),
    },
    back={
        "cluster_centers_": "cluster_centers_",
        "labels_": "labels_",
        "inertia_": "inertia_",
        "n_iter_": "n_iter_",
        "_counts": "_counts",
    },
    asked={"predict": "predict"},
    from_data=_sizes,
    weights=True,
    refuse=refuse,
    warnings={"before it converged": ""},
)
