"""Quinlan's two algorithms as settings of the decision tree."""

from __future__ import annotations

from typing import Any

from shallows.tree._decision_tree_classifier import DecisionTreeClassifier


def id3(**options: Any) -> DecisionTreeClassifier:
    """Return a decision tree that grows like ID3: information gain, one branch per category.

    Parameters
    ----------
    **options : object
        Further parameters of `DecisionTreeClassifier`.

    Returns
    -------
    tree : DecisionTreeClassifier
        Not yet fitted.

    Examples
    --------
    >>> from shallows.tree import id3
    >>> id3()
    DecisionTreeClassifier(criterion='entropy')
    """
    return DecisionTreeClassifier(**{"criterion": "entropy", **options})


def c45(**options: Any) -> DecisionTreeClassifier:
    """Return a decision tree that grows like C4.5: gain ratio, cut numbers, fractional cases.

    The gain ratio is compared among questions with at least average gain; at least two branches of
    a question have two cases; pruning is pessimistic with a confidence of 25 %. C4.5 can also put a
    branch in the place of its parent, which is not done here.

    Parameters
    ----------
    **options : object
        Further parameters of `DecisionTreeClassifier`.

    Returns
    -------
    tree : DecisionTreeClassifier
        Not yet fitted.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for machine learning", Morgan Kaufmann, 1993.

    Examples
    --------
    >>> from shallows.tree import c45
    >>> c45().criterion
    'gain-ratio'
    """
    quinlan = {
        "criterion": "gain-ratio",
        "min_samples_leaf": 2,
        "missing": "fractional",
        "stop": "pessimistic",
        "significance": 0.25,
    }
    return DecisionTreeClassifier(**{**quinlan, **options})
