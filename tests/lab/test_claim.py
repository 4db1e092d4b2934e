import math

import numpy as np
import pytest

from shallows.lab._claim import judge


@pytest.mark.parametrize(
    ("measured", "limits", "holds"),
    [
        (0.51, {"expected": 0.5, "within": 0.02}, True),
        (0.53, {"expected": 0.5, "within": 0.02}, False),
        (0.47, {"expected": 0.5, "within": 0.02}, False),
        (3, {"expected": 3, "within": 0}, True),
        (4, {"expected": 3, "within": 0}, False),
        (2.0, {"at_least": 2}, True),
        (1.9, {"at_least": 2}, False),
        (2.0, {"at_most": 2}, True),
        (2.1, {"at_most": 2}, False),
        (1.5, {"at_least": 1, "at_most": 2}, True),
        (2.5, {"at_least": 1, "at_most": 2}, False),
        (0.5, {"at_least": 1, "at_most": 2}, False),
        (math.inf, {"at_most": 2}, False),
        ("three clusters", {"holds": True}, True),
        ("two clusters", {"holds": False}, False),
        (np.float32(0.5), {"expected": 0.5, "within": 0}, True),
        (np.array([7]), {"at_least": 7}, True),
    ],
)
def test_verdicts(measured, limits, holds):
    assert judge("demo", "a claim", measured, **limits).holds is holds


@pytest.mark.parametrize(
    "limits",
    [{"expected": 0, "within": 1e300}, {"at_least": -1e300}, {"at_most": 1e300}, {"holds": True}],
)
def test_nan_never_holds(limits):
    assert not judge("demo", "a claim", math.nan, **limits).holds


@pytest.mark.parametrize(
    "limits",
    [
        {"expected": 0, "within": math.inf},
        {"expected": 0, "within": math.nan},
        {"expected": 0, "within": -1},
        {"expected": math.inf, "within": 1},
        {"at_least": -math.inf},
        {"at_most": math.inf},
        {"at_most": math.nan},
    ],
)
def test_a_claim_that_cannot_fail_is_refused(limits):
    with pytest.raises(ValueError, match=r"demo: claim 'a claim': \w+ must be finite"):
        judge("demo", "a claim", 0.0, **limits)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"expected": 1},
        {"within": 1},
        {"expected": 1, "within": 1, "at_least": 0},
        {"expected": 1, "within": 1, "holds": True},
        {"at_most": 1, "holds": True},
    ],
)
def test_exactly_one_form(limits):
    with pytest.raises(ValueError, match="needs expected and within, or at_least"):
        judge("demo", "a claim", 0.0, **limits)


@pytest.mark.parametrize("probability", [0, 1, -0.1, math.nan])
def test_probability_lies_between_zero_and_one(probability):
    with pytest.raises(ValueError, match=r"probability must lie in \(0, 1\)"):
        judge("demo", "a claim", 0.0, at_most=1, probability=probability)


@pytest.mark.parametrize("measured", ["many", None, np.zeros(2), [1, 2], 1j])
def test_limits_need_a_number(measured):
    with pytest.raises(TypeError, match="measured must be a number"):
        judge("demo", "a claim", measured, at_most=1)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"expected": 0.5, "within": 0.01}, "0.5 ± 0.01"),
        ({"expected": 3, "within": 0}, "3 exactly"),
        ({"at_least": 1, "at_most": 2}, "≥ 1 and ≤ 2"),
        ({"at_most": 1e-12}, "≤ 1e-12"),
        ({"holds": True}, "as stated"),
    ],
)
def test_expectation_in_words(limits, words):
    assert judge("demo", "a claim", 1.0, **limits).allowed == words
