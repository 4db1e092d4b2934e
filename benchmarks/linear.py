"""Linear models against scikit-learn, SciPy and NumPy."""

from types import SimpleNamespace

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


CLASSES = [{"data": "digits"}, {"data": "cloud", "n": 50_000, "d": 50, "classes": 10}]


@case("LeastSquaresClassifier", sizes=CLASSES)
def least_squares_classifier(**data):
    """Targets -1 and +1 and a penalty of 1 on both sides."""
    X, y = classes_of(**data)
    return Comparison(
        ours=Run(
            "shallows.linear.LeastSquaresClassifier",
            lambda Model: Model("pm1", alpha=1.0).fit(X, y),
        ),
        peers=[Run("sklearn.linear_model.RidgeClassifier", lambda Model: Model(1.0).fit(X, y))],
        quality=[accuracy(X, y)],
    )


@case("OneVsAll", sizes=CLASSES)
def one_vs_all(**data):
    """Each side with its own least squares, targets -1 and +1 and a penalty of 1."""
    return schemes("OneVsAll", "OneVsRestClassifier", *classes_of(**data))


@case("AllVsAll", sizes=CLASSES)
def all_vs_all(**data):
    """Each side with its own least squares, targets -1 and +1 and a penalty of 1."""
    return schemes("AllVsAll", "OneVsOneClassifier", *classes_of(**data))


@case("PCALinearClassifier", sizes=CLASSES)
def pca_classifier(**data):
    """30 components and least squares; the peer from scikit-learn's parts."""
    X, y = classes_of(**data)

    def pipeline(PCA):
        from sklearn.linear_model import RidgeClassifier
        from sklearn.pipeline import make_pipeline

        return make_pipeline(PCA(30, random_state=0), RidgeClassifier(1e-6)).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.linear.PCALinearClassifier", lambda Model: Model(30, bias=True).fit(X, y)
        ),
        peers=[Run("sklearn.decomposition.PCA", pipeline)],
        quality=[accuracy(X, y)],
    )


@case("BasisExpansion", sizes=[{"n": 1_000, "d": 10}, {"n": 50_000, "d": 20}])
def basis_expansion(n, d):
    """All powers and products up to the second degree."""
    X, _ = problem(n, d)
    functions = ["identity", "square", "products"]
    return Comparison(
        ours=Run("shallows.linear.BasisExpansion", lambda cls: cls(functions).fit_transform(X)),
        peers=[
            Run(
                "sklearn.preprocessing.PolynomialFeatures",
                lambda cls: cls(2, include_bias=False).fit_transform(X),
            )
        ],
        quality=[same_sum()],
    )


@case("BasisExpansion, functions", sizes=[{"n": 1_000, "d": 10}, {"n": 50_000, "d": 20}])
def basis_functions(n, d):
    """Sines, cosines and cubes of every column; the peer from scikit-learn's parts."""
    X, _ = problem(n, d)
    functions = [
        lambda X: np.sin(2 * np.pi * X),
        lambda X: np.cos(2 * np.pi * X),
        lambda X: X * X * X,
    ]

    def union(FeatureUnion):
        from sklearn.preprocessing import FunctionTransformer

        parts = [(str(k), FunctionTransformer(f)) for k, f in enumerate(functions)]
        return FeatureUnion(parts).fit_transform(X)

    return Comparison(
        ours=Run("shallows.linear.BasisExpansion", lambda cls: cls(functions).fit_transform(X)),
        peers=[Run("sklearn.pipeline.FeatureUnion", union)],
        quality=[same_sum()],
    )


@case("DeltaRule", sizes=[{"n": 2_000, "d": 10}, {"n": 100_000, "d": 50}])
def delta_rule(n, d):
    """20 passes in random order, each step at the same constant rate.

    Both end in a cycle around the solution, less than a percent above the least error.
    """
    X, y = problem(n, d)
    rate = 0.01 / (2 * d + 1)  # at ten times this errors differ by more than a tenth by seed
    options = {"max_iter": 20, "tol": None, "random_state": 0}

    def descent(SGDRegressor):
        schedule = {"learning_rate": "constant", "eta0": rate, "penalty": None}
        return SGDRegressor(**schedule, **options).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.linear.DeltaRule", lambda cls: cls(learning_rate=rate, **options).fit(X, y)
        ),
        peers=[Run("sklearn.linear_model.SGDRegressor", descent)],
        quality=[mean_squared_error(X, y, within=0.02)],
    )


@case("SigmoidUnit", sizes=[{"n": 2_000, "d": 10}, {"n": 100_000, "d": 50}])
def sigmoid_unit(n, d):
    """20 passes at a constant rate over a noisy teacher's labels.

    The peer descends the logistic loss, for want of one that squares the error of a sigmoid; its
    slope is at least four times as large, and so is our rate.
    """
    X, y = problem(n, d)
    y = (y > np.median(y)).astype(int)
    rate = 0.1 / (2 * d + 1)
    options = {"max_iter": 20, "tol": None, "random_state": 0}

    def descent(SGDClassifier):
        schedule = {"learning_rate": "constant", "eta0": rate, "penalty": None}
        return SGDClassifier("log_loss", **schedule, **options).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.linear.SigmoidUnit",
            lambda cls: cls(learning_rate=4 * rate, **options).fit(X, y),
        ),
        peers=[Run("sklearn.linear_model.SGDClassifier", descent)],
        quality=[accuracy(X, y, within=0.01)],
    )


@case(
    "MinkowskiRegression",
    sizes=[
        {"n": 2_000, "d": 10, "r": 1.5},
        {"n": 50_000, "d": 20, "r": 1.2},
        {"n": 50_000, "d": 20, "r": 1.5},
        {"n": 50_000, "d": 20, "r": 4.0},
    ],
)
def minkowski(n, d, r):
    """Noise of long tails. The peer is what one would write: L-BFGS on the mean power."""
    X, y = heavy_tails(n, d)

    def descend(minimize):
        def cost(place):
            errors = X @ place[:-1] + place[-1] - y
            sizes = np.abs(errors)
            slopes = r * sizes ** (r - 1) * np.sign(errors) / n
            return np.mean(sizes**r), np.append(slopes @ X, slopes.sum())

        start = np.zeros(d + 1)
        options = {"maxiter": 1000, "gtol": 1e-8, "ftol": 1e-12}
        return linear(minimize(cost, start, jac=True, method="L-BFGS-B", options=options).x)

    return Comparison(
        ours=Run("shallows.linear.MinkowskiRegression", lambda cls: cls(r).fit(X, y)),
        peers=[Run("scipy.optimize.minimize", descend)],
        quality=[mean_power(X, y, r)],
    )


@case("MinkowskiRegression, r = 1", sizes=[{"n": 500, "d": 5}, {"n": 3_000, "d": 10}])
def least_absolute(n, d):
    """Least absolute errors, which the peer finds by linear programming."""
    X, y = heavy_tails(n, d)
    return Comparison(
        ours=Run("shallows.linear.MinkowskiRegression", lambda cls: cls(1.0).fit(X, y)),
        peers=[
            Run(
                "sklearn.linear_model.QuantileRegressor",
                lambda cls: cls(quantile=0.5, alpha=0.0).fit(X, y),
            )
        ],
        quality=[mean_power(X, y, 1.0)],
    )


@case("PolynomialRegression", sizes=[{"n": 100, "degree": 3}, {"n": 100_000, "degree": 9}])
def polynomial(n, degree):
    """One input in [0, 1]; scikit-learn from its parts."""
    rng = np.random.default_rng(0)
    x = rng.random(n)
    y = np.sin(2 * np.pi * x) + 0.2 * rng.normal(size=n)
    X = x[:, None]

    def parts(PolynomialFeatures):
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import make_pipeline

        powers = PolynomialFeatures(degree, include_bias=False)
        return make_pipeline(powers, LinearRegression()).fit(X, y)

    return Comparison(
        ours=Run("shallows.linear.PolynomialRegression", lambda cls: cls(degree).fit(X, y)),
        peers=[
            Run(
                "numpy.polynomial.Polynomial",
                lambda Polynomial: curve(Polynomial.fit(x, y, degree)),
            ),
            Run("sklearn.preprocessing.PolynomialFeatures", parts),
        ],
        quality=[mean_squared_error(X, y, within=1e-9)],
    )


@case("RiskMinimizer, logistic", sizes=[{"n": 2_000, "d": 20}, {"n": 100_000, "d": 50}])
def logistic_risk(n, d):
    """The same cost and tolerance of its gradient, both by L-BFGS."""
    X, y = noisy_signs(n, d)

    def cost(model):
        w = model.coef_.ravel()
        return np.mean(np.logaddexp(0, -y * (X @ w + model.intercept_))) + 1e-3 * w @ w

    return risks(
        X,
        y,
        "logistic_loss",
        Run(
            "sklearn.linear_model.LogisticRegression",
            lambda cls: cls(C=1 / (2e-3 * n), tol=1e-6, max_iter=1000).fit(X, y),
        ),
        cost,
    )


@case("RiskMinimizer, squared hinge", sizes=[{"n": 2_000, "d": 20}, {"n": 100_000, "d": 50}])
def squared_hinge_risk(n, d):
    """The same cost but for the threshold, whose square costs the peer a millionth."""
    X, y = noisy_signs(n, d)

    def cost(model):
        w = model.coef_.ravel()
        gaps = np.maximum(0, 1 - y * (X @ w + model.intercept_))
        return np.mean(gaps**2) + 1e-3 * w @ w

    return risks(
        X,
        y,
        "squared_hinge",
        Run(
            "sklearn.svm.LinearSVC",
            lambda cls: cls(C=1 / (2e-3 * n), dual=False, tol=1e-6, intercept_scaling=1e3).fit(
                X, y
            ),
        ),
        cost,
    )


@case("RiskMinimizer, absolute weights", sizes=[{"n": 2_000, "d": 20}, {"n": 20_000, "d": 200}])
def lasso_risk(n, d):
    """Squared error and absolute weights; a tenth of the features counts."""
    X, y = problem(n, d)
    y = X[:, ::10].sum(axis=1) + np.random.default_rng(1).normal(size=n)

    def cost(model):
        return np.mean((y - model.predict(X)) ** 2) + 0.1 * np.abs(model.coef_).sum()

    return Comparison(
        ours=Run(
            "shallows.linear.RiskMinimizer",
            lambda cls: cls("squared", penalty="l1", strength=0.1).fit(X, y),
        ),
        peers=[Run("sklearn.linear_model.Lasso", lambda cls: cls(0.05, tol=1e-6).fit(X, y))],
        quality=[Quality("cost", cost, better="smaller", within=1e-6)],
    )


@case("TotalLeastSquares", sizes=[{"n": 200, "d": 3}, {"n": 5_000, "d": 5}])
def total_least_squares(n, d):
    """Noise in inputs and targets; the peer iterates from ordinary least squares."""
    rng = np.random.default_rng(0)
    X, plane = rng.normal(size=(n, d)) + 1.0, rng.normal(size=d)
    y = X @ plane + 0.3 * rng.normal(size=n)
    X = X + 0.3 * rng.normal(size=(n, d))

    def regress(odr):
        start = np.linalg.lstsq(np.c_[X, np.ones(n)], y, rcond=None)[0]
        model = odr.Model(lambda place, X: place[:-1] @ X + place[-1])
        return linear(odr.ODR(odr.Data(X.T, y), model, beta0=start).run().beta)

    def distance(model):
        w = model.coef_
        return np.mean((X @ w + model.intercept_ - y) ** 2) / (1 + w @ w)

    return Comparison(
        ours=Run("shallows.linear.TotalLeastSquares", lambda cls: cls().fit(X, y)),
        peers=[Run("scipy.odr", regress)],
        quality=[Quality("mean squared distance", distance, better="smaller", within=1e-6)],
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


def heavy_tails(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 1.0
    return X, X @ rng.normal(size=d) + rng.standard_t(6, size=n)


def noisy_signs(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sign(X @ rng.normal(size=d) + 2.0 * rng.normal(size=n))


def classes_of(data, n=0, d=0, classes=0):
    """Digits, or a cloud around two places per class."""
    if data == "digits":
        from sklearn.datasets import load_digits

        return load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    places = rng.integers(0, 2 * classes, n)
    X = 0.6 * rng.normal(size=(2 * classes, d))[places] + rng.normal(size=(n, d))
    return X, places % classes


def schemes(ours, peer, X, y):
    from sklearn.linear_model import RidgeClassifier

    from shallows.linear import LeastSquaresClassifier

    base = LeastSquaresClassifier("pm1", alpha=1.0)
    return Comparison(
        ours=Run(f"shallows.linear.{ours}", lambda Scheme: Scheme(base).fit(X, y)),
        peers=[
            Run(f"sklearn.multiclass.{peer}", lambda Scheme: Scheme(RidgeClassifier()).fit(X, y))
        ],
        quality=[accuracy(X, y)],
    )


def risks(X, y, loss, peer, cost):
    """Mean loss plus a thousandth of the squared weights."""
    return Comparison(
        ours=Run("shallows.linear.RiskMinimizer", lambda cls: cls(loss, strength=1e-3).fit(X, y)),
        peers=[peer],
        quality=[Quality("cost", cost, better="smaller", within=1e-6)],
    )


def linear(place):
    """Weights and offset as attributes, as models have them."""
    return SimpleNamespace(
        coef_=place[:-1], intercept_=place[-1], predict=lambda X: X @ place[:-1] + place[-1]
    )


def curve(function):
    """A function of one input in the form of a model."""
    return SimpleNamespace(predict=lambda X: function(X[:, 0]))


def accuracy(X, y, within=1e-3):
    return Quality("training accuracy", lambda model: model.score(X, y), "larger", within)


def mean_squared_error(X, y, within):
    def value(model):
        return float(np.mean((model.predict(X) - y) ** 2))

    return Quality("mean squared error", value, "smaller", within)


def mean_power(X, y, r):
    def value(model):
        return float(np.mean(np.abs(model.predict(X) - y) ** r))

    return Quality("mean power of errors", value, "smaller", within=1e-6)


def same_sum():
    """The order of the columns differs, their sum does not."""
    return Quality("sum of features", lambda out: out.sum(), better="larger", within=1e-9)
