"""Dimension reduction."""

from shallows.reduce._pca import PCA

__all__ = ["PCA"]
