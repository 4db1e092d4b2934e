import inspect
import math
from typing import Annotated, Literal

import numpy as np
import pytest

from shallows._core.contract.params import PositiveInt, Range
from shallows.lab import Cancelled, Result, Run, experiment


@experiment(chapter="demo", sources="a book", quick={"n": 3})
def coin(
    n: Annotated[int, Range(2, 500)] = 20,
    bias: float = 0.5,
    kind: Literal["fair", "loaded"] = "fair",
    limit: PositiveInt | None = None,
    *,
    run: Run,
) -> None:
    """How often does a coin
    fall on its head?

    Toss it.

    Then again.

    Parameters
    ----------
    n : int
        How often it is tossed,
        at least twice.
    bias : float
        Chance of a head.
    """
    for toss in run.progress(range(n)):
        run.row(toss=toss, head=run.rng.random() < bias)
    run.claim("as many tosses as asked for", len(run.tables["rows"]), n, within=0)
    run.note("Some books forget the edge.")


def test_a_call_returns_a_result_of_plain_values():
    result = coin(n=5)
    assert isinstance(result, Result)
    assert (result.name, result.chapter, result.sources) == ("coin", "demo", "a book")
    assert result.title == "How often does a coin fall on its head?"
    assert result.text == "Toss it.\n\nThen again."
    assert result.parameters == {"n": 5, "bias": 0.5, "kind": "fair", "limit": None}
    assert result.seed == 0
    assert len(result.rows) == 5
    assert result.holds
    assert result.notes == ["Some books forget the edge."]
    assert result.seconds > 0
    assert {"python", "shallows", "numpy"} <= result.versions.keys()


def test_same_seed_same_rows():
    assert coin(seed=1).rows == coin(seed=1).rows
    assert coin(seed=1).rows != coin(seed=2).rows


def test_positional_and_numpy_parameters():
    result = coin(np.int64(4), np.float64(0.25))
    assert result.parameters["n"] == 4
    assert type(result.parameters["n"]) is int


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 1}, r"coin: n must be int in \[2, 500\], got 1\."),
        ({"n": 2.5}, r"coin: n must be int in \[2, 500\], got 2\.5\."),
        ({"n": True}, r"coin: n must be int in \[2, 500\], got True\."),
        ({"bias": "much"}, r"coin: bias must be float, got 'much'\."),
        ({"kind": "odd"}, r"coin: kind must be one of 'fair', 'loaded', got 'odd'\."),
        ({"seed": -1}, r"coin: seed must be int in \[0, inf\), got -1\."),
    ],
)
def test_values_outside_the_hints_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        coin(**parameters)


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'm'"):
        coin(m=1)
    with pytest.raises(ValueError, match="coin has no parameter 'm'; it takes n, bias"):
        coin.run({"m": 1})


def test_signature_and_docstring_are_the_function_s():
    assert list(inspect.signature(coin).parameters) == ["n", "bias", "kind", "limit", "seed"]
    assert coin.__doc__.startswith("How often")
    assert coin.__name__ == "coin"
    assert coin.parameters["n"].help == "How often it is tossed, at least twice."
    assert coin.parameters["kind"].help == ""
    assert "n: " in repr(coin)


def test_cancelled_from_outside():
    with pytest.raises(Cancelled):
        coin.run({}, cancelled=lambda: True)


def no_default(n: int, *, run: Run) -> None: ...


def no_hint(n=1, *, run: Run) -> None: ...


def list_hint(n: list[int] = [], *, run: Run) -> None: ...  # noqa: B006


def own_seed(seed: int = 1, *, run: Run) -> None: ...


def bad_default(n: PositiveInt = 0, *, run: Run) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_default, "no_default: parameter n must have a default"),
        (no_hint, "no_hint: parameter n must have a hint"),
        (list_hint, "list_hint: parameter n must have a hint"),
        (own_seed, "own_seed: parameter seed must have another name"),
        (bad_default, "bad_default: n must be int"),
    ],
)
def test_faulty_declarations_are_refused_at_once(function, message):
    with pytest.raises((TypeError, ValueError), match=message):
        experiment(chapter="demo")(function)


def test_quick_parameters_are_checked_at_once():
    with pytest.raises(ValueError, match="bad_default has no parameter 'm'"):
        experiment(chapter="demo", quick={"m": 1})(bad_default)


@experiment(chapter="demo")
def strange(word: str = "a b'c", flag: bool = True, off: bool = False, *, run: Run) -> None:
    """Strange values."""
    run.row(number=math.nan, other=-math.inf, word="NaN", none=None)
    run.claim("never", math.nan, at_most=1)
    run.claim("judged", "yes", holds=True)


def test_json_there_and_back():
    result = strange()
    text = result.to_json()
    assert "NaN," not in text
    again = Result.from_json(text)
    assert math.isnan(again.rows[0]["number"])
    assert again.rows[0]["other"] == -math.inf
    assert again.rows[0]["word"] == "NaN"
    assert again.to_json() == text
    assert not again.holds
    assert coin() != strange()
    fair = coin()
    assert Result.from_json(fair.to_json()) == fair


def test_command_to_repeat():
    assert strange(seed=3).command == (
        """shallows run strange '--word=a b'"'"'c' --flag --no-off --seed=3"""
    )


def test_result_is_frozen():
    with pytest.raises(AttributeError):
        coin().name = "dice"
