"""Thinning of a reference set: Hart's condensed nearest neighbours."""

from __future__ import annotations

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from shallows._core.contract.data import FLOATS
from shallows._core.contract.params import check_arguments
from shallows._core.contract.precomputed import check_pairs
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.neighbors import Metric, NeighborIndex, refuse_extremes


def condensed_set(
    X, y, *, metric: Metric = "euclidean", random_state: RandomState = None
) -> np.ndarray:
    """Choose rows that classify all the others as their nearest neighbour does.

    Rows are visited in random order, and one that the kept rows get wrong is kept, too. Passes
    follow until one adds nothing [1]_. Rows near the borders of the classes stay, those inside
    go. The set is small where classes hardly overlap; it need not be the smallest. Labels that
    are wrong stay in it, so it generalises a little worse than all rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples; distances between them with metric "precomputed".
    y : array-like of shape (n_samples,)
        Class labels.
    metric : str or callable, default="euclidean"
        Distance between rows, as in `KNeighborsClassifier`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the order.

    Returns
    -------
    index : ndarray of shape (n_kept,)
        Places of the rows kept, rising. One nearest neighbour among them makes no error on the
        others, unless equal samples have different labels.

    References
    ----------
    .. [1] P. E. Hart, "The condensed nearest neighbor rule", IEEE Transactions on Information
       Theory 14, 515-516, 1968.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import KNeighborsClassifier, condensed_set
    >>> X, y = load_iris(return_X_y=True)
    >>> kept = condensed_set(X, y, random_state=0)
    >>> len(kept) < 30, KNeighborsClassifier(1).fit(X[kept], y[kept]).score(X, y)
    (True, 1.0)
    """
    check_arguments(condensed_set, locals())
    X, y = check_X_y(X, y, dtype=FLOATS, order="C", estimator="condensed_set")
    check_classification_targets(y)
    if metric == "precomputed":
        check_pairs("condensed_set", X)
    refuse_extremes("condensed_set", X, metric)
    order = as_generator(random_state).permutation(len(X))
    X, labels = X[order], np.unique(y, return_inverse=True)[1][order]
    known = NeighborIndex(X if metric != "precomputed" else X[:, order], metric)
    nearest, owner = np.full(len(X), np.inf), np.full(len(X), len(X))
    kept, wrong = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=bool)
    place = 0
    while True:
        kept[place] = True
        distances = known.distances(known.rows[place : place + 1])[0]
        closer = np.flatnonzero(distances <= nearest)
        # of equally near rows the first in X counts, as in k-NN on the rows returned
        closer = closer[(distances[closer] < nearest[closer]) | (order[place] < owner[closer])]
        nearest[closer], owner[closer] = distances[closer], order[place]
        wrong[closer] = labels[closer] != labels[place]
        wrong[place] = False
        wrong[closer[kept[closer]]] = False
        after = place + wrong[place:].argmax()
        place = int(after if wrong[after] else wrong.argmax())
        if not wrong[place]:
            return np.sort(order[kept])
