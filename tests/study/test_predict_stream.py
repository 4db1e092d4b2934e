import csv
import io
import subprocess
import sys

import numpy as np
import pytest

from shallows.cli import main
from shallows.study import Study, StudyError, load_model
from shallows.study import _predict_stream as stream
from shallows.study._predict_stream import blocks_of, predict_stream


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of a number, a word with a line break in it, and gaps."""
    rng = np.random.default_rng(0)
    n = 200
    size, town = rng.normal(size=n), rng.choice(["Oslo", 'Ro\n"me', "Lima"], n).astype(object)
    kind = np.where(size + (town == "Oslo") + 0.2 * rng.normal(size=n) > 0, "p", "q")
    out = tmp_path_factory.mktemp("stream")
    columns = {"size": size, "town": town, "kind": kind}
    Study(columns, "kind", only=["decision tree"], repeats=1, out=out / "out").run()
    with (out / "new.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["size", "town"])
        for place in range(500):
            cell = "" if place % 7 == 0 else f"{size[place % n]:.4f}"
            writer.writerow([cell, town[place % n]])
    return out


def test_blocks_are_whole_rows_with_names(folder):
    content = (folder / "new.csv").read_bytes()
    whole = list(csv.reader(io.StringIO(content.decode())))
    blocks = list(blocks_of(io.BytesIO(content), 300, ["size", "town"]))
    assert len(blocks) > 10
    rows = []
    for block in blocks:
        read = list(csv.reader(io.StringIO(block.decode())))
        assert read[0] == ["size", "town"]
        rows += read[1:]
    assert rows == whole[1:]
    unnamed = b"".join(blocks_of(io.BytesIO(b"1,2\n3,4\n" * 50), 64, ["size"]))
    assert unnamed == b"1,2\n3,4\n" * 50
    with pytest.raises(StudyError, match="The input is empty"):
        list(blocks_of(io.BytesIO(b"\n"), 64, ["size"]))


@pytest.mark.parametrize("proba", [False, True])
def test_a_stream_answers_as_the_file_does(folder, monkeypatch, proba):
    saved = load_model(folder / "out")
    flags = ["--proba"] if proba else []
    assert (
        main(
            [
                "predict",
                str(folder / "out"),
                str(folder / "new.csv"),
                "-o",
                str(folder / "whole.csv"),
                *flags,
            ]
        )
        == 0
    )
    monkeypatch.setattr(stream, "BLOCK_BYTES", 700)
    written = io.StringIO()
    with (folder / "new.csv").open("rb") as source:
        assert predict_stream(saved, source, written, proba=proba) == 500
    assert written.getvalue() == (folder / "whole.csv").read_text()
    assert (
        main(
            [
                "predict",
                str(folder / "out"),
                str(folder / "new.csv"),
                "-o",
                str(folder / "blocks.csv"),
                *flags,
            ]
        )
        == 0
    )  # large for these blocks
    assert (folder / "blocks.csv").read_text() == written.getvalue()


def test_errors_name_the_input(folder):
    saved = load_model(folder / "out")
    with pytest.raises(StudyError, match="lack column 'town'"):
        predict_stream(saved, io.BytesIO(b"size\n1\n2\n"), io.StringIO())


@pytest.mark.slow
def test_standard_input_to_standard_output(folder):
    command = [sys.executable, "-m", "shallows.cli", "predict", str(folder / "out"), "-"]
    with (folder / "new.csv").open("rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "kind" and len(lines) == 501 and set(lines[1:]) == {"p", "q"}
