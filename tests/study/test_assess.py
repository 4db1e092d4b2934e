import numpy as np
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from shallows.study import StudyError, TestSet
from shallows.study._facts import read_data
from shallows.study._measures import MEASURES, chances_of, choose_measure
from shallows.study._problem import build_problem
from shallows.study._roles import infer_schema
from shallows.validate import RepeatedAssessmentWarning, error_bar


def problem_of(columns, group=None):
    table = read_data(columns, None, 0, {})
    return build_problem(table, infer_schema(table, "y", group=group))


def classes(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    flip = rng.random(n) < noise
    return problem_of({"x": x, "z": rng.normal(size=n), "y": np.where((x > 0) ^ flip, "p", "q")})


def test_accuracy_has_wilsons_interval_and_a_baseline():
    train, test = classes(200, 0.1, 0), classes(100, 0.1, 1)
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(train.X, train.y)
    base = DummyClassifier().fit(train.X, train.y)
    found, answers = TestSet(test).assess(model, base, MEASURES["accuracy"])
    bar = error_bar(int(np.sum(answers == test.y)), 100)
    assert (found.score, found.low, found.high) == (bar.estimate, bar.low, bar.high)
    assert found.baseline == base.score(test.X, test.y)
    assert found.learned and found.n_assessments == 1


def test_a_second_assessment_warns_and_is_counted():
    data = classes(60, 0.3)
    locked, base = TestSet(data), DummyClassifier().fit(data.X, data.y)
    locked.assess(base, base, MEASURES["accuracy"])
    with pytest.warns(RepeatedAssessmentWarning, match="number 2 of the same test part"):
        found, _ = locked.assess(base, base, MEASURES["accuracy"])
    assert found.n_assessments == 2 and not found.learned


@pytest.mark.slow
def test_noise_is_seldom_called_learned():
    claims = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        data = problem_of(
            {"x": rng.normal(size=50), "z": rng.normal(size=50), "y": rng.choice(["p", "q"], 50)}
        )
        model = DecisionTreeClassifier(max_depth=1).fit(rng.normal(size=(30, 2)), np.arange(30) % 2)
        base = DummyClassifier(strategy="constant", constant=0).fit(data.X, data.y)
        claims += TestSet(data).assess(model, base, MEASURES["accuracy"])[0].learned
    assert claims <= 12  # one-sided level 2.5 %: more than 12 of 200 with probability 0.002


class Said:
    """Answers that were given beforehand."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        return self.labels


def rows_of(y):
    return problem_of({"x": np.arange(len(y)) + 0.5, "y": np.array(["p", "q"])[y]})


def test_balanced_accuracy_adds_the_squares_of_wilsons_errors():
    y = np.repeat([0, 1], [90, 10])
    said = np.r_[np.repeat([0, 1], [72, 18]), np.repeat([0, 1], [1, 9])]
    measure = MEASURES["balanced_accuracy"]
    found, _ = TestSet(rows_of(y)).assess(Said(said), Said(0 * y), measure)
    first, second = error_bar(72, 90), error_bar(9, 10)
    below = np.hypot(first.estimate - first.low, second.estimate - second.low) / 2
    above = np.hypot(first.high - first.estimate, second.high - second.estimate) / 2
    assert found.score == pytest.approx(0.85) and found.learned
    assert (found.low, found.high) == pytest.approx((0.85 - below, 0.85 + above))


def test_a_few_lucky_rows_of_a_rare_class_are_not_called_learned():
    data = rows_of(np.repeat([0, 1], [60, 5])).part(np.arange(62))
    said = np.r_[np.arange(60) % 2, 1, 1]  # half of all rows are called rare: luck of one in four
    measure = MEASURES["balanced_accuracy"]
    found, _ = TestSet(data).assess(Said(said), Said(0 * said), measure)
    assert found.score == pytest.approx(0.75) and found.gain_low > 0
    assert not found.learned


@pytest.mark.slow
@pytest.mark.parametrize("n_rare", [5, 10])
def test_intervals_of_balanced_accuracy_cover_where_a_class_is_rare(n_rare):
    y, measure = np.repeat([0, 1], [200, n_rare]), MEASURES["balanced_accuracy"]
    data, covered = rows_of(y), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        right = rng.random(len(y)) < np.where(y == 1, 0.9, 0.8)
        said = np.where(right, y, 1 - y)
        found, _ = TestSet(data).assess(Said(said), Said(0 * y), measure)
        covered += found.low <= 0.85 <= found.high
    assert covered >= 88  # 95 % intervals: fewer with probability 0.001


@pytest.mark.slow
def test_intervals_of_other_measures_cover():
    rng = np.random.default_rng(0)
    model = LinearRegression()
    X = rng.normal(size=(4000, 2))
    truth = X[:, 0] + rng.normal(size=4000)
    model.fit(X[:100], truth[:100])
    fresh = MEASURES["r2"].score(truth, model.predict(X))
    covered = 0
    for seed in range(100):
        rows = np.random.default_rng(seed).integers(4000, size=80)
        data = problem_of({"a": X[rows, 0], "b": X[rows, 1], "y": truth[rows]})
        base = DummyRegressor().fit(X[:100], truth[:100])
        found, _ = TestSet(data, seed=seed).assess(model, base, MEASURES["r2"])
        covered += found.low <= fresh <= found.high
    assert covered >= 88  # 95 % intervals: fewer with probability 0.001


def test_groups_widen_the_interval():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(30), 10)
    x = rng.normal(size=300)
    hard = rng.random(30) < 0.3  # some people are answered wrongly throughout
    y = np.where((x > 0) ^ hard[who], "p", "q")
    columns = {"x": x, "z": rng.normal(size=300), "y": y}
    X, sign = np.c_[x, columns["z"]], np.where(x > 0, 0, 1)
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, sign)
    base = DummyClassifier().fit(X, sign)
    plain, _ = TestSet(problem_of(columns)).assess(model, base, MEASURES["accuracy"])
    people = {**columns, "who": np.array([f"p{i}" for i in who])}
    grouped, _ = TestSet(problem_of(people, "who")).assess(model, base, MEASURES["accuracy"])
    assert grouped.score == plain.score
    assert grouped.high - grouped.low > 2 * (plain.high - plain.low)


def test_the_measure_fits_the_task():
    assert choose_measure(None, "classification", [0.5, 0.5])[0].name == "accuracy"
    assert choose_measure(None, "classification", [0.9, 0.1])[0].name == "balanced_accuracy"
    assert choose_measure(None, "regression", [])[0].name == "r2"
    assert choose_measure("auc", "classification", [0.5, 0.5])[0].name == "auc"
    with pytest.raises(StudyError, match="one of r2, rmse, mae for regression, got 'auc'"):
        choose_measure("auc", "regression", [])
    with pytest.raises(StudyError, match="needs two classes, there are 3"):
        choose_measure("auc", "classification", [0.3, 0.3, 0.4])


def test_measures_are_scikit_learns():
    rng = np.random.default_rng(0)
    y, labels = rng.integers(3, size=(2, 50))
    chances = rng.dirichlet(np.ones(3), size=50)
    numbers, values = rng.normal(size=(2, 50))
    theirs = {
        "accuracy": metrics.accuracy_score(y, labels),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, labels),
        "log_loss": metrics.log_loss(y, chances),
        "r2": metrics.r2_score(numbers, values),
        "rmse": metrics.root_mean_squared_error(numbers, values),
        "mae": metrics.mean_absolute_error(numbers, values),
    }
    for name, expected in theirs.items():
        kind = MEASURES[name]
        data = {"label": (y, labels), "chance": (y, chances), "value": (numbers, values)}
        assert kind.sign * kind.score(*data[kind.answer]) == pytest.approx(expected), name


def test_measures_are_said_as_people_read_them():
    assert MEASURES["accuracy"].say(0.947) == "94.7 %"
    assert MEASURES["rmse"].say(-3.14159) == "3.14"
    y = np.array([0.0, 1.0, 2.0])
    assert MEASURES["rmse"].score(y, y + 2) == -2.0


def test_scores_become_chances():
    class Scores:
        def decision_function(self, X):
            return X[:, 0]

    chances = chances_of(Scores(), np.array([[0.0], [2.0]]), 2)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(chances[:, 1], [0.5, 1 / (1 + np.exp(-2))])


def test_scores_are_said_without_powers_of_ten():
    from shallows.study._measures import MEASURES

    r2, error = MEASURES["r2"], MEASURES["rmse"]
    assert (r2.say(-576.906), r2.say_spread(860.0)) == ("-57,690.6 %", "86,000")
    assert (r2.say(0.982), r2.say_spread(0.0036)) == ("98.2 %", "0.36")
    assert (error.say(-182_345.6), error.say_spread(1234.5)) == ("182,346", "1,234")
    assert (error.say(-0.01234), error.say_spread(0.00123)) == ("0.0123", "0.0012")
