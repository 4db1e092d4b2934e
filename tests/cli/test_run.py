import json
import sys
from typing import Annotated, Literal

import pytest

from shallows._core.contract.params import PositiveInt, Range
from shallows.cli import main
from shallows.lab import Result, Run, experiment, line


@experiment(chapter="demo", sources="a book", quick={"n": 2})
def coin(
    n: Annotated[int, Range(1, 500)] = 5,
    low_limit: float = -1.0,
    kind: Literal["fair", "loaded"] = "fair",
    limit: PositiveInt | None = None,
    fast: bool = True,
    *,
    run: Run,
) -> None:
    """Does 100 % of it hold?

    Parameters
    ----------
    n : int
        How many of 100 %.
    """
    run.rows(x=range(n), y=range(n))
    run.figure(line("x", "y"))
    run.claim("few rows", n, at_most=100)
    if limit == 13:
        raise ZeroDivisionError("unlucky")


@pytest.fixture(autouse=True)
def only_coin(monkeypatch):
    from shallows._core.contract.registry import Entry
    from shallows.lab import _catalogue

    entry = Entry("coin", "lab", "experiment", coin.title, __name__)
    known = {"coin": coin}
    monkeypatch.setattr(Entry, "load", lambda self: known[self.name])
    for module in ("shallows.lab._catalogue", "shallows.cli._run"):
        monkeypatch.setattr(f"{module}.experiments", lambda: [entry])
    return _catalogue


def run_json(capsys, *words):
    code = main(["run", "coin", "--json", *words])
    return code, Result.from_json(capsys.readouterr().out)


def test_holding_claims_give_0(capsys):
    assert main(["run", "coin"]) == 0
    out = capsys.readouterr().out
    assert "Does 100 % of it hold?" in out
    assert "1 of 1 claims hold" in out


def test_a_failing_claim_gives_1(capsys):
    assert main(["run", "coin", "--n", "101"]) == 1
    assert "✗ fails" in capsys.readouterr().out


def test_values_are_read_as_the_hints_say(capsys):
    words = [
        "--n=7",
        "--low_limit",
        "-2",
        "--kind",
        "loaded",
        "--limit",
        "3",
        "--no-fast",
        "--seed",
        "4",
    ]
    code, result = run_json(capsys, *words)
    assert code == 0
    assert result.parameters == {
        "n": 7,
        "low_limit": -2.0,
        "kind": "loaded",
        "limit": 3,
        "fast": False,
    }
    assert result.seed == 4
    assert run_json(capsys, "--limit", "none")[1].parameters["limit"] is None


def test_the_printed_command_repeats_the_run(capsys):
    _, result = run_json(capsys, "--n", "7", "--low-limit=-1e-3", "--no-fast", "--seed", "2")
    _, again = run_json(capsys, *result.command.split()[3:])
    assert again.parameters == result.parameters
    assert again.seed == result.seed


def test_quick_takes_the_small_sizes_unless_told(capsys):
    assert run_json(capsys, "--quick")[1].parameters["n"] == 2
    assert run_json(capsys, "--quick", "--n", "9")[1].parameters["n"] == 9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "coyn"], "There is no experiment 'coyn'; did you mean coin?"),
        (["run", "coin", "--n", "0"], "coin: n must be int in [1, 500], got 0."),
        (["run", "coin", "--n", "x"], "coin: n must be int in [1, 500], got 'x'."),
        (["run", "coin", "--n", "2.5"], "coin: n must be int in [1, 500], got '2.5'."),
        (
            ["run", "coin", "--kind", "odd"],
            "coin: kind must be one of 'fair', 'loaded', got 'odd'.",
        ),
        (
            ["run", "coin", "--knd", "odd"],
            "`shallows run coin` has no option '--knd'; did you mean --kind",
        ),
        (["run", "coin", "extra"], "`shallows run coin` has no use for the word 'extra'; a name"),
        (["run", "coin", "--seed", "-1"], "coin: seed must be int in [0, inf), got -1."),
        (["run", "coin", "--n"], "argument --n: expected one argument; `shallows run coin --help`"),
        (["run"], "`shallows run` needs a NAME first or --all"),
        (["run", "--all", "--seed", "-1"], "--seed must not be negative, got -1."),
        (["run", "--al"], "`shallows run` has no option '--al'; did you mean --all"),
    ],
)
def test_usage_errors_are_one_sentence_and_give_2(capsys, words, message):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"shallows: {message}")
    assert err.count("\n") == 1


def test_an_experiment_that_stops_gives_1(capsys):
    assert main(["run", "coin", "--limit", "13"]) == 1
    assert capsys.readouterr().err == "shallows: ZeroDivisionError: unlucky\n"


def test_help_comes_from_hints_and_docstring(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["run", "coin", "--help"])
    assert stop.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    for part in [
        "Does 100 % of it hold?",
        "--n INT How many of 100 %. int in [1, 500], default 5",
        "--kind fair|loaded one of 'fair', 'loaded', default fair",
        "--fast, --no-fast",
        "--low-limit FLOAT",
        "--seed INT",
        "--quick",
    ]:
        assert part in out, part


def test_out_writes_page_and_json(capsys, tmp_path):
    folder = tmp_path / "new" / "out"
    assert main(["run", "coin", "--out", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["coin.html", "coin.json"]
    assert Result.from_json((folder / "coin.json").read_text()).name == "coin"
    assert "Wrote" in capsys.readouterr().err


def test_out_must_be_a_folder(capsys, tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(["run", "coin", "--out", str(file)]) == 2
    assert "--out must be a folder" in capsys.readouterr().err
    assert file.read_text() == "mine"


def test_a_missing_extra_is_reported_before_the_run(capsys, monkeypatch, tmp_path):
    for name in ("shallows.lab._page", "shallows._core.showing.pages"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert main(["run", "coin", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "shallows: vl_convert is missing; install it with: pip install 'shallows[lab]'\n"


def test_all_writes_an_index(capsys, tmp_path):
    assert main(["run", "--all", "--quick", "--out", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "coin.html",
        "coin.json",
        "index.html",
    ]
    assert "1 of 1 claims hold in 1 experiments" in capsys.readouterr().out


def test_all_as_json(capsys):
    assert main(["run", "--all", "--json", "--seed", "3"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert (result["name"], result["seed"]) == ("coin", 3)


def test_all_goes_on_after_one_that_stops(capsys, monkeypatch):
    def fail(parameters):
        raise ZeroDivisionError("unlucky")

    monkeypatch.setattr(coin, "run", fail)
    assert main(["run", "--all"]) == 1
    out, err = capsys.readouterr()
    assert err == "shallows: coin stopped: ZeroDivisionError: unlucky\n"
    assert "0 of 0 claims hold" in out
