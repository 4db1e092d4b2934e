from typing import Annotated, Literal

import pytest

from shallows._core.contract.params import Range
from shallows.lab._parameters import convert


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (int, "3", 3),
        (int, "x", "x"),
        (float, "3", 3.0),
        (int | float, "3", 3),
        (int | float, "3.5", 3.5),
        (str | int, "3", 3),
        (str | None, "none", None),
        (Literal[1, "a"] | None, "1", 1),
        (Annotated[int, Range(0)] | Literal["auto"], "auto", "auto"),
    ],
)
def test_convert(hint, text, value):
    assert convert(hint, text) == value
    assert type(convert(hint, text)) is type(value)
