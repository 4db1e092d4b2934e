"""Kernel principal component analysis."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from shallows._core.contract.data import FLOATS, check_new, check_rows
from shallows._core.contract.params import (
    FiniteFloat,
    NJobs,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.krylov import leading_eigenpairs
from shallows._core.numerics.linalg import center, center_gram
from shallows._core.numerics.threads import quick_lapack, uses_jobs
from shallows.kernel._kernel_machine import drop_columns, set_tags
from shallows.kernel._resolve import AnyKernelName, Degree, Gamma, resolve_kernel, takes_sparse

PARTIAL_FROM = 500
PARTIAL_SHARE = 0.05
GRAM_LIMIT = 10_000
MOST_PRODUCTS, SHORTFALL = 30, 1e-10


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Principal components in the feature space of a kernel.

    The centred Gram matrix :math:`HKH = V \Lambda V'` gives the components of the training
    samples as :math:`V \Lambda^{1/2}` [1]_; new samples are projected through their kernel values.
    With `fit_inverse_transform` a kernel ridge regression from components back to inputs gives
    pre-images, for denoising.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None keeps all with an eigenvalue above rounding.
    kernel : str or callable, default="linear"
        The kernel: "linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2",
        "additive_chi2" or "precomputed". A callable takes two arrays of rows and returns the matrix
        of values, or takes two rows and returns one.
    gamma : "scale", "auto", float or None, default=None
        Coefficient of all kernels but the linear; None means "auto", 1 / n_features.
    degree : int, default=3
        Power of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is a function.
    alpha : float, default=1.0
        Penalty of the regression that learns the pre-images.
    fit_inverse_transform : bool, default=False
        Whether to learn pre-images, for `inverse_transform`.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense" finds all eigenvectors of the Gram matrix, "arpack" the leading ones.
        "randomized" never holds the matrix: about ten times it multiplies blocks of it with
        a few vectors [2]_. "auto" takes it beyond 10,000 samples, and of the others the quicker.
    tol : float, default=0
        Taken for scikit-learn's sake; eigenvectors are found to the last digits.
    max_iter : int or None, default=None
        Taken for scikit-learn's sake; iterations end by their accuracy.
    iterated_power : int or "auto", default="auto"
        Taken for scikit-learn's sake; "randomized" multiplies until the components stay.
    remove_zero_eig : bool, default=False
        Whether to leave out components whose eigenvalue is zero; always with
        `n_components` None.
    random_state : int, RandomState, Generator or None, default=None
        Draws the vectors of "randomized".
    copy_X : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must
        be.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred Gram matrix, in descending order.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors; in each the entry of largest size is positive.
    X_fit_ : ndarray of shape (n_samples, n_features)
        Training samples; the Gram matrix for a precomputed kernel.
    gamma_ : float
        Coefficient of the kernel in use.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Components of the training samples; with `fit_inverse_transform` only.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the pre-images; with `fit_inverse_transform` only.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Schoelkopf, A. Smola and K.-R. Mueller, "Nonlinear component analysis as a kernel
       eigenvalue problem", 1998.
    .. [2] C. Musco and C. Musco, "Randomized block Krylov methods for stronger and faster
       approximate singular value decomposition", 2015.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from shallows.kernel import KernelPCA
    >>> X, y = make_circles(200, factor=0.3, random_state=0)
    >>> scores = KernelPCA(2, kernel="rbf", gamma=2.0).fit_transform(X)
    >>> float(abs(scores[y == 0].mean(0) - scores[y == 1].mean(0)).max()) > 0.5
    True
    """

    def __init__(
        self,
        n_components: PositiveInt | None = None,
        *,
        kernel: AnyKernelName = "linear",
        gamma: Gamma | None = None,
        degree: Degree = 3,
        coef0: FiniteFloat = 1,
        kernel_params: dict | None = None,
        alpha: PositiveFloat = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        tol: NonNegativeFloat = 0,
        max_iter: PositiveInt | None = None,
        iterated_power: NonNegativeInt | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: RandomState = None,
        copy_X: bool = True,
        n_jobs: NJobs = None,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @uses_jobs
    def fit(self, X, y=None):
        """Find the components.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : None
            Ignored.

        Returns
        -------
        self : KernelPCA
            The fitted estimator.
        """
        self._fit(X)
        return self

    @uses_jobs
    def fit_transform(self, X, y=None):
        """Find the components and return those of the training samples.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training samples, or their Gram matrix for a precomputed kernel.
        y : None
            Ignored.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
            Components.
        """
        return self._fit(X)

    @uses_jobs
    def transform(self, X):
        """Return the components of new samples.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
            Components.
        """
        X = check_new(self, X, sparse=takes_sparse(self.kernel))
        right = np.arange(X.shape[1]) if self.kernel == "precomputed" else self.X_fit_
        if issparse(X) != issparse(right):
            X = X.toarray() if issparse(X) else csr_array(X)
        projection = self.eigenvectors_.astype(np.float64) * self._inverse_roots
        # The columns sum to zero, so the mean of a new row of kernel values drops out.
        scores = self._kernel.matmul(X, right, projection) - self._gram_means @ projection
        return scores.astype(X.dtype, copy=False)

    def inverse_transform(self, X):
        """Return inputs whose components are close to the given ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        inputs : ndarray of shape (n_samples, n_features)
            Pre-images by kernel ridge regression.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "KernelPCA: inverse_transform needs fit_inverse_transform=True before fit."
            )
        check_is_fitted(self)
        X = check_array(X, dtype=FLOATS)
        n_components = self.X_transformed_fit_.shape[1]
        if X.shape[1] != n_components:
            raise ValueError(
                f"KernelPCA: inverse_transform takes {n_components} components, got {X.shape[1]}."
            )
        return self._back_kernel.matmul(X, self.X_transformed_fit_, self.dual_coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags = set_tags(self, tags)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def _fit(self, X):
        check_params(self)
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError(
                "KernelPCA: Cannot fit_inverse_transform with a precomputed kernel, which does not "
                "show the samples. Pass a kernel by name or as a function."
            )
        X = check_rows(self, X, sparse=takes_sparse(self.kernel))
        X = drop_columns(self, X, np.arange(X.shape[0]))
        gamma = "auto" if self.gamma is None else self.gamma
        options = self.degree, self.coef0, None, self.kernel_params
        self._kernel = resolve_kernel(self, self.kernel, X, gamma, *options)
        self.gamma_ = self._kernel.gamma

        # Scores are eigenvectors of the centred Gram matrix times the roots of its eigenvalues.
        values, vectors = self._decompose(X)
        if self.remove_zero_eig:
            values, vectors = values[values > 0], vectors[:, values > 0]
        roots = np.sqrt(values)
        self._inverse_roots = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)
        self.eigenvalues_, self.eigenvectors_ = values.astype(X.dtype), vectors.astype(X.dtype)
        self.X_fit_ = X.copy()
        scores = (vectors * roots).astype(X.dtype)
        if self.fit_inverse_transform:
            self._learn_preimages(X, scores)
        return scores

    def _decompose(self, X):
        """Return the eigenpairs of the centred Gram matrix, and keep the means of its columns."""
        n_samples = X.shape[0]
        solver = self._choose_solver(n_samples)
        if solver == "randomized":
            pairs = self._randomized(X.astype(np.float64, copy=False))
            return _in_order(*pairs, n_samples, self.n_components)
        gram = X if self.kernel == "precomputed" else self._kernel(X)
        gram = gram.astype(np.float64, copy=False)
        self._gram_means = gram.mean(axis=0)
        gram = center_gram(gram)
        with quick_lapack(n_samples):
            if solver == "arpack":
                start = np.cos(np.arange(n_samples))
                pairs = eigsh(gram, self.n_components, which="LA", v0=start)
            else:
                pairs = eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
        return _in_order(*pairs, n_samples, self.n_components)

    def _choose_solver(self, n_samples):
        if self.n_components is None and self.eigen_solver in ("arpack", "randomized"):
            raise ValueError(
                f"KernelPCA: eigen_solver={self.eigen_solver!r} finds a few components; say how "
                "many in n_components, or use 'dense'."
            )
        if self.eigen_solver == "arpack" and self.n_components >= n_samples:
            return "dense"  # which finds the last one, too
        if self.eigen_solver != "auto":
            return self.eigen_solver
        if self.n_components is None:
            return "dense"
        if n_samples > GRAM_LIMIT and self.kernel != "precomputed":
            return "randomized"
        few = n_samples >= PARTIAL_FROM and self.n_components <= PARTIAL_SHARE * n_samples
        return "arpack" if few else "dense"

    def _randomized(self, X):
        n_samples = X.shape[0]
        right = np.arange(n_samples) if self.kernel == "precomputed" else X
        mean = np.full((n_samples, 1), 1 / n_samples)
        self._gram_means = self._kernel.matmul(X, right, mean)[:, 0]
        rng = as_generator(self.random_state)
        return leading_eigenpairs(
            lambda block: center(self._kernel.matmul(X, right, center(block))),
            n_samples,
            min(self.n_components, n_samples),
            rng,
            max_products=MOST_PRODUCTS,
            tol=SHORTFALL,
        )

    def _learn_preimages(self, X, scores):
        gamma = "auto" if self.gamma is None else self.gamma
        options = gamma, self.degree, self.coef0, None, self.kernel_params
        self._back_kernel = resolve_kernel(self, self.kernel, scores, *options)
        gram = self._back_kernel(scores).astype(np.float64)
        gram[np.diag_indices(len(gram))] += self.alpha
        with quick_lapack(len(gram)):
            found = np.linalg.solve(gram, (X.toarray() if issparse(X) else X).astype(np.float64))
        self.dual_coef_, self.X_transformed_fit_ = found.astype(X.dtype), scores.copy()


def _in_order(values, vectors, n, n_components):
    """Return the pairs from large to small; values at the level of rounding count as zero."""
    wanted = n if n_components is None else min(n_components, n)
    order = np.argsort(values)[::-1][:wanted]
    values, vectors = values[order], vectors[:, order]
    values[values <= n * np.finfo(np.float64).eps * max(values[0], 0.0)] = 0.0
    if n_components is None:
        kept = max(np.count_nonzero(values), 1)
        values, vectors = values[:kept], vectors[:, :kept]
    peaks = np.abs(vectors).argmax(axis=0)
    return values, vectors * np.where(vectors[peaks, np.arange(len(values))] < 0, -1.0, 1.0)
