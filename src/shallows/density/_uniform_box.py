"""Uniform distribution on a box."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shallows._core.contract.params import NumberArray
from shallows.density._family import Family, every


class UniformBox(Family):
    r"""The same density everywhere in a box: :math:`1 / \prod_j (b_j - a_j)`, else zero.

    The maximum likelihood box is the smallest that holds all samples. It is always too small;
    `unbiased` widens each side by its expected shortfall.

    Parameters
    ----------
    low, high : float, array-like or None, default=None
        Ends of the box, one or one per feature; None estimates them.
    unbiased : bool, default=False
        Whether estimated ends move outwards by :math:`(x_{max} - x_{min}) / (n - 1)`.

    Attributes
    ----------
    low_, high_ : ndarray of shape (n_features,)
        Ends after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import UniformBox
    >>> box = UniformBox([0.0, 0.0], [2.0, 5.0])
    >>> np.exp(box.score_samples([[1.0, 1.0], [3.0, 1.0]])).round(3)
    array([0.1, 0. ])
    """

    _names: ClassVar = ("low", "high")

    def __init__(
        self,
        low: float | NumberArray | None = None,
        high: float | NumberArray | None = None,
        *,
        unbiased: bool = False,
    ):
        self.low = low
        self.high = high
        self.unbiased = unbiased

    def fit(self, X, y=None, sample_weight=None):
        """Find the ends that are not given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A sample of weight zero is left out; other weights make no difference to the ends,
            but `unbiased` counts their sum as the number of samples.

        Returns
        -------
        self : UniformBox
            The fitted law.
        """
        for name in self._names:
            vars(self).pop(f"{name}_", None)
        return super().fit(X, y, sample_weight)

    @property
    def _support(self):
        return f"samples between low={self.low} and high={self.high}"

    def _in_support(self, X):
        ends = {}
        for name in self._names:
            value = getattr(self, f"{name}_", None)
            ends[name] = self._given(name, X.shape[1]) if value is None else value
        inside = np.ones(len(X), dtype=bool)
        if ends["low"] is not None:
            inside &= every(ends["low"] <= X)
        if ends["high"] is not None:
            inside &= every(ends["high"] >= X)
        return inside

    def _estimate(self, X, weights):
        least, most = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        room = (most - least) / (weights.sum() - 1) if self.unbiased and len(X) > 1 else 0.0
        given = [self._given(name, X.shape[1]) for name in self._names]
        low = least - room if given[0] is None else given[0]
        high = most + room if given[1] is None else given[1]
        if len(X) == 1 and None in (self.low, self.high):
            raise ValueError(
                "UniformBox: a box cannot be learned from 1 sample; give low and high, or more."
            )
        return [low, high]

    def _check_given(self, low, high):
        if not (low < high).all():
            raise ValueError(
                "UniformBox: low must be below high for every feature, got a side of length "
                f"{np.min(high - low)}. Give both ends, or remove constant features."
            )

    def _log_density(self, X, low, high):
        volume = np.broadcast_to(np.log(high - low), X.shape[1]).sum()
        return np.full(len(X), -volume)

    def _draw(self, rng, n_samples, low, high):
        n_features = max(len(low), len(high))
        return rng.uniform(low, high, size=(n_samples, n_features))

    def _moments(self, low, high):
        return (low + high) / 2, (high - low) ** 2 / 12
