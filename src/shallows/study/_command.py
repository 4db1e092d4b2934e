"""The command `shallows study`: a study of the bundled data set, shown as one table."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shallows._core.files import write_text
from shallows.perceptron import Perceptron
from shallows.prototype import GLVQ
from shallows.study._compare import Candidate, Score, StudyResult, study


def main(words: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(words)
    console = Console(highlight=False)
    data = load_breast_cancer()
    console.print(
        f"\n[bold]Breast cancer[/] · {data.data.shape[0]} tumours, {data.data.shape[1]} measured "
        "features; which are benign?\n"
    )
    with warnings.catch_warnings(), console.status("Cross-validating ...") as status:
        # Classes that no hyperplane separates keep a perceptron from converging.
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = study(
            data.data,
            data.target,
            bundled_candidates(options.seed),
            repeats=options.repeats,
            seed=options.seed,
            report=lambda score: status.update(f"Cross-validating ... {score.name} done"),
        )
    show(result, console)
    if options.out is not None:
        save(result, options.out)
        console.print(f"Wrote {options.out / 'results.json'} and {options.out / 'model.skops'}")
    return 0


def bundled_candidates(seed: int) -> list[Candidate]:
    """Return the methods of the bundled study, from simple to complex."""
    models = {
        "majority class": DummyClassifier(),
        "Perceptron": Perceptron(random_state=seed),
        "GLVQ": GLVQ(n_prototypes=3, random_state=seed),
        "LogisticRegression (scikit-learn)": LogisticRegression(max_iter=1000),
    }
    return [
        Candidate(name, make_pipeline(StandardScaler(), model)) for name, model in models.items()
    ]


def show(result: StudyResult, console: Console) -> None:
    """Print the table of candidates and the assessment in words."""
    table = Table(title=f"Cross-validation on {result.n_train} rows", title_justify="left")
    table.add_column("method")
    for name in ("accuracy", "± standard error", "seconds"):
        table.add_column(name, justify="right")
    for score in result.scores:
        table.add_row(*_row(score), style="bold" if score.name == result.chosen else "")
    console.print(table)
    low, high = result.interval
    console.print(
        f"\nChosen: [bold]{result.chosen}[/], the simplest within one standard error of the best."
        f"\nOn the {result.n_test} rows locked away before: [bold]{result.accuracy:.1%}[/] "
        f"correct, 95 % interval {low:.1%} to {high:.1%}."
        f"\nCross-validation had promised {result.accuracy + result.optimism:.1%}; always "
        f"answering the most frequent class gives {result.majority:.1%}.\n"
    )
    if not result.learned:
        console.print("This does not show that anything was learned.\n", style="bold")


def save(result: StudyResult, folder: Path) -> None:
    """Write the numbers and a model file that loads without running foreign code."""
    import skops.io

    folder.mkdir(parents=True, exist_ok=True)
    numbers = {**asdict(result), "optimism": result.optimism}
    del numbers["model"]
    aside = folder / "model.skops.part"
    skops.io.dump(result.model, aside)
    aside.replace(folder / "model.skops")
    write_text(folder / "results.json", json.dumps(numbers, indent=2))


def _row(score: Score) -> tuple[str, str, str, str]:
    return score.name, f"{score.mean:.3f}", f"{score.standard_error:.3f}", f"{score.seconds:.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shallows study",
        description="Compare methods on a bundled data set: repeated stratified "
        "cross-validation, a locked test set, one table.",
    )
    parser.add_argument("--repeats", type=int, default=5, help="runs of ten-fold cross-validation")
    parser.add_argument("--seed", type=int, default=0, help="decides test set, folds and starts")
    parser.add_argument("--out", type=Path, help="folder for results.json and model.skops")
    return parser
