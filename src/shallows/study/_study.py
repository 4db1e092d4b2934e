"""From a table to a validated model: the protocol, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config
from rich.console import Console
from threadpoolctl import threadpool_limits

from shallows._core.threads import limit_threads
from shallows.data import Table
from shallows.study import _explain as explain
from shallows.study._assess import TestSet
from shallows.study._audit import look_over
from shallows.study._candidates import Candidate, Design, choose_candidates, design_of
from shallows.study._errors import StudyError
from shallows.study._facts import command_of, facts_of, read_data, versions
from shallows.study._journal import Journal, usable_folder
from shallows.study._measures import Measure, answers_of, choose_measure
from shallows.study._model_file import SavedModel, save_model
from shallows.study._problem import (
    Array,
    Problem,
    Task,
    build_problem,
    class_shares,
    lock_test_part,
    make_folds,
)
from shallows.study._progress import Progress
from shallows.study._rank import choose, rank
from shallows.study._result import StudyResult, save_result
from shallows.study._roles import infer_schema
from shallows.study._search import Budget, Entry, Rung, Search, plan_rungs, search

BACKGROUND = 100  # training rows kept beside the model, to explain single answers
OUTER_FOLDS = 5


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
        Seconds after which no new evaluation begins.
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
        How to read a text file: delimiter, decimal, encoding.

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
        folder = None if self.out is None else usable_folder(Path(self.out))
        table = read_data(self.data, self.sample, self.seed, self.reading)
        with closing(Journal(folder)) as journal:
            journal.begin(facts_of(self), resume=self.resume)
            setup = _set_up(self, table)
            with self._workers() as jobs:
                result, saved = _carry_out(self, table, setup, journal, jobs)
        if folder is not None:
            from shallows.study._report import write_report

            save_result(result, folder)
            save_model(saved, folder / "model.skops")
            write_report(result, folder)
        return result

    @contextmanager
    def _workers(self) -> Iterator[int]:
        """Provide workers: processes of this machine, or those of a Dask cluster."""
        if self.cluster is None:
            yield self.jobs
            return
        from distributed import Client

        try:
            client = Client(self.cluster, timeout="10s")
        except (OSError, ValueError) as error:
            raise StudyError(f"No Dask scheduler answers at {self.cluster!r} ({error}).") from None
        with client, parallel_config("dask"):
            yield -1


@dataclass(frozen=True)
class _Setup:
    """All that is fixed before the first fit."""

    problem: Problem
    train: Problem
    test: Problem
    design: Design
    candidates: list[Candidate]
    measure: Measure
    why: str
    rungs: list[Rung]
    notes: list[str]

    @property
    def folds(self) -> tuple[Any, ...]:
        """The first folds that use all training rows."""
        return next(rung for rung in self.rungs if rung.full).splits

    @property
    def ratio(self) -> float:
        """Size of a test fold over that of its training folds."""
        return float(np.mean([len(test) / len(train) for train, test in self.folds]))

    def fit(self, entry: Entry) -> Any:
        """Fit a method to all training rows."""
        with _quiet():
            return entry.candidate.build(self.design, entry.setting).fit(self.train.X, self.train.y)


def _set_up(study: Study, table: Table) -> _Setup:
    schema = infer_schema(
        table, study.target, group=study.group, time=study.time, drop=study.drop, roles=study.role
    )
    problem = build_problem(table, schema, task=study.task, positive=study.positive)
    train_rows, test_rows = lock_test_part(problem, study.test_size, study.seed)
    train, test = problem.part(train_rows), problem.part(test_rows)
    shares = list(class_shares(train)) if train.is_classification else []
    measure, why = choose_measure(study.measure, train.task, shares)
    candidates, notes = choose_candidates(train, study.only, study.skip)
    rungs = plan_rungs(train, study.folds, study.repeats, study.seed)
    if table.n_rows_in_file > table.n_rows:
        notes.append(
            f"The file has {table.n_rows_in_file:,} rows, of which a random sample of "
            f"{table.n_rows:,} was studied."
        )
    design = design_of(train, study.seed)
    return _Setup(problem, train, test, design, candidates, measure, why, rungs, notes)


def _carry_out(
    study: Study, table: Table, setup: _Setup, journal: Journal, jobs: int
) -> tuple[StudyResult, SavedModel]:
    train, test, measure = setup.train, setup.test, setup.measure
    budget = Budget(study.budget, journal.seconds())
    findings = look_over(table, setup.problem, train, test)
    with Progress(study.console, budget, measure) as progress:
        found = _select(setup, train, setup.rungs, "selection", journal, budget, jobs, progress)
        choice = choose(found.standings, setup.ratio).entry
        progress.say("assessing", choice.candidate.name)
        model, baseline = setup.fit(choice), setup.fit(Entry(setup.candidates[0], {}))
        with _quiet():
            assessment, answers = TestSet(test, seed=study.seed).assess(model, baseline, measure)
        predicted = answers if answers.ndim == 1 else np.asarray(model.predict(test.X))
        progress.say("explaining", choice.candidate.name)
        with _quiet():
            explanation = _explain(setup, found, choice, model, predicted, jobs, study.seed)
        nested = _nested(study, setup, journal, budget, jobs, progress) if study.nested else {}
    notes = [*setup.notes, *([] if found.finished else [found.why_stopped])]
    if found.left_behind:
        names = ", ".join(found.left_behind)
        notes.append(f"Too slow for the budget, and not compared to the end: {names}.")
    described = {
        "name": study.name or table.path.name,
        "target": study.target,
        "n_rows": table.n_rows,
        "n_rows_in_file": table.n_rows_in_file,
        "n_features": len(setup.problem.schema.features),
        "columns": [asdict(column) for column in setup.problem.schema.columns],
    }
    result = StudyResult(
        data=described,
        audit=tuple(findings),
        task=train.task,
        measure=measure.name,
        why_measure=setup.why,
        classes=train.classes,
        n_train=len(train.y),
        n_test=len(test.y),
        ranking=tuple(rank(found, setup.ratio)),
        assessment=assessment,
        tried=tuple(_tried(found)),
        explanation=explanation,
        nested=nested,
        notes=tuple(notes),
        answers=_answers(test, predicted),
        command=command_of(study),
        versions=versions(),
        seconds=journal.seconds(),
        model=model,
    )
    return result, _model_to_save(study, setup, choice, result)


def _select(
    setup: _Setup,
    train: Problem,
    rungs: Sequence[Rung],
    stage: str,
    journal: Journal,
    budget: Budget,
    jobs: int,
    progress: Progress,
) -> Search:
    found = search(
        train,
        setup.candidates,
        setup.design,
        setup.measure,
        rungs,
        journal=journal,
        stage=stage,
        budget=budget,
        jobs=jobs,
        watch=progress.watch,
    )
    if len(found.standings) < 2:
        reasons = sorted({each.note for _, _, each in found.tried if each.note})
        raise StudyError(
            f"Every method failed, one with: {reasons[0]}"
            if reasons
            else "The budget did not suffice for one method beside the baseline; raise --budget."
        )
    return found


def _explain(
    setup: _Setup, found: Search, choice: Entry, model: Any, predicted: Array, jobs: int, seed: int
) -> dict[str, Any]:
    train, test, measure, folds = setup.train, setup.test, setup.measure, setup.folds
    fresh = choice.candidate.build(setup.design, choice.setting)
    parts: dict[str, Any] = {
        "learning": explain.learning_curve(fresh, train, folds, measure, jobs, seed),
        "complexity": explain.complexity_curves(found),
        "relevances": explain.relevances(fresh, train, folds, measure, seed),
        "map": explain.data_map(setup.design, train, test, predicted, seed),
        "details": explain.answers_in_detail(model, test, predicted),
    }
    for standing in found.standings:
        if standing.entry.candidate.name == "GMLVQ":
            parts["prototypes"] = explain.prototypes(setup.fit(standing.entry), train)
    return parts


def _nested(
    study: Study, setup: _Setup, journal: Journal, budget: Budget, jobs: int, progress: Progress
) -> dict[str, Any]:
    """Repeat the whole selection in every outer fold and assess each choice there."""
    problem, measure = setup.problem, setup.measure
    folds: list[dict[str, Any]] = []
    for number, (train_rows, test_rows) in enumerate(
        make_folds(problem, OUTER_FOLDS, 1, study.seed + 1)[0], start=1
    ):
        train, test = problem.part(train_rows), problem.part(test_rows)
        rungs = plan_rungs(train, study.folds, study.repeats, study.seed)
        try:
            stage = f"outer fold {number}"
            found = _select(setup, train, rungs, stage, journal, budget, jobs, progress)
        except StudyError:
            return {"folds": folds, "stopped": True}
        choice = choose(found.standings, setup.ratio).entry
        with _quiet():
            model = choice.candidate.build(setup.design, choice.setting).fit(train.X, train.y)
            answers = answers_of(model, test.X, measure, len(test.classes))
        score = measure.score(test.y, answers)
        name = choice.candidate.name
        folds.append({"fold": number, "choice": name, "setting": choice.setting, "score": score})
    scores = [fold["score"] for fold in folds]
    spread = float(np.std(scores, ddof=1))
    return {"folds": folds, "mean": float(np.mean(scores)), "spread": spread, "stopped": False}


def _model_to_save(study: Study, setup: _Setup, choice: Entry, result: StudyResult) -> SavedModel:
    model, rows = result.model, setup.train
    if study.refit:
        with _quiet():
            model = choice.candidate.build(setup.design, choice.setting)
            model.fit(setup.problem.X, setup.problem.y)
    rng = np.random.default_rng(study.seed)
    some = np.sort(rng.choice(len(rows.y), min(BACKGROUND, len(rows.y)), replace=False))
    return SavedModel(
        model,
        rows.schema,
        study.target,
        rows.classes,
        choice.candidate.name,
        result.summary(),
        np.ascontiguousarray(rows.X[some]),
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Fit with one thread, so that bits do not depend on the machine, and without warnings."""
    with warnings.catch_warnings(), threadpool_limits(1), limit_threads(1):
        warnings.simplefilter("ignore")
        yield


def _tried(found: Search) -> list[dict[str, Any]]:
    return [
        {
            "method": entry.candidate.name,
            "setting": dict(entry.setting),
            "rung": rung,
            "mean": float(np.mean(each.scores)) if each.scores else None,
            "scores": list(each.scores),
            "seconds": each.seconds,
            "note": each.note,
        }
        for entry, rung, each in found.tried
    ]


def _answers(test: Problem, predicted: Array) -> dict[str, Any]:
    if not test.classes:
        return {"rows": test.rows, "truth": test.y, "predicted": predicted}
    names = np.array(test.classes, dtype=object)
    return {"rows": test.rows, "truth": names[test.y], "predicted": names[predicted]}
