"""Parameters of networks under scikit-learn's names."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from shallows.network import SGD, Adam, MLPClassifier, MLPRegressor

X, Y = load_iris(return_X_y=True)
X = scale(X)
SHORT = {"hidden_layer_sizes": 5, "max_iter": 4, "tol": None, "random_state": 0}


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ({"solver": "sgd", "momentum": 0.3}, SGD(0.3)),
        ({"solver": "sgd", "nesterovs_momentum": False}, SGD(nesterov=False)),
        ({"beta_1": 0.5, "beta_2": 0.8, "epsilon": 1e-3}, Adam(0.5, 0.8, 1e-3)),
    ],
)
@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_settings_by_name_are_those_of_the_solver(kind, named, given):
    one, other = kind(**SHORT, **named).fit(X, Y), kind(**SHORT, solver=given).fit(X, Y)
    np.testing.assert_array_equal(one.coefs_[0], other.coefs_[0])
    assert not np.array_equal(
        one.coefs_[0], kind(**SHORT, **_named_only(named)).fit(X, Y).coefs_[0]
    )


def _named_only(options):
    return {"solver": options["solver"]} if "solver" in options else {}


@pytest.mark.parametrize("power", [0.3, 1.0])
def test_a_falling_rate_falls_by_its_power(power):
    """One weight, one sample, plain descent: each step is the rate times the gradient."""
    options = {"solver": SGD(0.0), "alpha": 0.0, "learning_rate": "invscaling", "tol": None}
    model = MLPRegressor(
        hidden_layer_sizes=(), **options, power_t=power, learning_rate_init=0.1, max_iter=3
    )
    model.set_params(random_state=0, batch_size=1, warm_start=True, max_iter=1)
    start = model.fit([[0.0]], [0.0]).set_params(max_iter=3)
    start.intercepts_ = [np.array([1.0])]
    start.fit([[0.0]], [0.0])
    wanted = 1.0
    for seen in range(3):
        wanted -= 0.1 / (1 + seen) ** power * wanted
    assert start.intercepts_[0][0] == pytest.approx(wanted, rel=1e-12)


def test_l_bfgs_counts_evaluations():
    with pytest.warns(ConvergenceWarning, match="max_fun=5"):
        model = MLPClassifier(10, solver="lbfgs", max_fun=5, random_state=0).fit(X, Y)
    assert model.n_iter_ <= 6


def test_samples_in_order_draw_no_random_numbers():
    options = {**SHORT, "shuffle": False, "batch_size": 20}
    one = MLPClassifier(**options).fit(X, Y)
    other = MLPClassifier(**{**options, "shuffle": True}).fit(X, Y)
    assert not np.array_equal(one.coefs_[0], other.coefs_[0])
    assert one.t_ == 4 * len(X)


def test_verbose_reports_each_epoch(capsys):
    MLPClassifier(**SHORT, verbose=True).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        f"MLPClassifier epoch {epoch}" for epoch in (1, 2, 3, 4)
    ]
    MLPClassifier(**SHORT).fit(X, Y)
    assert capsys.readouterr().out == ""
