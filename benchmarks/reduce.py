"""Dimension reduction against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case


@case(
    "PCA",
    sizes=[
        {"n": 100_000, "d": 50, "n_components": 10},
        {"n": 100_000, "d": 50, "n_components": 50},
        {"n": 5_000, "d": 2_000, "n_components": 10},
        {"n": 5_000, "d": 2_000, "n_components": 50},
    ],
)
def pca(n, d, n_components):
    """Both choose their solver themselves; the standard deviations fall off as 1 / k."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = (rng.normal(size=(n, d)) / np.arange(1, d + 1)) @ axes
    return Comparison(
        ours=Run(
            "shallows.reduce.PCA",
            lambda PCA: PCA(n_components, random_state=0).fit(X),
        ),
        peers=[
            Run(
                "sklearn.decomposition.PCA",
                lambda PCA: PCA(n_components, random_state=0).fit(X),
            )
        ],
        quality=[
            Quality(
                "explained variance",
                lambda model: model.explained_variance_.sum(),
                better="larger",
                within=1e-3,
            )
        ],
    )
