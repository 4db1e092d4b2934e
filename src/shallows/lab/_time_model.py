"""How time grows with the number of samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from shallows._core.showing.figures import Drawing, line


def time_model(
    estimator: Any,
    n_values: Sequence[int],
    *,
    data: Callable[[int], tuple[Any, Any]] | None = None,
    n_new: int = 1000,
    repetitions: int = 3,
) -> Drawing:
    """Measure how long an estimator takes to be fitted and to predict, by the number of samples.

    Parameters
    ----------
    estimator : estimator
        What is measured; copies of it are fitted.
    n_values : sequence of int
        Numbers of training samples.
    data : callable or None, default=None
        Takes a number and returns that many samples and targets; None draws from two normal
        classes in ten dimensions.
    n_new : int, default=1000
        Samples to predict, the same number for all.
    repetitions : int, default=3
        Measurements, of which the shortest counts, after one that does not.

    Returns
    -------
    drawing : Drawing
        Seconds for `what` "fit" and "predict" at each `n`.

    Examples
    --------
    >>> from shallows.lab import time_model
    >>> from shallows.prototype import KNeighborsClassifier
    >>> rows = time_model(KNeighborsClassifier(), [100, 200], repetitions=1).rows
    >>> [(row["n"], row["what"]) for row in rows]
    [(100, 'fit'), (100, 'predict'), (200, 'fit'), (200, 'predict')]
    """
    if repetitions < 1 or n_new < 1 or not len(n_values):
        raise ValueError(
            "time_model: n_values must not be empty, n_new and repetitions at least 1, got "
            f"{list(n_values)}, {n_new} and {repetitions}."
        )
    draw = data or _two_classes
    new, _ = draw(n_new)
    rows: list[dict[str, Any]] = []
    for n in n_values:
        X, y = draw(n)
        seconds: dict[str, list[float]] = {"fit": [], "predict": []}
        for _ in range(repetitions + 1):
            begin = time.perf_counter()
            model = clone(estimator).fit(X, y)
            middle = time.perf_counter()
            model.predict(new)
            seconds["fit"].append(middle - begin)
            seconds["predict"].append(time.perf_counter() - middle)
        for what, measured in seconds.items():
            rows.append({"n": int(n), "what": what, "seconds": min(measured[1:])})
    name = type(estimator).__name__
    figure = line("n", "seconds", color="what", x_log=True, y_log=True, title=f"Time of {name}")
    return figure.spec(rows)


def _two_classes(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.standard_normal((n, 10)) + y[:, None], y
