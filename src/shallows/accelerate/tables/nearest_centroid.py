"""NearestCentroid, which a GLVQ with one prototype per class is."""

import numpy as np

from shallows.accelerate._table import Table


def _differs(ours):
    if ours.metric != "euclidean":
        return f"metric={ours.metric!r}"
    several = len(ours.prototypes_) > len(ours.classes_)
    return "several prototypes per class" if several else None


def _centroids(ours, theirs):
    return ours.prototypes_[np.argsort(ours.prototype_labels_)].astype(np.float64)


TABLE = Table(
    theirs="sklearn.neighbors.NearestCentroid",
    ours="shallows.prototype.GLVQ",
    parameters={},
    attributes={
        "classes_": "classes_",
        "centroids_": _centroids,
        "class_prior_": lambda ours, theirs: np.full(len(ours.classes_), 1 / len(ours.classes_)),
        "within_class_std_dev_": lambda ours, theirs: np.zeros(ours.n_features_in_),
        "deviations_": lambda ours, theirs: np.zeros((len(ours.classes_), ours.n_features_in_)),
    },
    differs=_differs,
    fits=False,
)
