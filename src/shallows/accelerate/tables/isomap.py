"""Isomap."""

import numpy as np
from sklearn.preprocessing import KernelCenterer

from shallows.accelerate._embedding import neighbors, positive_signs
from shallows.accelerate._table import Table, free, same


def _fitted(ours, theirs, X, y):
    """Return the parts by which scikit-learn places new samples."""
    from shallows.accelerate._patching import plain  # noqa: PLC0415  imports the tables

    values, embedding = ours.eigenvalues_, positive_signs(ours.embedding_)
    kernel = plain("sklearn.decomposition.KernelPCA")(
        n_components=theirs.n_components,
        kernel="precomputed",
        eigen_solver=theirs.eigen_solver,
        tol=theirs.tol,
        max_iter=theirs.max_iter,
        n_jobs=theirs.n_jobs,
    )
    squares = -0.5 * ours.dist_matrix_**2
    means = squares.mean(axis=0)
    kernel._centerer = KernelCenterer()
    kernel._centerer.K_fit_rows_, kernel._centerer.K_fit_all_ = means, means.mean()
    kernel._centerer.n_features_in_ = kernel.n_features_in_ = len(means)
    kernel.eigenvalues_, kernel.X_fit_, kernel.gamma_ = values, squares, None
    kernel.eigenvectors_ = embedding / np.sqrt(values)
    return {"embedding_": embedding, "kernel_pca_": kernel, "nbrs_": neighbors(theirs, X)}


TABLE = Table(
    theirs="sklearn.manifold.Isomap",
    ours="shallows.reduce.Isomap",
    parameters={
        "n_neighbors": same(int),
        "n_components": same(),
        "eigen_solver": free("auto", "dense", "arpack"),
        "tol": free(),
        "max_iter": free(),
        "path_method": same(),
        "neighbors_algorithm": free(),
        "n_jobs": free(),
    },
    attributes={
        "dist_matrix_": "dist_matrix_",
        "_n_features_out": lambda ours, theirs: ours.embedding_.shape[1],
    },
    from_data=_fitted,
    then={"fit_transform": "embedding_"},
)
