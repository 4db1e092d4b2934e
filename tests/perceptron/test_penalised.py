"""Perceptrons with a penalty, against scikit-learn's own steps."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as Theirs

from shallows.perceptron import Perceptron

X, Y = load_iris(return_X_y=True)
IN_ORDER = {"shuffle": False, "tol": None, "max_iter": 7}


@pytest.mark.kernel
@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
@pytest.mark.parametrize("alpha", [1e-3, 0.05])
def test_steps_are_those_of_scikit_learn(penalty, alpha):
    options = {"penalty": penalty, "alpha": alpha, "eta0": 0.5, **IN_ORDER}
    ours, theirs = Perceptron(**options).fit(X, Y), Theirs(**options).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_sparse_steps_are_those_of_scikit_learn(penalty):
    rows = np.where(X > 3.0, X, 0.0)
    options = {"penalty": penalty, "alpha": 0.02, "fit_intercept": False, **IN_ORDER}
    ours = Perceptron(**options).fit(csr_matrix(rows), Y)
    theirs = Theirs(**options).fit(csr_matrix(rows), Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)


def test_a_strong_l1_penalty_leaves_few_weights():
    weak, strong = (
        Perceptron(penalty="l1", alpha=alpha, random_state=0, max_iter=20, tol=None).fit(X, Y)
        for alpha in (1e-6, 0.5)
    )
    assert np.count_nonzero(strong.coef_) < np.count_nonzero(weak.coef_)


def test_a_penalty_does_not_go_with_averaging():
    with pytest.raises(ValueError, match="average=True goes with penalty=None"):
        Perceptron(penalty="l2", average=True).fit(X, Y)


def test_warm_start_goes_on_and_given_weights_are_the_start():
    options = {"shuffle": False, "tol": None}
    whole = Perceptron(max_iter=6, **options).fit(X, Y)
    parts = Perceptron(max_iter=3, warm_start=True, **options).fit(X, Y).fit(X, Y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-12)
    first = Perceptron(max_iter=3, **options).fit(X, Y)
    given = Perceptron(max_iter=3, **options).fit(X, Y, first.coef_, first.intercept_)
    np.testing.assert_allclose(given.coef_, whole.coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="coef_init must have shape"):
        Perceptron().fit(X, Y, coef_init=np.ones(3))
    with pytest.raises(ValueError, match="intercept_init must have shape"):
        Perceptron().fit(X, Y, intercept_init=np.ones(5))
    with pytest.raises(ValueError, match="Set warm_start=False"):
        parts.fit(X[:, :2], Y)
