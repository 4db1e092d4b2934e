"""Bias and variance."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from shallows.linear import hat_matrix
from shallows.validate import bias_variance, smoother_bias_variance, smoother_matrix

POINTS = np.linspace(-1, 1, 11)


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree), LinearRegression(fit_intercept=False))


def cubic_sets(rho):
    def draw(rng):
        return POINTS[:, None], POINTS**3 + rng.normal(scale=rho, size=11)

    return draw


def test_smoother_matrix_of_least_squares_is_its_hat_matrix():
    design = np.vander(POINTS, 4)
    found = smoother_matrix(polynomial(3), POINTS[:, None], POINTS[:, None])
    assert np.allclose(found, hat_matrix(design), atol=1e-10)


@pytest.mark.parametrize(
    "model", [Ridge(alpha=0.3), KNeighborsRegressor(3), KernelRidge(kernel="rbf", alpha=0.1)]
)
def test_smoother_matrix_predicts(model):
    rng = np.random.default_rng(0)
    X, fresh, y = rng.normal(size=(15, 2)), rng.normal(size=(6, 2)), rng.normal(size=15)
    assert np.allclose(smoother_matrix(model, X, fresh) @ y, model.fit(X, y).predict(fresh))


def test_learners_that_are_not_linear_in_the_targets_are_refused():
    with pytest.raises(ValueError, match="DecisionTreeRegressor are not linear"):
        smoother_matrix(DecisionTreeRegressor(max_depth=2), POINTS[:, None], POINTS[:, None])


@pytest.mark.parametrize(("degree", "at_edge"), [(1, 0.366), (3, 1.603), (7, 38.69)])
def test_known_variances_of_polynomials_on_eleven_points(degree, at_edge):
    rho = 0.7
    S = smoother_matrix(polynomial(degree), POINTS[:, None], POINTS[:, None])
    inside = smoother_bias_variance(S, POINTS**3, POINTS**3, rho**2)
    assert inside.variance.mean() / rho**2 == pytest.approx((degree + 1) / 11, abs=1e-9)
    S = smoother_matrix(polynomial(degree), POINTS[:, None], [[1.1]])
    edge = smoother_bias_variance(S, POINTS**3, [1.1**3], rho**2)
    assert edge.variance[0] / rho**2 == pytest.approx(at_edge, rel=5e-4)
    if degree == 1:
        assert np.mean(inside.bias**2) == pytest.approx(0.03594, abs=5e-6)
        assert edge.bias[0] == pytest.approx(-0.5478, abs=1e-10)
    else:
        assert np.abs([*inside.bias, *edge.bias]).max() < 1e-9


def test_monte_carlo_agrees_with_the_closed_form():
    rho, repeats = 0.3, 400
    grid = np.array([[-0.5], [0.3], [1.1]])
    S = smoother_matrix(polynomial(1), POINTS[:, None], grid)
    exact = smoother_bias_variance(S, POINTS**3, grid[:, 0] ** 3, rho**2)
    drawn = bias_variance(
        polynomial(1),
        cubic_sets(rho),
        grid,
        grid[:, 0] ** 3,
        noise=rho**2,
        n_repeats=repeats,
        random_state=0,
    )
    assert (np.abs(drawn.bias - exact.bias) < 4 * np.sqrt(exact.variance / repeats)).all()
    assert (np.abs(drawn.error - exact.error) < 4 * drawn.standard_error).all()
    relative = 4 * np.sqrt(2 / repeats)
    assert np.allclose(drawn.variance, exact.variance, rtol=relative)


@pytest.mark.parametrize("model", [polynomial(2), DecisionTreeRegressor(max_features=1)])
def test_identity_of_squared_loss_holds_to_rounding(model):
    found = bias_variance(
        model, cubic_sets(0.5), POINTS[:, None], POINTS**3, noise=0.25, n_repeats=20, random_state=1
    )
    total = found.noise + found.bias**2 + found.variance
    assert np.allclose(found.error, total, rtol=1e-12, atol=1e-14)


def test_a_learner_that_ignores_the_data_has_no_variance():
    class Constant:
        def get_params(self, deep=True):
            return {}

        def set_params(self):
            return self

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), 2.0)

        def __sklearn_clone__(self):
            return Constant()

    found = bias_variance(Constant(), cubic_sets(1), POINTS[:, None], POINTS**3, n_repeats=5)
    assert (found.variance == 0).all()
    assert np.allclose(found.bias, 2 - POINTS**3)


def three_classes(rng):
    X = rng.uniform(0, 3, size=(25, 1))
    chance = class_chances(X)
    return X, np.array([rng.choice(3, p=p) for p in chance])


def class_chances(X):
    logits = -((X - np.array([0.5, 1.5, 2.5])) ** 2) * 2
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), DecisionTreeClassifier(max_depth=1)])
def test_zero_one_loss_decomposes_after_domingos(model):
    grid = np.linspace(0.1, 2.9, 9)[:, None]
    chance, repeats = class_chances(grid), 60
    found = bias_variance(
        model, three_classes, grid, chance, loss="zero_one", n_repeats=repeats, random_state=0
    )
    streams = np.random.default_rng(0).spawn(repeats)
    runs = []
    for rng in streams:
        X, y = three_classes(rng)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(rng.integers(2**31)))
        runs.append(model.fit(X, y).predict(grid))
    for i, p in enumerate(chance):
        predictions = [int(run[i]) for run in runs]
        share = np.bincount(predictions, minlength=3) / repeats
        best, main = p.argmax(), share.argmax()
        error = sum(p[t] * share[k] for t in range(3) for k in range(3) if t != k)
        assert found.error[i] == pytest.approx(error)
        assert found.noise[i] == pytest.approx(1 - p[best])
        assert found.bias[i] == (main != best)
        assert found.variance[i] == pytest.approx(1 - share[main])
        # Domingos' factors: c2 of the variance, c1 of the noise
        others = 1 - share[main]
        c2 = 1.0 if main == best else -(share[best] / others if others else 0.0)
        assert found.variance_effect[i] == pytest.approx(c2 * others)
        lucky = sum(p[t] * share[t] for t in range(3) if t != best) / (1 - p[best])
        c1 = share[best] - lucky
        assert found.noise_effect[i] == pytest.approx(c1 * (1 - p[best]))
    total = found.noise_effect + found.bias + found.variance_effect
    assert np.allclose(found.error, total)


def test_zero_one_loss_with_known_labels_has_no_noise():
    grid = np.array([[0.5], [1.5], [2.5]])
    found = bias_variance(
        KNeighborsClassifier(3),
        three_classes,
        grid,
        [0, 1, 2],
        loss="zero_one",
        n_repeats=30,
        random_state=0,
    )
    assert (found.noise == 0).all() and (found.noise_effect == 0).all()
    assert found.main.tolist() == [0, 1, 2]


def test_workers_do_not_change_the_result():
    def run():
        return bias_variance(
            DecisionTreeRegressor(max_features=1),
            cubic_sets(0.5),
            POINTS[:, None],
            POINTS**3,
            n_repeats=6,
            random_state=0,
        )

    alone = run()
    with parallel_config("threading", n_jobs=3):
        together = run()
    assert np.array_equal(alone.error, together.error)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="one entry per point, 11, got 3"):
        bias_variance(polynomial(1), cubic_sets(1), POINTS[:, None], [1, 2, 3], n_repeats=2)
    with pytest.raises(ValueError, match="loss must be one of"):
        bias_variance(polynomial(1), cubic_sets(1), POINTS[:, None], POINTS, loss="hinge")
