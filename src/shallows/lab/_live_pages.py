"""The pages of the server: what there is, a form, a run on its way, and what it found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shallows._core.contract.registry import Entry
from shallows.lab._assets import address
from shallows.lab._declaration import Declaration
from shallows.lab._docstring import parse_docstring
from shallows.lab._form import Reading, as_text, fields
from shallows.lab._page import template
from shallows.lab._playground import PlayDeclaration
from shallows.lab._runs import Job
from shallows.lab._synonyms import with_synonyms

MOST_ROWS = 50  # of a table on the page; all are in its CSV


def start_page(
    entries: Iterable[Entry], playgrounds: Iterable[Entry], jobs: Sequence[Job], query: str
) -> str:
    """Return the page of all there is; what lacks a word of the query is hidden."""
    newest = {job.entry.name: job for job in sorted(jobs, key=_telling)}
    entries, playgrounds = list(entries), list(playgrounds)
    words = search_words([*entries, *playgrounds]) if query.strip() else {}

    def found(entry: Entry) -> bool:
        return all(word in words[key_of(entry)] for word in query.lower().split())

    chapters: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        card = {"entry": entry, "found": found(entry), "job": newest.get(entry.name)}
        chapters.setdefault(entry.module.split(".")[-2], []).append(card)
    results = [job.result for job in newest.values() if job.result]
    verdicts = [claim.holds for result in results for claim in result.claims]
    return _render(
        "start.html",
        playgrounds=[{"entry": entry, "found": found(entry)} for entry in playgrounds],
        chapters=dict(sorted(chapters.items())),
        found=any(map(found, [*entries, *playgrounds])),
        claims=len(verdicts),
        held=sum(verdicts),
        active=[job for job in jobs if job.active],
        query=query,
    )


def search_words(entries: Iterable[Entry]) -> dict[str, str]:
    """Return for each entry the text in which a search looks, in lower case, with synonyms."""
    found = {}
    for entry in entries:
        chapter = entry.module.split(".")[-2]
        parts = [entry.summary, entry.name, chapter, parse_docstring(entry.text).text]
        found[key_of(entry)] = with_synonyms(" ".join(" ".join(parts).lower().split()))
    return found


def key_of(entry: Entry) -> str:
    """Return the path of an entry's page, by which a search finds its card."""
    return f"/{'play' if entry.kind == 'playground' else 'experiments'}/{entry.name}"


def play_page(declared: PlayDeclaration) -> str:
    """Return the page of a playground, which its script fills."""
    return _render("play.html", play=declared)


def experiment_page(
    experiment: Declaration,
    typed: Mapping[str, str],
    reading: Reading,
    jobs: Sequence[Job],
    problem: str = "",
) -> str:
    """Return the page of an experiment: text, form with what was typed, and earlier runs."""
    strangers = [text for name, text in reading.errors.items() if name not in experiment.parameters]
    messages = [*strangers, problem] if problem else strangers
    form = _form(experiment, typed, reading.errors, messages)
    return _render("experiment.html", form, jobs=list(reversed(jobs)))


def run_page(experiment: Declaration, job: Job, ahead: int) -> str:
    """Return the page of a run, whatever its state."""
    typed = {name: as_text(value) for name, value in job.parameters.items()}
    form = _form(experiment, typed, {}, [])
    if job.result is None:
        return _render("active.html", form, job=job, ahead=ahead)
    figures = [{"address": f"/runs/{job.id}/figures/{i}"} for i in range(len(job.result.figures))]
    shown = {"result": job.result, "figures": figures, "most_rows": MOST_ROWS}
    return _render("run.html", form, **shown, job=job, layout="live.html")


def progress_part(job: Job, ahead: int) -> str:
    """Return the part of a run's page that says how far it is."""
    return _render("progress.html", job=job, ahead=ahead)


def problem_page(title: str, message: str) -> str:
    """Return a page that says what went wrong."""
    return _render("problem.html", title=title, message=message)


def _render(name: str, values: Mapping[str, Any] | None = None, **more: Any) -> str:
    return template(name).render(values or {}, **more, assets=address())


def _form(
    experiment: Declaration,
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    messages: Sequence[str],
) -> dict[str, Any]:
    return {
        "experiment": experiment,
        "fields": fields(experiment, typed, errors),
        "messages": messages,
        "quick": {name: as_text(value) for name, value in experiment.quick.items()},
    }


def _telling(job: Job) -> tuple[bool, bool]:
    """Rank what a card shows last and so for good: a run on its way, else claims, else the end."""
    return job.active, job.result is not None
