"""Small Bayesian networks and a joint table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SEASONS = ("winter", "spring", "summer", "autumn")
NO_YES = ("no", "yes")


class Network(NamedTuple):
    """A directed graph with one probability table per variable.

    ``states[v]`` names the values of variable v and ``parents[v]`` its parents. ``tables[v]`` has
    one axis per parent, in that order, and v itself on the last axis, which sums to 1. Parents
    come before their children.
    """

    states: dict[str, tuple[str, ...]]
    parents: dict[str, tuple[str, ...]]
    tables: dict[str, np.ndarray]


class JointTable(NamedTuple):
    """A table of joint probabilities and the names of its axes and values."""

    table: np.ndarray
    axes: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]


def sprinkler() -> Network:
    """Return the network of season, rain, sprinkler, wet and slippery pavement.

    It has 17 free parameters, the joint table 63. The table of "wet" is printed in the course. The
    other tables are our choice, with rain likely in winter and the sprinkler on in summer.

    Returns
    -------
    states : dict of str to tuple of str
        Values of each variable.
    parents : dict of str to tuple of str
        Parents of each variable.
    tables : dict of str to ndarray
        Conditional probabilities: one axis per parent, the variable itself last.

    Examples
    --------
    >>> from shallows.data import sprinkler
    >>> network = sprinkler()
    >>> network.parents["wet"], network.tables["wet"].shape
    (('rain', 'sprinkler'), (2, 2, 2))
    """
    states: dict[str, tuple[str, ...]] = {
        "season": SEASONS,
        "rain": NO_YES,
        "sprinkler": NO_YES,
        "wet": NO_YES,
        "slippery": NO_YES,
    }
    parents: dict[str, tuple[str, ...]] = {
        "season": (),
        "rain": ("season",),
        "sprinkler": ("season",),
        "wet": ("rain", "sprinkler"),
        "slippery": ("wet",),
    }
    tables = {
        "season": np.full(4, 0.25),
        "rain": _binary([0.6, 0.4, 0.1, 0.5]),
        "sprinkler": _binary([0.05, 0.3, 0.7, 0.2]),
        "wet": _binary([[0.0, 0.9], [0.9, 0.99]]),
        "slippery": _binary([0.0, 0.7]),
    }
    return Network(states, parents, tables)


def huang_darwiche() -> Network:
    """Return the eight-variable network that is often used to explain join trees.

    The published example [1]_: binary variables A to H with nine arrows. P(H = 1) is 0.8231.

    Returns
    -------
    states : dict of str to tuple of str
        Values "0" and "1" of each variable.
    parents : dict of str to tuple of str
        Parents of each variable.
    tables : dict of str to ndarray
        Conditional probabilities: one axis per parent, the variable itself last.

    References
    ----------
    .. [1] C. Huang and A. Darwiche, "Inference in belief networks: a procedural guide",
       International Journal of Approximate Reasoning 15, 225-263, 1996.

    Examples
    --------
    >>> from shallows.data import huang_darwiche
    >>> huang_darwiche().tables["F"][0, 0]
    array([0.01, 0.99])
    """
    parents: dict[str, tuple[str, ...]] = {
        "A": (),
        "B": ("A",),
        "C": ("A",),
        "D": ("B",),
        "E": ("C",),
        "F": ("D", "E"),
        "G": ("C",),
        "H": ("E", "G"),
    }
    tables = {
        "A": _binary(0.5),
        "B": _binary([0.4, 0.5]),
        "C": _binary([0.2, 0.7]),
        "D": _binary([0.5, 0.9]),
        "E": _binary([0.6, 0.3]),
        "F": _binary([[0.99, 0.01], [0.01, 0.01]]),
        "G": _binary([0.1, 0.8]),
        "H": _binary([[0.95, 0.95], [0.95, 0.05]]),
    }
    states: dict[str, tuple[str, ...]] = dict.fromkeys(parents, ("0", "1"))
    return Network(states, parents, tables)


def shop_table() -> JointTable:
    """Return the joint probabilities of gender and age of the customers of an online shop.

    Returns
    -------
    table : ndarray of shape (3, 4)
        Probabilities; they sum to 1.
    axes : tuple of str
        Names of rows and columns.
    states : tuple of tuple of str
        Values of each axis.

    Examples
    --------
    >>> from shallows.data import shop_table
    >>> shop_table().table.sum(axis=0).round(3)
    array([0.01, 0.5 , 0.4 , 0.09])
    """
    rows = [[0.005, 0.3, 0.2, 0.04], [0.005, 0.15, 0.15, 0.04], [0.0, 0.05, 0.05, 0.01]]
    states = (("g1", "g2", "g3"), ("a1", "a2", "a3", "a4"))
    return JointTable(np.array(rows), ("gender", "age"), states)


def _binary(yes):
    """Append the axis (no, yes) to the probabilities of yes."""
    yes = np.asarray(yes, dtype=np.float64)
    return np.stack([1 - yes, yes], axis=-1)
