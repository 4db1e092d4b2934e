"""Breiman's theory of forests: margins, strength and correlation."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import column_or_1d

from shallows._core.contract.params import check_arguments


def forest_margin(forest, X, y) -> np.ndarray:
    """Return by how much the votes for the right class exceed those for the best wrong one.

    Positive where the majority of the trees is right, negative where it is wrong.

    Parameters
    ----------
    forest : ensemble of classifiers, or array of shape (n_trees, n_samples)
        A fitted forest, `BaggingClassifier` or `Ensemble`, or the votes themselves.
    X : array-like of shape (n_samples, n_features)
        Samples that the forest has not seen; not looked at where votes are given.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    margin : ndarray of shape (n_samples,)
        Between -1 and 1.

    Examples
    --------
    >>> from shallows.tree import forest_margin
    >>> votes = [["a", "a"], ["a", "b"], ["b", "c"], ["a", "c"]]
    >>> forest_margin(votes, None, ["a", "a"])
    array([ 0.5 , -0.25])
    """
    return raw_margin(forest, X, y).mean(axis=0)


def raw_margin(forest, X, y) -> np.ndarray:
    """Return for each tree 1 where it is right, -1 where it gives the likeliest wrong class.

    The likeliest wrong class is that which most trees of the forest give; other wrong classes count
    0. The mean over the trees is `forest_margin`.

    Parameters
    ----------
    forest : ensemble of classifiers, or array of shape (n_trees, n_samples)
        A fitted forest, `BaggingClassifier` or `Ensemble`, or the votes themselves.
    X : array-like of shape (n_samples, n_features)
        Samples that the forest has not seen; not looked at where votes are given.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    margins : ndarray of shape (n_trees, n_samples)
        -1, 0 or 1.

    Examples
    --------
    >>> from shallows.tree import raw_margin
    >>> raw_margin([["a", "b"], ["b", "b"], ["b", "c"]], None, ["a", "b"])
    array([[ 1.,  1.],
           [-1.,  1.],
           [-1., -1.]])
    """
    votes, y = _votes(forest, X), column_or_1d(y)
    if votes.shape[1] != len(y):
        raise ValueError(
            f"raw_margin: there are votes on {votes.shape[1]} samples, y has {len(y)}."
        )
    classes, codes = np.unique(np.concatenate([votes.ravel(), y]), return_inverse=True)
    codes, right = codes[: votes.size].reshape(votes.shape), codes[votes.size :]
    # one class more than there is, for rows of which all votes are for the only class
    counts = np.stack([(codes == c).sum(axis=0) for c in range(len(classes) + 1)])
    counts[right, np.arange(len(y))] = -1
    likeliest_wrong = counts.argmax(axis=0)
    return (codes == right).astype(float) - (codes == likeliest_wrong)


def strength(forest, X, y) -> float:
    """Return the mean margin of a forest.

    1 where every tree is always right; negative where most votes are wrong.

    Parameters
    ----------
    forest : ensemble of classifiers, or array of shape (n_trees, n_samples)
        A fitted forest, `BaggingClassifier` or `Ensemble`, or the votes themselves.
    X : array-like of shape (n_samples, n_features)
        Samples that the forest has not seen; not looked at where votes are given.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    strength : float
        Between -1 and 1.

    Examples
    --------
    >>> from shallows.tree import strength
    >>> strength([["a", "b"], ["b", "b"], ["a", "b"], ["a", "b"]], None, ["a", "b"])
    0.75
    """
    return float(forest_margin(forest, X, y).mean())


def correlation(forest, X, y, *, weighted: bool = True) -> float:
    r"""Return how alike the raw margins of two trees are, on average over pairs.

    A pair is two independent draws from the trees, so a tree may meet itself. Breiman's proof
    needs the weighted mean :math:`E[\rho\, \sigma \sigma'] / E[\sigma \sigma']`; his bound,
    `shallows.theory.breiman_bound`, then holds for any votes.

    Parameters
    ----------
    forest : ensemble of classifiers, or array of shape (n_trees, n_samples)
        A fitted forest, `BaggingClassifier` or `Ensemble`, or the votes themselves.
    X : array-like of shape (n_samples, n_features)
        Samples that the forest has not seen; not looked at where votes are given.
    y : array-like of shape (n_samples,)
        Their labels.
    weighted : bool, default=True
        Weigh a pair by the standard deviations of its margins; otherwise all pairs count alike,
        0 where a margin never changes.

    Returns
    -------
    correlation : float
        0 where no margin ever changes.

    Examples
    --------
    >>> from shallows.tree import correlation
    >>> correlation([["a", "b"], ["a", "b"]], None, ["a", "a"])
    1.0
    """
    check_arguments(correlation, locals())
    margins = raw_margin(forest, X, y)
    centered = margins - margins.mean(axis=1, keepdims=True)
    spread = np.sqrt((centered**2).mean(axis=1))
    if not spread.any():
        return 0.0
    if weighted:
        return min(1.0, float((centered.mean(axis=0) ** 2).mean() / spread.mean() ** 2))
    scaled = centered / np.where(spread > 0, spread, np.inf)[:, None]
    return min(1.0, float((scaled.mean(axis=0) ** 2).mean()))


def generalization_error(forest, X, y) -> float:
    """Return the share of samples with a negative margin, which the votes decide wrongly.

    Parameters
    ----------
    forest : ensemble of classifiers, or array of shape (n_trees, n_samples)
        A fitted forest, `BaggingClassifier` or `Ensemble`, or the votes themselves.
    X : array-like of shape (n_samples, n_features)
        Samples that the forest has not seen; not looked at where votes are given.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    error : float
        Breiman's PE*, estimated with these trees and samples.

    Examples
    --------
    >>> from shallows.tree import generalization_error
    >>> generalization_error([["a", "a"], ["a", "b"], ["b", "b"]], None, ["a", "a"])
    0.5
    """
    return float((forest_margin(forest, X, y) < 0).mean())


def _votes(forest, X):
    if hasattr(forest, "member_predictions"):
        return np.asarray(forest.member_predictions(X))
    if hasattr(forest, "estimators_"):  # scikit-learn's trees answer with places in classes_
        places = [np.asarray(tree.predict(X)).astype(np.int64) for tree in forest.estimators_]
        return forest.classes_[np.array(places)]
    votes = np.asarray(forest)
    if votes.ndim != 2:
        raise ValueError(
            "A forest must be a fitted ensemble or an array of votes of shape "
            f"(n_trees, n_samples), got {type(forest).__name__} of shape {votes.shape}."
        )
    return votes
