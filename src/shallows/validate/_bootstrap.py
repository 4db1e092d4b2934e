"""Bootstrap samples as a splitter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils.validation import check_consistent_length

from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator


class Bootstrap(BaseCrossValidator):
    r"""Splitter that trains on rows drawn with replacement and tests on the other rows.

    A sample as large as the data misses a given row with probability :math:`(1 - 1/n)^n \approx
    0.368`. These rows are out of the bag and test the model. Training parts contain repeated rows.
    Methods that memorise single rows (nearest neighbours), and any inner cross-validation,
    therefore see fewer distinct rows.

    Parameters
    ----------
    n_splits : int, default=100
        Number of bootstrap samples.
    stratify : bool, default=False
        Whether to draw within each class, so that every sample keeps the class shares.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", chapter 17, 1993.

    Examples
    --------
    >>> from shallows.validate import Bootstrap
    >>> for train, test in Bootstrap(2, random_state=1).split(range(6)):
    ...     print(train, test)
    [0 0 2 3 4 5] [1]
    [1 1 2 4 5 5] [0 3]
    """

    def __init__(
        self,
        n_splits: PositiveInt = 100,
        *,
        stratify: bool = False,
        random_state: RandomState = None,
    ):
        self.n_splits = n_splits
        self.stratify = stratify
        self.random_state = random_state

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Yield the row numbers of both parts of every fold.

        Samples that leave no row out are drawn again.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Samples; only their number is used.
        y : array-like of shape (n_samples,)
            Class labels, needed to stratify.
        groups : array-like of shape (n_samples,)
            Group of each row. Whole groups are drawn, so no group is in both parts.

        Yields
        ------
        train, test : ndarray
            Row numbers in ascending order, repeated in `train` as often as drawn.
        """
        check_params(self)
        check_consistent_length(X, y, groups)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        units = self._units(n_rows, y, groups)
        if all(len(stratum) == 1 for stratum in units):
            raise ValueError(
                f"Bootstrap needs at least 2 {'rows' if groups is None else 'groups'} in some "
                "stratum; otherwise no row is ever left out."
            )
        rng = as_generator(self.random_state)
        done = 0
        while done < self.n_splits:
            # In each stratum draw as many units (rows or groups) as it has.
            drawn = [rng.integers(len(stratum), size=len(stratum)) for stratum in units]
            bag = [stratum[k] for stratum, ks in zip(units, drawn, strict=True) for k in ks]
            train = np.sort(np.concatenate(bag))
            test = np.setdiff1d(np.arange(n_rows), train)
            if len(test):
                done += 1
                yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of bootstrap samples.

        Parameters
        ----------
        X : object
            Ignored.
        y : object
            Ignored.
        groups : object
            Ignored.

        Returns
        -------
        n_splits : int
            Number of bootstrap samples.
        """
        return self.n_splits

    def _units(self, n_rows: int, y: Any, groups: Any) -> list[list[NDArray[Any]]]:
        """Return the rows that are drawn together, by stratum."""
        if self.stratify and groups is not None:
            raise ValueError("Bootstrap draws whole groups or within classes, not both at once.")
        if self.stratify and y is None:
            raise ValueError("Bootstrap(stratify=True) needs the class labels y, got None.")
        if groups is not None:
            owner = np.asarray(groups)
            return [[np.flatnonzero(owner == group) for group in np.unique(owner)]]
        labels = np.asarray(y) if self.stratify else np.zeros(n_rows)
        classes = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        return [[np.array([row]) for row in rows] for rows in classes]
