"""The small study: what it promises, what it chooses, what it writes."""

import json

import numpy as np
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from shallows.cli import main
from shallows.study import Candidate, study

X, Y = load_iris(return_X_y=True)


class Spy(DummyClassifier):
    """Remembers every row that it was ever fitted to or asked about."""

    seen: set[bytes] = set()  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.seen.update(row.tobytes() for row in X)
        return super().fit(X, y)

    def predict(self, X):
        self.seen.update(row.tobytes() for row in X)
        return super().predict(X)


def test_the_test_set_is_not_looked_at_before_the_assessment():
    rows = np.arange(300.0).reshape(150, 2)
    _, locked = train_test_split(rows, test_size=0.25, stratify=Y, random_state=0)
    Spy.seen.clear()
    candidates = [Candidate("good", GaussianNB()), Candidate("spy", Spy())]
    assert study(rows, Y, candidates, repeats=1).chosen == "good"
    assert len(Spy.seen) == 112 and not Spy.seen & {row.tobytes() for row in locked}


def test_the_simplest_within_one_standard_error_is_chosen():
    same = [Candidate("first", GaussianNB()), Candidate("second", GaussianNB())]
    assert study(X, Y, same, repeats=1).chosen == "first"
    worse = [Candidate("poor", DummyClassifier()), Candidate("good", GaussianNB())]
    assert study(X, Y, worse, repeats=1).chosen == "good"


def test_pure_noise_is_not_praised():
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(200, 30)), np.repeat([0, 1], 100)
    candidates = [Candidate("majority", DummyClassifier())]
    candidates += [Candidate(f"{k}-NN", KNeighborsClassifier(k)) for k in (1, 3, 5, 9)]
    result = study(noise, labels, candidates)
    assert result.majority == 0.5 and not result.learned
    assert study(X, Y, [Candidate("bayes", GaussianNB())], repeats=1).learned


def test_interval_and_optimism_belong_to_the_chosen():
    result = study(X, Y, [Candidate("bayes", GaussianNB())], repeats=1)
    assert result.interval[0] < result.accuracy < result.interval[1]
    assert result.optimism == pytest.approx(result.scores[0].mean - result.accuracy)


def test_command_prints_a_table_and_writes_results_and_model(tmp_path, capsys):
    out = tmp_path / "study"
    assert main(["study", "--repeats", "1", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "GLVQ" in text and "Perceptron" in text and "locked away" in text
    results = json.loads((out / "results.json").read_text())
    trusted = skops.io.get_untrusted_types(file=out / "model.skops")
    model = skops.io.load(out / "model.skops", trusted=trusted)
    data = load_breast_cancer()
    assert model.score(data.data, data.target) > 0.9
    assert results["n_train"] + results["n_test"] == 569
    assert sorted(path.name for path in out.iterdir()) == ["model.skops", "results.json"]


def test_the_same_seed_gives_the_same_numbers():
    candidates = [Candidate("bayes", GaussianNB())]
    first, second = (study(X, Y, candidates, repeats=1, seed=3) for _ in range(2))
    assert first.scores[0].mean == second.scores[0].mean
    assert first.accuracy == second.accuracy
