"""Clustering: groups of samples without labels."""

from shallows.cluster._agglomerative import AgglomerativeClustering
from shallows.cluster._dendrogram import Dendrogram, dendrogram
from shallows.cluster._divisive import DivisiveClustering
from shallows.cluster._kmeans import KMeans
from shallows.cluster._kmedoids import KMedoids
from shallows.cluster._linkage import linkage
from shallows.cluster._mini_batch_kmeans import MiniBatchKMeans
from shallows.cluster._quantization import quantization_error
from shallows.cluster._selection import Elbow, Gap, elbow_curve, gap_statistic
from shallows.cluster._silhouette import Silhouette, silhouette
from shallows.cluster._soft_kmeans import SoftKMeans
from shallows.cluster._stepwise import StepwiseMerges, merge_stepwise

__all__ = [
    "AgglomerativeClustering",
    "Dendrogram",
    "DivisiveClustering",
    "Elbow",
    "Gap",
    "KMeans",
    "KMedoids",
    "MiniBatchKMeans",
    "Silhouette",
    "SoftKMeans",
    "StepwiseMerges",
    "dendrogram",
    "elbow_curve",
    "gap_statistic",
    "linkage",
    "merge_stepwise",
    "quantization_error",
    "silhouette",
]
