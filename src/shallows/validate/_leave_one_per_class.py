"""Leave one row of each class out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from shallows._core.contract.rng import RandomState, as_generator


class LeaveOnePerClass(BaseCrossValidator):
    """Splitter whose test parts contain exactly one row of each class.

    Leaving out a single row makes its class rarer in training than in testing, so a method that
    uses class frequencies looks worse than it is: on balanced random labels a majority vote
    misclassifies every left-out row. One row of each class keeps the frequencies.

    The rows of each class are shuffled, and fold `i` tests on the `i`-th row of every class. The
    rarest class determines the number of folds; further rows of other classes are only used for
    training.

    Parameters
    ----------
    shuffle : bool, default=True
        Whether to combine rows of different classes at random, instead of in their order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the pairing.

    Examples
    --------
    >>> from shallows.validate import LeaveOnePerClass
    >>> y = ["a", "b", "b", "a", "b"]
    >>> for train, test in LeaveOnePerClass(shuffle=False).split(y, y):
    ...     print(train, test)
    [2 3 4] [0 1]
    [0 1 4] [2 3]
    """

    def __init__(self, *, shuffle: bool = True, random_state: RandomState = None):
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Yield the row numbers of both parts of every fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Samples; only their number is used.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray
            Row numbers in ascending order.
        """
        y = self._labels(y)
        rows = [np.flatnonzero(y == label) for label in np.unique(y)]
        if self.shuffle:
            rng = as_generator(self.random_state)
            rows = [rng.permutation(own) for own in rows]
        for fold in range(min(map(len, rows))):
            test = np.sort([own[fold] for own in rows])
            yield np.delete(np.arange(len(y)), test), test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds, the size of the rarest class.

        Parameters
        ----------
        X : object
            Ignored.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : object
            Ignored.

        Returns
        -------
        n_splits : int
            Number of folds.
        """
        return int(np.unique(self._labels(y), return_counts=True)[1].min())

    def _labels(self, y: Any) -> NDArray[Any]:
        if y is None:
            raise ValueError("LeaveOnePerClass needs the class labels y, got None.")
        labels = np.asarray(y)
        values, counts = np.unique(labels, return_counts=True)
        if len(values) < 2 or counts.min() < 2:
            raise ValueError(
                "LeaveOnePerClass needs at least 2 classes with at least 2 rows each, got "
                f"{dict(zip(values.tolist(), counts.tolist(), strict=True))}."
            )
        return labels
