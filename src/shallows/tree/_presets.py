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

    At least two samples reach a branch. C4.5 prunes by a guess of the true error; here `prune`
    does it with other data, or `ccp_alpha` with a penalty.

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
    >>> from shallows.tree import c45
    >>> c45().criterion
    'gain-ratio'
    """
    quinlan = {"criterion": "gain-ratio", "min_samples_leaf": 2, "missing": "fractional"}
    return DecisionTreeClassifier(**{**quinlan, **options})
