import io
import math
import threading

import numpy as np
import pytest

from shallows.lab import Cancelled, Run, line


def test_rows_become_plain_values():
    run = Run("demo")
    run.row(a=np.int64(1), b=np.float32(0.5), c=np.bool_(True), d="x", e=None, f=np.array([2]))
    (row,) = run.tables["rows"]
    assert row == {"a": 1, "b": 0.5, "c": True, "d": "x", "e": None, "f": 2}
    assert [type(value) for value in row.values()] == [int, float, bool, str, type(None), int]


def test_tables_are_apart():
    run = Run("demo")
    run.row(a=1)
    run.row(table="curve", x=1, y=2)
    assert run.tables == {"rows": [{"a": 1}], "curve": [{"x": 1, "y": 2}]}


def test_rows_of_a_table_have_the_same_columns():
    run = Run("demo")
    run.row(a=1)
    with pytest.raises(
        ValueError, match="demo: a row of table 'rows' must have the columns a, got b"
    ):
        run.row(b=1)


def test_a_row_holds_no_arrays():
    with pytest.raises(TypeError, match="demo: a must be a number, a string, a bool or None"):
        Run("demo").row(a=np.zeros(3))


def test_many_rows_at_once():
    run = Run("demo")
    run.rows("points", x=np.arange(2), kind="a", y=[0.5, math.inf])
    assert run.tables["points"] == [
        {"x": 0, "kind": "a", "y": 0.5},
        {"x": 1, "kind": "a", "y": math.inf},
    ]
    assert [column.tolist() for column in run.columns("points").values()] == [
        [0, 1],
        ["a", "a"],
        [0.5, math.inf],
    ]
    with pytest.raises(ValueError, match="shape mismatch"):
        run.rows("points", x=[1, 2], kind="a", y=[1, 2, 3])


def test_claim_returns_its_verdict_and_is_kept():
    run = Run("demo")
    assert run.claim("small", 0.1, at_most=1)
    assert not run.claim("half", 0.1, 0.5, within=0.1, probability=0.01)
    assert [(claim.text, claim.holds) for claim in run.claims] == [("small", True), ("half", False)]
    assert run.claims[1].probability == 0.01


def test_random_numbers_follow_the_seed():
    assert Run("demo", 3).rng.random() == np.random.default_rng(3).random()


def test_figure_draws_the_rows_so_far():
    run = Run("demo")
    run.row(a=1, b=2)
    run.figure(line("a", "b"))
    run.row(a=2, b=2)
    assert run.figures[0]["data"]["values"] == [{"a": 1, "b": 2}]


@pytest.mark.parametrize("step", [lambda run: list(run.progress([1])), lambda run: run.row(a=1)])
def test_cancelling_ends_the_run(step):
    event = threading.Event()
    run = Run("demo", cancelled=event.is_set)
    step(run)
    event.set()
    with pytest.raises(Cancelled, match="demo was cancelled"):
        step(run)


def test_progress_is_silent_without_a_terminal(capsys):
    run = Run("demo")
    assert list(run.progress(iter([1, 2, 3]), text="slow")) == [1, 2, 3]
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_draws_nested_bars_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    run = Run("demo")
    seen = [(a, b) for a in run.progress("ab", "outer") for b in run.progress(range(2), "inner")]
    run.close()
    run.close()
    assert seen == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert "outer" in terminal.getvalue()


def test_progress_is_reported_instead_where_someone_asks(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    told = []
    run = Run("demo", report=told.append)
    for _ in run.progress("ab"):
        for _ in run.progress(iter([1]), "inner"):
            pass
    demo, inner = ("demo", 0, 2), ("inner", 0, None)
    assert told[:3] == [(demo,), (demo, inner), (demo,)]
    assert told[3:] == [(("demo", 1, 2),), (("demo", 1, 2), inner), (("demo", 1, 2),), ()]
    assert terminal.getvalue() == ""


def test_a_loop_left_early_is_reported_as_over():
    told = []
    steps = Run("demo", report=told.append).progress(range(5))
    next(steps)
    steps.close()
    assert told == [(("demo", 0, 5),), ()]
