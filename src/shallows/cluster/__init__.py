"""Clustering: groups of samples without labels."""

from shallows.cluster._kmeans import KMeans

__all__ = ["KMeans"]
