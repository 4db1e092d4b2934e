"""The web application of the lab: addresses and what stands there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from contextlib import asynccontextmanager
from threading import Thread
from urllib.parse import parse_qsl, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shallows._core.contract.registry import Entry
from shallows._core.showing.figures import Drawing
from shallows.lab._assets import address, find_asset
from shallows.lab._failure import Failure
from shallows.lab._form import read
from shallows.lab._guard import Guard
from shallows.lab._lab import ImportFailedError, Lab
from shallows.lab._live_pages import (
    experiment_page,
    play_page,
    problem_page,
    progress_part,
    run_page,
    search_words,
    start_page,
)
from shallows.lab._result import Result
from shallows.lab._runs import Job, QueueFullError, Runs

MOST_BYTES = 8192
MOST_FIELDS = 100
PATIENCE_SECONDS = 0.5  # for a short run, which then needs no page of its progress
FIGURE_KINDS = {"json": "application/json", "png": "image/png", "svg": "image/svg+xml"}


def application(
    entries: Iterable[Entry], runs: Runs, playgrounds: Iterable[Entry] = ()
) -> Starlette:
    """Return the application that serves these experiments.

    Parameters
    ----------
    entries : iterable of Entry
        The only experiments that it runs.
    runs : Runs
        Starts and keeps the runs; closed when the application ends.
    playgrounds : iterable of Entry
        The only playgrounds that it offers.

    Returns
    -------
    starlette.applications.Starlette
        For a server such as uvicorn.
    """
    lab = Lab(entries, runs, playgrounds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        Thread(target=lab.warm, daemon=True).start()
        yield
        await run_in_threadpool(lab.close)

    app = Starlette(
        routes=[
            Route("/", _start),
            Route("/search.json", _search),
            Route("/experiments/{name}", _experiment),
            Route("/experiments/{name}", _start_run, methods=["POST"]),
            Route("/play/{name}", _playground),
            Route("/play/{name}/scene", _scene),
            Route("/assets/{version}/{path:path}", _asset),
            Route("/runs/{id}", _run),
            Route("/runs/{id}/progress", _progress),
            Route("/runs/{id}/figures/{place:int}.{ending}", _figure),
            Route("/runs/{id}/cancel", _cancel, methods=["POST"]),
            Route("/runs/{id}/result.json", _json),
            Route("/runs/{id}/tables/{table:path}", _csv),
        ],
        middleware=[Middleware(Guard), Middleware(GZipMiddleware, compresslevel=5)],
        exception_handlers={
            HTTPException: _refused,
            ClientDisconnect: _abandoned,
            ImportFailedError: _not_imported,
            Exception: _broken,
        },
        lifespan=lifespan,
    )
    app.state.lab = lab
    return app


async def _start(request: Request) -> Response:
    lab = _lab(request)
    query = request.query_params.get("q", "")
    return await _send(
        request,
        ("/", query, lab.runs.version),
        lambda: start_page(lab.entries.values(), lab.playgrounds.values(), lab.runs.all(), query),
    )


async def _search(request: Request) -> Response:
    """Send the words by which the search field finds experiments."""
    lab = _lab(request)
    entries = [*lab.entries.values(), *lab.playgrounds.values()]
    answer = await _send(request, "search", lambda: json.dumps(search_words(entries)))
    answer.headers["Content-Type"] = "application/json"
    return answer


async def _experiment(request: Request) -> Response:
    lab, entry = _lab(request), _entry(request)
    typed = dict(request.query_params)

    def write() -> str:
        experiment = lab.declaration(entry)
        reading = read(experiment, typed)
        return experiment_page(experiment, typed, reading, lab.jobs_of(entry))

    return await _send(request, (entry.name, *typed.items(), lab.runs.version), write)


async def _start_run(request: Request) -> Response:
    """Start a run and lead to its page, or back to the form that says what is wrong."""
    typed = await _typed(request)
    return await run_in_threadpool(_start_typed, request, typed)


def _start_typed(request: Request, typed: dict[str, str]) -> Response:
    lab, entry = _lab(request), _entry(request)
    experiment = lab.declaration(entry)
    reading = read(experiment, typed)
    if reading.errors:
        return RedirectResponse(f"/experiments/{entry.name}?{urlencode(typed)}", 303)
    try:
        job = lab.runs.start(entry, reading.values)
    except QueueFullError as error:
        jobs = lab.jobs_of(entry)
        return HTMLResponse(experiment_page(experiment, typed, reading, jobs, str(error)), 503)
    lab.runs.wait(job.id, PATIENCE_SECONDS)
    return RedirectResponse(f"/runs/{job.id}", 303)


async def _playground(request: Request) -> Response:
    """Send the page of a playground; its script reads the state from the address."""
    lab, entry = _lab(request), _playground_entry(request)
    key = ("play", entry.name)
    return await _send(request, key, lambda: play_page(lab.play_declaration(entry)))


def _scene(request: Request) -> Response:
    """Send what a playground draws for the state in the address."""
    entry = _playground_entry(request)
    answer = _lab(request).play(entry.name, dict(request.query_params))
    headers = {"Cache-Control": "no-store"}
    if isinstance(answer, Failure):
        return JSONResponse({"error": answer.message}, 500, headers)
    return Response(answer, headers=headers, media_type="application/json")


def _asset(request: Request) -> Response:
    """Send a file that never changes: another content has another address."""
    found = find_asset(request.path_params["path"])
    if found is None or not request.url.path.startswith(f"{address()}/"):
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(found.content, headers=headers, media_type=found.kind)
    headers["Content-Encoding"] = "gzip"
    return Response(found.compressed, headers=headers, media_type=found.kind)


async def _run(request: Request) -> Response:
    lab, job = _lab(request), _job(request)

    def write() -> str:
        return run_page(lab.declaration(job.entry), job, lab.ahead_of(job))

    if job.active:
        return HTMLResponse(await run_in_threadpool(write))
    return await _send(request, job.id, write)


def _figure(request: Request) -> Response:
    """Send a figure of a run, which never changes, as data or as a picture."""
    figures, place = _result(request).figures, request.path_params["place"]
    ending = request.path_params["ending"]
    if place >= len(figures) or ending not in FIGURE_KINDS:
        raise HTTPException(404)
    content = _draw(figures[place], ending)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(content, headers=headers, media_type=FIGURE_KINDS[ending])


def _progress(request: Request) -> Response:
    job = _job(request)
    part = progress_part(job, _lab(request).ahead_of(job))
    return JSONResponse({"active": job.active, "state": job.state, "html": part})


def _cancel(request: Request) -> Response:
    job = _job(request)
    _lab(request).runs.cancel(job.id)
    return RedirectResponse(f"/runs/{job.id}", 303)


def _draw(figure: Drawing, ending: str) -> bytes:
    if ending == "json":
        return json.dumps(figure).encode()
    return figure.to_png() if ending == "png" else figure.to_svg().encode()


def _json(request: Request) -> Response:
    result = _result(request)
    return Response(result.to_json(), headers=_file(f"{result.name}.json", "application/json"))


def _csv(request: Request) -> Response:
    result, table = _result(request), request.path_params["table"]
    rows = result.tables.get(table)
    if not rows:
        raise HTTPException(404, f"This run of {result.name} has no table {table!r}.")
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    name = "".join(letter if letter.isalnum() else "_" for letter in f"{result.name}-{table}")
    return Response(text.getvalue(), headers=_file(f"{name}.csv", "text/csv; charset=utf-8"))


async def _send(request: Request, key: Hashable, write: Callable[[], str]) -> Response:
    """Send the page of this key, or say that the browser has it."""
    page = await _lab(request).page(key, write)
    headers = {"ETag": page.tag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == page.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return HTMLResponse(page.content, headers=headers)
    return HTMLResponse(page.compressed, headers=headers | {"Content-Encoding": "gzip"})


async def _typed(request: Request) -> dict[str, str]:
    """Return the fields of a sent form; of a repeated one the last counts."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"A form may have {MOST_BYTES} bytes, and this one has more.")
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(400, "The form that was sent can't be read.") from None
    return dict(pairs)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = "Not found" if error.status_code == 404 else "Refused"
    message = error.detail
    if message == "Not Found":
        message = f"There is nothing at {request.url.path}."
    return HTMLResponse(problem_page(title, message), error.status_code, error.headers)


def _abandoned(request: Request, error: Exception) -> Response:
    """Answer nobody: the client has left in the middle of its request."""
    return Response(status_code=400)


def _not_imported(request: Request, error: Exception) -> Response:
    message = f"{request.url.path} failed: {error}"
    return HTMLResponse(problem_page("This experiment can't be imported here", message), 500)


def _broken(request: Request, error: Exception) -> Response:
    message = f"{request.url.path} failed: {type(error).__name__}: {error}"
    return HTMLResponse(problem_page("The lab has failed here", message), 500)


def _lab(request: Request) -> Lab:
    lab: Lab = request.app.state.lab
    return lab


def _entry(request: Request) -> Entry:
    name = request.path_params["name"]
    entry = _lab(request).entries.get(name)
    if entry is None:
        raise HTTPException(404, f"There is no experiment {name!r}.")
    return entry


def _playground_entry(request: Request) -> Entry:
    name = request.path_params["name"]
    entry = _lab(request).playgrounds.get(name)
    if entry is None:
        raise HTTPException(404, f"There is no playground {name!r}.")
    return entry


def _job(request: Request) -> Job:
    runs = _lab(request).runs
    job = runs.find(request.path_params["id"])
    if job is None:
        raise HTTPException(
            404,
            f"This run is not known, or no longer: the last {runs.most_kept} are kept until the "
            "lab is closed.",
        )
    return job


def _result(request: Request) -> Result:
    job = _job(request)
    if job.result is None:
        raise HTTPException(404, f"This run of {job.entry.name} has no result: it is {job.state}.")
    return job.result


def _file(name: str, kind: str) -> dict[str, str]:
    return {"Content-Type": kind, "Content-Disposition": f'attachment; filename="{name}"'}
