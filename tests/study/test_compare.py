import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from shallows.cli import main
from shallows.study import Study, StudyError, compare_studies, load_result
from shallows.study._journal import Journal
from shallows.study._result import save_result


def table(n=200, seed=0):
    """Rows sorted by their classes, so that other rows have the same targets."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(["ill", "well"], n // 2)
    x = np.where(kind == "ill", 1.0, -1.0) + rng.normal(size=n)
    ward = np.tile(np.arange(n // 10), 10)
    return {"x": x, "z": rng.normal(size=n), "ward": ward, "cost": 3 * x, "kind": kind}


def write(path, columns):
    lines = [",".join(columns)]
    lines += [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with studies that differ in one thing each, and things that are no studies."""
    folder = tmp_path_factory.mktemp("place")
    write(folder / "d.csv", table())
    write(folder / "other.csv", table(seed=1))
    write(folder / "more.csv", {**table(), "noise": np.random.default_rng(3).normal(size=200)})
    common = {"drop": ["cost"], "only": ["least squares"], "repeats": 1}
    studies = {
        "a": {},
        "blind": {"drop": ["cost", "x"]},
        "tree": {"only": ["decision tree"]},
        "seed": {"seed": 1},
        "other": {"data": folder / "other.csv"},
        "more": {"data": folder / "more.csv"},
        "balanced": {"measure": "balanced_accuracy"},
        "chance": {"measure": "log_loss"},
        "chance, tree": {"measure": "log_loss", "only": ["decision tree"]},
        "wards": {"group": "ward"},
        "wards, blind": {"group": "ward", "drop": ["cost", "x"]},
        "z": {"target": "z", "only": ["ridge"]},
        "numbers": {"target": "ward", "task": "regression", "only": ["ridge"]},
        "numbers, tree": {"target": "ward", "task": "regression", "only": ["decision tree"]},
        "classes": {"target": "ward", "task": "classification"},
    }
    for name, settings in studies.items():
        given = {"data": folder / "d.csv", "target": "kind", **common, **settings}
        (folder / name).mkdir()
        save_result(Study(**given).run(), folder / name)
    (folder / "a" / "model.shallows").write_bytes(b"any")
    assert main(["study", str(folder / "d.csv"), "--out", str(folder / "survey")]) == 0
    (folder / "empty").mkdir()
    (folder / "killed").mkdir()
    Journal(folder / "killed").close()
    for name, text in {"number": "3", "word": '"a"', "list": "[]", "half": "{", "o": "{}"}.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "old").mkdir()
    values = json.loads((folder / "a" / "results.json").read_text())
    del values["assessment"]
    values["versions"]["shallows"] = "0.0.1"
    (folder / "old" / "results.json").write_text(json.dumps(values))
    return folder


@pytest.fixture
def compared(place, monkeypatch, capsys):
    """A function from the names of studies to the outcome that is printed, as one line."""
    monkeypatch.chdir(place)

    def run(*names):
        assert main(["compare", *names]) == 0
        return " ".join(capsys.readouterr().out.split())

    return run


def test_each_study_is_called_by_its_folder(compared):
    text = compared("a", "blind")
    assert "a is better than blind on the same 50 locked rows, by " in text
    assert "blind: shallows study " in text and "--drop cost --drop x --only" in text
    assert "a is better than blind" in compared("blind", "a")
    text = compared("a", "more")
    assert "│ a │ least squares │" in text and "│ more │ least squares │" in text
    assert "a and more can't be told apart" in text


def test_the_first_study_is_held_against_any_number_of_others(compared, place):
    text = compared("a", "blind", "tree")
    assert "a is better than blind" in text and "a and tree can't be told apart" in text
    assert "The 2 intervals hold together at 95 %" in text
    a, tree = (load_result(place / name) for name in ("a", "tree"))
    alone, one_of_two = (compare_studies(a, tree, n_comparisons=n) for n in (1, 2))
    assert one_of_two.low < alone.low < alone.difference < alone.high < one_of_two.high


def test_other_rows_are_flagged_also_where_they_have_the_same_targets(compared, place):
    a, other = (load_result(place / name) for name in ("a", "other"))
    assert a.answers["truth"] == other.answers["truth"]
    assert not compare_studies(a, other).paired
    text = compared("a", "other")
    assert "on different locked rows" in text and "the rows may make the difference" in text
    assert "50 of 200 rows of d.csv in a and 50 of 200 rows of other.csv in other" in text
    assert "with the same --seed, --test-size" in compared("a", "seed")


def test_a_file_with_another_column_has_the_same_rows(place):
    assert compare_studies(load_result(place / "a"), load_result(place / "more")).paired


@pytest.mark.parametrize(
    ("one", "other"),
    [("chance", "chance, tree"), ("numbers", "numbers, tree"), ("wards", "wards, blind")],
)
def test_every_measure_is_compared_in_pairs(one, other, place):
    first, second = load_result(place / one), load_result(place / other)
    found, back = compare_studies(first, second), compare_studies(second, first)
    assert found.paired and back.paired and "the same" in found.text
    assert found.difference == first.assessment.score - second.assessment.score
    assert found.low <= found.difference <= found.high
    assert (back.difference, back.low, back.high) == pytest.approx(
        (-found.difference, -found.high, -found.low)
    )


def test_whole_groups_are_drawn(place):
    first, second = load_result(place / "wards"), load_result(place / "wards, blind")
    rows = {k: v for k, v in first.answers.items() if k != "groups"}
    by_row = compare_studies(replace(first, answers=rows), second)
    assert compare_studies(first, second).low != by_row.low


def test_an_error_that_is_smaller_is_better(place):
    a = load_result(place / "numbers")
    truth = np.array(a.answers["truth"])
    near, far = ({**a.answers, "predicted": truth + error} for error in (0.1, 0.2))
    scores = [replace(a.assessment, score=-error) for error in (0.1, 0.2)]
    small, large = (
        replace(a, measure="mae", answers=answers, assessment=score)
        for answers, score in zip((near, far), scores, strict=True)
    )
    text = compare_studies(large, small).text
    assert text.startswith("B is better than A on the same 50 locked rows, by 0.1 (95 % interval")


def rare(result, found, n_rare=4):
    """Return a study of many rows of one class and a few of another, of which some are found."""
    truth = np.array(["well"] * 60 + ["ill"] * n_rare)
    said = truth.copy()
    said[60 + found :] = "well"
    answers = {**result.answers, "rows": np.arange(len(truth)), "truth": truth, "predicted": said}
    score = replace(result.assessment, score=(1 + found / n_rare) / 2)
    return replace(result, answers=answers, assessment=score)


def test_a_few_rows_of_a_rare_class_prove_nothing(place):
    result = load_result(place / "balanced")
    assert "can't be told apart" in compare_studies(rare(result, 4), rare(result, 0)).text
    many = compare_studies(rare(result, 12, 12), rare(result, 0, 12)).text
    assert many.startswith("A is better than B")


def test_areas_are_compared_whatever_the_scale_of_the_chances(place):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 100)
    good = codes + 0.7 * rng.normal(size=200)
    poor = good + 1.1 * rng.normal(size=200)
    result = replace(load_result(place / "chance"), measure="auc")
    studies = []
    for chances in (0.999 + 1e-4 * good, 1 / (1 + np.exp(-3 * poor))):
        chances = np.column_stack([1 - chances, chances])
        truth = np.array(result.classes)[codes]
        answers = {**result.answers, "rows": codes, "truth": truth, "chances": chances}
        score = replace(result.assessment, score=roc_auc_score(codes, chances[:, 1]))
        studies.append(replace(result, answers=answers, assessment=score))
    assert compare_studies(*studies).text.startswith("A is better than B")


def test_what_spoils_a_score_is_said(compared, place, tmp_path):
    assert "blind: the locked rows do not show that it predicts better" in compared("a", "blind")
    values = json.loads((place / "tree" / "results.json").read_text())
    values["notes"] = ["The study was interrupted before its end; methods are compared on “x”."]
    (tmp_path / "results.json").write_text(json.dumps(values))
    assert f"{tmp_path}: The study was interrupted before its end" in compared("a", str(tmp_path))


WANTED = "name the folder that `shallows study --out` wrote, or the results.json in it."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "needs the folders of two studies or more, got none; `shallows study FILE"),
        (["a"], "needs the folders of two studies or more, got a alone; `shallows study FILE"),
        (["a", "a/"], "a and a are the same study; name another."),
        (["a", "a/results.json"], "a and a/results.json are the same study; name another."),
        (["a", "nowhere"], f"There is no folder nowhere; {WANTED}"),
        (["a", "d.csv"], f"d.csv is no study, since it holds no JSON; {WANTED}"),
        (["a", "half.json"], f"half.json is no study, since it holds no JSON; {WANTED}"),
        (
            ["a", "number.json"],
            f"number.json is no study, since it holds no ranking of methods; {WANTED}",
        ),
        (["a", "word.json"], "word.json is no study, since it holds no ranking"),
        (["a", "list.json"], "list.json is no study, since it holds no ranking"),
        (["a", "o.json"], "o.json is no study, since it holds no ranking"),
        (["a", "a/model.shallows"], "a/model.shallows is one file of a study; name its folder, a."),
        (
            ["a", "empty"],
            f"empty is not the folder of a study, since it has no results.json; {WANTED}",
        ),
        (["a", "."], ". is not the folder of a study, since it has no results.json; there are"),
        (["a", "killed"], "has not ended; finish it with `shallows study --out killed --resume`."),
        (["a", "survey"], "survey is a survey, which predicts nothing; run `shallows study` with"),
        (["a", "old"], "written by another version of shallows (0.0.1, here"),
        (["a", "z"], "a predicts 'kind' and z 'z'; compare studies of the same target."),
        (
            ["numbers", "classes"],
            "The task of numbers is regression, that of classes classification; run one of them "
            "again with --task regression or --task classification and another folder as --out.",
        ),
        (
            ["a", "tree", "balanced"],
            "The measure of a is accuracy, that of balanced balanced_accuracy; run one of them "
            "again with --measure accuracy or --measure balanced_accuracy and another folder",
        ),
    ],
)
def test_what_can_not_be_compared_gets_one_sentence(words, message, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert main(["compare", *words]) == 2
    out, said = capsys.readouterr()
    assert out == "" and said.startswith("shallows: ") and said.count("\n") == 1
    assert message in said


def test_a_study_without_a_score_is_refused(place):
    a = load_result(place / "a")
    none = replace(a, assessment=replace(a.assessment, score=None))
    with pytest.raises(StudyError, match="B has no score to compare"):
        compare_studies(a, none)
