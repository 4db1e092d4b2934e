"""Parameter annotations: what they accept, how they read, what the error says."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import Ridge

from shallows._core.contract.params import (
    Detector,
    Estimator,
    Fraction,
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    Predictor,
    Range,
    Transformer,
    accepts,
    check_arguments,
    check_params,
    check_value,
    describe,
)


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (PositiveInt, [1, np.int64(3)], [0, -1, 1.0, True, np.True_, "1", None]),
        (PositiveFloat, [0.1, 1, np.float32(2)], [0, -1.0, np.nan, np.inf, True, "x"]),
        (NonNegativeFloat | None, [0, 0.5, None], [-1e-9, "none"]),
        (Fraction, [0.5], [0, 1, 0.0, 1.0]),
        (Annotated[int, Range(2, 5, open="high")], [2, 4], [1, 5]),
        (bool, [True, np.False_], [0, 1, None]),
        (Literal["a", 1], ["a", 1], ["b", True, 1.0]),
        (np.ndarray | Literal["auto"], [np.zeros(2), "auto"], [[0.0], "other"]),
        (Callable[..., Any] | str, [len, "x"], [3]),
        (Any, [None, object()], []),
        (PositiveInt, [2**63 - 1], [2**63, 10**30, [1], np.array([1, 2]), (1, (2, 3)), object()]),
        (PositiveFloat, [1e300], [10**30, np.array([1.0, 2.0]), [[1.0], [2.0, 3.0]], b"1", 1j]),
        (Literal["a"], ["a"], [np.array(["a"]), ["a"], object(), b"a", {"a": 1}]),
        (Callable[..., Any], [len, np.exp], [int, Ridge, "len"]),
        (
            NumberArray,
            [[1, 2], ((1.0, 2.0), (3.0, 4.0)), np.ones((2, 2))],
            [[], ((1.0, 2.0), (3.0,)), [1, "a", None], [1.0, np.nan], [1j], np.empty((0, 3))],
        ),
        (Estimator, [Ridge(), PCA()], [Ridge, 3, "Ridge", object(), np.ones(2), None]),
        (Predictor | None, [Ridge(), None], [PCA(), Ridge, object()]),
        (Transformer, [PCA()], [Ridge(), PCA]),
        (Detector, [IsolationForest()], [Ridge(), IsolationForest]),
    ],
)
def test_accepts(hint, good, bad):
    assert all(accepts(hint, value) for value in good)
    assert not any(accepts(hint, value) for value in bad)


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (PositiveFloat, "float in (0, inf)"),
        (Fraction | None, "float in (0, 1) or None"),
        (Annotated[int, Range(2, 5)], "int in [2, 5]"),
        (Literal["b", "a"], "one of 'b', 'a'"),
        (NumberArray | None, "ndarray or list or tuple of finite numbers or None"),
        (Predictor | None, "a classifier or regressor, with fit and predict or None"),
    ],
)
def test_describe(hint, text):
    assert describe(hint) == text


class Model:
    def __init__(self, rate: PositiveFloat = 0.1, kind: Literal["one", "two"] = "one"):
        self.rate, self.kind = rate, kind


def test_error_names_class_parameter_range_and_value():
    check_params(Model())
    with pytest.raises(ValueError, match=r"^Model: rate must be float in \(0, inf\), got -1\.$"):
        check_params(Model(rate=-1))
    with pytest.raises(ValueError, match=r"rate must be float in \(0, inf\), got -1\.5\.$"):
        check_value("Model", "rate", PositiveFloat, np.float64(-1.5))
    with pytest.raises(ValueError, match=r"Model: kind must be one of 'one', 'two', got 'three'"):
        check_params(Model(kind="three"))
    with pytest.raises(ValueError, match=r"capacity: n must be int in \[1, inf\), got 0"):
        check_value("capacity", "n", PositiveInt, 0)


class Unshown:
    def __repr__(self):
        raise RuntimeError("no text")


def test_whole_numbers_beyond_64_bits_and_objects_without_text_are_refused_in_words():
    with pytest.raises(
        ValueError, match=r"n must be int in \[1, inf\), got 10+, which has more th"
    ):
        check_value("Model", "n", PositiveInt, 10**30)
    with pytest.raises(ValueError, match=r"Model: rate must be .*, got a Unshown\.$"):
        check_params(Model(rate=Unshown()))


def test_arguments_of_a_function_are_checked_by_its_annotations():
    def draw(n: PositiveInt, share: Fraction = 0.5, *, X=None):
        check_arguments(draw, locals())
        return n, share

    assert draw(3, X="anything") == (3, 0.5)
    with pytest.raises(ValueError, match=r"draw: share must be float in \(0, 1\), got 2"):
        draw(3, 2)
