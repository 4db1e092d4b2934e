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
from shallows.study._balanced import Balanced
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate, choose_candidates, design_of
from shallows.study._errors import StudyError
from shallows.study._evidence import Evidence, Seen, gather
from shallows.study._facts import command_of, digests, versions
from shallows.study._finding import Finding
from shallows.study._finish import TRAINED, WHOLE, Fitted, Parts, fit_choice
from shallows.study._fits import Entry, Shared, answer_fold, raw_answers
from shallows.study._journal import Evaluation
from shallows.study._markers import words_of
from shallows.study._measures import Measure, answers_of, choose_measure
from shallows.study._model_file import SavedModel
from shallows.study._prepare import Design
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
from shallows.study._rank import Choice, Standing, choose, rank
from shallows.study._result import StudyResult
from shallows.study._roles import infer_schema
from shallows.study._rungs import Rung, plan_rungs
from shallows.study._schedule import Schedule
from shallows.study._search import Search, entries_of, loss_on, search
from shallows.study._together import Recipe, together
from shallows.study._verdict import judge
from shallows.study._workers import Failure, open_workers, run

if TYPE_CHECKING:
    from shallows.study._session import Session
    from shallows.study._study import Study

BACKGROUND = 100  # training rows kept beside the model, to explain single answers
OUTER_FOLDS = 5
FEWEST_NEW = 10  # locked rows that training has not seen, to score them
NET_SHARE = 0.3  # of what is left, that a quick method may take
NET_ROWS = 1000


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
    def by_name(self) -> dict[str, Candidate]:
        """The candidates by their names."""
        return {candidate.name: candidate for candidate in self.candidates}

    def parts(self) -> Parts:
        """Return the problems that the choice is fitted to."""
        whole = self.problem
        if whole.order is not None:
            whole = whole.part(np.argsort(whole.order, kind="stable"))
        return Parts({TRAINED: self.train, WHOLE: whole}, self.design, self.by_name)


@dataclass(frozen=True)
class Selection:
    """What the comparison of methods came to."""

    search: Search
    evidence: Evidence
    choice: Choice


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
    rungs = plan_rungs(train, study.folds, study.repeats, study.seed)
    if table.n_rows_in_file > table.n_rows:
        notes.append(
            f"The file has {table.n_rows_in_file:,} rows, of which a random sample of "
            f"{table.n_rows:,} was studied."
        )
    design = design_of(train, study.seed)
    return Setup(problem, train, test, design, candidates, measure, why, rungs, notes)


def carry_out(
    study: Study, table: Table, setup: Setup, session: Session
) -> tuple[StudyResult, SavedModel]:
    """Select on the training part, assess the choice once, and explain it."""
    train, test, measure, budget = setup.train, setup.test, setup.measure, session.budget
    with (
        open_workers((table, setup.problem, train, test), 1) as auditor,
        Progress(study.console, budget, measure) as progress,
    ):
        auditor.submit("audit", _look_over)
        found = select(setup, train, "selection", session, progress)
        choice = found.choice
        chosen = choice.simplest if study.simple else choice.strongest
        progress.say("fitting", chosen.name)
        net = _net(found.evidence, budget)
        with quiet():
            fitted = fit_choice(
                chosen.recipe,
                net,
                setup.parts(),
                measure,
                budget,
                session.jobs,
                session.client,
                study.refit,
            )
        chosen = _as_fitted(choice, chosen, fitted.recipe)
        progress.say("assessing", chosen.name)
        n_before = session.journal.assessed_before((chosen.name, _key_of(fitted.recipe)))
        locked = TestSet(test, seed=study.seed, n_before=n_before)
        baseline = _constant(setup, found.evidence)
        with quiet():
            assessment, answers = locked.assess(fitted.trained, baseline, measure)
            raw = raw_answers(fitted.trained, test.X, len(test.classes))
            verdict = judge(
                found.evidence,
                chosen.recipe,
                train,
                test,
                raw,
                raw_answers(baseline, test.X, len(test.classes)),
                measure,
                study.seed,
            )
        predicted = answers if answers.ndim == 1 else np.asarray(fitted.trained.predict(test.X))
        progress.say("explaining", chosen.name)
        with quiet():
            explanation, skipped = _explain(setup, found, fitted, predicted, session, study.seed)
        nested = _nested(study, setup, session, progress) if study.nested else {}
        findings, more = _findings(auditor, budget)
    assessment = replace(assessment, verdict=verdict)
    notes = [*setup.notes, *more, *_without_copies(setup, findings, answers), *fitted.notes]
    notes += _notes(setup, found, assessment.n_assessments, skipped)
    session.journal.spend(budget.spent)
    result = StudyResult(
        data=_described(study, table, setup),
        audit=tuple(finding for finding in findings if isinstance(finding, Finding)),
        task=train.task,
        measure=measure.name,
        why_measure=setup.why,
        classes=train.classes,
        n_train=len(train.y),
        n_test=len(test.y),
        ranking=tuple(rank(choice, found.evidence, measure, chosen)),
        assessment=assessment,
        tried=tuple(_tried(found.search)),
        explanation=explanation,
        nested=nested,
        notes=tuple(notes),
        answers=_answers(table, test, predicted, answers),
        command=command_of(study),
        versions=versions(),
        seconds=session.journal.fitting_seconds(),
    )
    saved = _with_columns(study, setup, chosen.name, fitted.trained, result.summary())
    whole = saved if fitted.whole is None else replace(saved, model=fitted.whole)
    return replace(result, model=saved), whole


def select(
    setup: Setup, train: Problem, stage: str, session: Session, progress: Progress
) -> Selection:
    """Search among the methods, and order those that lasted."""
    budget, measure = session.budget, setup.measure
    rungs = setup.rungs if train is setup.train else session.plan(train)
    shared = Shared(train, setup.design, rungs, setup.by_name)
    entries = entries_of(setup.candidates)
    schedule = Schedule(
        entries,
        rungs,
        train.task,
        lambda rung, found: loss_on(shared, rung, found, measure),
        budget,
        len(train.y),
        session.jobs,
    )
    with quiet(), open_workers(shared, session.jobs, session.client) as workers:
        found = search(
            shared,
            schedule,
            workers,
            measure=measure,
            journal=session.journal,
            stage=stage,
            budget=budget,
            watch=progress.watch,
        )
    if not any(e.answers for entry, _, e in found.tried if not entry.is_constant):
        reasons = sorted({each.note for _, _, each in found.tried if each.note})
        if reasons and found.finished:
            raise StudyError(f"Every method failed, one with: {reasons[0]}")
        if found.interrupted:
            raise KeyboardInterrupt
        found, shared = _at_least(found, shared, entries, measure, session.seed)
    with quiet():
        evidence = gather(shared, found.results, entries, measure)
    seconds = {
        seen.entry.key: schedule.foreseen(seen.entry, len(train.y)) for seen in evidence.seen
    }
    left = budget.left_to_search

    def affordable(members: Sequence[Seen]) -> bool:
        fits = [seconds[member.entry.key] for member in members]
        return 2.3 * max(sum(fits) / session.jobs, max(fits) / 2) <= left

    with quiet():
        blend = together(evidence, measure, affordable)
    return Selection(found, evidence, choose(evidence, blend))


def _at_least(
    found: Search, shared: Shared, entries: list[Entry], measure: Measure, seed: int
) -> tuple[Search, Shared]:
    """Evaluate the constant and the simplest method on few rows: all that there is time for."""
    train, test = shared.rungs[0].splits[0]
    rng = np.random.default_rng(seed)
    some = np.sort(rng.permutation(train)[:NET_ROWS]) if len(train) > NET_ROWS else train
    rung = Rung(f"{len(some):,} rows", ((some, test),), full=False)
    few = replace(shared, rungs=[rung])
    results, order = {}, []
    for name in list(shared.candidates)[:3]:
        entry = next(entry for entry in entries if entry.candidate.name == name)
        with quiet():
            answer = run(answer_fold, few, name, entry.setting, 0, 0)
        if not isinstance(answer, Failure):
            results[entry.key, 0] = Evaluation((), (answer.answers,), answer.seconds)
            order.append((entry, 0))
    if sum(not entry.is_constant for entry, _ in order) < 1:
        raise StudyError("The budget did not suffice for one method; raise --budget.")
    return Search(results, tuple(order), False, found.interrupted), few


def _net(evidence: Evidence, budget: Budget) -> Seen:
    """Return the best method that is sure to be fitted in time."""
    methods = [seen for seen in evidence.seen if not seen.entry.is_constant]
    quick = [seen for seen in methods if 2 * seen.seconds < NET_SHARE * budget.left]
    if not quick:
        return min(methods, key=lambda seen: seen.seconds)
    return min(quick, key=lambda seen: seen.loss)


def _as_fitted(choice: Choice, chosen: Standing, recipe: Recipe) -> Standing:
    """Return the standing of what was fitted in the end, which time may have made another one."""
    if len(recipe.members) > 1 or chosen.recipe.members == recipe.members:
        return chosen
    name = recipe.members[0].entry.candidate.name
    return next(each for each in choice.standings if each.name == name)


def _key_of(recipe: Recipe) -> str:
    return "; ".join(" ".join(member.entry.key) for member in recipe.members)


def _constant(setup: Setup, evidence: Evidence) -> Any:
    """Return the method that always gives the same answer, fitted to the training rows."""
    train = setup.train
    entry = evidence.constant.entry
    model = entry.candidate.build(setup.design, entry.setting).fit(train.X, train.y)
    if setup.measure.name == "balanced_accuracy":
        return Balanced(model).filled(model, train.y)
    return model


def _look_over(shared: Any) -> tuple[list[Finding], Array]:
    """Look at the data; it runs beside the fits."""
    table, problem, train, test = shared
    return look_over(table, problem, train, test), copied_rows(table, train, test)


def _findings(auditor: Any, budget: Budget) -> tuple[list[Any], list[str]]:
    """Return findings and copied rows of the audit, or say that it was not done."""
    left = max(0.05, budget.left - 0.4 * budget.for_report)
    for _, result in auditor.wait(None if left == np.inf else left):
        if isinstance(result, Failure):
            raise StudyError(f"The look at the data failed: {result.reason}.")
        return [*result[0], result[1]], []
    return [], ["There was no time to look the data over; raise --budget."]


def _without_copies(setup: Setup, findings: list[Any], answers: Array) -> list[str]:
    """Say what the choice reaches on locked rows that training has not seen, if many it has."""
    test, measure = setup.test, setup.measure
    copied = next((each for each in findings if not isinstance(each, Finding)), np.zeros(0, int))
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


def _notes(setup: Setup, found: Selection, n_assessments: int, skipped: list[str]) -> list[str]:
    """Say what was not done and what that means."""
    notes = []
    if not found.search.finished:
        cause = "interrupted" if found.search.interrupted else "stopped by its budget"
        tried = {entry.candidate.name for entry, _ in found.search.order}
        there = {seen.entry.candidate.name for seen in found.evidence.seen}
        text = (
            f"The study was {cause} before its end; methods are compared on "
            f"“{found.evidence.title}”."
        )
        never = [c.name for c in setup.candidates if c.name not in tried]
        behind = [c.name for c in setup.candidates if c.name in tried - there]
        if never:
            text += f" Not tried: {', '.join(never)}."
        if behind:
            text += f" Begun and not compared to the end: {', '.join(behind)}."
        notes.append(text)
    if n_assessments > 1:
        notes.append(
            f"The locked rows have assessed {n_assessments} choices, since the study "
            "was stopped and resumed; a score picked from several is optimistic."
        )
    if skipped:
        notes.append(
            f"Left out, since the budget was spent: {', '.join(skipped)}. Raise --budget to see it."
        )
    return notes


def _described(study: Study, table: Table, setup: Setup) -> dict[str, Any]:
    return {
        "name": study.name or table.path.name,
        "target": study.target,
        "n_rows": table.n_rows,
        "n_rows_in_file": table.n_rows_in_file,
        "n_features": len(setup.problem.schema.features),
        "columns": [asdict(column) for column in setup.problem.schema.columns],
    }


def _explain(
    setup: Setup,
    found: Selection,
    fitted: Fitted,
    predicted: Array,
    session: Session,
    seed: int,
) -> tuple[dict[str, Any], list[str]]:
    """Return all that a report draws, and the names of what there was no time for."""
    train, test, measure, budget = setup.train, setup.test, setup.measure, session.budget
    model = fitted.trained
    parts: dict[str, Any] = {
        "complexity": explain.complexity_curves(found.search),
        "map": {},
        "details": explain.answers_in_detail(model, test, predicted),
        "learning": [],
        "relevances": [],
    }
    skipped = []
    spare = budget.left - 0.5 * budget.for_report
    if spare > 0.1:
        parts["relevances"] = explain.relevances(model, test, measure, seed, 0.5 * spare)
    if not parts["relevances"]:
        skipped.append("what each column is worth")
    if budget.left > 0.4 * budget.for_report:
        parts["map"] = explain.data_map(setup.design, train, test, predicted, seed)
    else:
        skipped.append("the map of the data")
    entry = fitted.recipe.members[0].entry
    if len(train.y) >= explain.MANY_ROWS:
        parts["learning"] = explain.curve_of_rungs(found.search, entry, setup.rungs)
    elif not budget.is_limited:
        splits = next(rung for rung in setup.rungs if rung.title == "all rows").splits
        fresh = entry.candidate.build(setup.design, entry.setting)
        parts["learning"] = explain.learning_curve(fresh, train, splits, measure, session, seed)
    else:
        skipped.append("the learning curve")
    for member in fitted.recipe.members:
        if member.entry.candidate.name == "GMLVQ":
            place = fitted.recipe.members.index(member)
            parts["prototypes"] = explain.prototypes(_member(model, place), train)
    standing = next((each for each in found.choice.standings if each.name == "GMLVQ"), None)
    if standing is not None and "prototypes" not in parts and not budget.is_limited:
        few = train
        if len(train.y) > explain.MANY_ROWS:
            few = train.part(subsample(train, explain.MANY_ROWS, seed))
        entry = standing.recipe.members[0].entry
        learner = entry.candidate.build(setup.design, entry.setting).fit(few.X, few.y)
        parts["prototypes"] = explain.prototypes(learner, train)
    return parts, skipped


def _member(model: Any, place: int) -> Any:
    model = model.estimator_ if isinstance(model, Balanced) else model
    return model.estimators_[place] if hasattr(model, "estimators_") else model


def _nested(study: Study, setup: Setup, session: Session, progress: Progress) -> dict[str, Any]:
    """Repeat the whole selection in every outer fold and assess each choice there."""
    problem, measure = setup.problem, setup.measure
    folds: list[dict[str, Any]] = []
    for number, (train_rows, test_rows) in enumerate(
        make_folds(problem, OUTER_FOLDS, 1, study.seed + 1)[0], start=1
    ):
        train, test = problem.part(train_rows), problem.part(test_rows)
        if session.budget.left_to_search <= 0:
            return {"folds": folds, "stopped": True}
        found = select(setup, train, f"outer fold {number}", session, progress)
        chosen = found.choice.simplest if study.simple else found.choice.strongest
        parts = Parts({TRAINED: train}, setup.design, setup.by_name)
        net = _net(found.evidence, session.budget)
        with quiet():
            fitted = fit_choice(
                chosen.recipe,
                net,
                parts,
                measure,
                session.budget,
                session.jobs,
                session.client,
                False,
            )
            answers = answers_of(fitted.trained, test.X, measure, len(test.classes))
        score = measure.score(test.y, answers)
        folds.append(
            {"fold": number, "choice": chosen.name, "setting": chosen.setting, "score": score}
        )
    scores = [fold["score"] for fold in folds]
    spread = float(np.std(scores, ddof=1))
    return {"folds": folds, "mean": float(np.mean(scores)), "spread": spread, "stopped": False}


def _with_columns(study: Study, setup: Setup, name: str, model: Any, summary: str) -> SavedModel:
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
        name,
        summary,
        np.ascontiguousarray(rows.X[some]),
        missing=words_of(study.missing),
    )


@contextmanager
def quiet() -> Iterator[None]:
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
