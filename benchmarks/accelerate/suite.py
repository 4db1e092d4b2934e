"""scikit-learn's own tests with its classes patched by shallows.accelerate.

    python benchmarks/accelerate/suite.py [MODULE ...] [--always]

runs the tests of the classes that are patched, and those that fail once more without the patch. A
test counts as broken if it passes only without. With `--always` every call that can be served is
served, whatever its size: most of scikit-learn's tests are too small to come to us otherwise.
Tests that are known to break, and why, are listed in `known_breaks.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODULES = (
    "cluster.tests.test_k_means",
    "cluster.tests.test_hierarchical",
    "decomposition.tests.test_pca",
    "decomposition.tests.test_fastica",
    "decomposition.tests.test_kernel_pca",
    "ensemble.tests.test_forest",
    "linear_model.tests.test_base",
    "linear_model.tests.test_ridge",
    "manifold.tests.test_isomap",
    "manifold.tests.test_locally_linear",
    "manifold.tests.test_t_sne",
    "mixture.tests.test_gaussian_mixture",
    "neighbors.tests.test_neighbors",
    "neural_network.tests.test_mlp",
    "svm.tests.test_svm",
    "tests.test_kernel_ridge",
    "tree.tests.test_export",
    "tree.tests.test_tree",
)


def pytest_configure(config):
    """Patch scikit-learn before its tests import it; this file is pytest's plugin, too."""
    from shallows.accelerate import _served, patch

    if os.environ["PATCHED_SUITE"] == "always":
        _served.expected = lambda call, shape: 1.0
    if os.environ["PATCHED_SUITE"] != "plain":
        patch()


def run(tests, mode):
    """Return how many tests passed, and the names of those that failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=no", "-c", os.devnull]
    command += ["--rootdir", "/", "-p", "no:cacheprovider", "-p", "suite", *tests]
    path = f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    settings = {**os.environ, "PYTHONPATH": path, "PATCHED_SUITE": mode}
    done = subprocess.run(command, capture_output=True, text=True, env=settings, check=False)
    failed = re.findall(r"^FAILED (\S+)", done.stdout, re.MULTILINE)
    counts = re.findall(r"(\d+) passed", done.stdout)
    if not counts and not failed:
        print(done.stdout[-2000:], done.stderr[-2000:])
    return int(counts[-1]) if counts else 0, failed


def main():
    """Run the modules named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--always", action="store_true")
    options = parser.parse_args()
    import sklearn

    known = json.loads((HERE / "known_breaks.json").read_text(encoding="utf-8"))
    mode, total, new = "always" if options.always else "sizes", 0, []
    for module in options.modules or MODULES:
        path = Path(sklearn.__file__).parent / f"{module.replace('.', '/')}.py"
        passed, failed = run([str(path)], mode)
        names = [f"{path}::{name.rpartition('::')[2]}" for name in failed]
        also = run(names, "plain")[1] if names else []
        both = {name.rpartition("::")[2] for name in also}
        broken = [name.rpartition("::")[2] for name in failed]
        broken = [name for name in broken if name not in both]
        total += passed + len(broken)
        unknown = [name for name in broken if name.partition("[")[0] not in known]
        new += unknown
        print(f"{module:45}{passed:>6} pass {len(broken):>4} break", *unknown, flush=True)
    print(f"{total} tests, {len(new)} break for no known reason")
    sys.exit(bool(new))


if __name__ == "__main__":
    main()
