"""Kernels on disk: found again, never stale, never mixed up, and no need for a disk at all."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import shallows
from shallows._core.numerics import kernel_cache

KERNEL = """
import sys
import numpy as np
from shallows._core.numerics.compile import compiled

@compiled
def total(values):
    result = values[0]
    for value in values[1:]:
        result += {sign} * value
    return result

values = np.arange(1, 5).astype(sys.argv[1])
print(float(total(values)), sum(total.stats.cache_hits.values()))
"""

compiles = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled, so nothing is kept"
)


@pytest.fixture
def no_memory():
    """Forget, before and after a test, which folder was chosen."""
    remembered = (kernel_cache.cache_root, kernel_cache._keep_small, kernel_cache._note_use)
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


def start(script: Path, dtype: str, cache: Path) -> subprocess.Popen:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, str(script), dtype]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen) -> tuple[float, int]:
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    value, hits = printed.split()
    return float(value), int(hits)


def kept(folder: Path) -> set[Path]:
    return set(folder.glob("*/*.nbc"))


@compiles
def test_another_source_is_another_kernel_and_the_old_one_is_found_again(tmp_path):
    script, cache = tmp_path / "kernel.py", tmp_path / "cache"
    for sign, expected in (("+1", (10.0, 0)), ("-1", (-8.0, 0)), ("+1", (10.0, 1))):
        script.write_text(KERNEL.format(sign=sign))
        assert answer(start(script, "float64", cache)) == expected
    assert len(kept(cache)) == 2


@compiles
def test_an_installation_elsewhere_finds_the_same_kernels(tmp_path):
    cache = tmp_path / "cache"
    for folder, hits in (("here", 0), ("there", 1)):
        (tmp_path / folder).mkdir()
        script = tmp_path / folder / "kernel.py"
        script.write_text(KERNEL.format(sign="+1"))
        assert answer(start(script, "float64", cache)) == (10.0, hits)


@compiles
def test_processes_at_once_do_not_mix_up_their_kernels(tmp_path):
    script, cache = tmp_path / "kernel.py", tmp_path / "cache"
    script.write_text(KERNEL.format(sign="+1"))
    kinds = ["float64", "float32", "int64", "float64"]
    for processes in ([start(script, kind, cache) for kind in kinds] for _ in range(2)):
        assert [answer(process)[0] for process in processes] == [10.0] * 4
    assert len(kept(cache)) == 3
    assert not list(cache.glob("*/*.part"))


@compiles
@pytest.mark.parametrize("damage", [b"", b"no kernel", b"\x80\x04K\x01."])
def test_a_damaged_file_is_compiled_again(tmp_path, damage):
    script, cache = tmp_path / "kernel.py", tmp_path / "cache"
    script.write_text(KERNEL.format(sign="+1"))
    answer(start(script, "float64", cache))
    (file,) = kept(cache)
    file.write_bytes(damage)
    assert answer(start(script, "float64", cache)) == (10.0, 0)
    assert answer(start(script, "float64", cache)) == (10.0, 1)


def test_the_folder_is_the_chosen_one_then_the_users_then_a_temporary_one(
    tmp_path, monkeypatch, no_memory
):
    blocked = tmp_path / "file"
    blocked.touch()  # nothing can be made below a file, not even by root
    chosen, home, temporary = tmp_path / "chosen", tmp_path / "home", tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(chosen))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    expected = [chosen, home / "shallows" / "kernels", temporary]
    for name, folder in zip(["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", ""], expected, strict=True):
        kernel_cache.cache_root.cache_clear()
        assert folder in (kernel_cache.cache_root(), kernel_cache.cache_root().parent)
        if name:
            monkeypatch.setenv(name, str(blocked / "below"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files here")
def test_a_temporary_folder_where_others_may_write_is_not_trusted(tmp_path, monkeypatch, no_memory):
    """A kernel that is loaded is run, so nobody else may put one there."""
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "below"))
    shared = tmp_path / f"shallows-kernels-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert kernel_cache.cache_root() is None
    shared.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o777)
    elsewhere.chmod(0o777)
    shared.symlink_to(elsewhere)
    kernel_cache.cache_root.cache_clear()
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert kernel_cache.cache_root() is None


@compiles
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files here")
def test_a_read_only_world_computes_and_warns_once(tmp_path):
    """As in a container: the package can't be written to, nor any cache."""
    code = "from shallows.cluster import KMeans; print(KMeans(1).fit([[1.0], [3.0]]).inertia_)"
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "below")
    environment = {**os.environ, "NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere}
    script = f"import tempfile; tempfile.gettempdir = lambda: {nowhere!r}; {code}"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) == 2.0
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


def test_nothing_is_kept_inside_the_package():
    assert not list(Path(shallows.__file__).parent.rglob("*.nb[ic]"))


def test_folders_unused_for_longest_go_first(tmp_path, monkeypatch, no_memory):
    now = time.time()
    for age, name in enumerate(["new", "middle", "old"]):
        folder = tmp_path / f"{name}-py311"
        folder.mkdir()
        (folder / "kernel.nbc").write_bytes(bytes(100))
        os.utime(folder, (now - 1e6 * age, now - 1e6 * age))
    monkeypatch.setattr(kernel_cache, "LARGEST", 250)
    kernel_cache._note_use(tmp_path / "old-py311")
    kernel_cache._keep_small(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"new-py311", "old-py311"}


def test_a_full_disk_costs_time_only(tmp_path, monkeypatch, no_memory):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    entries = kernel_cache._Entries("folder", "kernel")
    entries.save("key", np.arange(3))
    np.testing.assert_array_equal(entries.load("key"), np.arange(3))
    assert entries.load("other key") is None
    shutil.rmtree(tmp_path / entries.folder)
    (tmp_path / entries.folder).touch()  # where the kernel's folder would be
    entries.save("key", np.arange(3))
    assert entries.load("key") is None
