"""The definition of overfitting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Model = TypeVar("Model")


def overfits(
    model: Model,
    others: Iterable[Model],
    train: Callable[[Model], float],
    true: Callable[[Model], float],
) -> bool:
    """Return whether a model has a better training error but a worse true error than another.

    Parameters
    ----------
    model : object
        The model in question.
    others : iterable
        Models to compare it with.
    train : callable
        Training error of a model.
    true : callable
        True error of a model, or its estimate on fresh rows.

    Returns
    -------
    overfits : bool
        Whether one of `others` has a larger training error and a smaller true error.

    Examples
    --------
    >>> from shallows.validate import overfits
    >>> training = {"line": 0.4, "cubic": 0.2, "degree 9": 0.0}
    >>> truth = {"line": 0.5, "cubic": 0.3, "degree 9": 1.2}
    >>> [name for name in training if overfits(name, training, training.get, truth.get)]
    ['degree 9']
    """
    trained, actual = train(model), true(model)
    return any(train(other) > trained and true(other) < actual for other in others)
