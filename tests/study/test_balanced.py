import csv
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from shallows.cli import main
from shallows.linear import LeastSquaresClassifier
from shallows.prototype import KNeighborsClassifier
from shallows.study import Study, load_model, load_result
from shallows.study._balanced import Balanced
from shallows.study._blend import Blend
from shallows.study._calibrate import fit_scaling
from shallows.study._candidates import classifiers, design_of
from shallows.study._facts import read_data
from shallows.study._measures import chances_of
from shallows.study._model_file import SavedModel, save_model
from shallows.study._prepare import scaled
from shallows.study._problem import build_problem
from shallows.study._report import report_html, report_markdown
from shallows.study._roles import infer_schema
from study.results import without_times

DISTANCE = 1.8  # of the means of two Gaussian classes in units of their width
SENTENCE = "Rare classes count as much as frequent ones, and decisions are made accordingly"


def draw(n, share, seed=0):
    """Return rows of two Gaussian classes, the second of them rare."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    X = rng.normal(size=(n, 4))
    X[:, 0] += DISTANCE * y
    return X, y


def columns_of(X, y):
    named = {f"x{i}": cells for i, cells in enumerate(X.T)}
    return {**named, "y": np.array(["fine", "fraud"], dtype=object)[y]}


def problem_of(X, y):
    table = read_data(columns_of(X, y), None, 0, {})
    schema = infer_schema(table, "y")
    return build_problem(table, schema), schema


@pytest.mark.parametrize("method", [LogisticRegression(), GaussianNB(), KNeighborsClassifier(15)])
def test_decisions_follow_the_plug_in_rule(method):
    X, y = draw(600, 0.1)
    y[(X[:, 1] > 1.5) & (y == 0)] = 2
    model, plain = Balanced(method).fit(X, y), clone(method).fit(X, y)
    chances = plain.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), chances)
    shares = [sum(y == k) / 600 for k in range(3)]
    by_hand = [max(range(3), key=lambda k: row[k] / shares[k]) for row in chances]
    np.testing.assert_array_equal(model.predict(X), by_hand)
    assert np.any(model.predict(X) != plain.predict(X))


def test_naive_bayes_decides_as_with_equal_priors():
    X, y = draw(600, 0.05)
    equal = GaussianNB(priors=[0.5, 0.5]).fit(X, y)
    np.testing.assert_array_equal(Balanced(GaussianNB()).fit(X, y).predict(X), equal.predict(X))


def test_a_method_without_probabilities_decides_by_its_calibrated_scores():
    X, y = draw(2000, 0.05)
    raw = chances_of(LeastSquaresClassifier().fit(X, y), X, 2)
    blend = Blend([LeastSquaresClassifier()], [1.0], [fit_scaling(raw, y)])
    model = Balanced(blend).fit(X, y)
    again, labels = draw(20_000, 0.05, seed=1)
    best = norm.cdf(DISTANCE / 2)
    assert best - 0.08 < balanced_accuracy_score(labels, model.predict(again)) < best + 0.02


def test_a_class_that_training_lacks_is_never_said():
    X, y = draw(200, 0.3)
    model = Balanced(LogisticRegression()).fit(X, 2 * y)
    assert set(model.predict(X)) == {0, 2}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("candidate", classifiers()[1:], ids=lambda candidate: candidate.name)
def test_every_method_finds_the_rare_class_and_can_be_saved(candidate, tmp_path):
    problem, schema = problem_of(*draw(2000, 0.05))
    X, y = draw(4000, 0.05, seed=1)
    design = design_of(problem, 0)
    scores = []
    for setting in candidate.settings[:3]:
        with threadpool_limits(1):
            method = candidate.build(design, setting)
            raw = chances_of(clone(method).fit(problem.X, problem.y), problem.X, 2)
            blend = Blend([method], np.ones(1), [fit_scaling(raw, problem.y)])
            model = Balanced(blend).fit(problem.X, problem.y)
            scores.append(balanced_accuracy_score(y, model.predict(X)))
    best = norm.cdf(DISTANCE / 2)
    if not candidate.series:  # rows that are no series say nothing about the next
        assert best - 0.12 < max(scores) < best + 0.03
    saved = SavedModel(model, schema, "y", problem.classes, "m", "s", problem.X[:5])
    again = load_model(save_model(saved, tmp_path / "m.shallows")).model
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(chances_of(again, X, 2), chances_of(model, X, 2))


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """A study of a class of 2.8 %, with its folder."""
    out = tmp_path_factory.mktemp("rare") / "out"
    only = ["logistic regression", "GMLVQ"]
    study = Study(columns_of(*draw(4000, 0.028)), "y", out=out, only=only, repeats=1)
    return study, study.run()


def test_a_rare_class_is_found_as_well_as_can_be(rare):
    _, result = rare
    assert result.measure == "balanced_accuracy" and result.learned
    X, y = draw(20_000, 0.028, seed=1)
    best = norm.cdf(DISTANCE / 2)
    reached = balanced_accuracy_score(y, result.model.model.predict(X))
    assert best - 0.03 < reached < best + 0.01
    assert result.assessment.low < reached < result.assessment.high
    assert {"relevances", "prototypes"} <= result.explanation["prototypes"].keys()


def test_the_report_says_what_becomes_of_the_rare_class(rare):
    study, result = rare
    truth, said = (np.asarray(result.answers[name]) for name in ("truth", "predicted"))
    hits = np.sum((truth == "fraud") & (said == "fraud"))
    recall = f"{100 * hits / np.sum(truth == 'fraud'):.0f} % of the {np.sum(truth == 'fraud')}"
    precision = f"is right in {100 * hits / np.sum(said == 'fraud'):.1f} % of the rows that get it"
    for text in (result.summary(), report_markdown(result), load_result(study.out).summary()):
        assert f"{SENTENCE}: {recall} locked rows of 'fraud' are found (recall)" in text
        assert precision in text
    assert SENTENCE in report_html(result)


def test_the_file_answers_as_the_model_and_keeps_probabilities(rare, tmp_path):
    study, _ = rare
    X, _ = draw(300, 0.028, seed=2)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x0", "x1", "x2", "x3"], *X.tolist()])
    words = [str(study.out / "model.shallows"), str(tmp_path / "new.csv"), "--proba"]
    assert main(["predict", *words, "-o", str(tmp_path / "out.csv")]) == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    said = [row[0] for row in rows]
    names = [f"x{i}" for i in range(4)]
    frame = dict(zip(names, X.T, strict=True))
    assert said == load_model(study.out).predict(frame).tolist()
    chances = np.array([row[1:] for row in rows], dtype=float)
    assert chances[:, 1].mean() < 0.1 < np.mean(np.array(said) == "fraud")


def test_a_study_of_a_rare_class_is_resumed(rare):
    study, result = rare
    assert without_times(replace(study, resume=True).run()) == without_times(result)


@pytest.mark.parametrize("measure", ["accuracy", "auc", "log_loss"])
def test_other_measures_leave_the_methods_alone(measure):
    X, y = draw(600, 0.3)
    settings = {"only": ["naive Bayes"], "repeats": 1}
    found = Study(columns_of(X, y), "y", measure=measure, **settings).run()
    assert found.learned and SENTENCE not in found.summary()
    problem, _ = problem_of(X, y)
    rest = np.delete(np.arange(600), np.asarray(found.answers["rows"]))
    plain = scaled(design_of(problem, 0), GaussianNB(**found.chosen.setting))
    plain.fit(X[rest], y[rest])
    model = found.model.model
    scaling = model.scalings[0]
    expected = np.exp(scaling[0] * np.log(plain.predict_proba(X).clip(1e-4)) + scaling[1:])
    np.testing.assert_allclose(
        model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-9
    )
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))


@pytest.mark.slow
def test_shuffled_labels_are_called_nothing():
    claims = 0
    for seed in range(10):
        X, y = draw(800, 0.05, seed)
        shuffled = np.random.default_rng(seed).permutation(y)
        only = ["least squares", "logistic regression"]
        found = Study(columns_of(X, shuffled), "y", only=only, repeats=1, seed=seed).run()
        assert found.measure == "balanced_accuracy"
        claims += found.learned
    assert claims <= 2  # level 2.5 %: more of 10 with probability 0.002
