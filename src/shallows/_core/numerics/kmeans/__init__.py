"""K-means as a function, for the estimator and for methods that start from its centres."""

from shallows._core.numerics.kmeans.dense import DenseRows, nearest_centers, search_once
from shallows._core.numerics.kmeans.lloyd import KMeansResult, Lloyd, kmeans
from shallows._core.numerics.kmeans.other import SparseRows, StreamRows
from shallows._core.numerics.kmeans.starts import place_centers

__all__ = [
    "DenseRows",
    "KMeansResult",
    "Lloyd",
    "SparseRows",
    "StreamRows",
    "kmeans",
    "nearest_centers",
    "place_centers",
    "search_once",
]
