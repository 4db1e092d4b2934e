"""AgglomerativeClustering."""

from shallows.accelerate._table import Table, free, same

TABLE = Table(
    theirs="sklearn.cluster.AgglomerativeClustering",
    ours="shallows.cluster.AgglomerativeClustering",
    parameters={
        "n_clusters": same(int),
        "metric": same("euclidean", "l2", "manhattan", "l1", "cosine"),
        "linkage": same("ward", "complete", "average", "single"),
        "compute_full_tree": free("auto"),
    },
    attributes={
        "labels_": "labels_",
        "children_": "children_",
        "n_clusters_": "n_clusters_",
        "n_leaves_": "n_leaves_",
        "n_connected_components_": "n_connected_components_",
    },
)
