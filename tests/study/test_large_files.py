import subprocess
import sys

import numpy as np
import pytest

LIMITED = """
import resource, sys
import numpy as np
from shallows.cli import main
from shallows.study import Study
x = np.arange(60.0)  # libraries are loaded and threads started before the limit
Study({"x": x % 7, "z": x % 5, "y": x % 2 == 0}, "y", only=["least squares"], repeats=1).run()
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
allowed = used + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = main(sys.argv[2:])
print("grew by", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
sys.exit(code)
"""
N_ROWS = 60_000
TIMES = 90


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A text file of 1 GB: the same rows many times."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 10))
    y = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
    lines = (",".join(map(repr, row)) + f",{y[i]}\n" for i, row in enumerate(X.tolist()))
    block = "".join(lines)
    with path.open("w") as file:
        file.write(",".join(f"x{i}" for i in range(10)) + ",y\n")
        for _ in range(TIMES):
            file.write(block)
    yield path
    path.unlink()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets Linux's data limit")
def test_a_file_larger_than_memory_is_sampled(large):
    # OpenBLAS waits for ever where it gets no memory, so the limit leaves room for its buffers.
    limit = large.stat().st_size * 2 // 3
    words = ["study", str(large), "--target", "y", "--only", "least squares", "--sample", "5000"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *words],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "andom sample" in text
    assert f"{N_ROWS * TIMES:,} rows" in text and "5,000" in text
    assert int(text.rpartition("grew by ")[2]) < limit // 2


def test_a_survey_says_that_it_sampled(tmp_path):
    from shallows.study import Survey

    path = tmp_path / "table.csv"
    cells = np.random.default_rng(0).normal(size=(300, 2)).tolist()
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in cells))
    text = Survey(path, sample=100).run().summary()
    assert text.startswith("A random sample of the 300 rows in the file: 100 rows, 2 of 2 columns")
    assert "sample" not in Survey(path).run().summary()
