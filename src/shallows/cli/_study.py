"""`shallows study`: from a data file to a validated model and a report."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shallows.cli._console import open_console
from shallows.cli._errors import UsageError
from shallows.cli._parser import Parser
from shallows.cli._reading import add_reading, reading_of
from shallows.cli._study_errors import user_errors

if TYPE_CHECKING:
    from rich.console import Console

    from shallows.study import StudyResult

DESCRIPTION = """Study a table: which method predicts the target, and how well on new data?
Without a file a bundled data set is studied; without --target the table is
described: its clusters, outliers and a map.

Exit code 0 when the study is done, 1 if it failed, 2 if data or options don't fit, 130 if
interrupted (what is known then is reported)."""
NEED_A_TARGET = (
    *("task", "measure", "positive", "group", "time", "test_size", "folds", "repeats"),
    *("only", "skip", "nested", "no_refit", "simple", "markdown"),
)
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def main(words: list[str]) -> int:
    """Run the study that the words describe."""
    begun = time.monotonic()
    options = _parser().parse(words)
    console = open_console()
    _check(options)
    from shallows.study import Study, StudyError

    with user_errors(StudyError):
        if options.file is not None and options.target is None and not options.resume:
            return _survey(options, console)
        study = Study(**_settings(options), console=console, begun=begun)
        _announce(study, console)
        result = study.run()
    show(result, console)
    if study.out is not None:
        if options.markdown:
            from shallows.study._report import write_report

            write_report(result, Path(study.out), markdown=True)
        page = Path(study.out) / "report.html"
        console.print(f"\n{page} tells more; model.shallows predicts.", markup=False)
    return 130 if any("interrupted" in note for note in result.notes) else 0


def show(result: StudyResult, console: Console) -> None:
    """Print findings, ranking and the outcome in words."""
    from rich.markup import escape
    from rich.table import Table

    console.print(_roles_in_words(result), markup=False)
    for finding in result.audit:
        look = {"alarm": "bold red", "caution": "yellow", "note": "dim"}[finding.severity]
        console.print(f"[{look}]{finding.kind:>12}[/]  {escape(finding.text)}")
    kind = result.kind
    title = f"{kind.title} in cross-validation on {result.n_train:,} rows"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for name in (kind.title, "± standard error", "p", "seconds"):
        table.add_column(name, justify="right")
    for place, each in enumerate(result.ranking):
        table.add_row(
            each.name if each.source == "shallows" else f"{each.name} [dim]({each.source})[/]",
            kind.say(each.mean),
            kind.say_spread(each.standard_error),
            "best" if place == 0 else each.p_in_words,
            f"{each.seconds:.1f}",
            style="bold" if each.chosen else "",
        )
    console.print(table)
    console.print()
    look = "bold" if result.learned else "bold red"
    console.print(result.summary(), style=look, markup=False)
    for note in result.notes:
        console.print(note, style="yellow", markup=False)


def _roles_in_words(result: StudyResult) -> str:
    """Say what part each column plays: numbers are counted, the others named."""
    by_role: dict[str, list[str]] = {}
    for column in result.data["columns"]:
        by_role.setdefault(column["role"], []).append(column["name"])
    numbers = len(by_role.pop("number", []))
    said = [f"{numbers} number{'s' if numbers > 1 else ''}"] if numbers else []
    for role, names in by_role.items():
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        said.append(f"{role}: {', '.join(names[:6])}{more}")
    return f"{result.data['n_rows']:,} rows; " + "; ".join(said)


def read_seconds(text: str | None) -> float | None:
    """Return a span such as 90, 90s, 5m or 1h in seconds."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not found or float(found[1]) <= 0:
        raise UsageError(f"--budget must be a time such as 90s, 5m or 1h, got {text!r}.")
    return float(found[1]) * UNITS[found[2]]


def _survey(options: Namespace, console: Console) -> int:
    from shallows.study import Survey

    defaults = vars(_parser().parse([]))
    for name in NEED_A_TARGET:
        if getattr(options, name) != defaults[name]:
            raise UsageError(
                f"--{name.replace('_', '-')} needs --target COLUMN; without it the table is only "
                "described."
            )
    found = Survey(
        options.file,
        out=options.out,
        drop=options.drop,
        role=_roles(options.role),
        missing=options.missing,
        sample=options.sample,
        seed=options.seed,
        reading=reading_of(options),
    ).run()
    console.print(found.summary(), markup=False)
    if options.out is not None:
        console.print(f"\n{options.out / 'report.html'} tells more.", markup=False)
    return 0


def _settings(options: Namespace) -> dict[str, Any]:
    names = "out task measure positive drop group time sample test_size folds repeats only skip"
    names += " missing nested simple seed jobs cluster resume target"
    found = {name: getattr(options, name) for name in names.split()}
    found["refit"] = not options.no_refit
    found |= {"budget": read_seconds(options.budget), "role": _roles(options.role)}
    found |= {"data": options.file, "reading": reading_of(options)}
    if options.resume:
        found = _resumed(found)
    if found["data"] is None:
        if options.target is not None:
            raise UsageError("--target needs the file that has this column.")
        found |= _bundled()
    return found


def _bundled() -> dict[str, Any]:
    """Return the data that a newcomer sees studied."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    columns = dict(zip(data.feature_names.tolist(), data.data.T, strict=True))
    tumour = data.target_names[data.target].astype(object)
    return {"data": {**columns, "tumour": tumour}, "target": "tumour", "name": "breast cancer"}


def _resumed(found: dict[str, Any]) -> dict[str, Any]:
    """Take what was not said from the study that is resumed."""
    if found["out"] is None:
        raise UsageError("--resume needs the folder of the study as --out.")
    from shallows.study._journal import read_facts

    facts = read_facts(found["out"])
    known = {name: value for name, value in facts.items() if name in found}
    if found["data"] is None and facts.get("source") is not None:
        found["data"] = Path(facts["source"])
    defaults = {**vars(_parser().parse([])), "role": {}, "reading": {}, "refit": True}
    said = {name: value for name, value in found.items() if value != defaults.get(name)}
    return {**found, **known, **said}


def _announce(study: Any, console: Console) -> None:
    name = study.data.name if isinstance(study.data, Path) else study.name
    console.print(f"\n{name}", style="bold", end="", markup=False)
    console.print(f": can {study.target!r} be predicted?\n", markup=False)


def _roles(words: list[str]) -> dict[str, str]:
    roles = {}
    for word in words:
        name, equals, role = word.rpartition("=") if ":" not in word else word.partition("=")
        if not equals or not name:
            raise UsageError(f"--role must look like COLUMN=ROLE, got {word!r}.")
        roles[name] = role
    return roles


def _check(options: Namespace) -> None:
    limits = {"jobs": 1, "folds": 2, "repeats": 1, "sample": 50, "seed": 0}
    for name, least in limits.items():
        value = getattr(options, name)
        if value is not None and value < least:
            raise UsageError(f"--{name} must be at least {least}, got {value}.")
    if not 0.05 <= options.test_size <= 0.5:
        raise UsageError(f"--test-size must lie between 0.05 and 0.5, got {options.test_size}.")


def _parser() -> Parser:
    parser = Parser(prog="shallows study", description=DESCRIPTION)
    add = parser.add_argument
    add("file", nargs="?", type=Path, help="CSV, TSV, Parquet, JSON or Excel, text also gzipped")
    add("--target", metavar="COLUMN", help="what to predict")
    add("--out", type=Path, metavar="DIR", help="folder for report, numbers, model and journal")
    add("--resume", action="store_true", help="continue the study in --out")
    add("--budget", metavar="TIME", help="such as 5m: how long all may take")
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="processes, one per core unless given; without --budget they don't change the result",
    )
    add("--cluster", metavar="ADDRESS", help="Dask scheduler whose workers fit instead")
    add("--seed", type=int, default=0, metavar="N", help="decides parts, folds and starts (0)")
    add("--markdown", action="store_true", help="write report.md, too")

    group = parser.add_argument_group("data")
    data = group.add_argument
    data("--drop", action="append", default=[], metavar="COLUMN", help="leave a column out")
    data(
        "--role",
        action="append",
        default=[],
        metavar="COLUMN=ROLE",
        help="number, category, ordinal, date, id or text; an order as ordinal:low<mid<high",
    )
    data(
        "--missing",
        action="append",
        default=[],
        metavar="[COLUMN=]VALUE",
        help="what stands for a gap beside empty cells, such as -999; the model remembers it",
    )
    data("--group", metavar="COLUMN", help="rows of one group stay together")
    data("--time", metavar="COLUMN", help="orders the rows; the last ones are the test")
    data("--positive", metavar="CLASS", help="the class that counts as positive, of two")
    data("--sample", type=int, metavar="N", help="draw N rows of a larger file")
    add_reading(group)

    how = parser.add_argument_group("protocol").add_argument
    how(
        "--task",
        choices=["classification", "regression"],
        help="what the target means; found out unless given",
    )
    how(
        "--measure",
        metavar="NAME",
        help="accuracy, balanced_accuracy, auc, log_loss; r2, rmse, mae; chosen by the target "
        "unless given",
    )
    how("--test-size", type=float, default=0.25, metavar="SHARE", help="rows to lock away (0.25)")
    how("--folds", type=int, default=5, metavar="N", help="of cross-validation (5)")
    how(
        "--repeats",
        type=int,
        metavar="N",
        help="of cross-validation, for the finalists; by the number of rows unless given",
    )
    how(
        "--only",
        action="append",
        default=[],
        metavar="METHOD",
        help="try this method, and others so named, alone",
    )
    how("--skip", action="append", default=[], metavar="METHOD", help="do not try this method")
    how("--nested", action="store_true", help="nested cross-validation of the procedure, too")
    how("--simple", action="store_true", help="save the simplest method not worse than the best")
    how("--no-refit", action="store_true", help="do not fit the saved model to all rows")
    return parser
