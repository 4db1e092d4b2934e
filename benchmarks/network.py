"""Networks against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case

LARGE = {"n": 60_000, "d": 100}


@case("MLPClassifier, digits", sizes=[{"dtype": "float64"}, {"dtype": "float32"}])
def digits(dtype):
    """64-100-10, Adam, batches of 200, 50 epochs; each draws its own start of the same law."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return classifiers((X / 16).astype(dtype), y, (100,), epochs=50)


@case(
    "MLPClassifier, one hidden layer",
    sizes=[{**LARGE, "dtype": "float64"}, {**LARGE, "dtype": "float32"}],
)
def one_layer(n, d, dtype):
    """100-100-10, Adam, batches of 200, 5 epochs."""
    return classifiers(*problem(n, d, dtype), (100,), epochs=5)


@case(
    "MLPClassifier, two hidden layers",
    sizes=[{**LARGE, "dtype": "float64"}, {**LARGE, "dtype": "float32"}],
)
def two_layers(n, d, dtype):
    """100-256-128-10, Adam, batches of 200, 3 epochs."""
    return classifiers(*problem(n, d, dtype), (256, 128), epochs=3)


@case("MLPClassifier, momentum", sizes=[LARGE])
def momentum(n, d):
    """100-100-10, Nesterov's momentum, batches of 200, 5 epochs."""
    X, y = problem(n, d, "float64")
    return classifiers(X, y, (100,), epochs=5, solver="sgd", learning_rate_init=0.05)


@case("MLPClassifier, tanh", sizes=[LARGE])
def tanh(n, d):
    """100-100-10, tanh units, Adam, batches of 200, 5 epochs."""
    return classifiers(*problem(n, d, "float64"), (100,), epochs=5, activation="tanh")


@case("MLPClassifier, sparse rows", sizes=[{"n": 20_000, "d": 2_000, "density": 0.01}])
def sparse(n, d, density):
    """2000-100-2, Adam, batches of 200, 3 epochs."""
    import scipy.sparse

    rng = np.random.default_rng(0)
    X = scipy.sparse.random(n, d, density, format="csr", random_state=0)
    y = (X @ rng.normal(size=d) > 0).astype(int)
    return classifiers(X, y, (100,), epochs=3)


@case("MLPRegressor", sizes=[{"n": 10_000, "d": 20}, LARGE])
def regressor(n, d):
    """d-100-1, Adam, batches of 200, 5 epochs."""
    X, _ = problem(n, d, "float64")
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    return compare("MLPRegressor", X, y, (100,), epochs=5)


@case("MLPRegressor, L-BFGS", sizes=[{"n": 500, "d": 5}, {"n": 20_000, "d": 50}])
def lbfgs(n, d):
    """d-20-1, tanh, 100 iterations on all data; starts differ, and so do the ends."""
    X, _ = problem(n, max(d, 10), "float64")
    X = X[:, :d]
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    return compare("MLPRegressor", X, y, (20,), epochs=100, solver="lbfgs", activation="tanh")


@case("Extreme learning machine", sizes=[{"n": 2_000, "d": 10}, {"n": 60_000, "d": 50}])
def elm(n, d):
    """500 random tanh units and ridge regression, against the same from scikit-learn's parts."""
    X, _ = problem(n, max(d, 10), "float64")
    X = X[:, :d]
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    rng = np.random.default_rng(0)
    hidden, bias = rng.normal(0, d**-0.5, (d, 500)), rng.normal(size=500)

    def pipeline(Ridge):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        units = FunctionTransformer(lambda rows: np.tanh(rows @ hidden + bias))
        return make_pipeline(units, Ridge(1e-3)).fit(X, y).predict(X)

    return Comparison(
        ours=Run(
            "shallows.network.ELMRegressor",
            lambda ELMRegressor: ELMRegressor(500, random_state=0).fit(X, y).predict(X),
        ),
        peers=[Run("sklearn.linear_model.Ridge", pipeline)],
        quality=[
            Quality("squared error", lambda out: np.mean((out - y) ** 2), "smaller", within=0.1)
        ],
    )


def classifiers(X, y, layers, epochs, **options):
    return compare("MLPClassifier", X, y, layers, epochs, **options)


def compare(name, X, y, layers, epochs, **options):
    """Same layers, solver, batches and number of epochs."""
    shared = {"hidden_layer_sizes": layers, "max_iter": epochs, "random_state": 0, **options}
    within = 0.2 if options.get("solver") == "lbfgs" else 0.05
    patience = {} if options.get("solver") == "lbfgs" else {"n_iter_no_change": epochs + 1}

    def peer(model):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            return model(**shared, **patience, tol=1e-12).fit(X, y)

    return Comparison(
        ours=Run(f"shallows.network.{name}", lambda model: model(**shared, tol=None).fit(X, y)),
        peers=[Run(f"sklearn.neural_network.{name}", peer)],
        quality=[Quality("training loss", lambda model: model.loss_, "smaller", within)],
    )


def problem(n, d, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, 10)) + 5 * np.sin(2 * X[:, :10])
    return X.astype(dtype), scores.argmax(axis=1)
