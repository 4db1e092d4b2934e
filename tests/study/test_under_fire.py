"""Studies on a full disk, in odd folders, in little memory, interrupted, and on strange files."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

QUICK = ["--only", "least squares", "--only", "decision tree", "--repeats", "1"]
SHALLOWS = [sys.executable, "-m", "shallows"]
MEGABYTE = 2**20


def study(data, *words, limit=None, **environment):
    """Run `shallows study` in a process of its own."""
    return subprocess.run(
        [*SHALLOWS, "study", str(data), *words],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=limit,
        env={**os.environ, **environment},
    )


def assert_one_sentence(done, *words):
    """Exit code 2, no traceback, and one sentence that has the given words."""
    assert done.returncode == 2, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    assert "Traceback" not in done.stderr and "Error:" not in done.stderr
    assert 0 < len(done.stderr.strip()) < 600, done.stderr[-2000:]
    for word in words:
        assert word in " ".join(done.stderr.split()), done.stderr


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    data = load_iris()
    rows = [
        ",".join(map(repr, row)) + "," + str(data.target_names[k])
        for row, k in zip(data.data.tolist(), data.target, strict=True)
    ]
    path.write_text("\n".join(["length,width,petal,breadth,species", *rows]) + "\n")
    return path


def numbers(folder):
    """Return what a study found, without times."""
    return json.loads((folder / "results.json").read_text())["assessment"]


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [4, 40, 200])
def test_a_full_disk_gives_a_sentence_and_resume_goes_on(iris, tmp_path, kilobytes):
    """No file may grow beyond a limit, as on a disk that is full."""

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    words = ["--target", "species", "--out", str(out), *QUICK]
    cache = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "")}
    assert_one_sentence(study(iris, *words, limit=small_files, **cache))
    assert (out / "notes.txt").read_text() == "mine"
    assert not list(out.glob("*.part")) and not (out / "report.html").exists()

    again = [*words, "--resume"] if (out / "journal.sqlite").exists() else words
    done = study(iris, *again)
    if done.returncode == 2:  # the journal was too short to say which study it was
        assert "--resume" in done.stderr
        done = study(iris, *words)
    assert done.returncode == 0, done.stderr
    assert (out / "report.html").exists() and (out / "notes.txt").read_text() == "mine"


def without_rights():
    """Return words that make a command obey the rights of files, which root need not."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and setpriv, which could change that, is not here")
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def test_a_folder_that_cannot_be_written_is_refused_before_any_work(iris, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    for out in (locked, locked / "out"):
        words = [*without_rights(), *SHALLOWS, "study", str(iris), "--target", "species"]
        done = subprocess.run(
            [*words, "--out", str(out), *QUICK], capture_output=True, text=True, timeout=120
        )
        assert_one_sentence(done, str(out))
    assert not list(locked.iterdir())


def test_a_link_to_a_folder_is_followed_and_one_to_a_file_is_refused(iris, tmp_path):
    there, link = tmp_path / "there", tmp_path / "link"
    there.mkdir()
    link.symlink_to(there)
    assert study(iris, "--target", "species", "--out", str(link), *QUICK).returncode == 0
    assert link.is_symlink() and (there / "report.html").exists()

    wall = tmp_path / "wall"
    wall.symlink_to(iris)
    before = iris.read_bytes()
    assert_one_sentence(study(iris, "--target", "species", "--out", str(wall), *QUICK), "folder")
    lost = tmp_path / "lost"
    lost.symlink_to(tmp_path / "nowhere" / "deep")
    done = study(iris, "--target", "species", "--out", str(lost), *QUICK)
    assert done.returncode in (0, 2) and "Traceback" not in done.stderr
    assert iris.read_bytes() == before


@pytest.mark.slow
def test_of_two_studies_in_one_folder_one_is_refused(iris, tmp_path):
    words = [*SHALLOWS, "study", str(iris), "--target", "species", "--out", str(tmp_path / "out")]
    both = [
        subprocess.Popen(words + QUICK, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[1] for process in both]
    codes = [process.returncode for process in both]
    assert sorted(codes) in ([0, 2], [0, 0]), said
    if 2 in codes:
        refused = said[codes.index(2)]
        assert "Traceback" not in refused and str(tmp_path / "out") in "".join(refused.split("\n"))
    assert numbers(tmp_path / "out")


@pytest.mark.slow
def test_too_little_memory_gives_a_sentence(tmp_path):
    """The address space is enough for the libraries, and too small for the table."""
    path = tmp_path / "wide.csv"
    row = ",".join(str(k % 9) for k in range(1000))
    with path.open("w") as file:
        file.write(",".join(f"c{k}" for k in range(1000)) + "\n")
        file.writelines(f"{k % 7},{row[2:]}\n" for k in range(20_000))

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (1500 * MEGABYTE, 1500 * MEGABYTE))

    done = study(path, "--target", "c0", "--out", str(tmp_path / "out"), *QUICK, limit=little)
    assert_one_sentence(done, "memory")


@pytest.mark.slow
def test_an_interrupt_at_any_moment_harms_nothing_and_resume_goes_on(iris, tmp_path):
    words = [*SHALLOWS, "study", str(iris), "--target", "species", *QUICK]
    start = time.monotonic()
    whole = tmp_path / "whole"
    subprocess.run([*words, "--out", str(whole)], check=True, capture_output=True)
    seconds = time.monotonic() - start
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    for part in (0.1, 0.4, 0.6, 0.8):
        resume = ["--resume"] if (out / "journal.sqlite").exists() else []
        process = subprocess.Popen(
            [*words, "--out", str(out), *resume],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(part * seconds)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
        # Before Python has its own handler the signal itself ends the process.
        assert process.returncode in (0, 2, 130, -signal.SIGINT), (part, text, errors)
        if process.returncode == 2:
            assert "--resume" in errors, errors
            (out / "journal.sqlite").unlink()
        assert (out / "notes.txt").read_text() == "mine" and not list(out.glob("*.part"))
    if (out / "journal.sqlite").exists():
        words.append("--resume")
    subprocess.run([*words, "--out", str(out)], check=True, capture_output=True)
    assert numbers(out)["score"] == numbers(whole)["score"]


def test_a_damaged_journal_is_named_and_kept(iris, tmp_path):
    out = tmp_path / "out"
    words = ["--target", "species", "--out", str(out), *QUICK]
    assert study(iris, *words).returncode == 0
    journal = out / "journal.sqlite"
    good = journal.read_bytes()
    middle = len(good) // 2
    for bad in (b"not a journal", good[:middle], good[:100] + bytes(len(good) - 100)):
        for extra in out.glob("journal.sqlite-*"):
            extra.unlink()
        journal.write_bytes(bad)
        done = study(iris, *words, "--resume")
        assert_one_sentence(done, "journal")
        assert journal.read_bytes() == bad


STRANGE = {
    "nul.csv": b"a,b,y\n" + b"1,\x00,u\n2,3,v\n" * 30,
    "only_nul.csv": bytes(1000),
    "names.csv": b"../../etc/passwd,=1+1,y\n" + b"1,2,u\n2,3,v\n3,1,u\n4,9,v\n" * 20,
    "newline_names.csv": b'"a\nb","=1+1",y\n' + b"1,2,u\n2,3,v\n3,1,u\n4,9,v\n" * 20,
    "bom.csv": "\ufeffa,b,y\n".encode() + b"1,2,u\n2,3,v\n3,1,u\n4,9,v\n" * 20,
    "utf16.csv": ("a,b,y\n" + "1,2,u\n2,3,v\n3,1,u\n4,9,v\n" * 20).encode("utf-16"),
    "one_line.csv": b"a,b,y\n" + b"x" * (20 * MEGABYTE),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_file_gives_a_model_or_a_sentence(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(STRANGE[name])
    done = study(path, "--target", "y", "--out", str(tmp_path / "out"), *QUICK)
    if done.returncode:
        assert_one_sentence(done)
    assert "Traceback" not in done.stderr
    assert {each.name for each in tmp_path.iterdir()} <= {name, "out"}
    if name in ("names.csv", "bom.csv"):
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_answer_does_not_depend_on_locale_or_time_zone(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "days.csv"
    with path.open("w") as file:
        file.write("day,x,y\n")
        for k in range(120):
            x = rng.normal()
            hour = int(rng.integers(24))
            file.write(f"2024-03-{1 + k % 31:02d} {hour:02d}:30,{x:.4f},{'uv'[int(x > 0)]}\n")
    found = []
    for number, there in enumerate(
        [{"LC_ALL": "C", "TZ": "UTC"}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Auckland"}]
    ):
        out = tmp_path / str(number)
        done = study(path, "--target", "y", "--out", str(out), *QUICK, **there)
        assert done.returncode == 0, done.stderr
        found.append(numbers(out))
    assert found[0] == found[1]


@pytest.mark.fuzz
def test_a_hundred_thousand_columns_give_a_model_or_a_sentence(tmp_path):
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(",".join(f"c{k}" for k in range(100_000)) + ",y\n")
        for k in range(60):
            file.write(",".join(map(str, rng.integers(0, 99, 100_000))) + f",{'uv'[k % 2]}\n")
    words = [*SHALLOWS, "study", str(path), "--target", "y", "--budget", "120", *QUICK]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode in (0, 2), done.stderr[-2000:]
    assert "Traceback" not in done.stderr


@pytest.mark.fuzz
def test_a_line_of_a_gigabyte_gives_a_sentence(tmp_path):
    path = tmp_path / "long.csv"
    with path.open("wb") as file:
        file.write(b"a,b,y\n1,2,u\n")
        for _ in range(1024):
            file.write(b"x" * MEGABYTE)
    done = subprocess.run(
        [*SHALLOWS, "study", str(path), "--target", "y"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    path.unlink()
    assert_one_sentence(done)
