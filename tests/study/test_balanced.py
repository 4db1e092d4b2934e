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
from shallows.study import Study, load_model, load_result, model_card
from shallows.study._balanced import Balanced, balance, bare
from shallows.study._candidates import classifiers, design_of, scaled
from shallows.study._facts import read_data
from shallows.study._measures import chances_of
from shallows.study._model_file import SavedModel, save_model
from shallows.study._over_windows import OverWindows, window_of
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


def test_a_method_without_probabilities_learns_as_if_rare_rows_were_repeated():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat([0, 1], [80, 20])
    X[y == 1] += 1
    repeated = np.r_[np.arange(80), np.repeat(np.arange(80, 100), 4)]
    plain = LeastSquaresClassifier().fit(X[repeated], y[repeated])
    model = Balanced(LeastSquaresClassifier()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    assert not hasattr(model, "predict_proba")
    shifted = plain.decision_function(X) + np.log(0.2 / 0.8)
    np.testing.assert_allclose(model.decision_function(X), shifted)
    by_bayes = chances_of(plain, X, 2) * [0.8, 0.2]
    by_bayes /= by_bayes.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances_of(model, X, 2), by_bayes)


def test_windows_pass_weights_on():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 1)), np.zeros(200, dtype=int)
    y[np.roll(X[:, 0], 2) > 1.3] = 1
    method = OverWindows(LeastSquaresClassifier(), 3)
    weights = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    rows = np.column_stack([X[:-2], X[1:-1], X[2:]])
    plain = LeastSquaresClassifier().fit(rows, y[2:], weights[2:])
    model = Balanced(method).fit(X, y)
    np.testing.assert_allclose(bare(model).estimator_.coef_, plain.coef_)
    assert window_of(model) == window_of(Balanced(method)) == 3
    assert model_card(model).name == "OverWindows"


def test_a_class_that_training_lacks_is_never_said():
    X, y = draw(200, 0.3)
    model = Balanced(LogisticRegression()).fit(X, 2 * y)
    assert set(model.predict(X)) == {0, 2}


def test_a_constant_answer_stays_as_it_is():
    constant, *others = classifiers()
    assert balance(constant) is constant
    assert all(balance(each).build is not each.build for each in others)


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
            model = balance(candidate).build(design, setting).fit(problem.X, problem.y)
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
    study, result = rare
    X, _ = draw(300, 0.028, seed=2)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x0", "x1", "x2", "x3"], *X.tolist()])
    words = [str(study.out / "model.shallows"), str(tmp_path / "new.csv"), "--proba"]
    assert main(["predict", *words, "-o", str(tmp_path / "out.csv")]) == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    said = [row[0] for row in rows]
    assert said == result.model.predict(X).tolist()
    chances = np.array([row[1:] for row in rows], dtype=float)
    assert result.chosen.name == "logistic regression"
    np.testing.assert_allclose(chances, bare(result.model.model).predict_proba(X), rtol=1e-5)
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
    np.testing.assert_array_equal(found.model.model.predict(X), plain.predict(X))


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
