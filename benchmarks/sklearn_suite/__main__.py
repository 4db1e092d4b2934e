"""Run scikit-learn's tests of the classes that we have, too, with ours in their place.

    python -m benchmarks.sklearn_suite [CLASS ...] [--failures] [-k EXPRESSION]

Prints per class how many tests pass: of those that use only what is public in scikit-learn, and of
all. `--failures` adds each failing test with its error.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.sklearn_suite.classes import test_modules

ROOT = Path(__file__).parents[2]


def run(module: str, out: Path, selected: str | None) -> None:
    """Run one test module in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", "/"]
    command += ["-p", "benchmarks.sklearn_suite.plugin", "-p", "no:cacheprovider", "--pyargs"]
    command += [module, *(["-k", selected] if selected else [])]
    path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    settings = {**os.environ, "PYTHONPATH": path, "SKLEARN_SUITE_OUT": str(out)}
    log = out.with_suffix(".log")
    with log.open("w") as file:
        done = subprocess.run(command, env=settings, stdout=file, stderr=file, check=False)
    if done.returncode not in (0, 1):
        lines = [line for line in log.read_text().splitlines() if line.startswith("E ")]
        print(f"{module} could not run: {' '.join(lines) or log.read_text()[-500:]}")


def report(lines: list[dict], names: set[str], failures: bool) -> None:
    """Print a line per class, and the failures by error."""
    tests = defaultdict(list)
    for line in lines:
        if line["outcome"] != "skipped":
            for name in line["classes"]:
                if name in names:
                    tests[name].append(line)
    print(f"{'class':32}{'public tests':>20}{'all tests':>20}")
    for name in sorted(names):
        public = [line for line in tests[name] if line["public"]]
        print(f"{name:32}{share(public):>20}{share(tests[name]):>20}")
    for name in sorted(names) if failures else ():
        failed = [line for line in tests[name] if line["outcome"] == "failed"]
        print(f"\n{name}")
        for (test, public, error), n in Counter(
            (line["test"].partition("[")[0], line["public"], line["error"]) for line in failed
        ).items():
            print(f"  {n:3} {'' if public else '(private) '}{test}: {error}")


def share(lines: list[dict]) -> str:
    """Return how many passed, in words."""
    passed = sum(line["outcome"] == "passed" for line in lines)
    return f"{passed}/{len(lines)} {passed / len(lines):6.1%}" if lines else "-"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sklearn_suite")
    parser.add_argument("classes", nargs="*", help="names of classes; all where none is given")
    parser.add_argument("--failures", action="store_true", help="also list the failing tests")
    parser.add_argument("-k", dest="selected", help="pytest's expression that selects tests")
    asked = parser.parse_args()
    modules = test_modules(set(asked.classes))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.jsonl"
        for module in sorted(set(modules.values())):
            run(module, out, asked.selected)
        if not out.exists():
            return 1
        lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    report(lines, set(modules), asked.failures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
