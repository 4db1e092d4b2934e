"""The gallery: each experiment of the registry is run; figures and claims become its page."""

import hashlib
import re
import time
from functools import cache
from itertools import groupby
from pathlib import Path

import vl_convert
from docutils import nodes
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from reference import write_folder
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import shallows
from shallows._core.contract.params import describe
from shallows._core.showing.pages import inline_svg, paragraphs
from shallows.lab import Cancelled, Result, find
from shallows.lab._catalogue import experiments
from shallows.lab._values import shorten

log = logging.getLogger(__name__)
DOCS = Path(__file__).parents[1]
RESULTS = DOCS / "_build" / "experiments"
PACKAGE = Path(shallows.__file__).parent
FULL_SIZE_SECONDS = 60  # for all experiments together; the slow ones are shown at quick size


def setup(app):
    app.connect("builder-inited", _write_gallery)
    app.add_directive("experiments", Experiments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Experiments(SphinxDirective):
    """Cards that lead to the experiments of one chapter."""

    required_arguments = 1

    def run(self):
        self.env.note_reread()
        chosen = [result for result in results() if result.chapter == self.arguments[0]]
        here, link = self.env.docname, self.env.app.builder.get_relative_uri
        links = {result.name: link(here, f"gallery/{result.name}") for result in chosen}
        cards = _templates().get_template("cards.html").render(results=chosen, links=links)
        return [nodes.raw("", cards, format="html")]


@cache
def results():
    """Return the result of every experiment, chapter by chapter."""
    found = [_result(entry) for entry in experiments()]
    return sorted(found, key=lambda result: (result.chapter, result.name))


def _result(entry):
    """Read the result from the cache; run the experiment if its sources have changed."""
    path = RESULTS / f"{entry.name}-{_hash_sources(entry)}.json"
    if not path.exists():
        RESULTS.mkdir(parents=True, exist_ok=True)
        for older in RESULTS.glob(f"{entry.name}-*.json"):
            older.unlink()
        result = _run(entry.load(), FULL_SIZE_SECONDS / len(experiments()))
        log.info("experiment %s: %.1f s", entry.name, result.seconds)
        path.write_text(result.to_json(), encoding="utf-8")
    return Result.from_json(path.read_text(encoding="utf-8"))


def _run(experiment, patience):
    end = time.monotonic() + patience
    try:
        return experiment.run({}, cancelled=lambda: time.monotonic() > end)
    except Cancelled:
        return experiment.run(experiment.quick)


def _hash_sources(entry):
    """Hash the experiment, the lab, the core and the families that the experiment imports."""
    own = PACKAGE.parent / (entry.module.replace(".", "/") + ".py")
    imported = re.findall(r"^from shallows\.(\w+)", own.read_text(encoding="utf-8"), re.MULTILINE)
    folders = sorted({"_core", *imported} - {"lab"})
    files = [own, *sorted((PACKAGE / "lab").glob("*.py"))]
    files += [path for folder in folders for path in sorted((PACKAGE / folder).rglob("*.py"))]
    content = b"".join(path.read_bytes() for path in files)
    return hashlib.sha256(content).hexdigest()[:16]


def _write_gallery(app):
    for result in results():
        for claim in result.claims:
            if not claim.holds:
                log.warning("%s: %r fails, measured %s", result.name, claim.text, claim.shown)

    template = _templates().get_template("experiment.md")
    pages = {}
    for result in results():
        parameters = _parameters(result)
        small = any(value != item.default for item, value in parameters)
        pages[f"{result.name}.md"] = template.render(
            result=result, parameters=parameters, small=small
        )
    chapters = [
        (chapter, [result.name for result in members])
        for chapter, members in groupby(results(), key=lambda result: result.chapter)
    ]
    pages["index.md"] = _templates().get_template("gallery.md").render(chapters=chapters)
    write_folder(DOCS / "gallery", pages)

    scripts = Path(app.outdir, "_static", "vega.js")
    if not scripts.exists():
        scripts.parent.mkdir(parents=True, exist_ok=True)
        # In a function, or its names would clash with those of Sphinx's own scripts.
        bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        scripts.write_text(f"(() => {{\n{bundle}\n}})();\n", encoding="utf-8")


def _parameters(result):
    """Return the parameters of the experiment, each with the value it had in this run."""
    values = {**result.parameters, "seed": result.seed}
    return [(item, values[item.name]) for item in find(result.name).parameters.values()]


@cache
def _templates():
    environment = Environment(
        loader=FileSystemLoader(DOCS / "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "describe": describe,
        "paragraphs": paragraphs,
        "shorten": shorten,
        "svg": inline_svg,
    }
    return environment
