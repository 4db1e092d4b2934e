"""Bootstrap estimates of prediction error."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from shallows.validate import Bootstrap, bootstrap_error


def by_hand(model, X, y, bags):
    """Estimate of Efron and Tibshirani (1997) for 0-1 loss, one row at a time."""
    n = len(y)
    fitted = clone(model).fit(X, y)
    predicted = fitted.predict(X)
    apparent = sum(predicted[i] != y[i] for i in range(n)) / n
    rows = []
    for i in range(n):
        wrong = [
            clone(model).fit(X[bag], y[bag]).predict(X[[i]])[0] != y[i]
            for bag in bags
            if i not in bag
        ]
        if wrong:
            rows.append(sum(wrong) / len(wrong))
    first = sum(rows) / len(rows)
    gamma = 0.0
    for label in set(y):
        p = sum(y == label) / n
        q = sum(predicted == label) / n
        gamma += p * (1 - q)
    bounded = min(first, gamma)
    rate = 0.0
    if bounded > apparent and gamma > apparent:
        rate = (bounded - apparent) / (gamma - apparent)
    plain = 0.368 * apparent + 0.632 * first
    plus = plain + (bounded - apparent) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    return {
        "apparent": apparent,
        "out_of_bag": first,
        "no_information": gamma,
        "overfitting_rate": rate,
        "error_632": plain,
        "error_632plus": plus,
    }


@pytest.mark.parametrize("k", [1, 3])
def test_estimates_equal_those_by_hand(k):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(12, 2)), rng.integers(2, size=12)
    model = KNeighborsClassifier(k)
    seed = 7
    for_bags = np.random.default_rng(seed).spawn(1)[0]
    bags = [train for train, _ in Bootstrap(15, random_state=for_bags).split(X)]
    expected = by_hand(model, X, y, bags)
    found = bootstrap_error(model, X, y, n_splits=15, random_state=seed)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12), name


def test_without_information_the_memoriser_is_at_the_no_information_rate():
    rng = np.random.default_rng(0)
    plain, plus, worse = [], [], []
    for seed in range(12):
        X, y = rng.normal(size=(30, 3)), np.tile([0, 1], 15)
        found = bootstrap_error(KNeighborsClassifier(1), X, y, n_splits=15, random_state=seed)
        assert found.apparent == 0
        assert found.no_information == pytest.approx(0.5)
        if found.overfitting_rate == 1:  # the limit in which nothing was learned
            worse.append(found.out_of_bag > found.no_information)
            limit = 0.632 * found.out_of_bag + 0.368 * found.no_information
            assert found.error_632plus == pytest.approx(limit)
        plain.append(found.error_632)
        plus.append(found.error_632plus)
    assert np.mean(plain) < 0.36  # the known failure of the .632 estimate: 0.632 times 1/2
    assert np.mean(plus) > 0.43
    assert any(worse)  # so that the case beyond the no-information rate was met


def test_squared_loss_and_its_no_information_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(scale=0.5, size=40)
    found = bootstrap_error(LinearRegression(), X, y, n_splits=50, random_state=0)
    predicted = LinearRegression().fit(X, y).predict(X)
    pairs = [(p - t) ** 2 for p in predicted for t in y]
    assert found.no_information == pytest.approx(np.mean(pairs))
    assert found.apparent < found.error_632 <= found.error_632plus <= found.out_of_bag
    assert "overfitting rate" in found.summary()


def test_workers_do_not_change_the_result():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_features=1)
    alone = bootstrap_error(tree, X, y, n_splits=8, random_state=1)
    with parallel_config("threading", n_jobs=3):
        together = bootstrap_error(tree, X, y, n_splits=8, random_state=1)
    assert alone == together


def test_bad_input_is_named():
    X, y = np.zeros((4, 1)), np.array([0, 1, np.nan, 1])
    with pytest.raises(ValueError, match="1 of 4 targets are missing, the first in row 2"):
        bootstrap_error(LinearRegression(), X, y)
    with pytest.raises(ValueError, match="n_splits must be int"):
        bootstrap_error(LinearRegression(), X, [1, 2, 3, 4], n_splits=0)
    with pytest.raises(ValueError, match="loss must be"):
        bootstrap_error(LinearRegression(), X, [1, 2, 3, 4], loss="cubic")
