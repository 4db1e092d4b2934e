"""Fruit described by attributes: a table with missing values, repeats and contradictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import PositiveInt, Probability, check_arguments
from shallows._core.contract.rng import RandomState, as_generator

PROPERTIES = ("Color", "Size", "Taste", "Weight", "Shape")
MISSING = "?"
PRINTED = (
    ("green", "big", "sweet", "heavy", "round", "Watermelon"),
    ("green", "?", "?", "heavy", "round", "Watermelon"),
    ("red", "small", "sweet", "light", "round", "Cherry"),
    ("red", "small", "sweet", "light", "round", "Apple"),
    ("red", "big", "?", "medium", "round", "Apple"),
)
# Per fruit and property: the possible attributes, all equally likely.
FRUIT = {
    "Watermelon": (["green"], ["big"], ["sweet"], ["heavy"], ["round"]),
    "Apple": (["green", "red"], ["medium"], ["sweet", "sour"], ["medium"], ["round"]),
    "Grape": (["green"], ["small"], ["sweet"], ["light"], ["round"]),
    "Cherry": (["red"], ["small"], ["sweet"], ["light"], ["round"]),
    "Strawberry": (["red"], ["small"], ["sweet", "sour"], ["light"], ["thin"]),
    "Lemon": (["yellow"], ["small"], ["sour"], ["medium"], ["round"]),
    "Grapefruit": (["yellow"], ["big"], ["sour"], ["medium", "heavy"], ["round"]),
    "Banana": (["yellow", "green"], ["medium"], ["sweet"], ["medium"], ["thin"]),
}


class Fruit(NamedTuple):
    """Attributes as strings, "?" if missing; class of each row; names of the columns."""

    X: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]


def fruit_table(
    n_samples: PositiveInt | None = None,
    *,
    missing: Probability = 0.05,
    odd: Probability = 0.05,
    random_state: RandomState = None,
) -> Fruit:
    """Return the five printed rows of the fruit table, or a simulated table of any length.

    Parameters
    ----------
    n_samples : int or None, default=None
        Number of rows to simulate. None returns the five printed rows; rows 3 and 4 have the same
        attributes but different classes.
    missing : float, default=0.05
        Probability that a simulated attribute is missing ("?").
    odd : float, default=0.05
        Probability that a simulated attribute is drawn from all attributes of its column, instead
        of those of the fruit. Such rows contradict others.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the simulation.

    Returns
    -------
    X : ndarray of shape (n_samples, 5)
        Attributes as strings.
    y : ndarray of shape (n_samples,)
        Names of the fruit.
    names : tuple of str
        Names of the columns.

    Examples
    --------
    >>> from shallows.data import fruit_table
    >>> X, y, names = fruit_table()
    >>> [str(word) for word in X[2]], str(y[2]), str(y[3])
    (['red', 'small', 'sweet', 'light', 'round'], 'Cherry', 'Apple')
    >>> fruit_table(3000, random_state=0).X.shape
    (3000, 5)
    """
    check_arguments(fruit_table, locals())
    if n_samples is None:
        table = np.array(PRINTED)
        return Fruit(table[:, :-1], table[:, -1], PROPERTIES)
    rng = as_generator(random_state)
    fruit = rng.choice(list(FRUIT), size=n_samples)
    X = np.empty((n_samples, len(PROPERTIES)), dtype="<U8")
    for j in range(len(PROPERTIES)):
        every = sorted({value for looks in FRUIT.values() for value in looks[j]})
        own = np.array([FRUIT[name][j][rng.integers(len(FRUIT[name][j]))] for name in fruit])
        X[:, j] = np.where(rng.random(n_samples) < odd, rng.choice(every, n_samples), own)
    X[rng.random(X.shape) < missing] = MISSING
    return Fruit(X, fruit, PROPERTIES)
