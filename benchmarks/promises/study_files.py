"""The files on which studies are developed and measured: name, target, task, what to leave out."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class StudyFile(NamedTuple):
    """A file with a target; its last column where `target` is None."""

    name: str
    task: str
    target: str | None = None
    header: bool = True
    drop: tuple[str, ...] = ()


FILES = [
    StudyFile("sonar.csv", "classification", header=False),
    StudyFile("ionosphere.csv", "classification", header=False),
    StudyFile("haberman.csv", "classification", header=False),
    StudyFile("banknote_authentication.csv", "classification", header=False),
    StudyFile("oil-spill.csv", "classification", header=False),
    StudyFile("breast-cancer.csv", "classification", header=False),
    StudyFile("wheat-seeds.csv", "classification", header=False),
    StudyFile("new-thyroid.csv", "classification", header=False),
    StudyFile("ecoli.csv", "classification", header=False),
    StudyFile("horse-colic.csv", "classification", "column_24", header=False),
    StudyFile("abalone.csv", "regression", header=False),
    StudyFile("winequality-white.csv", "regression", header=False),
    StudyFile("adult.csv.gz", "classification", header=False),
    StudyFile("attrition.csv", "classification", "Attrition"),
    StudyFile("credit_data.csv", "classification", "Status"),
    StudyFile("stackoverflow.csv", "classification", "Remote"),
    StudyFile("wa_churn.csv", "classification", "churn"),
    StudyFile("hpc_data.csv", "classification", "class"),
    StudyFile("taxi.csv", "classification", "tip"),
    StudyFile("Caravan.csv", "classification", "Purchase"),
    StudyFile("Default.csv", "classification", "default"),
    StudyFile("College.csv", "classification", "Private"),
    StudyFile("geyser.csv", "classification", "kind"),
    StudyFile("Sacramento.csv", "regression", "price"),
    StudyFile("car_prices.csv", "regression", "Price"),
    StudyFile("concrete.csv", "regression", "compressive_strength"),
    StudyFile("meats.csv", "regression", "protein", drop=("water", "fat")),
    StudyFile("deliveries.csv", "regression", "time_to_delivery"),
    StudyFile("Carseats.csv", "regression", "Sales"),
    StudyFile("Hitters.csv", "regression", "Salary"),
    StudyFile("tips.csv", "regression", "tip"),
    StudyFile("planets.csv", "regression", "mass"),
]


def table_of(file: StudyFile, folder: Path):
    """Read a file and return its table and the name of its target."""
    from shallows.data import read_table

    table = read_table(folder / file.name, header=file.header)
    return table, file.target or list(table.columns)[-1]
