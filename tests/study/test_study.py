from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from shallows.study import Study, StudyError, StudyResult, load_result
from shallows.study._balanced import bare
from shallows.study._journal import Journal
from study.results import without_times


def test_a_study_of_iris(iris, quick):
    result = Study(iris, "species", **quick).run()
    assert (result.n_train, result.n_test, result.task) == (112, 38, "classification")
    assert result.classes == ("setosa", "versicolor", "virginica")
    assert [each.name for each in result.ranking if each.chosen] == [result.chosen.name]
    assert result.learned and result.assessment.score > 0.8
    assert result.assessment.low < result.assessment.score < result.assessment.high + 1e-9
    assert result.optimism == pytest.approx(result.chosen.mean - result.assessment.score)
    assert result.summary().startswith("On new data expect ")
    assert "The strongest model is " in result.summary()
    columns = [row["column"] for row in result.explanation["relevances"][:2]]
    assert set(columns) == {"petal length", "petal width"}


def test_test_rows_are_never_seen_before_the_assessment(iris, quick):
    """Whatever the test targets are, selection comes out the same."""
    order = np.random.default_rng(0).permutation(150)  # parts by time do not depend on targets
    columns = dict(iris, when=order)
    result = Study(columns, "species", time="when", **quick).run()
    spoiled = dict(columns, species=iris["species"].copy())
    rows = np.asarray(result.answers["rows"])
    spoiled["species"][rows] = np.roll(spoiled["species"][rows], 5)
    other = Study(spoiled, "species", time="when", **quick).run()
    assert list(other.answers["rows"]) == list(rows)
    assert [(e.name, e.mean) for e in other.ranking] == [(e.name, e.mean) for e in result.ranking]
    assert other.assessment.score < 0.6 < result.assessment.score


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result_on_any_number_of_workers(mixed, quick):
    first = Study(mixed, "sick", **quick).run()
    assert without_times(Study(mixed, "sick", jobs=2, **quick).run()) == without_times(first)
    other = Study(mixed, "sick", seed=1, **quick).run()
    assert list(other.answers["rows"]) != list(first.answers["rows"])


def test_mixed_columns_are_learned_from(mixed, quick):
    result = Study(mixed, "sick", positive="no", **quick).run()
    assert result.classes == ("yes", "no") and result.data["n_features"] == 6
    assert result.learned
    assert {"roc", "pr", "confusion", "auc"} <= result.explanation["details"].keys()
    assert sum(map(sum, result.explanation["details"]["confusion"])) == result.n_test


def test_a_regression():
    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True), progress=data.target)
    result = Study(columns, "progress", only=["ridge", "decision tree"], repeats=1).run()
    assert result.task == "regression" and result.measure == "r2"
    assert 0.2 < result.assessment.score < 0.65
    details = result.explanation["details"]
    truth, said = np.array(result.answers["truth"]), np.array(result.answers["predicted"])
    assert details["rmse"] == pytest.approx(np.sqrt(np.mean((truth - said) ** 2)))


def test_random_labels_are_called_nothing(quick):
    rng = np.random.default_rng(5)
    columns = {f"x{i}": rng.normal(size=200) for i in range(10)}
    result = Study({**columns, "y": rng.choice(["a", "b"], 200)}, "y", **quick).run()
    assert not result.learned
    assert result.summary().startswith("Nothing was found: ")


def test_a_nested_estimate_tells_the_choice_of_every_fold(iris, quick):
    nested = Study(iris, "species", nested=True, **quick).run().nested
    assert [fold["fold"] for fold in nested["folds"]] == [1, 2, 3, 4, 5]
    assert nested["mean"] == pytest.approx(np.mean([fold["score"] for fold in nested["folds"]]))
    assert {fold["choice"] for fold in nested["folds"]} <= {
        "least squares",
        "decision tree",
        "blend",
    }


def test_results_survive_a_trip_through_the_file(tmp_path, iris, quick):
    result = Study(iris, "species", out=tmp_path, **quick).run()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "journal.sqlite",
        "model.shallows",
        "report.html",
        "results.json",
    ]
    again = load_result(tmp_path)
    assert isinstance(again, StudyResult)
    assert without_times(again) == without_times(result)
    with pytest.raises(StudyError, match="There is no folder"):
        load_result(tmp_path / "nowhere")
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(StudyError, match="holds no ranking of methods"):
        load_result(tmp_path)


def test_a_folder_holds_one_study(tmp_path, iris, quick):
    study = Study(iris, "species", out=tmp_path, **quick)
    first = study.run()
    with pytest.raises(StudyError, match="continue it with --resume"):
        study.run()
    with pytest.raises(StudyError, match=r"holds another study \(seed was 0, is 1\)"):
        replace(study, seed=1, resume=True).run()
    assert without_times(replace(study, resume=True).run()) == without_times(first)


def test_choices_assessed_before_a_resumption_are_counted(tmp_path, iris, quick):
    study = Study(iris, "species", out=tmp_path, **quick)
    first = study.run()
    again = replace(study, resume=True).run()
    assert first.assessment.n_assessments == again.assessment.n_assessments == 1
    with closing(Journal(tmp_path)) as journal:  # as if the budget had ended with another choice
        assert journal.assessed_before(("k-NN", "{}")) == 1
    found = replace(study, resume=True).run()
    assert found.assessment.n_assessments == 2
    assert any("have assessed 2 choices" in note for note in found.notes)


def test_a_refitted_model_knows_all_rows(tmp_path, iris):
    settings = {"only": ["k-NN"], "repeats": 1}
    from shallows.study import load_model

    for refit in (False, True):
        Study(iris, "species", out=tmp_path / str(refit), refit=refit, **settings).run()
    kept = [
        bare(load_model(tmp_path / str(refit) / "model.shallows").model)[-1]
        for refit in (False, True)
    ]
    assert [model.n_samples_fit_ for model in kept] == [112, 150]


def test_groups_and_times_rule_the_parts(iris, quick):
    rng = np.random.default_rng(0)
    people = np.array([f"p{i}" for i in rng.integers(20, size=150)])
    result = Study({**iris, "who": people}, "species", group="who", **quick).run()
    test = set(people[np.asarray(result.answers["rows"])])
    rest = set(np.delete(people, np.asarray(result.answers["rows"])))
    assert not test & rest
    day = np.datetime64("2024-01-01") + rng.permutation(150).astype("timedelta64[D]")
    result = Study({**iris, "day": day}, "species", time="day", **quick).run()
    rows = np.asarray(result.answers["rows"])
    assert day[rows].min() > np.delete(day, rows).max()


def test_a_resumption_removes_what_a_killed_study_was_writing(iris, quick, tmp_path):
    study = Study(iris, "species", out=tmp_path / "study", **quick)
    first = study.run()
    half_written = tmp_path / "study" / ".0123456789abcdef.part"
    half_written.write_text("{")
    again = replace(study, resume=True).run()
    assert not half_written.exists()
    assert without_times(again) == without_times(first)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_result(iris, quick):
    from distributed import LocalCluster

    alone = Study(iris, "species", **quick).run()
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
    ) as cluster:
        found = Study(iris, "species", cluster=cluster.scheduler_address, **quick).run()
    assert without_times(found) == without_times(alone)


def test_what_does_not_fit_is_said(iris, tmp_path):
    with pytest.raises(StudyError, match="There is no method 'magic'; there are 'majority class'"):
        Study(iris, "species", only=["magic"]).run()
    with pytest.raises(StudyError, match="There is no file"):
        Study(tmp_path / "none.csv", "species").run()
    with pytest.raises(StudyError, match="has one column only"):
        Study({"species": iris["species"]}, "species").run()
    with pytest.raises(StudyError, match="equally long"):
        Study({"a": [1, 2], "species": [1]}, "species").run()
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="must be a folder"):
        Study(iris, "species", out=tmp_path / "file").run()


def test_too_few_rows_of_a_rare_class_are_named():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    state = np.where(rng.random(400) < 1 / (1 + np.exp(4 - x[:, 0])), "fraud", "fine")
    result = Study({"a": x[:, 0], "b": x[:, 1], "y": state}, "y", only=["least squares"]).run()
    assert result.measure == "balanced_accuracy" and not result.learned
    rows = list(result.answers["truth"]).count("fraud")
    few = f"only {rows} of the locked rows are of 'fraud', too few to show much."
    assert result.summary().endswith(few)
