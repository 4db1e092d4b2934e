"""The report of a study: one HTML page that needs no network, or Markdown."""

from __future__ import annotations

import os
from pathlib import Path

from shallows._core.showing.files import write_text
from shallows.study._charts import figures_of
from shallows.study._pages import pages
from shallows.study._result import StudyResult


def report(result: StudyResult, path: str | os.PathLike[str]) -> Path:
    """Write the report of a study as one HTML page, or as Markdown where the name ends in .md.

    Parameters
    ----------
    result : StudyResult
        What a study found.
    path : str or path-like
        The file to write.

    Returns
    -------
    pathlib.Path
        The path of the written file.
    """
    wanted = Path(path)
    text = report_markdown(result) if wanted.suffix == ".md" else report_html(result)
    return write_text(wanted, text)


def write_report(
    result: StudyResult, folder: Path, *, markdown: bool = False, drawn: bool = True
) -> Path:
    """Write report.html, and report.md where it is asked for."""
    if markdown:
        write_text(folder / "report.md", report_markdown(result))
    return write_text(folder / "report.html", report_html(result, drawn))


def report_html(result: StudyResult, drawn: bool = True) -> str:
    """Return the report as one HTML page.

    Parameters
    ----------
    result : StudyResult
        What a study found.
    drawn : bool
        Whether the figures are there without the page's script, too; this takes seconds.

    Returns
    -------
    str
        The page; its figures are drawn by scripts inside it.
    """
    sections, figures = {}, []
    for name, specs in figures_of(result).items():
        shown = [
            {"svg": pages().inline_svg(spec, f"{name}{place}") if drawn else "", "spec": spec}
            for place, spec in enumerate(specs)
        ]
        sections[name] = shown
        figures += shown
    template = pages().templates("shallows.study").get_template("report.html")
    return template.render(result=result, sections=sections, figures=figures, say=result.kind.say)


def report_markdown(result: StudyResult) -> str:
    """Return the report as Markdown, without figures."""
    template = pages().templates("shallows.study").get_template("report.md")
    return template.render(result=result, say=result.kind.say)
