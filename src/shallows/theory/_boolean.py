"""Learning in the finite Boolean world: counts, votes, the need for a bias."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Annotated, Any, NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeInt, Range, check_value

FewInputs = Annotated[int, Range(0, 20)]
MOST_UNSEEN = 20  # rows; there are 2**20 functions of them
MOST_SEEN = 12  # rows; the learner is called for 2**12 labelings


class Votes(NamedTuple):
    """The votes of all functions consistent with the examples on the unseen rows.

    Parameters
    ----------
    rows : ndarray of shape (n_unseen, n)
        Rows that are not among the examples.
    positive : ndarray of shape (n_unseen,)
        Number of consistent functions that answer 1.
    total : int
        Number of consistent functions.

    Examples
    --------
    >>> from shallows.theory import unbiased_votes
    >>> unbiased_votes(1, [[0]], [1]).positive
    array([1])
    """

    rows: np.ndarray
    positive: np.ndarray
    total: int


def count_boolean(n: FewInputs) -> int:
    """Count the Boolean functions of n inputs, ``2**2**n``.

    Parameters
    ----------
    n : int
        Number of inputs, up to 20.

    Returns
    -------
    count : int
        Exact.

    Examples
    --------
    >>> from shallows.theory import count_boolean
    >>> [count_boolean(n) for n in range(5)]
    [2, 4, 16, 256, 65536]
    """
    check_value("count_boolean", "n", FewInputs, n)
    return 2**2 ** int(n)


def count_consistent(n: FewInputs, m: NonNegativeInt) -> int:
    """Count the Boolean functions of n inputs that agree with m different labelled rows.

    Parameters
    ----------
    n : int
        Number of inputs, up to 20.
    m : int
        Number of different rows with known label, at most ``2**n``.

    Returns
    -------
    count : int
        ``2**(2**n - m)``, exact.

    Examples
    --------
    >>> from shallows.theory import count_consistent
    >>> count_consistent(4, 7)
    512
    """
    check_value("count_consistent", "n", FewInputs, n)
    check_value("count_consistent", "m", Annotated[int, Range(0, 2 ** int(n))], m)
    return 2 ** (2 ** int(n) - int(m))


def count_conjunctions(n: FewInputs) -> int:
    """Count the different functions that are conjunctions of literals of n inputs.

    Each input is used plainly, negated, or not at all. All contradictions are one more function.

    Parameters
    ----------
    n : int
        Number of inputs, up to 20.

    Returns
    -------
    count : int
        ``3**n + 1``.

    Examples
    --------
    >>> from shallows.theory import count_conjunctions
    >>> count_conjunctions(4)
    82
    """
    check_value("count_conjunctions", "n", FewInputs, n)
    return 3 ** int(n) + 1


def conjunctions(n: Annotated[int, Range(0, 10)]) -> dict[str, Callable[[Any], bool]]:
    """Return all conjunctions of literals of n inputs, by name.

    Parameters
    ----------
    n : int
        Number of inputs, up to 10.

    Returns
    -------
    hypotheses : dict of str to callable
        ``3**n + 1`` functions of a row of 0 and 1, for `FiniteVersionSpace`. The empty
        conjunction is called ``"true"``, the contradictory one ``"false"``.

    Examples
    --------
    >>> from shallows.theory import FiniteVersionSpace, conjunctions
    >>> space = FiniteVersionSpace(conjunctions(2)).update((1, 0), True).update((1, 1), False)
    >>> space.names
    ('x1 and not x2', 'not x2')
    """
    check_value("conjunctions", "n", Annotated[int, Range(0, 10)], n)
    found: dict[str, Callable[[Any], bool]] = {}
    # Per input: 1 plain, 0 negated, None absent. That makes 3**n conjunctions.
    for literals in product((1, 0, None), repeat=n):
        words = [
            f"x{i}" if wanted else f"not x{i}"
            for i, wanted in enumerate(literals, 1)
            if wanted is not None
        ]
        found[" and ".join(words) or "true"] = partial(_holds, literals)
    found["false"] = _never
    return found


def unbiased_votes(n: FewInputs, rows, labels) -> Votes:
    """Let all Boolean functions that agree with the examples vote on the rows not seen.

    Every function has a twin that differs at one unseen row only, so each row gets as many votes
    for 1 as for 0: without a bias nothing is learned beyond the examples.

    Parameters
    ----------
    n : int
        Number of inputs.
    rows : array-like of shape (m, n)
        Different rows of 0 and 1; at most 20 may be missing.
    labels : array-like of shape (m,)
        Their labels, 0 and 1.

    Returns
    -------
    votes : Votes
        The unseen rows, their positive votes and the number of functions, all counted.

    Examples
    --------
    >>> from shallows.theory import unbiased_votes
    >>> votes = unbiased_votes(2, [[0, 0], [1, 1]], [0, 1])
    >>> votes.rows.tolist(), votes.positive, votes.total
    ([[0, 1], [1, 0]], array([2, 2]), 4)
    """
    check_value("unbiased_votes", "n", FewInputs, n)
    seen = _row_numbers("unbiased_votes", n, rows)
    labels = np.asarray(labels)
    if labels.shape != seen.shape or not np.isin(labels, (0, 1)).all():
        raise ValueError(f"unbiased_votes: labels must be {len(seen)} values 0 or 1.")
    unseen = np.setdiff1d(np.arange(2**n), seen)
    if len(unseen) > MOST_UNSEEN:
        raise ValueError(
            f"unbiased_votes enumerates the functions of {len(unseen)} unseen rows; at most "
            f"{MOST_UNSEEN} are possible. Give more examples or fewer inputs."
        )
    # A function is a number: its bit k is the answer to unseen row k.
    functions = np.arange(2 ** len(unseen))
    positive = [int(np.sum(functions >> k & 1)) for k in range(len(unseen))]
    return Votes(_bits(unseen, n), np.array(positive, dtype=int), len(functions))


def no_free_lunch(learner, n: Annotated[int, Range(1, 4)], rows):
    """Return the accuracy of a learner on rows not seen, for every possible target.

    Its mean over all ``2**2**n`` Boolean functions is exactly 1/2, whatever the learner.

    Parameters
    ----------
    learner : callable
        Called as ``learner(rows, labels, unseen_rows)``; returns labels 0 or 1 of the unseen rows.
    n : int
        Number of inputs, up to 4.
    rows : array-like of shape (m, n)
        The different rows, at most 12, that are shown with their labels.

    Returns
    -------
    accuracies : ndarray of shape (2**2**n,)
        Share of correct answers on the unseen rows, one value per target.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.theory import no_free_lunch
    >>> def majority(rows, labels, unseen):
    ...     return np.full(len(unseen), labels.mean() > 0.5)
    >>> accuracies = no_free_lunch(majority, 3, [[0, 0, 0], [0, 1, 1], [1, 0, 1]])
    >>> accuracies.mean(), accuracies.min(), accuracies.max()
    (np.float64(0.5), np.float64(0.0), np.float64(1.0))
    """
    check_value("no_free_lunch", "n", Annotated[int, Range(1, 4)], n)
    seen = _row_numbers("no_free_lunch", n, rows)
    unseen = np.setdiff1d(np.arange(2**n), seen)
    if len(unseen) == 0 or len(seen) > MOST_SEEN:
        raise ValueError(
            f"no_free_lunch: rows must be at most {MOST_SEEN} of the {2**n} rows and leave one "
            f"unseen, got {len(seen)}."
        )
    # A target is a labeling of the seen rows and one of the unseen rows, its continuation.
    continuations = _bits(np.arange(2 ** len(unseen)), len(unseen))
    accuracies = []
    for labels in _bits(np.arange(2 ** len(seen)), len(seen)):
        answers = np.asarray(learner(_bits(seen, n), labels, _bits(unseen, n))).astype(int)
        if answers.shape != unseen.shape or not np.isin(answers, (0, 1)).all():
            raise ValueError(
                f"no_free_lunch: the learner must return {len(unseen)} labels 0 or 1, got "
                f"{answers!r}."
            )
        accuracies.append((continuations == answers).mean(axis=1))
    return np.concatenate(accuracies)


def _holds(literals, row) -> bool:
    return all(w is None or bool(value) == bool(w) for value, w in zip(row, literals, strict=True))


def _never(row) -> bool:
    return False


def _bits(numbers, n):
    """Return the n binary digits of each number, the most significant first."""
    return np.asarray(numbers)[:, None] >> np.arange(n)[::-1] & 1


def _row_numbers(owner, n, rows):
    rows = np.asarray(rows, dtype=int).reshape(-1, n)
    if not np.isin(rows, (0, 1)).all():
        raise ValueError(f"{owner}: rows must contain only 0 and 1.")
    # The number of a row is its value as a binary numeral.
    numbers = rows @ (1 << np.arange(n)[::-1])
    if len(np.unique(numbers)) < len(numbers):
        raise ValueError(f"{owner}: a row occurs twice; give each row once.")
    return numbers
