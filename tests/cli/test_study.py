import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

from shallows.cli import main

QUICK = ["--only", "least squares", "--only", "decision tree", "--repeats", "2"]


@pytest.fixture
def iris(tmp_path):
    data = load_iris()
    path = tmp_path / "iris.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "species"])
        writer.writerows(
            [*row, data.target_names[k]]
            for row, k in zip(data.data.tolist(), data.target, strict=True)
        )
    return path


def results(folder):
    """Return the numbers of a study but for how long it took."""
    values = json.loads((folder / "results.json").read_text())
    del values["seconds"]
    for row in (*values["ranking"], *values["tried"]):
        del row["seconds"]
    return values


def test_from_a_file_to_predictions(iris, tmp_path, capsys):
    out = tmp_path / "study"
    words = ["study", str(iris), "--target", "species", "--out", str(out), "--markdown", *QUICK]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "accuracy in cross-validation on 112 rows" in text
    assert "150 rows; 4 numbers; target: species" in text
    assert "On new data expect" in text
    assert (out / "report.md").exists()
    new = tmp_path / "new.csv"
    new.write_text("\n".join(iris.read_text().splitlines()[:4]) + "\n")
    assert main(["predict", str(out / "model.shallows"), str(new), "--proba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("species,probability of setosa") and len(lines) == 4
    assert all(line.startswith("setosa,") for line in lines[1:])
    answers = tmp_path / "out.csv"
    assert main(["predict", str(out / "model.shallows"), str(new), "-o", str(answers)]) == 0
    assert answers.read_text() == "species\nsetosa\nsetosa\nsetosa\n"
    assert main(["explain", str(out / "model.shallows"), str(new), "--row", "1"]) == 0
    assert "The answer is setosa" in capsys.readouterr().out


def test_without_a_target_the_table_is_described(iris, tmp_path, capsys):
    assert main(["study", str(iris), "--drop", "species", "--out", str(tmp_path / "s")]) == 0
    assert "2 clusters stand out" in capsys.readouterr().out


def test_one_number_is_not_called_numbers(tmp_path, capsys):
    path = tmp_path / "one.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7}.5,{'pq'[i % 2]}\n" for i in range(40)))
    main(["study", str(path), "--target", "y", "--only", "least squares"])
    assert "40 rows; 1 number; target: y" in capsys.readouterr().out


def write_wide(path):
    n = 100_000
    cells = [",".join(map(str, np.arange(n) % 7))] * 30
    rows = [f"{line},{'ab'[i % 2]}" for i, line in enumerate(cells)]
    names = ",".join(f"c{i}" for i in range(n))
    path.write_text("\n".join([names + ",y", *rows]))


BROKEN = {
    "empty": (lambda path: path.write_text(""), "is empty"),
    "one column": (lambda p: p.write_text("y\n" + "a\nb\n" * 20), "one column only"),
    "ragged": (
        lambda p: p.write_text("a,y\n" + "1,p\n" * 20 + "1,2,3,q\n"),
        "line 22 has more cells",
    ),
    "binary": (lambda p: p.write_bytes(bytes(range(256)) * 20), "contains binary data"),
    "huge field": (
        lambda p: p.write_text("a,y\n" + "1,p\n2,q\n" * 20 + '"' + "x" * 5_000_000 + '",p\n'),
        "line 42",
    ),
    "duplicate header": (lambda p: p.write_text("a,a,y\n" + "1,2,p\n" * 20), "named 'a'"),
    "no target": (lambda p: p.write_text("a,y\n" + "1,\n2,\n" * 20), "has no value in any row"),
    "one class": (lambda p: p.write_text("a,y\n" + "1,p\n2,p\n" * 20), "one class only, 'p'"),
    "no text": (lambda p: p.write_bytes(b"a,y\n" + b"\x81\xff,p\n" * 20), "Name its encoding"),
    "very wide": (write_wide, "100,001 columns"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_get_one_sentence(name, tmp_path, capsys):
    write, words = BROKEN[name]
    path = tmp_path / "data.csv"
    write(path)
    assert main(["study", str(path), "--target", "y", "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.startswith("shallows: ") and message.count("\n") == 1
    assert len(message) < 300


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "x"], "no column 'x'"),
        (["--target", "species", "--budget", "soon"], "--budget must be a time such as"),
        (["--target", "species", "--jobs", "0"], "--jobs must be at least 1"),
        (["--target", "species", "--test-size", "0.9"], "--test-size must lie between"),
        (["--target", "species", "--role", "species"], "--role must look like COLUMN=ROLE"),
        (["--target", "species", "--measure", "beauty"], "--measure must be one of accuracy"),
        (["--target", "species", "--resume"], "--resume needs the folder"),
        (["--target", "species", "--cluster", "tcp://127.0.0.1:1"], "No Dask scheduler answers"),
        (["--taget", "species"], "did you mean --target"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_wishes_that_do_not_fit(iris, words, message, capsys):
    assert main(["study", str(iris), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_file_must_go_with_a_target(capsys):
    assert main(["study", "--target", "y"]) == 2
    assert "--target needs the file" in capsys.readouterr().err
    assert main(["study", "nowhere.csv", "--target", "y"]) == 2
    assert "There is no file nowhere.csv" in capsys.readouterr().err


@pytest.mark.slow
def test_a_killed_study_continues(iris, tmp_path):
    words = [
        sys.executable,
        "-m",
        "shallows.cli",
        "study",
        str(iris),
        "--target",
        "species",
        *QUICK,
    ]
    subprocess.run([*words, "--out", str(tmp_path / "whole")], check=True, capture_output=True)
    killed = tmp_path / "killed"
    rng = np.random.default_rng(0)
    journal, kills = killed / "journal.sqlite", 0
    for _ in range(4):
        resume = ["--resume"] if journal.exists() else []
        process = subprocess.Popen(
            [*words, "--out", str(killed), *resume],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = journal.stat().st_mtime_ns if journal.exists() else 0
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if journal.exists() and journal.stat().st_mtime_ns != before:
                break
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.5))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills > 0
    subprocess.run([*words, "--out", str(killed), "--resume"], check=True, capture_output=True)
    assert results(killed) == results(tmp_path / "whole")
    assert not list(killed.glob("*.part"))


@pytest.mark.slow
def test_an_interrupted_study_reports_what_is_known(iris, tmp_path):
    words = [sys.executable, "-m", "shallows.cli", "study", str(iris), "--target", "species"]
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*words, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wal = out / "journal.sqlite-wal"
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and not (wal.exists() and wal.stat().st_size > 400_000):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=90)
    assert process.returncode == 130, errors
    assert "interrupted before its end" in text
    assert (out / "report.html").exists()
