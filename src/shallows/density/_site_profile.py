"""Site profile of aligned sequences."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_weights
from shallows._core.contract.params import ArrayLike, NonNegativeFloat, NumberArray
from shallows._core.contract.rng import as_generator
from shallows._core.contract.targets import as_array
from shallows.density._dirichlet import pseudo_counts
from shallows.density._family import Family

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


class SiteProfile(Family):
    r"""Independent letters at each site of aligned sequences.

    Each site has its own probabilities of the letters, estimated by pseudo-counts, and the
    probability of a sequence is their product. With alpha = 0 a single letter that was never
    seen at its site makes a sequence impossible, however well the rest fits.
    As density of `BayesClassifier` it classifies sequences into families.

    Parameters
    ----------
    alphabet : str or list of str, default="ACDEFGHIKLMNPQRSTVWY"
        The letters; the default are the amino acids.
    alpha : float or array-like of shape (n_letters,), default=1.0
        Pseudo-counts of the letters, see `pseudo_counts`.

    Attributes
    ----------
    probabilities_ : ndarray of shape (n_sites, n_letters)
        Probability of each letter at each site.

    Examples
    --------
    >>> from shallows.data import globin
    >>> from shallows.density import SiteProfile
    >>> profile = SiteProfile(alpha=1.0).fit(globin())
    >>> bool(profile.score_samples(["GHGK"]) > profile.score_samples(["WWWW"]))
    True
    >>> SiteProfile(alpha=0.0).fit(globin()).score_samples(["GHGC"])
    array([-inf])
    """

    _names: ClassVar = ("probabilities",)

    def __init__(
        self,
        alphabet: str | ArrayLike = AMINO_ACIDS,
        *,
        alpha: NonNegativeFloat | NumberArray = 1.0,
    ):
        self.alphabet = alphabet
        self.alpha = alpha

    def sample(self, n_samples=1, random_state=None):
        """Draw sequences.

        Parameters
        ----------
        n_samples : int, default=1
            Number of sequences.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of str of shape (n_samples, n_sites)
            Letters.
        """
        check_is_fitted(self)
        uniform = as_generator(random_state).random((n_samples, len(self.probabilities_)))
        until = np.cumsum(self.probabilities_, axis=1)
        codes = (uniform[:, :, None] * until[:, -1, None] > until).sum(axis=2)
        return np.array(list(self.alphabet))[codes]

    @property
    def _support(self):
        return f"letters of the alphabet {''.join(self.alphabet)!r}"

    def _in_support(self, X):
        return (X >= 0).all(axis=1)

    def _read(self, X, sample_weight):
        X = self._codes(X)
        return X, check_weights(sample_weight, len(X))

    def _read_new(self, X):
        check_is_fitted(self)
        X = self._codes(X)
        if X.shape[1] != len(self.probabilities_):
            raise ValueError(
                f"SiteProfile: sequences must have {len(self.probabilities_)} letters, as in fit, "
                f"got {X.shape[1]}."
            )
        return X

    def _codes(self, X):
        """Return places in the alphabet as floats, -1 for other letters."""
        X = np.asarray(X.toarray() if issparse(X) else as_array("SiteProfile", X))
        if X.ndim == 1 and X.dtype.kind in "OU":
            if len({len(sequence) for sequence in X if isinstance(sequence, str)}) > 1:
                raise ValueError("SiteProfile: aligned sequences must have equal lengths.")
            X = np.array([list(str(sequence)) for sequence in X])
        if (
            X.ndim != 2
            or X.dtype.kind not in "OU"
            or not all(isinstance(value, str) for value in X.flat)
        ):
            raise ValueError(
                "SiteProfile: X must hold sequences of equal lengths, as text or as one letter per "
                f"column, got an array of shape {X.shape} and type {X.dtype}."
            )
        X = X.astype(str)
        letters = self._letters()
        order = np.argsort(letters)
        place = np.minimum(np.searchsorted(letters, X, sorter=order), len(letters) - 1)
        codes = order[place]
        return np.where(letters[codes] == X, codes, -1).astype(float)

    def _letters(self):
        letters = list(self.alphabet)
        if not letters or not all(isinstance(letter, str) for letter in letters):
            raise ValueError(f"SiteProfile: alphabet must hold letters, got {self.alphabet!r}.")
        return np.array(letters)

    def _estimate(self, X, weights):
        letters = len(list(self.alphabet))
        counts = [np.bincount(site.astype(int), weights, minlength=letters) for site in X.T]
        return [pseudo_counts(np.array(counts), self.alpha)]

    def _parameters(self):
        check_is_fitted(self)
        return [self.probabilities_]

    def _log_density(self, X, probabilities):
        codes = np.maximum(X, 0).astype(int)
        return np.log(probabilities[np.arange(X.shape[1]), codes]).sum(axis=1)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "probabilities_")
