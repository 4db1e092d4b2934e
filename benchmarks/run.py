"""Measure our methods against the packages a user would otherwise pick.

`python benchmarks/run.py cluster --case KMeans` measures one case of `benchmarks/cluster.py`.
"""

from __future__ import annotations

import os
import sys

# The root instead of this folder, where a family called `signal` would hide Python's own module.
sys.path.insert(0, os.path.dirname(sys.path.pop(0)))

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import joblib
from benchmarks.harness.cases import load_cases
from benchmarks.harness.page import latest, page
from benchmarks.harness.report import machine_facts, replace, table, write
from benchmarks.harness.runner import Settings, measure
from rich.console import Console

HERE = Path(__file__).parent
OUT = HERE.parent / "build" / "bench"
PAGE = HERE.parent / "docs" / "benchmarks.md"


def main(arguments=None):
    families = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem != "run"}
    options = parser(families).parse_args(arguments)
    unknown = set(options.family) - set(families)
    if unknown:
        parser(families).error(f"no family {unknown.pop()!r}; there are: {', '.join(families)}")
    if options.publish:
        files = [file for file in OUT.glob("*.json") if not file.stem.endswith("quick")]
        documents = latest([json.loads(file.read_text()) for file in files])
        chosen = [each for each in documents if each["family"] in (options.family or families)]
        before = PAGE.read_text() if PAGE.exists() else ""
        replace(PAGE, lambda aside: aside.write_text(page(chosen, before)))
        return
    if options.threads < 1:
        parser(families).error(f"--threads must be at least 1, got {options.threads}")
    chosen = {name: load_cases(families[name]) for name in options.family or families}
    known = [name for cases in chosen.values() for name in cases]
    if options.case and options.case not in known:
        parser(families).error(f"no case {options.case!r}; there are: {', '.join(known)}")

    rounds, budget = (1, 0.0) if options.quick else (3, options.budget)
    settings = Settings(options.threads, budget, rounds, options.timeout)
    console = Console(width=None if sys.stdout.isatty() else 160)
    for family, cases in chosen.items():
        document = {"family": family, **machine_facts(), "settings": asdict(settings)}
        document["results"] = results = []
        for case in cases.values():
            if options.case not in (None, case.name):
                continue
            for size in case.sizes[:1] if options.quick else case.sizes:
                with console.status(f"{family}: {case.name} {size}"):
                    results.append(measure(families[family], case.name, size, settings))
        if results:
            console.print(table(f"{family}, {settings.threads} threads", results))
            # A partial run has files of its own and leaves those of the full run alone.
            parts = [family, options.case, "quick" if options.quick else None]
            files = write(OUT, "-".join(filter(None, parts)), document)
            console.print("Written:", *[str(file.relative_to(HERE.parent)) for file in files])


def parser(families):
    """Describe the command line."""
    cores = joblib.cpu_count()
    p = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    p.add_argument("family", nargs="*", help=f"any of {', '.join(families)} (default: all)")
    p.add_argument("--case", help="measure only the case of this name")
    p.add_argument(
        "--publish", action="store_true", help="measure nothing; write the page of past results"
    )
    p.add_argument("--quick", action="store_true", help="smallest size, one repetition")
    p.add_argument("--threads", type=int, default=cores, help=f"for both sides (default: {cores})")
    p.add_argument(
        "--budget", type=float, default=10, help="seconds per case and size (default: 10)"
    )
    p.add_argument("--timeout", type=float, default=600, help="seconds per step (default: 600)")
    return p


if __name__ == "__main__":
    main()
