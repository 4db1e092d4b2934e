"""Hot-deck and cold-deck imputation."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.metrics.pairwise import nan_euclidean_distances

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.threads import block_slices
from shallows.prepare._gaps import allow_nan, check_gappy, each_pattern, refuse_empty_columns

CELLS = 2**22


class DeckImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Impute the missing values of a row from one other row, the donor.

    Imputed values were really measured, and values from the same donor keep their correlations.
    Fitted to the same data this is hot-deck imputation; fitted to another data set, cold-deck
    imputation. A donor must have all values that the row lacks; if there is none, each gap gets
    its own donor. To average several neighbours use :class:`sklearn.impute.KNNImputer`.

    Parameters
    ----------
    donor : {"nearest", "random"}, default="nearest"
        The nearest row, by distance over the values that both rows have, in units of each column's
        standard deviation; or a random row.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the random donors; every call chooses the same ones.

    Attributes
    ----------
    donors_ : ndarray of shape (n_donors, n_features)
        Rows from which values are taken.
    scale_ : ndarray of shape (n_features,)
        Standard deviation of each column.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import DeckImputer
    >>> X = [[1.0, 10.0], [2.0, 20.0], [1.9, np.nan]]
    >>> DeckImputer().fit_transform(X)[2]
    array([ 1.9, 20. ])
    """

    def __init__(
        self,
        donor: Literal["nearest", "random"] = "nearest",
        *,
        random_state: RandomState = None,
    ):
        self.donor = donor
        self.random_state = random_state

    def fit(self, X, y=None):
        """Store the donors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Donors, NaN for gaps.
        y : None
            Ignored.

        Returns
        -------
        self : DeckImputer
            The fitted imputer.
        """
        check_params(self)
        X = check_gappy(self, X, reset=True)
        refuse_empty_columns(self, X)
        self.donors_ = X
        spread = np.nanstd(X, axis=0)
        self.scale_ = np.where(spread > 0, spread, 1).astype(X.dtype)
        self._seed = int(as_generator(self.random_state).integers(2**63))
        return self

    def transform(self, X):
        """Fill the gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, NaN for gaps.

        Returns
        -------
        filled : ndarray of shape (n_samples, n_features)
            Samples without gaps.
        """
        X = check_gappy(self, X, reset=False)
        rng = np.random.default_rng(self._seed)
        known = ~np.isnan(self.donors_)
        gappy = np.flatnonzero(np.isnan(X).any(axis=1))
        filled = X.copy()
        for block in block_slices(len(gappy), max(1, CELLS // len(self.donors_))):
            part = X[gappy[block]]
            closeness = self._closeness(part, rng)
            for rows, missing in each_pattern(part):
                able = known[:, missing].all(axis=1)
                # One donor for the whole pattern if possible, else one per missing column.
                for columns in [missing] if able.any() else np.diag(missing)[missing]:
                    able = np.flatnonzero(known[:, columns].all(axis=1))
                    chosen = able[closeness[np.ix_(rows, able)].argmax(axis=1)]
                    places = np.ix_(gappy[block][rows], columns)
                    filled[places] = self.donors_[np.ix_(chosen, columns)]
        return filled

    def _closeness(self, X, rng):
        """Return a score per row and donor: minus the distance, or a random number.

        Donors that share no value with a row get the lowest scores, in random order.
        """
        if self.donor == "random":
            return rng.random((len(X), len(self.donors_)), dtype=np.float32)
        scores = -nan_euclidean_distances(X / self.scale_, self.donors_ / self.scale_)
        apart = np.isnan(scores)
        if apart.any():
            farthest = np.nanmin(scores, initial=0.0)
            scores[apart] = farthest - 1 - rng.random(int(apart.sum()))
        return scores

    def __sklearn_tags__(self):
        return allow_nan(super().__sklearn_tags__())
