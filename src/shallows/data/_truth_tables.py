"""Truth tables, and a small set of labelled integers."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import PositiveInt, check_arguments

SEVEN_ROWS = ("0010", "0100", "0011", "1001", "0110", "1100", "0101")
SEVEN_LABELS = (0, 0, 1, 1, 0, 0, 0)
INTEGERS = {4: "A", 13: "B", 6: "A", 8: "A", 11: "B"}
FUNCTIONS = {
    "and": lambda X: X.all(axis=1),
    "or": lambda X: X.any(axis=1),
    "nand": lambda X: ~X.all(axis=1),
    "nor": lambda X: ~X.any(axis=1),
    "xor": lambda X: X.sum(axis=1) % 2 == 1,
    "majority": lambda X: 2 * X.sum(axis=1) > X.shape[1],
}


class TruthTable(NamedTuple):
    """Rows of inputs and the value of the function on each."""

    X: np.ndarray
    y: np.ndarray


class Integers(NamedTuple):
    """Integers and their labels."""

    x: np.ndarray
    y: np.ndarray


def truth_table(
    name: Literal["and", "or", "nand", "nor", "xor", "majority", "seven"],
    n_inputs: PositiveInt = 2,
    *,
    coding: Literal["01", "pm1"] = "01",
) -> TruthTable:
    """Return the table of a Boolean function, one row per input.

    Parameters
    ----------
    name : {"and", "or", "nand", "nor", "xor", "majority", "seven"}
        The function; ``"xor"`` is the parity of all inputs. ``"seven"`` lists 7 of the 16 rows of
        four inputs. 2^9 = 512 functions agree with them, but only one conjunction, "not x2 and
        x4".
    n_inputs : int, default=2
        Number of inputs, up to 20; ignored for ``"seven"``, which has 4.
    coding : {"01", "pm1"}, default="01"
        Values 0 and 1, or -1 and 1, for inputs and function.

    Returns
    -------
    X : ndarray of shape (2 ** n_inputs, n_inputs)
        Inputs, counting upwards with the first input as the highest bit.
    y : ndarray of shape (2 ** n_inputs,)
        Values of the function.

    Examples
    --------
    >>> from shallows.data import truth_table
    >>> truth_table("xor").y
    array([0., 1., 1., 0.])
    >>> truth_table("and", coding="pm1").X[1]
    array([-1.,  1.])
    """
    check_arguments(truth_table, locals())
    if n_inputs > 20:
        raise ValueError(f"truth_table: n_inputs must be at most 20, got {n_inputs}.")
    if name == "seven":
        X = np.array([list(row) for row in SEVEN_ROWS], dtype=np.int64).astype(bool)
        y = np.array(SEVEN_LABELS, dtype=bool)
    else:
        X = (np.arange(2**n_inputs)[:, None] >> np.arange(n_inputs)[::-1]) & 1 == 1
        y = FUNCTIONS[name](X)
    low, high = (0.0, 1.0) if coding == "01" else (-1.0, 1.0)
    return TruthTable(np.where(X, high, low), np.where(y, high, low))


def integer_toy() -> Integers:
    """Return five integers with labels A or B that fit parity, a threshold, and primality.

    "Even is A", "below 11 is A" and "not prime is A" agree with all five pairs. One more
    example, 2 with label B or 15 with label A, leaves only primality.

    Returns
    -------
    x : ndarray of shape (5,)
        Integers.
    y : ndarray of shape (5,)
        Labels "A" and "B".

    Examples
    --------
    >>> from shallows.data import integer_toy
    >>> integer_toy().x
    array([ 4, 13,  6,  8, 11])
    """
    return Integers(np.array(list(INTEGERS)), np.array(list(INTEGERS.values())))
