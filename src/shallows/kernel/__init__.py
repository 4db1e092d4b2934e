"""Kernel methods: kernels, support vector machines, kernel ridge, kernel PCA."""

from shallows.kernel._expansion import KernelExpansion, kkt_violations, support_fraction
from shallows.kernel._functions import (
    check_kernel,
    feature_distances,
    gaussian,
    laplacian,
    linear,
    polynomial,
    quadratic_features,
    sigmoid,
)
from shallows.kernel._kernel_adatron import KernelAdaTron
from shallows.kernel._kernel_pca import KernelPCA
from shallows.kernel._kernel_perceptron import KernelPerceptron
from shallows.kernel._kernel_ridge import KernelRidge
from shallows.kernel._kernel_ridge_classifier import KernelRidgeClassifier
from shallows.kernel._kernel_ridge_cv import KernelRidgeCV
from shallows.kernel._local_regression import local_regression
from shallows.kernel._simple_smo import SimpleSMO
from shallows.kernel._svc import SVC
from shallows.kernel._svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "KernelAdaTron",
    "KernelExpansion",
    "KernelPCA",
    "KernelPerceptron",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "SimpleSMO",
    "check_kernel",
    "feature_distances",
    "gaussian",
    "kkt_violations",
    "laplacian",
    "linear",
    "local_regression",
    "polynomial",
    "quadratic_features",
    "sigmoid",
    "support_fraction",
]
