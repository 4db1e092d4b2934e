"""From a table to a validated model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from shallows.study._budget import Budget
from shallows.study._facts import facts_of, read_data
from shallows.study._infer_task import Task
from shallows.study._journal import Journal, usable_folder
from shallows.study._model_file import FILE as MODEL
from shallows.study._model_file import save_model
from shallows.study._pages import pages
from shallows.study._protocol import carry_out, set_up
from shallows.study._result import StudyResult, save_result
from shallows.study._rungs import plan_rungs
from shallows.study._session import Session
from shallows.study._workers import connect, usable_cores

DRAWING = 4.0  # seconds that drawing all figures may take


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
        Seconds for the whole study, report included. What promises most per second comes first;
        what there was no time for is named in the notes.
    only, skip : sequence of str
        Methods to try alone, or to leave out.
    nested : bool
        Whether to estimate the whole procedure by nested cross-validation, too.
    refit : bool
        Whether the saved model is fitted to all rows after the assessment.
    simple : bool
        Whether the simplest method that is not worse than the strongest is saved instead of it.
    seed : int
        Decides parts, folds and starts.
    jobs : int, optional
        Processes that fit at the same time, as many as there are cores unless told. Without a
        budget the result does not depend on it.
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
    begun : float, optional
        When the budget began to run, by `time.monotonic`; with `run` unless told.

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
    refit: bool = True
    simple: bool = False
    seed: int = 0
    jobs: int | None = None
    cluster: str | None = None
    resume: bool = False
    name: str | None = None
    console: Console | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    begun: float | None = None

    def run(self) -> StudyResult:
        """Run the study, or what is left of it.

        Returns
        -------
        result : StudyResult
            Everything that was found, with the fitted model.
        """
        begun = time.monotonic() if self.begun is None else self.begun
        if self.out is not None:
            pages()  # rather than at the end, when all is done but the report
        folder = None if self.out is None else usable_folder(Path(self.out))
        table = read_data(self.data, self.sample, self.seed, self.reading, self.missing)
        with closing(Journal(folder)) as journal:
            journal.begin(facts_of(self), resume=self.resume)
            for left in folder.glob(".*.part") if folder and self.resume else ():
                left.unlink()  # a killed study was writing it; the journal is held by one at a time
            setup = set_up(self, table)
            budget = Budget(self.budget, time.monotonic() - begun + journal.seconds())
            client = None if self.cluster is None else connect(self.cluster)
            try:
                session = self._session(journal, budget, client)
                result, saved = carry_out(self, table, setup, session)
            finally:
                if client is not None:
                    client.close()
        if folder is not None:
            from shallows.study._report import write_report

            save_model(saved, folder / MODEL)
            save_result(result, folder)
            write_report(result, folder, drawn=budget.left > DRAWING)
        return result

    def _session(self, journal: Journal, budget: Budget, client: Any) -> Session:
        jobs = self.jobs or usable_cores()
        if client is not None:
            jobs = max(1, sum(client.nthreads().values()))
        return Session(
            journal,
            budget,
            jobs,
            client,
            self.seed,
            lambda problem: plan_rungs(problem, self.folds, self.repeats, self.seed),
        )
