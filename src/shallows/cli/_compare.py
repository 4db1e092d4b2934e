"""`shallows compare`: finished studies beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shallows.cli._console import open_console
from shallows.cli._errors import UsageError
from shallows.cli._parser import Parser
from shallows.cli._study_errors import user_errors

if TYPE_CHECKING:
    from rich.table import Table

    from shallows.study import StudyResult

DESCRIPTION = """Compare what studies of the same target have chosen: the first study with each of
the others, paired where they have locked the same rows away."""
INTERVAL = "95 % interval"


def main(words: list[str]) -> int:
    """Print whether the choice of one study is better than those of others."""
    parser = Parser(prog="shallows compare", description=DESCRIPTION)
    parser.add_argument(
        "studies", nargs="*", type=Path, metavar="DIR", help="two or more folders of studies"
    )
    folders = parser.parse(words).studies
    _check(folders)
    from shallows.study import load_result
    from shallows.study._compare_studies import cautions, compare_studies

    with user_errors():
        results = {str(folder): load_result(folder) for folder in folders}
        (one, first), *others = results.items()
        found = [
            compare_studies(first, second, names=(one, other), n_comparisons=len(others))
            for other, second in others
        ]
    console = open_console()
    console.print(_table(results))
    for name, result in results.items():
        console.print(f"{name}: {result.command}", style="dim", markup=False)
    console.print()
    for each in found:
        console.print(each.text, style="bold", markup=False)
    if len(found) > 1:
        console.print(
            f"The {len(found)} intervals hold together at 95 %, and p is adjusted to their number."
        )
    for name, result in results.items():
        for caution in cautions(result):
            console.print(f"{name}: {caution}", style="yellow", markup=False)
    return 0


def _check(folders: list[Path]) -> None:
    if len(folders) < 2:
        came = f"got {folders[0]} alone" if folders else "got none"
        raise UsageError(
            f"`shallows compare` needs the folders of two studies or more, {came}; "
            "`shallows study FILE --target COLUMN --out DIR` makes one."
        )
    places: dict[Path, Path] = {}
    for folder in folders:
        place = folder.resolve()
        place = place.parent if place.name == "results.json" else place
        if place in places:
            raise UsageError(f"{places[place]} and {folder} are the same study; name another.")
        places[place] = folder


def _table(results: dict[str, StudyResult]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    kind = next(iter(results.values())).kind
    table = Table(title=f"{kind.title} on the locked rows", title_justify="left")
    for name in ("study", "method"):
        table.add_column(name)
    for name in (kind.title, INTERVAL, "constant answer", "rows"):
        table.add_column(name, justify="right")
    for name, result in results.items():
        found = result.assessment
        table.add_row(
            escape(name),
            result.chosen.name,
            kind.say(found.score),
            result.interval.removeprefix(INTERVAL).strip(),
            kind.say(found.baseline),
            f"{found.n_test:,}",
        )
    return table
