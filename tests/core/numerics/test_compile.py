"""Compiled kernels: cached between processes, and NaN keeps its meaning."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shallows
from shallows._core.numerics.compile import aligned, compiled, compiled_in_order

SCRIPT = """
import sys, time
sys.path.insert(0, {tests!r})
import numpy as np
from sklearn.datasets import load_iris
from shallows.prototype import GLVQ
from test_common import MODELS, data, fitted, outputs

X, y = load_iris(return_X_y=True)
start = time.perf_counter()
GLVQ(random_state=0).fit(X, y)
print(time.perf_counter() - start)
for dtype in (np.float64, np.float32):
    for model in MODELS:
        outputs(fitted(model, dtype), data(dtype)[0])
"""


def run(cache: Path) -> tuple[float, int]:
    """Fit every estimator in a process of its own; seconds of the first fit, cache files."""
    tests = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(tests=tests)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[0]), sum(path.is_file() for path in cache.rglob("*"))


@pytest.mark.slow
def test_a_second_process_starts_fast_and_adds_nothing_to_the_cache(tmp_path):
    _, files = run(tmp_path)
    seconds, files_after = run(tmp_path)
    assert files_after == files > 0
    assert seconds < 1.0


@compiled
def _mean_of_known(values):
    total, count = 0.0, 0
    for value in values:
        if not np.isnan(value):
            total += value
            count += 1
    return total / count


@pytest.mark.kernel
def test_nan_and_division_by_zero_keep_their_meaning():
    assert _mean_of_known(np.array([1.0, np.nan, 3.0])) == 2.0


@compiled_in_order
def _rounding_errors(values):
    """Sum from left to right, and what each addition lost (Kahan)."""
    total, lost = 0.0, 0.0
    for value in values:
        new = total + value
        lost += (total - new) + value
        total = new
    return total, lost


@pytest.mark.kernel
def test_sums_in_order_know_what_they_lost():
    values = np.array([1.0, *[2.0**-60] * 64])
    assert _rounding_errors(values) == (1.0, 2.0**-54)


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="plain Python refuses to divide by zero"
)
def test_division_by_zero_gives_nan():
    assert np.isnan(_mean_of_known(np.array([np.nan])))


def test_kernels_use_only_what_their_own_file_defines():
    """The cache of a kernel watches its file alone, and would keep what it took from elsewhere.

    A tuple's class may come from elsewhere: its name and fields are part of a kernel's types.
    """
    package = Path(shallows.__file__).parent
    files = {path: ast.parse(path.read_text()) for path in package.rglob("*.py")}
    assert sum(len(kernels_of(tree)) for tree in files.values()) > 100
    for path, tree in files.items():
        foreign = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shallows")
            for alias in node.names
            if alias.name.isupper() or not alias.name[0].isupper()
        }
        for kernel in kernels_of(tree):
            names = {
                node.id
                for part in kernel.body
                for node in ast.walk(part)
                if isinstance(node, ast.Name)
            }
            assert not names & foreign, f"{kernel.name} in {path} uses {names & foreign}"


def kernels_of(tree):
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    marks = [
        {mark.id for mark in f.decorator_list if isinstance(mark, ast.Name)} for f in functions
    ]
    ours = {"compiled", "compiled_in_order", "compiled_in_place", "compiled_inside"}
    return [function for function, own in zip(functions, marks, strict=True) if own & ours]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_aligned_copies_begin_at_a_cache_line(dtype):
    for shape in ((1,), (7, 3), (100, 64)):
        array = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
        copy = aligned(array)
        assert copy.ctypes.data % 64 == 0
        assert copy.flags.c_contiguous
        assert copy.flags.writeable
        assert not np.shares_memory(copy, array)
        np.testing.assert_array_equal(copy, array)
