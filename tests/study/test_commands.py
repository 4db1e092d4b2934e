import csv
import gzip

import numpy as np
import pytest

from shallows.cli import main


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a table, a finished study of it, and files that are not what they seem."""
    folder = tmp_path_factory.mktemp("place")
    rng = np.random.default_rng(0)
    rows = [[f"{a:.3f}", f"{b:.3f}", town] for a, b, town in _cells(rng, 120)]
    kinds = ["ill" if float(row[0]) > 0 else "well" for row in rows]
    full = [[*row, kind] for row, kind in zip(rows, kinds, strict=True)]
    _write(folder / "d.csv", ["weight", "body height", "town", "kind"], full)
    _write(folder / "other.csv", ["weight", "body height", "town", "kind"], full[::-1])
    _write(folder / "renamed.csv", ["Weight", "body_height", "town"], rows)
    (folder / "text.shallows").write_text("no model")
    (folder / "plain.csv.gz").write_bytes((folder / "d.csv").read_bytes())
    packed = gzip.compress((folder / "d.csv").read_bytes())
    (folder / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    (folder / "torn.csv.gz").write_bytes(packed[:200] + bytes(60) + packed[260:])
    (folder / "file").write_text("")
    words = ["--target", "kind", "--only", "least squares", "--repeats", "1"]
    assert main(["study", str(folder / "d.csv"), *words, "--out", str(folder / "m")]) == 0
    assert main(["study", str(folder / "d.csv"), "--out", str(folder / "survey")]) == 0
    whole = (folder / "m" / "model.shallows").read_bytes()
    (folder / "half.shallows").write_bytes(whole[: len(whole) // 2])
    return folder


def _cells(rng, n):
    return zip(*rng.normal(size=(2, n)), rng.choice(["Oslo", "Rome"], n), strict=True)


def _write(path, names, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("study d.csv --target knid", "no column 'knid'; did you mean 'kind'?"),
        ("study d.csv --target Kind", "did you mean 'kind'?"),
        ("study d.csv --target zzz", "there are 'weight', 'body height', 'town', 'kind'"),
        ("study d.csv --target kind --group kind", "'kind' can't be both target and group"),
        ("study d.csv --target kind --drop kind", "'kind' can't be both target and dropped"),
        ("study d.csv --target kind --time town", "'town' must be dates or numbers, it is text"),
        ("study d.csv --target kind --sample 0", "--sample must be at least 50, got 0"),
        ("study d.csv --target kind --delimiter ;;", "--delimiter must be one sign, got ';;'"),
        ("study d.csv --target kind --only k-nn", "no method 'k-nn'; did you mean 'k-NN'?"),
        ("study d.csv --target kind --out file/x", "file/x can't be made (Not a directory)"),
        ("study d.csv --target kind --out file", "must be a folder"),
        ("study d.csv --target kind --out m", "m holds another study (repeats was 1, is None"),
        ("study other.csv --target kind --out m --resume", "m holds a study of other data"),
        ("study --out nothing --resume", "nothing holds no study to resume; leave --resume out"),
        (
            "study --out m --resume --measure auc",
            "m holds another study (measure was None, is 'auc'",
        ),
        ("study --out m --resume --only k-NN", "(only was ['least squares'], is ['k-NN'])"),
        ("study d.csv --target kind --only least squares", "no use for the word 'squares'; a name"),
        ("study --traget kind d.csv", "has no option '--traget'; did you mean --target"),
        ("study d.csv --only ridge", "--only needs --target COLUMN; without it the table is only"),
        ("study d.csv --test-size 0.5", "--test-size needs --target COLUMN"),
        ("study d.csv --target kind --encoding no", "--encoding must be one that Python knows"),
        ("study d.csv --target kind --sheet x", "d.csv: sheet applies only to .xlsx files"),
        ("study d.csv --target kind --only SVC --skip SVC", "No method is left to compare with"),
        ("study plain.csv.gz --target kind", "plain.csv.gz can't be read (Not a gzipped file"),
        ("study cut.csv.gz --target kind", "cut.csv.gz can't be read (Compressed file ended"),
        ("study torn.csv.gz --target kind", "torn.csv.gz can't be read (Error -3 while"),
        ("study d.csv --target kind --task regression", "leave --task out or choose a column"),
        ("predict none.shallows d.csv", "There is no file none.shallows"),
        ("predict text.shallows d.csv", "text.shallows is not a model file that a study wrote"),
        ("predict d.csv m/model.shallows", "d.csv is not a model file that a study wrote: name a"),
        ("predict survey d.csv", "survey is a folder; there is no model.shallows in it"),
        ("predict m/model.shallows cut.csv.gz", "cut.csv.gz can't be read (Compressed file ended"),
        (
            "predict m/model.shallows d.csv more",
            "`shallows predict` has no use for the word 'more'",
        ),
        ("explain m/model.shallows d.csv --seed -1", "--seed must be at least 0, got -1."),
        ("predict half.shallows d.csv", "half.shallows is not a model file that a study wrote"),
        ("predict m/model.shallows none.csv", "There is no file none.csv"),
        (
            "predict m/model.shallows renamed.csv",
            "lack columns 'weight', 'body height', which the model needs; did you mean 'Weight' "
            "or 'body_height'?",
        ),
        ("predict m/model.shallows d.csv -o no/o.csv", "There is no folder no to write o.csv in"),
        ("predict m/model.shallows d.csv -o m", "m is a folder; name the file to write in it"),
        ("predict m/model.shallows d.csv -o d.csv", "d.csv is read and would be lost"),
        ("predict m d.csv -o m/model.shallows", "model.shallows is read and would be lost"),
        ("predict m/model.skops d.csv", "There is no file m/model.skops; name m/model.shallows."),
        ("explain m/model.shallows d.csv --row 999", "There is no row 999"),
    ],
)
def test_mistakes_get_one_sentence(words, message, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    parts = words.split(" ")
    assert main(parts) == 2
    said = capsys.readouterr().err
    assert said.startswith("shallows: ") and said.count("\n") == 1
    assert message in said


def test_a_method_for_series_says_why_it_was_not_tried(place, capsys):
    words = ["study", str(place / "d.csv"), "--target", "kind", "--only", "window ridge"]
    assert main(words) == 2
    assert "window ridge was not tried: it needs --time with one row" in capsys.readouterr().err


def test_signs_of_the_terminal_in_names_are_only_text(tmp_path, capsys):
    path = tmp_path / "[b]:cat:.csv"
    rows = [f"{i % 7}.5,{i % 5}.5,{'pq'[i % 2]}" for i in range(60)]
    path.write_text("\n".join(["a[/],b:cat:,y[/x]", *rows]))
    words = ["study", str(path), "--out"]
    assert main([*words, str(tmp_path / "s[/]")]) == 0
    assert "/s[/]/report.htmltellsmore" in "".join(capsys.readouterr().out.split())
    more = ["--target", "y[/x]", "--only", "least squares", "--repeats", "1"]
    assert main([*words, str(tmp_path / "t[/]"), *more]) == 0
    text = "".join(capsys.readouterr().out.split())
    assert "[b]:cat:.csv:can'y[/x]'bepredicted?" in text and "/t[/]/report.htmltells" in text


def test_rare_classes_alone_are_refused(tmp_path, capsys):
    path = tmp_path / "few.csv"
    path.write_text("a,y\n" + "1,p\n" * 9 + "2,q\n3,q\n")
    assert main(["study", str(path), "--target", "y"]) == 2
    assert "needs two classes with 5 rows each, and 1 of its 2" in capsys.readouterr().err


def test_auc_of_three_classes_names_the_other_measures(tmp_path, capsys):
    path = tmp_path / "three.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7}.5,{'pqr'[i % 3]}\n" for i in range(60)))
    assert main(["study", str(path), "--target", "y", "--measure", "auc"]) == 2
    assert "there are 3; choose from accuracy, balanced_accuracy, log" in capsys.readouterr().err


def test_a_folder_that_can_not_be_written_to(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert main(["predict", "m/model.shallows", "d.csv", "-o", "o.csv"]) == 2
    assert "can't be written to" in capsys.readouterr().err
    assert main(["study", "d.csv", "--target", "kind", "--out", "new"]) == 2
    assert "must be a folder that can be written to, new can't" in capsys.readouterr().err


def test_a_model_of_other_versions_is_blamed_on_them(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    from shallows.linear import LeastSquaresClassifier

    def gone(self, X):
        raise AttributeError("no attribute 'offset_'")

    monkeypatch.setattr(LeastSquaresClassifier, "decision_function", gone)
    with monkeypatch.context() as same:
        same.setenv("SHALLOWS_TRACEBACK", "1")
        with pytest.raises(AttributeError):
            main(["predict", "m/model.shallows", "d.csv"])
    here = {"shallows": "9.9", "numpy": "9.9"}
    monkeypatch.setattr("shallows.study._model_file.versions", lambda: here)
    assert main(["predict", "m/model.shallows", "d.csv"]) == 2
    said = capsys.readouterr().err
    assert "does not work with the installed software" in said and "(here 9.9)" in said


def test_a_moved_file_is_the_same_data(place, tmp_path, capsys):
    moved = tmp_path / "moved.csv"
    moved.write_bytes((place / "d.csv").read_bytes())
    words = ["--target", "kind", "--only", "least squares", "--repeats", "1", "--resume"]
    assert main(["study", str(moved), *words, "--out", str(place / "m")]) == 0
    assert "on new data expect" in " ".join(capsys.readouterr().out.split()).lower()


def test_a_file_that_can_not_be_written_is_named(place, monkeypatch, capsys):
    monkeypatch.chdir(place)

    def refused(path, text):
        raise OSError(28, "No space left on device", "/somewhere/.1234.part")

    monkeypatch.setattr("shallows.study._predict.write_text", refused)
    assert main(["predict", "m/model.shallows", "d.csv", "-o", "o.csv"]) == 2
    assert (
        capsys.readouterr().err == "shallows: o.csv can't be written (No space left on device).\n"
    )
