"""The table of docs/guides/accelerate.md: patched against plain scikit-learn at three sizes.

    python benchmarks/accelerate/table.py [CLASS ...]

Runs each class as a user meets it, with the choice by size, a fit and the answer that follows.
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import argparse
import warnings

import numpy as np
from workload import ONE_CLOUD, PARAMETERS, data, shortest, sizes_of

from shallows.accelerate import patch
from shallows.accelerate._patching import plain
from shallows.accelerate._table import load
from shallows.accelerate.tables import all_tables


def ratio(table, n_rows, n_columns):
    """Return scikit-learn's time over that of the patched class."""
    X, labels, numbers = data(n_rows, n_columns)
    if table.name in ONE_CLOUD:
        X = np.random.default_rng(0).normal(size=X.shape)
    y = labels if table.targets == "labels" or "Classifier" in table.name else numbers
    given = dict(PARAMETERS.get(table.name, {}))
    if "random_state" in table.parameters:
        given["random_state"] = 0

    def call(kind):
        model = kind(**given).fit(X, y)
        return model.predict(X) if hasattr(model, "predict") else None

    kinds = plain(table.theirs), load(table.theirs)
    call(kinds[1])
    theirs, ours = shortest(*(lambda kind=kind: call(kind) for kind in kinds))
    return theirs / ours


def main():
    """Print a line per class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("classes", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    patch()
    ratios = []
    for table in all_tables():
        if not table.patches or (options.classes and table.name not in options.classes):
            continue
        found = [ratio(table, *size) for size in sizes_of(table.name)]
        ratios += found
        cells = " | ".join(f"{each:.2f}" for each in found)
        print(f"| {table.name} | {cells} |", flush=True)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, smallest {min(ratios):.2f}")


if __name__ == "__main__":
    main()
