"""Dimension reduction."""

from shallows.reduce._choose_components import choose_components
from shallows.reduce._eigenimages import eigenimages
from shallows.reduce._fast_ica import FastICA
from shallows.reduce._filter_selector import FilterSelector
from shallows.reduce._incremental_pca import IncrementalPCA
from shallows.reduce._isomap import Isomap
from shallows.reduce._kurtosis import kurtosis
from shallows.reduce._laplacian_eigenmaps import LaplacianEigenmaps
from shallows.reduce._lle import LocallyLinearEmbedding
from shallows.reduce._local_dimension import local_dimension
from shallows.reduce._mds import MDS
from shallows.reduce._mutual_information import mutual_information
from shallows.reduce._neighbor_graph import NeighborGraph, neighbor_graph
from shallows.reduce._oja_pca import OjaPCA
from shallows.reduce._out_of_sample import OutOfSample
from shallows.reduce._pca import PCA
from shallows.reduce._power_pca import PowerPCA
from shallows.reduce._reconstruction_loss import reconstruction_loss
from shallows.reduce._sammon import Sammon
from shallows.reduce._sanger_pca import SangerPCA
from shallows.reduce._shortest_paths import shortest_paths
from shallows.reduce._spectral_embedding import SpectralEmbedding
from shallows.reduce._tsne import TSNE
from shallows.reduce._whitening import Whitening

__all__ = [
    "MDS",
    "PCA",
    "TSNE",
    "FastICA",
    "FilterSelector",
    "IncrementalPCA",
    "Isomap",
    "LaplacianEigenmaps",
    "LocallyLinearEmbedding",
    "NeighborGraph",
    "OjaPCA",
    "OutOfSample",
    "PowerPCA",
    "Sammon",
    "SangerPCA",
    "SpectralEmbedding",
    "Whitening",
    "choose_components",
    "eigenimages",
    "kurtosis",
    "local_dimension",
    "mutual_information",
    "neighbor_graph",
    "reconstruction_loss",
    "shortest_paths",
]
