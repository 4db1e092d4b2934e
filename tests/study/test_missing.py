"""What stands for gaps: told once, remembered by journal and model."""

import json

import numpy as np
import pytest

from shallows.cli import main
from shallows.data import read_table
from shallows.study import Study, StudyError, audit, load_model
from shallows.study._facts import read_data
from shallows.study._predict import predict

QUICK = ["--only", "least squares", "--repeats", "1"]


@pytest.fixture
def people(tmp_path):
    """Incomes of which some are -999, shares whose zeros are numbers, words for gaps."""
    rng = np.random.default_rng(0)
    income, share = rng.normal(3000, 500, 160), rng.integers(0, 20, 160)
    target = ["ja" if value > 3000 else "nein" for value in income]
    written = [f"{value:.2f}" for value in income]
    written[::8] = ["-999.00"] * 20
    words = rng.choice(["a", "b", "not asked"], 160)
    rows = zip(written, share, words, target, strict=True)
    path = tmp_path / "people.csv"
    path.write_text(
        "income,share,town,buys\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"
    )
    return path


def test_the_audit_names_the_option_and_the_option_helps(people):
    found = [each.text for each in audit(people, "buys") if each.kind == "marker"]
    assert len(found) == 1
    assert "12.5 % of 'income' are -999" in found[0]
    assert found[0].endswith("if so, use --missing -999.")
    kinds = [each.kind for each in audit(people, "buys", missing=[-999])]
    assert "marker" not in kinds and "missing" in kinds


def test_a_marker_that_is_a_number_elsewhere_is_named_with_its_column():
    rng = np.random.default_rng(0)
    sugar = rng.normal(120, 20, 200)
    sugar[::5] = 0
    data = {"blood sugar": sugar, "children": rng.integers(0, 5, 200), "y": rng.normal(size=200)}
    found = [each.text for each in audit(data, "y") if each.kind == "marker"]
    assert found[0].endswith("use --missing 'blood sugar=0'.")
    table = read_data(data, None, 0, {}, ["blood sugar=0"])
    assert table.missing == {"blood sugar": 40, "children": 0, "y": 0}


def test_study_resume_predict_and_explain_read_alike(people, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["--missing", "-999", "--missing", "town=Not asked"]
    assert main(["study", str(people), "--target", "buys", *QUICK, *words, "--out", str(out)]) == 0
    values = json.loads((out / "results.json").read_text())
    assert "--missing=-999 '--missing=town=Not asked'" in values["command"]
    assert {c["name"]: c["levels"] for c in values["data"]["columns"]}["town"] == ["a", "b"]
    saved = load_model(out / "model.shallows")
    assert saved.missing == ("-999", "town=Not asked")
    new = tmp_path / "new.csv"
    new.write_text("income,share,town\n-999,0,not asked\n,0,\n4500,0,a\n")
    found = predict(saved, new, proba=True, unknown="error")
    assert np.array_equal(found.chances[0], found.chances[1]) and found.answers[2] == "ja"
    capsys.readouterr()
    assert main(["explain", str(out / "model.shallows"), str(new)]) == 0
    assert "income = missing" in capsys.readouterr().out
    assert main(["study", "--resume", "--out", str(out)]) == 0
    again = json.loads((out / "results.json").read_text())
    assert again["assessment"] == values["assessment"]
    capsys.readouterr()
    words = ["study", str(people), "--target", "buys", *QUICK, "--out", str(out)]
    assert main(words) == 2
    assert "missing was ['-999', 'town=Not asked'], is []" in capsys.readouterr().err


def test_markers_in_columns_by_name(quick):
    rng = np.random.default_rng(0)
    x, words = rng.normal(size=80), rng.choice(["a", "b", "?"], 80).astype(object)
    mixed = x.astype(object)
    mixed[::4] = "unclear"
    data = {"x": np.where(np.arange(80) % 9, x, -9), "word": words, "mixed": mixed, "y": x > 0}
    table = read_data(data, None, 0, {}, [-9.0, "?", "Unclear"])
    assert table.types == {"x": "number", "word": "text", "mixed": "number", "y": "boolean"}
    assert table.missing == {"x": 9, "word": int(np.sum(words == "?")), "mixed": 20, "y": 0}
    assert Study(data, "y", missing=[-9], **quick).run().command.count("--missing=-9") == 1


def test_a_column_that_is_not_there(people):
    with pytest.raises(StudyError, match=r"no column 'incom', .*did you mean 'income'\?"):
        Study(people, "buys", missing=["incom=-1"]).run()


def test_a_survey_takes_markers_too(people, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["study", str(people), "--missing", "-999", "--out", str(out)]) == 0
    assert "marker" not in {
        each["kind"] for each in json.loads((out / "results.json").read_text())["audit"]
    }


@pytest.mark.parametrize(
    ("cells", "kind", "gaps"),
    [
        (["1", "-999", "3"], "integer", [1]),
        (["1,5", "-999,0", "3,25"], "number", [1]),
        (["$5", "$-999", "$7"], "number", [1]),
        (["0.5", "-9.99e2", "-999"], "number", [1, 2]),
        (["-999", "-999.0", ""], "empty", [0, 1, 2]),
        (["007", "-999", "008"], "text", [1]),
        (["12345678901234567890", "-999", "2"], "integer", [1]),
    ],
)
def test_a_number_is_a_marker_however_it_is_written(cells, kind, gaps, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a;b\n" + "".join(f"{cell};x\n" for cell in cells))
    table = read_table(path, missing=["-999", ""])
    assert (table.types["a"], table.missing["a"]) == (kind, len(gaps))
    empty = [place for place, cell in enumerate(table.columns["a"]) if cell is None or cell != cell]
    assert empty == gaps


def test_markers_of_one_column_in_typed_files(tmp_path):
    path = tmp_path / "d.json"
    path.write_text('[{"a": 0, "b": 0, "c": "x"}, {"a": 2, "b": 1, "c": "none"}]')
    table = read_table(path, missing_in={"a": ["0"], "c": ["None"], "elsewhere": ["1"]})
    assert table.missing == {"a": 1, "b": 0, "c": 1}
