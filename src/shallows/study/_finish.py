"""The end of a study: fit the choice to the training rows and to all rows, in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shallows.study._balanced import Balanced
from shallows.study._budget import Budget
from shallows.study._candidates import Candidate
from shallows.study._evidence import Seen
from shallows.study._fits import Entry, fit_whole
from shallows.study._measures import Measure
from shallows.study._prepare import Design
from shallows.study._problem import Problem
from shallows.study._together import Recipe, alone
from shallows.study._workers import Failure, open_workers

TRAINED, WHOLE = "training rows", "all rows"
LAST_SECONDS = 0.45  # share of the report's time that late fits may use up


@dataclass(frozen=True)
class Fitted:
    """The choice fitted to the training rows, and to all rows where there was time.

    `recipe` is what was fitted: the choice, or what was left of it, or the quick method.
    """

    recipe: Recipe
    trained: Any
    whole: Any | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parts:
    """Problems that models are fitted to."""

    problem: Mapping[str, Problem]
    design: Design
    candidates: Mapping[str, Candidate]
    rungs: tuple[Any, ...] = ()


def fit_choice(
    recipe: Recipe,
    net: Seen,
    parts: Parts,
    measure: Measure,
    budget: Budget,
    jobs: int,
    cluster: Any,
    refit: bool,
) -> Fitted:
    """Fit all members to both sets of rows, side by side; leave out what would come too late.

    `net` is a quick method, fitted first where the time is short, so that there is a model.
    """
    models = _fit_members(recipe, net, parts, budget, jobs, cluster, refit)
    trained = _assembled(recipe, models, TRAINED, parts, measure)
    notes: list[str] = []
    if trained is None:
        recipe = alone(net)
        trained = _assembled(recipe, models, TRAINED, parts, measure)
        notes.append(
            "There was no time to fit the strongest method to all training rows; the model is a "
            "quick one. Raise --budget."
        )
    if trained is None:
        model = _fit_here(net.entry, parts)
        trained = _finished(recipe, [model], [net], parts.problem[TRAINED], parts, measure)
    whole = None
    if refit:
        found = _assembled(recipe, models, WHOLE, parts, measure, complete=True)
        whole = None if found is None else found[0]
        if found is None:
            notes.append(
                "There was no time to fit the choice to all rows; the saved model has learned "
                "from the training rows only."
            )
    model, kept = trained
    if len(kept.members) < len(recipe.members):
        left = len(recipe.members) - len(kept.members)
        notes.append(f"{left} of the blend's methods came too late and were left out.")
    return Fitted(kept, model, whole, tuple(notes))


def _fit_members(
    recipe: Recipe,
    net: Seen,
    parts: Parts,
    budget: Budget,
    jobs: int,
    cluster: Any,
    refit: bool,
) -> dict[tuple[str, Any], Any]:
    members = sorted(zip(recipe.weights, recipe.members, strict=True), key=lambda pair: -pair[0])
    entries = [member.entry for _, member in members]
    tasks = [(TRAINED, entry) for entry in entries]
    if budget.is_limited and net.entry not in entries:
        tasks.insert(0, (TRAINED, net.entry))
    if refit:
        tasks += [(WHOLE, entry) for entry in entries]
    found: dict[tuple[str, Any], Any] = {}
    with open_workers(parts, jobs, cluster) as workers:
        while tasks or workers.running():
            left = budget.left - (1 - LAST_SECONDS) * budget.for_report
            if left <= 0:
                break
            while tasks and workers.running() < workers.size:
                part, entry = tasks.pop(0)
                arguments = (part, entry.candidate.name, entry.setting)
                workers.submit((part, entry.key), fit_whole, *arguments)
            for key, result in workers.wait(None if left == np.inf else min(left, 0.25)):
                if not isinstance(result, Failure):
                    found[key] = result[0]
    return found


def _fit_here(entry: Entry, parts: Parts) -> Any:
    problem = parts.problem[TRAINED]
    model = parts.candidates[entry.candidate.name].build(parts.design, entry.setting)
    return model.fit(problem.X, problem.y)


def _assembled(
    recipe: Recipe,
    models: Mapping[tuple[str, Any], Any],
    part: str,
    parts: Parts,
    measure: Measure,
    complete: bool = False,
) -> tuple[Any, Recipe] | None:
    """Return the model of the members that were fitted, None where that is none of them."""
    there = [(part, member.entry.key) in models for member in recipe.members]
    if not any(there) or (complete and not all(there)):
        return None
    members = [m for m, fitted in zip(recipe.members, there, strict=True) if fitted]
    fitted = [models[part, member.entry.key] for member in members]
    kept = recipe
    if not all(there):
        weights = recipe.weights[there] * recipe.weights.sum() / recipe.weights[there].sum()
        kept = replace(recipe, members=tuple(members), weights=weights)
    return _finished(kept, fitted, members, parts.problem[part], parts, measure)


def _finished(
    recipe: Recipe,
    fitted: list[Any],
    members: list[Seen],
    problem: Problem,
    parts: Parts,
    measure: Measure,
) -> tuple[Any, Recipe]:
    unfitted = [
        parts.candidates[m.entry.candidate.name].build(parts.design, m.entry.setting)
        for m in members
    ]
    model = recipe.model(fitted, unfitted)
    if measure.name == "balanced_accuracy":
        model = Balanced(model).filled(model, problem.y)
    return model, recipe
