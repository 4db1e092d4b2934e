"""LocallyLinearEmbedding."""

from shallows.accelerate._embedding import neighbors
from shallows.accelerate._table import Table, free, same

TABLE = Table(
    theirs="sklearn.manifold.LocallyLinearEmbedding",
    ours="shallows.reduce.LocallyLinearEmbedding",
    parameters={
        "n_neighbors": same(),
        "n_components": same(),
        "reg": same(),
        "method": same("standard"),
        "eigen_solver": free("auto", "dense", "arpack"),
        "tol": free(),
        "max_iter": free(),
        "neighbors_algorithm": free(),
        "random_state": free(),
        "n_jobs": free(),
    },
    attributes={
        "embedding_": "embedding_",
        "reconstruction_error_": "reconstruction_error_",
        "_n_features_out": lambda ours, theirs: ours.embedding_.shape[1],
    },
    from_data=lambda ours, theirs, X, y: {"nbrs_": neighbors(theirs, X)},
    then={"fit_transform": "embedding_"},
)
