"""Linear models against scikit-learn."""

import numpy as np
import scipy.sparse
from benchmarks.harness import Comparison, Quality, Run, case

SHAPES = [{"n": 100_000, "d": 50}, {"n": 2_000, "d": 1_000}]
ALPHAS = np.logspace(-3, 3, 20)


@case("LinearRegression", sizes=SHAPES)
def linear_regression(n, d):
    """Independent Gaussian columns away from the origin."""
    X, y = problem(n, d)
    return against("LinearRegression", X, y, sum_of_squares(X, y))


@case("LinearRegression, nearly collinear", sizes=[{"n": 100_000, "d": 50}])
def collinear(n, d):
    """Two columns agree to nine digits; ours refines until the weights are right."""
    X, y = problem(n, d)
    X[:, 1] = X[:, 0] * (1 + 1e-9 * np.random.default_rng(1).normal(size=n))
    return against("LinearRegression", X, y, sum_of_squares(X, y))


SPARSE = [
    {"n": 100_000, "d": 500, "density": 0.02},
    {"n": 100_000, "d": 2_000, "density": 0.002},
]


@case("LinearRegression, sparse", sizes=SPARSE)
def sparse(n, d, density):
    """Both to twelve digits, scikit-learn also to the six of its default."""
    X, y = sparse_problem(n, d, density)
    return against("LinearRegression", X, y, sum_of_squares(X, y), tolerances=(1e-12, None))


@case("Ridge, sparse", sizes=SPARSE)
def sparse_ridge(n, d, density):
    """Both to twelve digits, scikit-learn also to the four of its default."""
    X, y = sparse_problem(n, d, density)
    return against("Ridge", X, y, sum_of_squares(X, y, alpha=1.0), tolerances=(1e-12, None))


@case("Ridge", sizes=SHAPES)
def ridge(n, d):
    X, y = problem(n, d)
    return against("Ridge", X, y, sum_of_squares(X, y, alpha=1.0))


@case("Ridge, 20 penalties, 5 folds", sizes=[{"n": 20_000, "d": 50}, {"n": 1_000, "d": 500}])
def ridge_folds(n, d):
    """Ours leaves out every sample in turn; the grid search fits 100 times."""
    X, y = problem(n, d)
    return selection(X, y, cv=5)


@case("Ridge, 20 penalties, leave-one-out", sizes=[{"n": 200, "d": 20}])
def ridge_loo(n, d):
    from sklearn.model_selection import LeaveOneOut

    X, y = problem(n, d)
    return selection(X, y, cv=LeaveOneOut())


@case("RidgeCV, 20 penalties", sizes=[{"n": 20_000, "d": 50}, {"n": 1_000, "d": 500}])
def ridge_cv(n, d):
    """Both leave out every sample in closed form."""
    X, y = problem(n, d)
    return Comparison(
        ours=Run("shallows.linear.Ridge", lambda Ridge: Ridge("loo", alphas=ALPHAS).fit(X, y)),
        peers=[Run("sklearn.linear_model.RidgeCV", lambda RidgeCV: RidgeCV(ALPHAS).fit(X, y))],
        quality=[Quality("penalty", lambda model: model.alpha_, better="smaller", within=1e-6)],
    )


@case("BayesianLinear", sizes=[{"n": 50_000, "d": 50}])
def bayesian(n, d):
    X, y = problem(n, d)
    return Comparison(
        ours=Run("shallows.linear.BayesianLinear", lambda Model: Model().fit(X, y)),
        peers=[Run("sklearn.linear_model.BayesianRidge", lambda Model: Model().fit(X, y))],
        quality=[sum_of_squares(X, y)],
    )


def problem(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 1.0
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def sparse_problem(n, d, density):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(n, d, density=density, format="csr", random_state=0)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def against(name, X, y, quality, *, tolerances=(None,)):
    """One peer for each tolerance; None is its default."""

    def peer(tol):
        options = {} if tol is None else {"tol": tol}
        return Run(
            f"sklearn.linear_model.{name}",
            lambda Model: Model(**options).fit(X, y),
            "sklearn" if tol is None else f"sklearn, tol={tol:g}",
        )

    return Comparison(
        ours=Run(f"shallows.linear.{name}", lambda Model: Model().fit(X, y)),
        peers=[peer(tol) for tol in tolerances],
        quality=[quality],
    )


def selection(X, y, cv):
    from sklearn.model_selection import GridSearchCV

    def search(Ridge):
        grid = {"alpha": ALPHAS}
        return GridSearchCV(Ridge(), grid, cv=cv, scoring="neg_mean_squared_error").fit(X, y)

    return Comparison(
        ours=Run("shallows.linear.Ridge", lambda Ridge: Ridge("loo", alphas=ALPHAS).fit(X, y)),
        peers=[Run("sklearn.linear_model.Ridge", search)],
        quality=[sum_of_squares(X, y)],
    )


def sum_of_squares(X, y, alpha=0.0):
    """Squared error plus penalty of the weights, which both sides minimise."""

    def value(model):
        error = np.mean((model.predict(X) - y) ** 2)
        return float(error + alpha * np.sum(getattr(model, "coef_", 0.0) ** 2) / X.shape[0])

    return Quality("mean squared error", value, better="smaller", within=1e-3)
