"""Measure what a first call costs: `fit` and `predict` in a new process, with and without kernels.

`python benchmarks/first_call.py` measures every estimator with its default parameters on 150 rows,
once with an empty cache of kernels and once with a warm one, and scikit-learn's class of the same
name. Times are CPU seconds, without imports. `--publish` writes the table to the page.
"""

from __future__ import annotations

import os
import sys

# The root instead of this folder, where a family called `signal` would hide Python's own module.
sys.path.insert(0, os.path.dirname(sys.path.pop(0)))

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
OUT = HERE.parent / "build" / "bench" / "first_call.json"
PAGE = HERE.parent / "docs" / "first_call.md"
METHODS = ("predict", "transform", "score_samples")


class Call(NamedTuple):
    """CPU seconds of one estimator's first call; None where there is nothing to measure."""

    family: str
    name: str
    cold: float
    warm: float
    sklearn: float | None


def main(arguments=None):
    options = parser().parse_args(arguments)
    if options.child:
        print(json.dumps(time_first_call(*options.child)))
        return
    if options.publish:
        PAGE.write_text(page([Call(*row) for row in json.loads(OUT.read_text())]))
        return
    from shallows._core.contract.registry import entries

    found = [entry for entry in entries() if entry.kind == "estimator"]
    calls = []
    for entry in found:
        if options.family and entry.family not in options.family:
            continue
        calls.append(measure(entry))
        print(line(calls[-1]), flush=True)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(calls))
    print(summary(calls))


def parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", nargs="*", help="such as cluster; all unless given")
    parser.add_argument("--publish", action="store_true", help="write the last run to the page")
    parser.add_argument("--child", nargs=2, metavar=("SIDE", "NAME"), help=argparse.SUPPRESS)
    return parser


def measure(entry) -> Call:
    """Time one estimator in processes of its own."""
    with tempfile.TemporaryDirectory() as cache:
        cold = in_child("shallows", entry.name, cache)
        warm = in_child("shallows", entry.name, cache)
        peer = in_child("sklearn", entry.name, cache) if find("sklearn", entry.name) else None
    return Call(entry.family, entry.name, cold, warm, peer)


def in_child(side, name, cache):
    command = [sys.executable, __file__, "--child", side, name]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{side} {name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def time_first_call(side, name):
    """Return the CPU seconds of fitting and answering, or None where the side lacks the class."""
    import doctest

    from sklearn.base import is_classifier, is_regressor
    from sklearn.datasets import make_blobs
    from sklearn.utils import get_tags

    warnings.simplefilter("ignore")
    cls = find(side, name)
    if cls is None:
        return None
    X, y = make_blobs(150, n_features=4, centers=3, cluster_std=2.0, random_state=0)
    try:
        model = cls()
        if is_regressor(model):
            y = X[:, 0].copy()
        elif not is_classifier(model) and not get_tags(model).target_tags.required:
            y = None
        start = time.process_time()
        model.fit(X, y)
        for method in METHODS:
            if hasattr(model, method):
                getattr(model, method)(X)
    except Exception:
        # It asks for parameters or for data of another kind: its example knows which.
        example = doctest.DocTestFinder(recurse=False).find(cls, globs={})[0]
        start = time.process_time()
        doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None)
    return time.process_time() - start


def find(side, name):
    if side == "shallows":
        from shallows._core.contract.registry import entries

        return next(entry for entry in entries() if entry.name == name).load()
    from sklearn.utils import all_estimators

    return dict(all_estimators()).get(name)


def line(call: Call) -> str:
    peer = "" if call.sklearn is None else f"{call.sklearn:8.3f}"
    return f"{call.family:12} {call.name:32} {call.cold:8.2f} {call.warm:8.3f} {peer}"


def summary(calls) -> str:
    cold = [call.cold for call in calls]
    warm = statistics.median(call.warm for call in calls)
    middle = statistics.median(cold)
    return (
        f"CPU seconds with an empty cache: median {middle:.2f}, largest {max(cold):.2f}, "
        f"sum {sum(cold):.0f}; with a warm one: median {warm:.3f}"
    )


def page(calls) -> str:
    """Return the page of first calls."""
    rows = "\n".join(
        f"| {call.family} | `{call.name}` | {call.cold:.2f} | {call.warm:.3f} "
        f"| {'' if call.sklearn is None else f'{call.sklearn:.3f}'} |"
        for call in calls
    )
    return f"""# First calls

The first call of an estimator compiles its loops; the compiled loops are kept on disk for all later
processes. The table shows CPU seconds of `fit` and `predict` (or `transform`) with default
parameters on 150 rows in a new process, without imports: with an empty cache, with a warm one, and
for scikit-learn's class of the same name. `make first-call` measures it again.
`shallows warm` compiles everything beforehand.

{summary(calls)}.

| family | estimator | empty cache | warm cache | scikit-learn |
| --- | --- | --- | --- | --- |
{rows}
"""


if __name__ == "__main__":
    main()
