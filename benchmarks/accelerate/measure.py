"""Measures at which sizes our kernels are quicker, for shallows.accelerate.

    python benchmarks/accelerate/measure.py [CLASS ...]

times each patched method against scikit-learn's own on a grid of sizes, alternating between the
two, and writes the ratios of the shortest times to src/shallows/accelerate/measured.json. Both use
one thread, and processor time is measured, which other programs on the machine disturb least.
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import json
import platform
import warnings
from pathlib import Path

import numpy as np
import sklearn
from workload import LONGEST, ONE_CLOUD, PARAMETERS, data, shortest

from shallows.accelerate import _served, patch
from shallows.accelerate._expected import FILE
from shallows.accelerate._patching import plain
from shallows.accelerate._table import load
from shallows.accelerate.tables import all_tables

ROWS, COLUMNS = [100, 400, 1500, 5000, 20000], [5, 20, 100, 400]


def asked(model, name, X, again):
    """Return a fitted model's answer, to a first question or to a later one."""
    if not again:
        _served._restored.pop(model, None)
    return getattr(model, name)(X)


def measure(table, name, n_rows, n_columns, again):
    """Return scikit-learn's time and ours, or None where ours does not serve the call."""
    X, labels, numbers = data(n_rows, n_columns)
    if table.name in ONE_CLOUD:
        X = np.random.default_rng(0).normal(size=X.shape)
    y = labels if table.targets == "labels" or "Classifier" in table.name else numbers
    given = PARAMETERS.get(table.name, {})
    if "random_state" in table.parameters:
        given = given | {"random_state": 0}
    kinds = plain(table.theirs), load(table.theirs)
    if name.startswith("fit"):
        calls = [lambda kind=kind: getattr(kind(**given), name)(X, y) for kind in kinds]
    else:
        models = [kind(**given) for kind in kinds]
        for model in models:
            kinds[0].fit(model, X, y)
        calls = [lambda model=model: asked(model, name, X, again) for model in models]
    served = []
    _served.note = lambda call, where, why, *rest: served.append((call, where, why))
    calls[1]()
    refused = [one for one in served if one[1] != "shallows"]
    if refused:
        print(*refused[0])
        return None
    return shortest(*calls)


def grid_of(table, name, again):
    """Return the grid of a method; sizes that take too long get the ratio of smaller ones."""
    ratios, times = [], {}
    for i, n_rows in enumerate(ROWS):
        line = []
        for j, n_columns in enumerate(COLUMNS):
            before = times.get((i - 1, j), [0.0])
            if before is None or max(before) > LONGEST / 4:
                line.append(ratios[-1][j])
                times[i, j] = None
                continue
            found = measure(table, name, n_rows, n_columns, again)
            times[i, j] = found or [0.0]
            line.append(round(found[0] / found[1], 2) if found else 0.01)
        ratios.append(line)
        print(f"{table.name}.{name + again:<21} {n_rows:>6}", *(f"{ratio:7.2f}" for ratio in line))
    return {"rows": ROWS, "columns": COLUMNS, "ratios": ratios}


def main():
    """Measure the classes named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("classes", nargs="*")
    parser.add_argument("--file", type=Path, default=FILE, help="where the ratios are kept")
    parser.add_argument("--only", help="fit, a method's name, or again")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    patch()
    _served.expected = lambda call, shape: 1.0
    for table in all_tables():
        if options.classes and table.name not in options.classes:
            continue
        fits = [*(["fit"] if table.fits else []), *table.then]
        calls = [(name, "") for name in (*fits, *table.asked)]
        calls += [(name, _served.AGAIN) for name in table.asked]
        for name, again in calls:
            if options.only and options.only != (again or name).strip():
                continue
            found = grid_of(table, name, again)
            stored = json.loads(options.file.read_text(encoding="utf-8"))
            stored["how"] = (
                "benchmarks/accelerate/measure.py: shortest processor times of scikit-learn over "
                f"ours, one thread, scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
                f"{platform.machine()}"
            )
            stored["calls"][f"{table.name}.{name}{again}"] = found
            stored["calls"] = dict(sorted(stored["calls"].items()))
            text = json.dumps(stored, indent=1).replace("\n    ", " ").replace("\n   ]", " ]")
            options.file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
