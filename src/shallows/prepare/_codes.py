"""Codes for symbols: thermometer code and binary code."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_table
from shallows._core.contract.params import check_params
from shallows._core.contract.targets import naming


class RankedSymbols(TransformerMixin):
    """The base of encoders that give each symbol its rank among those of its column."""

    def _fit_ranks(self, X):
        check_params(self)
        X = check_table(self, X)
        given = self.categories
        ordinal = OrdinalEncoder(
            categories=list(given) if isinstance(given, tuple) else given, dtype=np.int64
        )
        try:
            self._ordinal = ordinal.fit(X)
        except (TypeError, ValueError) as error:
            raise naming(type(self).__name__, error) from None
        self.categories_ = self._ordinal.categories_

    def _ranks(self, X):
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        ranks = [_rank(column, known) for column, known in zip(X.T, self.categories_, strict=True)]
        if any(rank is None for rank in ranks):
            try:
                return X, self._ordinal.transform(X)  # slower, and names unknown symbols
            except (TypeError, ValueError) as error:
                raise naming(type(self).__name__, error) from None
        return X, np.column_stack(ranks)

    def _symbols(self, ranks):
        for j, (column, symbols) in enumerate(zip(ranks, self.categories_, strict=True)):
            if len(column) and column.max() >= len(symbols):
                raise ValueError(
                    f"{type(self).__name__}: a code of column {j} is not the code of any of its "
                    f"{len(symbols)} symbols."
                )
        return self._ordinal.inverse_transform(np.column_stack(ranks))

    def _input_names(self, input_features):
        check_is_fitted(self)
        return self._ordinal.get_feature_names_out(
            getattr(self, "feature_names_in_", None) if input_features is None else input_features
        )


class ThermometerEncoder(RankedSymbols, BaseEstimator):
    """Code each of k ordered symbols by k - 1 bits; a symbol of rank r has r ones.

    The first of k symbols becomes k - 1 zeros, the second 1, 0, ..., 0, the last k - 1 ones. The
    distance between codes grows with the distance between ranks, and a linear model can learn an
    effect of its own for each step. For symbols without order use
    :class:`sklearn.preprocessing.OneHotEncoder`; for one number per symbol use
    :class:`sklearn.preprocessing.OrdinalEncoder`.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The symbols of each column in their order; "auto" sorts the symbols seen in fit.

    Attributes
    ----------
    categories_ : list of ndarray
        The symbols of each column in their order.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.prepare import ThermometerEncoder
    >>> code = ThermometerEncoder(categories=[["small", "medium", "large"]])
    >>> code.fit_transform([["medium"], ["small"], ["large"]])
    array([[1., 0.],
           [0., 0.],
           [1., 1.]])
    >>> code.get_feature_names_out(["size"])
    array(['size>small', 'size>medium'], dtype=object)
    """

    def __init__(self, categories: Literal["auto"] | list | tuple = "auto"):
        self.categories = categories

    def fit(self, X, y=None):
        """Learn the symbols of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Symbols: strings or numbers, without missing values.
        y : None
            Ignored.

        Returns
        -------
        self : ThermometerEncoder
            The fitted encoder.
        """
        self._fit_ranks(X)
        return self

    def transform(self, X):
        """Return the codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Symbols seen in fit.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_codes)
            Zeros and ones.
        """
        X, ranks = self._ranks(X)
        blocks = [
            # Bit number b is 1 for ranks above b.
            ranks[:, [j]] > np.arange(len(symbols) - 1)
            for j, symbols in enumerate(self.categories_)
        ]
        return np.hstack(blocks).astype(_code_type(X))

    def inverse_transform(self, X):
        """Return the symbols of codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_codes)
            Codes; values above 1/2 count as ones.

        Returns
        -------
        symbols : ndarray of shape (n_samples, n_features)
            Symbols.
        """
        check_is_fitted(self)
        lengths = [len(symbols) - 1 for symbols in self.categories_]
        blocks = _split(self, X, lengths)
        return self._symbols([(block > 0.5).sum(axis=1) for block in blocks])

    def get_feature_names_out(self, input_features=None):
        """Return a name for each column of the codes.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the coded columns.

        Returns
        -------
        names : ndarray of str
            Names such as "size>small".
        """
        names = self._input_names(input_features)
        pairs = zip(names, self.categories_, strict=True)
        return np.array([f"{n}>{s}" for n, symbols in pairs for s in symbols[:-1]], dtype=object)

    def __sklearn_tags__(self):
        return _symbol_tags(super().__sklearn_tags__())


class BinaryEncoder(RankedSymbols, BaseEstimator):
    """Code symbols by the binary digits of their index.

    k symbols need only ceil(log2 k) columns. But similarity between codes is an accident of the
    order, and a linear model can't give every symbol an effect of its own.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        The symbols of each column in their order; "auto" sorts the symbols seen in fit.

    Attributes
    ----------
    categories_ : list of ndarray
        The symbols of each column in their order.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.prepare import BinaryEncoder
    >>> code = BinaryEncoder().fit([[letter] for letter in "ABCDE"])
    >>> code.transform([["A"], ["D"], ["E"]])
    array([[0., 0., 0.],
           [0., 1., 1.],
           [1., 0., 0.]])
    """

    def __init__(self, categories: Literal["auto"] | list | tuple = "auto"):
        self.categories = categories

    def fit(self, X, y=None):
        """Learn the symbols of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Symbols: strings or numbers, without missing values.
        y : None
            Ignored.

        Returns
        -------
        self : BinaryEncoder
            The fitted encoder.
        """
        self._fit_ranks(X)
        return self

    def transform(self, X):
        """Return the codes, highest digit first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Symbols seen in fit.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_codes)
            Zeros and ones.
        """
        X, ranks = self._ranks(X)
        blocks = [
            (ranks[:, [j]] >> np.arange(length)[::-1]) & 1
            for j, length in enumerate(self._lengths())
        ]
        return np.hstack(blocks).astype(_code_type(X))

    def inverse_transform(self, X):
        """Return the symbols of codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_codes)
            Codes; values above 1/2 count as ones.

        Returns
        -------
        symbols : ndarray of shape (n_samples, n_features)
            Symbols.
        """
        check_is_fitted(self)
        blocks = _split(self, X, self._lengths())
        return self._symbols([(b > 0.5) @ (2 ** np.arange(b.shape[1])[::-1]) for b in blocks])

    def get_feature_names_out(self, input_features=None):
        """Return a name for each column of the codes.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the coded columns.

        Returns
        -------
        names : ndarray of str
            Names such as "color_bit1", the highest digit first.
        """
        names = self._input_names(input_features)
        pairs = zip(names, self._lengths(), strict=True)
        return np.array([f"{n}_bit{b}" for n, k in pairs for b in range(k)[::-1]], dtype=object)

    def _lengths(self):
        return [max(1, (len(symbols) - 1).bit_length()) for symbols in self.categories_]

    def __sklearn_tags__(self):
        return _symbol_tags(super().__sklearn_tags__())


def _rank(column, known):
    """Return the index of each symbol; None if one is unknown or types don't compare."""
    if column.dtype.kind not in "biufU" or known.dtype.kind != column.dtype.kind:
        return None
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known, column, sorter=order), len(known) - 1)]
    return place if (known[place] == column).all() else None


def _code_type(X):
    return X.dtype if X.dtype.kind == "f" else np.float64


def _split(encoder, X, lengths):
    codes = np.asarray(X)
    if codes.ndim != 2 or codes.shape[1] != sum(lengths):
        raise ValueError(
            f"{type(encoder).__name__}: codes must have {sum(lengths)} columns, "
            f"got shape {codes.shape}."
        )
    return np.split(codes, np.cumsum(lengths)[:-1], axis=1)


def _symbol_tags(tags):
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    return tags
