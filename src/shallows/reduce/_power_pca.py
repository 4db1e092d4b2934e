"""Principal components by power iteration."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_unlabelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.moments import accumulate
from shallows._core.numerics.threads import hold_threads
from shallows.reduce._argument_checks import at_most
from shallows.reduce._projection import Projection
from shallows.reduce._spectrum import largest_positive

SMALL_PRODUCT = 2**19  # multiplications of a step, of which a second thread gains nothing


class PowerPCA(Projection, IterativeMixin, BaseEstimator):
    r"""Principal components by repeated multiplication with the covariance matrix.

    A vector that is multiplied by the covariance matrix :math:`C` and normalised again and
    again turns into the direction of largest variance; the error shrinks by
    :math:`\lambda_2 / \lambda_1` per step (von Mises). Further components come one after the
    other, each from what the earlier ones left over, or all at once with the vectors made
    orthonormal after every step. Where two variances are equal, a basis of their plane is
    found. :class:`PCA` is quicker; this class shows the iteration.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    method : {"gram-schmidt", "deflation"}, default="gram-schmidt"
        All components in parallel, made orthonormal after every step; or one after the
        other, each removed from the covariance matrix once it is found.
    shift : float or None, default=None
        With a number :math:`\eta` the matrix is :math:`I + \eta C` instead of :math:`C`,
        which is slower and is what a small step of Hebbian learning does.
    ddof : {0, 1}, default=1
        The covariance is the sum of products divided by ``n_samples - ddof``.
    max_iter : int, default=1000
        Largest number of steps, for each component with "deflation".
    tol : float, default=1e-8
        A vector is done when :math:`|Cw - \lambda w|` is at most this share of the largest
        variance.
    random_state : int, RandomState, Generator or None, default=None
        Draws the first vectors.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Directions, by descending variance. The largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variance along each component.
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    history_ : dict of str to list of float
        The residual :math:`|Cw - \lambda w|` over the largest variance, by step, under
        ``"loss"``.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import PowerPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> PowerPCA(2, random_state=0).fit(X).explained_variance_.round(3)
    array([4.228, 0.243])
    """

    def __init__(
        self,
        n_components: PositiveInt = 1,
        *,
        method: Literal["gram-schmidt", "deflation"] = "gram-schmidt",
        shift: PositiveFloat | None = None,
        ddof: Literal[0, 1] = 1,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat = 1e-8,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.method = method
        self.shift = shift
        self.ddof = ddof
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : PowerPCA
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        at_most(self, "n_components", min(X.shape), "min(n_samples, n_features) =")
        known = accumulate(X, None if sample_weight is None else weights)
        if known.weight <= self.ddof:
            raise ValueError(
                f"PowerPCA needs more than n_samples={self.ddof}, got {known.weight:g}."
            )
        matrix = known.covariance(self.ddof)
        rng = as_generator(self.random_state)
        start = np.linalg.qr(rng.standard_normal((X.shape[1], self.n_components)))[0]

        parallel = self.method == "gram-schmidt"
        columns = [slice(None)] if parallel else [slice(k, k + 1) for k in range(start.shape[1])]
        run = Training(self, self.max_iter, X=X)
        found, missed, left = start, 0, matrix
        small = matrix.size * self.n_components < SMALL_PRODUCT
        with hold_threads() if small else nullcontext():
            for place, part in enumerate(run.starts(columns)):
                if place:  # take out the component that was found last
                    done = found[:, place - 1 : place]
                    left = left - (done.T @ left @ done) * (done @ done.T)
                for _ in run.epochs():
                    found[:, part], residual = self._step(left, found[:, part], found[:, :place])
                    run.record(loss=residual)
                    if residual <= self.tol:
                        run.stop("tol")
                missed += run.stopped_by == "max_iter"
        if missed:
            warnings.warn(
                f"PowerPCA stopped after max_iter={self.max_iter} steps before it converged. "
                "Raise max_iter or tol; nearly equal variances need many steps.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.history_, self.n_iter_ = run.history, run.n_iter
        self._keep(found, matrix, known.mean, X.dtype)
        return self

    def _step(self, matrix, vectors, earlier):
        """Multiply and orthonormalise; return the vectors and the residual before the step."""
        image = matrix @ vectors
        inner = vectors.T @ image
        scale = max(np.abs(np.diag(inner)).max(), np.finfo(float).tiny)
        residual = np.linalg.norm(image - vectors @ inner, axis=0).max() / scale
        moved = image if self.shift is None else vectors + self.shift * image
        # What rounding brings back of an earlier component would grow like lambda_1^t.
        moved = moved - earlier @ (earlier.T @ moved)
        orthonormal, triangle = np.linalg.qr(moved)
        if np.abs(np.diag(triangle)).min() == 0:
            return vectors, 0.0
        return orthonormal, residual

    def _keep(self, vectors, matrix, mean, dtype):
        """Rotate within the span found, where parallel vectors are not yet told apart."""
        values, rotation = np.linalg.eigh(vectors.T @ matrix @ vectors)
        self.components_ = largest_positive((vectors @ rotation[:, ::-1]).T).astype(dtype)
        self.explained_variance_ = values[::-1].astype(dtype)
        self.mean_ = mean.astype(dtype)
