"""Parzen windows."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import Fraction, PositiveFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.moments import accumulate
from shallows._core.numerics.neighbors import NeighborIndex
from shallows._core.numerics.threads import hold_threads
from shallows.density._family import mean_score
from shallows.density._windows import log_box_windows, log_gaussian_windows

WINDOWS = {"gaussian": log_gaussian_windows, "box": log_box_windows}
MOST_JUDGED = 2000  # rows that judge a width; more tell hardly more
COARSE, FINE = np.geomspace(0.05, 4.0, 25), np.linspace(-1, 1, 9)


class Parzen(DensityMixin, BaseEstimator):
    r"""Density as the mean of windows around the samples.

    A Gaussian window of width h around sample z is :math:`N(x; z, h^2 I)`, a box is a cube with
    side h. The sum integrates to one for every width: a small one gives spikes on the samples, a
    large one a blur. The width may be chosen by the likelihood of samples left out.
    All samples are kept, and a density costs a sum over them.

    Parameters
    ----------
    kernel : {"gaussian", "box"}, default="gaussian"
        Shape of the windows.
    width : float or {"scott", "loo", "validation"}, default="scott"
        Width of the windows. "scott" is :math:`n^{-1/(d+4)}` times the standard deviation;
        "loo" gives each of up to 2000 samples the largest density from all the others;
        "validation" gives held-out samples the largest density from the rest.
    adaptive_k : int or None, default=None
        Window i is scaled by the root of the mean squared distance to this many nearest
        neighbours of sample i: narrow where samples are dense. None gives equal windows.
    whiten : bool, default=False
        Whether windows have the shape of the covariance of the data.
    validation_fraction : float, default=0.25
        Share of the samples held out to choose the width by "validation".
    random_state : int, RandomState, Generator or None, default=None
        Draws the samples that choose the width.

    Attributes
    ----------
    samples_ : ndarray of shape (n_samples, n_features)
        The training samples.
    weights_ : ndarray of shape (n_samples,)
        Their weights, which sum to one.
    width_ : float
        The width, with `adaptive_k` the factor of the scales.
    widths_ : ndarray of shape (n_samples,)
        The width of each window.
    width_scores_ : dict of str to list of float
        Under ``"width"`` and ``"score"`` the widths tried and the mean log density of samples
        left out; empty where the width was not chosen so.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] E. Parzen, "On estimation of a probability density function and mode", Annals of
       Mathematical Statistics 33, 1065-1076, 1962.
    .. [2] D. W. Scott, "Multivariate Density Estimation", 2nd ed., Wiley, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import Parzen
    >>> model = Parzen("box", width=1.0).fit([[0.0], [0.25], [3.0]])
    >>> np.exp(model.score_samples([[0.1], [3.2], [9.0]])).round(3)
    array([0.667, 0.333, 0.   ])
    """

    def __init__(
        self,
        kernel: Literal["gaussian", "box"] = "gaussian",
        *,
        width: PositiveFloat | Literal["scott", "loo", "validation"] = "scott",
        adaptive_k: PositiveInt | None = None,
        whiten: bool = False,
        validation_fraction: Fraction = 0.25,
        random_state: RandomState = None,
    ):
        self.kernel = kernel
        self.width = width
        self.adaptive_k = adaptive_k
        self.whiten = whiten
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Keep the samples and choose the width.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each window.

        Returns
        -------
        self : Parzen
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        self.samples_ = X.copy()
        self.weights_ = (weights / weights.sum()).astype(X.dtype)
        self._shape = self._window_shape(X, weights)
        self._log_weights = np.log(weights / weights.sum())
        self._rows = self._whitened(self.samples_)
        scales = self._scales()
        self.width_scores_ = {}
        if isinstance(self.width, str):
            self.width_ = float(self._choose(scales, weights))
        else:
            self.width_ = float(self.width)
        self.widths_ = (self.width_ * scales).astype(X.dtype)
        return self

    def score_samples(self, X):
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms; minus infinity where no box reaches.
        """
        X = check_new(self, X)
        logs = WINDOWS[self.kernel](
            self._whitened(X), self._rows, self._log_weights, self.widths_.astype(np.float64)
        )
        return (logs - self._log_volume()).astype(X.dtype)

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log density of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean.

        Returns
        -------
        score : float
            Mean log-likelihood per sample.
        """
        return mean_score(self, X, sample_weight)

    def sample(self, n_samples=1, random_state=None):
        """Draw a training sample by weight, and a point of its window.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        """
        check_is_fitted(self)
        rng = as_generator(random_state)
        chances = self.weights_.astype(np.float64)
        chosen = rng.choice(len(chances), n_samples, p=chances / chances.sum())
        shape = n_samples, self.samples_.shape[1]
        gaussian = self.kernel == "gaussian"
        noise = rng.standard_normal(shape) if gaussian else rng.uniform(-0.5, 0.5, shape)
        noise *= self.widths_[chosen, None]
        if self._shape is not None:
            noise = noise @ self._shape.T
        return self.samples_[chosen] + noise

    def _window_shape(self, X, weights):
        """Return a factor of the covariance, without bias for weights as SciPy counts them."""
        if not self.whiten:
            return None
        moments = accumulate(X, weights)
        less = np.sum(weights**2) / weights.sum()
        if moments.weight > less:
            covariance = moments.covariance(less)
            if np.linalg.eigvalsh(covariance)[0] > 1e-12 * np.trace(covariance):
                return np.linalg.cholesky(covariance)
        raise ValueError(
            "Parzen: with whiten the covariance of the data must be positive definite; there are "
            f"too few samples (n_samples={len(X)}), or features that are sums of others."
        )

    def _whitened(self, X):
        if self._shape is None:
            return X
        return solve_triangular(self._shape, X.astype(np.float64).T, lower=True).T

    def _log_volume(self):
        return 0.0 if self._shape is None else np.log(self._shape.diagonal()).sum()

    def _scales(self):
        rows = self._rows
        if self.adaptive_k is None:
            return np.ones(len(rows))
        # Equal rows are one sample of larger weight: its neighbours are the nearest others.
        different, place = np.unique(rows, axis=0, return_inverse=True)
        if self.adaptive_k >= len(different):
            raise ValueError(
                f"Parzen: adaptive_k={self.adaptive_k} neighbours need more different samples, "
                f"got {len(different)} of them and n_samples={len(rows)}."
            )
        distances, _ = NeighborIndex(different).query(different, self.adaptive_k + 1)
        scales = np.sqrt(np.mean(distances[:, 1:].astype(np.float64) ** 2, axis=1))
        return scales[place.ravel()]

    def _choose(self, scales, weights):
        """Return the width by Scott's rule, or that with the likeliest samples left out."""
        rows, d = self._rows, self._rows.shape[1]
        spread = 1.0
        if self.adaptive_k is None and not self.whiten:
            spread = np.sqrt(accumulate(rows, weights, diagonal=True).covariance().mean())
        effective = weights.sum() ** 2 / np.sum(weights**2)
        scott = (
            spread * effective ** (-1 / (d + 4)) * (1.0 if self.kernel == "gaussian" else 12**0.5)
        )
        if not scott > 0:
            raise ValueError(
                f"Parzen: width={self.width!r} needs samples that differ, got n_samples="
                f"{len(rows)} equal ones. Give a number as width."
            )
        if self.width == "scott":
            return scott
        judge, ratio = self._judge(scales, weights), COARSE[1] / COARSE[0]
        with hold_threads():
            tried = {width: judge(width) for width in scott * COARSE}
            best = max(tried, key=tried.get)
            tried |= {width: judge(width) for width in best * ratio**FINE}
        found = sorted(tried)
        self.width_scores_ = {"width": found, "score": [tried[width] for width in found]}
        if not np.isfinite(max(tried.values())):
            raise ValueError(
                "Parzen: at every width some sample left out lies in no window. Use the Gaussian "
                "kernel, or give the width."
            )
        return max(tried, key=tried.get)

    def _judge(self, scales, weights):
        """Return a function of the width: the mean log density of samples left out."""
        rng, rows, logs = as_generator(self.random_state), self._rows, self._log_weights
        if len(rows) < 2:
            raise ValueError("Parzen: choosing a width needs at least 2 samples, got n_samples=1.")
        order, window = rng.permutation(len(rows)), WINDOWS[self.kernel]
        if self.width == "loo":
            judged, kept, own = order[:MOST_JUDGED], slice(None), order[:MOST_JUDGED]
            rest = np.log1p(-np.minimum(np.exp(logs[judged]), 1 - 1e-16))
        else:
            held = min(max(1, round(self.validation_fraction * len(rows))), len(rows) - 1)
            judged, kept, own = order[:held], order[held:], None
            rest = np.log(weights[kept].sum() / weights.sum())

        def judge(width):
            found = window(rows[judged], rows[kept], logs[kept], width * scales[kept], own)
            return float(np.average(found - rest, weights=weights[judged]))

        return judge
