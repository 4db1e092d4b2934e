"""Predictions in a spreadsheet: no name of a class or column runs as a formula."""

import csv
import io

import numpy as np
import pytest

from shallows.cli import main
from shallows.study import Answers, Study
from shallows.study._predict import no_formula

FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "+-1", "-1,5"]
HARMLESS = ["well", "", "a=b", "1-2", "'=1", "-1", "+2.5", "-.5e-3", "1e5", "5.", " =1"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_becomes_text(cell):
    assert no_formula(cell) == "'" + cell


@pytest.mark.parametrize("cell", HARMLESS)
def test_numbers_and_words_stay_as_they_are(cell):
    assert no_formula(cell) == cell


def test_names_of_classes_and_of_the_target_are_escaped_and_numbers_are_not():
    classes = ("=cmd|' /C calc'!A0", "-1")
    answers = Answers(np.array(classes, object), np.array([[0.1, 0.9], [1e-7, 1]]), classes, "+y")
    rows = list(csv.reader(io.StringIO(answers.to_csv())))
    named = [f"probability of {name}" for name in classes]
    assert rows == [["'+y", *named], [f"'{classes[0]}", "0.1", "0.9"], ["-1", "1e-07", "1"]]
    raw = list(csv.reader(io.StringIO(answers.to_csv(raw=True))))
    assert raw[0][0] == "+y" and [row[0] for row in raw[1:]] == list(classes)
    numbers = Answers(np.array([-1.5, 2.0]), None, (), "y")
    assert numbers.to_csv() == numbers.to_csv(raw=True) == "y\n-1.5\n2\n"


def test_the_command_escapes_what_it_writes_and_prints(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    kinds = np.where(x > 0, "=HYPERLINK(1)", "@x")
    columns = {"x": x, "=kind": kinds}
    Study(columns, "=kind", out=tmp_path / "m", only=["least squares"], repeats=1).run()
    (tmp_path / "new.csv").write_text("x\n2\n-2\n")
    words = ["predict", str(tmp_path / "m"), str(tmp_path / "new.csv")]
    safe, raw = "'=kind\n'=HYPERLINK(1)\n'@x\n", "=kind\n=HYPERLINK(1)\n@x\n"
    for more, text in (([], safe), (["--raw"], raw)):
        assert main([*words, *more]) == 0
        assert capsys.readouterr().out == text
        assert main([*words, *more, "-o", str(tmp_path / "o.csv")]) == 0
        assert (tmp_path / "o.csv").read_text() == text
        capsys.readouterr()
