"""From a table to a validated model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import parallel_config
from rich.console import Console

from shallows._core.contract.extras import from_extra
from shallows.study._budget import Budget
from shallows.study._errors import StudyError
from shallows.study._facts import facts_of, read_data
from shallows.study._journal import Journal, usable_folder
from shallows.study._model_file import FILE as MODEL
from shallows.study._model_file import save_model
from shallows.study._pages import pages
from shallows.study._problem import Task
from shallows.study._protocol import carry_out, set_up
from shallows.study._result import StudyResult, save_result


@dataclass
class Study:
    """A study of one table: choose among many methods, assess the choice once.

    Parameters
    ----------
    data : path or mapping
        A file, or columns by name (a data frame is one, too).
    target : str
        The column to predict.
    out : path, optional
        Folder for journal, report, numbers and model; nothing is written without it.
    task : {"classification", "regression"}, optional
        What the target means; found out unless told.
    measure : str, optional
        What to maximise: accuracy, balanced_accuracy, auc or log_loss for classes, r2, rmse or
        mae for numbers.
    positive : str, optional
        The class that counts as positive, of two.
    drop : sequence of str
        Columns to leave out.
    role : dict of str to str
        Roles of columns that would be taken for something else.
    missing : sequence of str or float
        What stands for a gap beside empty cells: values such as -999 and "not asked" in any
        column, "income=-1" in one.
    group : str, optional
        Column whose values must not be split between training and test.
    time : str, optional
        Column that orders the rows; the last ones become the test part.
    sample : int, optional
        Rows to draw from a larger file.
    test_size : float
        Share of rows to lock away.
    folds : int
        Folds of cross-validation.
    repeats : int, optional
        Repetitions of it for the finalists; by the number of rows unless told.
    budget : float, optional
        Seconds for the whole study. Seven tenths are for the comparison of methods, and slow
        methods are left behind; what there is no time for in the end is named in the notes.
    only, skip : sequence of str
        Methods to try alone, or to leave out.
    nested : bool
        Whether to estimate the whole procedure by nested cross-validation, too.
    refit : bool
        Whether the saved model is fitted to all rows after the assessment.
    seed : int
        Decides parts, folds and starts.
    jobs : int
        Processes that fit at the same time; the result does not depend on it.
    cluster : str, optional
        Address of a Dask scheduler that fits instead.
    resume : bool
        Whether to continue the study in `out`.
    name : str, optional
        What the report calls the data; the name of the file unless told.
    console : rich.console.Console, optional
        Where progress is shown.
    reading : dict
        How to read a file: delimiter, decimal, encoding, sheet.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.study import Study
    >>> data = load_iris()
    >>> columns = dict(zip(data.feature_names, data.data.T), species=data.target_names[data.target])
    >>> study = Study(columns, "species", only=["least squares", "k-NN"], repeats=1)
    >>> result = study.run()
    >>> result.learned, result.assessment.score > 0.8
    (True, True)
    """

    data: Any
    target: str
    out: Path | str | None = None
    task: Task | None = None
    measure: str | None = None
    positive: str | None = None
    drop: Sequence[str] = ()
    role: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str | float] = ()
    group: str | None = None
    time: str | None = None
    sample: int | None = None
    test_size: float = 0.25
    folds: int = 5
    repeats: int | None = None
    budget: float | None = None
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    nested: bool = False
    refit: bool = False
    seed: int = 0
    jobs: int = 1
    cluster: str | None = None
    resume: bool = False
    name: str | None = None
    console: Console | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> StudyResult:
        """Run the study, or what is left of it.

        Returns
        -------
        result : StudyResult
            Everything that was found, with the fitted model.
        """
        begun = time.monotonic()
        if self.out is not None:
            pages()  # rather than at the end, when all is done but the report
        folder = None if self.out is None else usable_folder(Path(self.out))
        table = read_data(self.data, self.sample, self.seed, self.reading, self.missing)
        with closing(Journal(folder)) as journal:
            journal.begin(facts_of(self), resume=self.resume)
            for left in folder.glob(".*.part") if folder and self.resume else ():
                left.unlink()  # a killed study was writing it; the journal is held by one at a time
            setup = set_up(self, table)
            with self._workers() as jobs:
                budget = Budget(self.budget, time.monotonic() - begun + journal.seconds())
                result, saved = carry_out(self, table, setup, journal, budget, jobs)
        if folder is not None:
            from shallows.study._report import write_report

            save_result(result, folder)
            save_model(saved, folder / MODEL)
            write_report(result, folder)
        return result

    @contextmanager
    def _workers(self) -> Iterator[int]:
        """Provide workers: processes of this machine, or those of a Dask cluster."""
        if self.cluster is None:
            yield self.jobs
            return
        with from_extra("cluster", "A study on a cluster"):
            from distributed import Client

        try:
            client = Client(self.cluster, timeout="10s")
        except (OSError, ValueError) as error:
            raise StudyError(f"No Dask scheduler answers at {self.cluster!r} ({error}).") from None
        with client, parallel_config("dask"):
            yield -1
