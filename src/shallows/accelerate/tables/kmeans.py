"""KMeans."""

import numpy as np

from shallows.accelerate._centers import refuse, starts
from shallows.accelerate._table import Table, free, same

TABLE = Table(
    theirs="sklearn.cluster.KMeans",
    ours="shallows.cluster.KMeans",
    parameters={
        "n_clusters": same(),
        "init": same("k-means++", "random", np.ndarray),
        "n_init": same(),
        "max_iter": same(),
        "tol": same(),
        "random_state": same(),
        "copy_x": free(),
        "algorithm": free("lloyd", "elkan"),
    },
    attributes={
        "cluster_centers_": "cluster_centers_",
        "labels_": lambda ours, theirs: ours.labels_.astype(np.int32),
        "inertia_": "inertia_",
        "n_iter_": "n_iter_",
        "_n_init": starts(10),
        "_n_threads": lambda ours, theirs: 1,
        "_n_features_out": lambda ours, theirs: len(ours.cluster_centers_),
    },
    back={
        "cluster_centers_": "cluster_centers_",
        "labels_": "labels_",
        "inertia_": "inertia_",
        "n_iter_": "n_iter_",
    },
    asked={"predict": "predict"},
    weights=True,
    refuse=refuse,
    warnings={"before it converged": ""},
)
