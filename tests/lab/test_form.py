import pytest

from lab.odd_experiments import coin
from shallows.lab._form import as_text, fields, read


def test_fields_come_from_the_declaration():
    found = {field.name: field for field in fields(coin, {}, {})}
    assert list(found) == ["n", "share", "kind", "limit", "fast", "seed"]
    assert {name: field.kind for name, field in found.items()} == {
        "n": "text",
        "share": "text",
        "kind": "choice",
        "limit": "text",
        "fast": "check",
        "seed": "text",
    }
    assert {name: field.text for name, field in found.items()} == {
        "n": "5",
        "share": "0.5",
        "kind": "fair",
        "limit": "None",
        "fast": "yes",
        "seed": "0",
    }
    assert found["n"].help == "How many."
    assert found["n"].allowed == "int in [1, 500]"
    assert found["n"].keyboard == "numeric"
    assert found["share"].keyboard == "text"
    assert found["kind"].options == ["fair", "loaded"]


def test_fields_hold_what_was_typed():
    found = fields(coin, {"n": " many", "fast": "no"}, {"n": "no number"})
    assert found[0].text == " many"
    assert found[0].error == "no number"
    assert found[0].default == "5"
    assert found[4].text == "no"
    assert found[4].error == ""


def test_values_are_read_as_the_hints_say():
    typed = {"n": "7", "share": "1", "kind": "loaded", "limit": "none", "fast": "no", "seed": "3"}
    values, errors = read(coin, typed)
    assert errors == {}
    assert values == {
        "n": 7,
        "share": 1.0,
        "kind": "loaded",
        "limit": None,
        "fast": False,
        "seed": 3,
    }
    assert type(values["n"]) is int
    assert type(values["share"]) is float


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n", "501", "coin: n must be int in [1, 500], got 501."),
        ("n", "", "coin: n must be int in [1, 500], got ''."),
        ("n", "2.5", "coin: n must be int in [1, 500], got '2.5'."),
        ("share", "nan", "coin: share must be float in [0, 1], got nan."),
        ("kind", "odd", "coin: kind must be one of 'fair', 'loaded', got 'odd'."),
        ("fast", "maybe", "coin: fast must be bool, got 'maybe'."),
        ("seed", "-1", "coin: seed must be int in [0, inf), got -1."),
        ("m", "1", "coin has no parameter 'm'; it takes n, share, kind, limit, fast, seed."),
    ],
)
def test_errors_are_those_of_the_command_line(name, text, message):
    values, errors = read(coin, {"n": "7", name: text})
    assert errors == {name: message}
    assert name not in values


def test_every_default_can_be_typed():
    typed = {name: as_text(item.default) for name, item in coin.parameters.items()}
    assert read(coin, typed) == (
        {name: item.default for name, item in coin.parameters.items()},
        {},
    )
