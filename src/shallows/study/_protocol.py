"""The protocol of a study, step by step: set up, select, assess once, explain."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from shallows._core.numerics.threads import limit_threads
from shallows.data import Table
from shallows.study import _explain as explain
from shallows.study._assess import TestSet
from shallows.study._audit import MUCH_OVERLAP, copied_rows, look_over
from shallows.study._balanced import balance
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate, Design, choose_candidates, design_of
from shallows.study._errors import StudyError
from shallows.study._facts import command_of, digests, versions
from shallows.study._journal import Journal
from shallows.study._markers import words_of
from shallows.study._measures import Measure, answers_of, choose_measure
from shallows.study._model_file import SavedModel
from shallows.study._problem import (
    Array,
    Problem,
    build_problem,
    class_shares,
    lock_test_part,
    make_folds,
    subsample,
)
from shallows.study._progress import Progress
from shallows.study._rank import choose, rank
from shallows.study._result import StudyResult
from shallows.study._roles import infer_schema
from shallows.study._search import Entry, Rung, Search, plan_rungs, search

if TYPE_CHECKING:
    from shallows.study._study import Study

BACKGROUND = 100  # training rows kept beside the model, to explain single answers
OUTER_FOLDS = 5
FEWEST_NEW = 10  # locked rows that training has not seen, to score them


@dataclass(frozen=True)
class Setup:
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


def set_up(study: Study, table: Table) -> Setup:
    """Find roles, lock the test part away, and fix candidates, measure and folds."""
    schema = infer_schema(
        table, study.target, group=study.group, time=study.time, drop=study.drop, roles=study.role
    )
    problem = build_problem(table, schema, task=study.task, positive=study.positive)
    train_rows, test_rows = lock_test_part(problem, study.test_size, study.seed)
    train, test = problem.part(train_rows), problem.part(test_rows)
    shares = list(class_shares(train)) if train.is_classification else []
    measure, why = choose_measure(study.measure, train.task, shares)
    candidates, notes = choose_candidates(train, study.only, study.skip)
    if measure.name == "balanced_accuracy":
        candidates = [balance(candidate) for candidate in candidates]
    rungs = plan_rungs(train, study.folds, study.repeats, study.seed)
    if table.n_rows_in_file > table.n_rows:
        notes.append(
            f"The file has {table.n_rows_in_file:,} rows, of which a random sample of "
            f"{table.n_rows:,} was studied."
        )
    design = design_of(train, study.seed)
    return Setup(problem, train, test, design, candidates, measure, why, rungs, notes)


def carry_out(
    study: Study, table: Table, setup: Setup, journal: Journal, budget: Budget, jobs: int
) -> tuple[StudyResult, SavedModel]:
    """Select on the training part, assess the choice once, and explain it."""
    train, test, measure = setup.train, setup.test, setup.measure
    findings = look_over(table, setup.problem, train, test)
    with Progress(study.console, budget, measure) as progress:
        found = _select(setup, train, setup.rungs, "selection", journal, budget, jobs, progress)
        choice = choose(found.standings, setup.ratio).entry
        progress.say("assessing", choice.candidate.name)
        model, baseline = setup.fit(choice), setup.fit(Entry(setup.candidates[0], {}))
        locked = TestSet(test, seed=study.seed, n_before=journal.assessed_before(choice.key))
        with _quiet():
            assessment, answers = locked.assess(model, baseline, measure)
        predicted = answers if answers.ndim == 1 else np.asarray(model.predict(test.X))
        progress.say("explaining", choice.candidate.name)
        with _quiet():
            explanation, skipped = _explain(
                setup, found, choice, model, predicted, budget, jobs, study.seed
            )
        nested = _nested(study, setup, journal, budget, jobs, progress) if study.nested else {}
    notes = [*setup.notes, *_without_copies(table, setup, answers)]
    notes += [] if found.finished else [found.why_stopped]
    if assessment.n_assessments > 1:
        notes.append(
            f"The locked rows have assessed {assessment.n_assessments} choices, since the study "
            "was stopped and resumed; a score picked from several is optimistic."
        )
    if found.left_behind:
        names = ", ".join(found.left_behind)
        text = f"Too slow for the budget, and not compared to the end: {names}."
        if found.were_ahead:
            text += f" Until then {' and '.join(found.were_ahead)} did best: raise --budget."
        notes.append(text)
    if skipped:
        notes.append(
            f"Left out, since the budget was spent: {', '.join(skipped)}. Raise --budget to see it."
        )
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
        answers=_answers(table, test, predicted, answers),
        command=command_of(study),
        versions=versions(),
        seconds=journal.seconds(),
    )
    fitted = _with_columns(study, setup, choice, model, result.summary())
    if not study.refit:
        return replace(result, model=fitted), fitted
    whole = replace(fitted, model=_refitted(setup, choice))
    return replace(result, model=fitted), whole


def _without_copies(table: Table, setup: Setup, answers: Array) -> list[str]:
    """Say what the choice reaches on locked rows that training has not seen, if many it has."""
    test, measure = setup.test, setup.measure
    copied = copied_rows(table, setup.train, test)
    others = np.setdiff1d(np.arange(len(test.y)), copied)
    if len(copied) <= MUCH_OVERLAP * len(test.y):
        return []
    if len(others) < FEWEST_NEW or len(np.unique(test.y[others])) < 2:
        return ["Hardly a locked row differs from all training rows: the test tells little."]
    reached = measure.say(measure.score(test.y[others], answers[others]))
    return [
        f"{len(copied):,} of the {len(test.y):,} locked rows are also training rows; on the "
        f"{len(others):,} others the choice reaches {reached} {measure.title}."
    ]


def _select(
    setup: Setup,
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
            if reasons and found.finished
            else "The budget did not suffice for one method beside the baseline; raise --budget."
        )
    return found


def _explain(
    setup: Setup,
    found: Search,
    choice: Entry,
    model: Any,
    predicted: Array,
    budget: Budget,
    jobs: int,
    seed: int,
) -> tuple[dict[str, Any], list[str]]:
    """Return all that a report draws, and the names of what there was no time for."""
    train, test, measure, folds = setup.train, setup.test, setup.measure, setup.folds
    fresh = choice.candidate.build(setup.design, choice.setting)
    parts: dict[str, Any] = {
        "complexity": explain.complexity_curves(found),
        "map": explain.data_map(setup.design, train, test, predicted, seed),
        "details": explain.answers_in_detail(model, test, predicted),
        "learning": [],
        "relevances": [],
    }
    skipped = []
    if budget.is_spent:
        skipped.append("what each column is worth")
    else:
        parts["relevances"] = explain.relevances(fresh, train, folds, measure, seed)
    if len(train.y) >= explain.MANY_ROWS:
        parts["learning"] = explain.curve_of_rungs(found, choice, setup.rungs)
    elif budget.is_spent:
        skipped.append("the learning curve")
    else:
        parts["learning"] = explain.learning_curve(fresh, train, folds, measure, jobs, seed)
    for entry in (standing.entry for standing in found.standings):
        if entry.candidate.name != "GMLVQ":
            continue
        if entry is choice:
            parts["prototypes"] = explain.prototypes(model, train)
        elif budget.is_spent:
            skipped.append("the prototypes of GMLVQ")
        else:
            few = train
            if len(train.y) > explain.MANY_ROWS:
                few = train.part(subsample(train, explain.MANY_ROWS, seed))
            fitted = entry.candidate.build(setup.design, entry.setting).fit(few.X, few.y)
            parts["prototypes"] = explain.prototypes(fitted, train)
    return parts, skipped


def _nested(
    study: Study, setup: Setup, journal: Journal, budget: Budget, jobs: int, progress: Progress
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


def _refitted(setup: Setup, choice: Entry) -> Any:
    """Fit a method to all rows, those of the test part too."""
    whole = setup.problem
    if whole.order is not None:
        whole = whole.part(np.argsort(whole.order, kind="stable"))
    with _quiet():
        return choice.candidate.build(setup.design, choice.setting).fit(whole.X, whole.y)


def _with_columns(
    study: Study, setup: Setup, choice: Entry, model: Any, summary: str
) -> SavedModel:
    """Return a fitted model with what it must know of the table to answer new rows."""
    rows = setup.train
    if rows.order is not None:
        some = np.arange(max(0, len(rows.y) - BACKGROUND), len(rows.y))
    else:
        rng = np.random.default_rng(study.seed)
        some = np.sort(rng.choice(len(rows.y), min(BACKGROUND, len(rows.y)), replace=False))
    return SavedModel(
        model,
        rows.schema,
        study.target,
        rows.classes,
        choice.candidate.name,
        summary,
        np.ascontiguousarray(rows.X[some]),
        missing=words_of(study.missing),
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


def _answers(table: Table, test: Problem, predicted: Array, scored: Array) -> dict[str, Any]:
    """Return what two studies of the same rows are compared by."""
    truth = test.y
    if test.classes:
        names = np.array(test.classes, dtype=object)
        truth, predicted = names[truth], names[predicted]
    found = {"rows": test.rows, "truth": truth, "predicted": predicted}
    if scored.ndim == 2:
        found["chances"] = scored
    if test.groups is not None:
        found["groups"] = test.groups
    return {**found, "digests": digests(table, test.rows)}
