import io

from rich.console import Console

from shallows.lab import Claim, Result
from shallows.lab._terminal import MOST_ROWS, show


def shown(result, **options):
    console = Console(file=io.StringIO(), width=100)
    show(result, console, **options)
    return console.file.getvalue()


def make(n):
    return Result(
        name="demo",
        chapter="tests",
        title="Does it [bold]print[/bold]?",
        text="",
        sources="",
        parameters={},
        seed=0,
        tables={"rows": [{"long_name": f"r{i}", "y": i / 3} for i in range(n)], "none": []},
        figures=[],
        claims=[Claim("[red]fine", 0.5, True, expected=0.5, within=0.1), Claim("bad", 3, False)],
        notes=["[i]wrong"],
        seconds=1.5,
        versions={},
    )


def test_shows_title_rows_claims_and_time():
    text = shown(make(3))
    for part in [
        "Does it [bold]print[/bold]?",
        "long name",
        "0.333333",
        "✓  ",
        "[red]fine",
        "0.5 ± 0.1",
        "✗ fails",
        "as stated",
        "[i]wrong",
        "1 of 2 claims hold in 1.50 s",
    ]:
        assert part in text, part


def test_long_tables_are_shortened_in_the_middle():
    text = shown(make(100))
    assert "r0 " in text
    assert "r99 " in text
    assert "r50 " not in text
    assert f"… {100 - MOST_ROWS} more" in text
    assert "more" not in shown(make(MOST_ROWS))


def test_rows_can_be_left_out():
    assert "long name" not in shown(make(3), tables=False)
