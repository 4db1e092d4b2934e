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


@case("ELMClassifier", sizes=[{"data": "digits"}, {"data": "cloud", **LARGE}])
def elm_classifier(data, **size):
    """500 random tanh units and ridge regression, against the same from scikit-learn's parts."""
    X, y = digits_or(data, **size)
    d = X.shape[1]
    rng = np.random.default_rng(0)
    hidden, bias = rng.normal(0, d**-0.5, (d, 500)), rng.normal(size=500)

    def pipeline(RidgeClassifier):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        units = FunctionTransformer(lambda rows: np.tanh(rows @ hidden + bias))
        return make_pipeline(units, RidgeClassifier(1e-3)).fit(X, y).predict(X)

    return Comparison(
        ours=Run(
            "shallows.network.ELMClassifier",
            lambda cls: cls(500, random_state=0).fit(X, y).predict(X),
        ),
        peers=[Run("sklearn.linear_model.RidgeClassifier", pipeline)],
        quality=[Quality("training accuracy", lambda out: np.mean(out == y), "larger", 0.01)],
    )


@case("Autoencoder", sizes=[{"data": "digits"}, {"data": "cloud", "n": 10_000, "d": 50}])
def autoencoder(data, **size):
    """d-10-d, tanh code, 100 iterations of L-BFGS; the peer learns its own input."""
    return repeat(*digits_or(data, **size), solver="lbfgs", epochs=100)


@case("Autoencoder, Adam", sizes=[{"data": "digits"}, {"data": "cloud", "n": 10_000, "d": 50}])
def autoencoder_adam(data, **size):
    """d-10-d, tanh code, 20 epochs in batches of 200; the peer learns its own input."""
    return repeat(*digits_or(data, **size), solver="adam", epochs=20)


def repeat(X, y, solver, epochs):
    shared = {"activation": "tanh", "solver": solver, "alpha": 0.0, "max_iter": epochs}
    shared |= {"learning_rate_init": 0.005, "random_state": 0}

    def peer(MLPRegressor):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            return MLPRegressor(
                hidden_layer_sizes=10, **shared, n_iter_no_change=1000, tol=1e-12
            ).fit(X, X)

    def error(model):
        if hasattr(model, "transform"):
            return -2 * model.score(X)
        return np.mean(((model.predict(X) - X) ** 2).sum(axis=1))

    return Comparison(
        ours=Run("shallows.network.Autoencoder", lambda cls: cls(10, **shared, tol=None).fit(X)),
        peers=[Run("sklearn.neural_network.MLPRegressor", peer)],
        quality=[Quality("squared error", error, "smaller", within=0.1)],
    )


@case("SoftCommitteeMachine", sizes=[{"n": 500, "d": 5}, {"n": 20_000, "d": 50}])
def soft_committee(n, d):
    """20 tanh units, 100 iterations of L-BFGS; starts differ, and so do the ends."""
    X, y = curve(n, d)
    shared = {"activation": "tanh", "alpha": 0.0, "max_iter": 100, "random_state": 0}

    def peer(MLPRegressor):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            return MLPRegressor(hidden_layer_sizes=20, solver="lbfgs", tol=1e-12, **shared).fit(
                X, y
            )

    return Comparison(
        ours=Run(
            "shallows.network.SoftCommitteeMachine",
            lambda cls: cls(20, **shared, tol=None).fit(X, y),
        ),
        peers=[Run("sklearn.neural_network.MLPRegressor", peer)],
        quality=[squared_error(X, y, within=0.5)],
    )


@case("RBFRegressor", sizes=[{"n": 1_000, "d": 5}, {"n": 20_000, "d": 5}])
def rbf_regressor(n, d):
    """50 units whose places and widths learn; see `against_units`."""
    X, y = curve(n, d)
    quality = squared_error(X, y, within=0.1)
    return against_units("RBFRegressor", "MLPRegressor", "Ridge", 50, X, y, quality)


@case("RBFClassifier", sizes=[{"data": "digits"}, {"data": "cloud", "n": 10_000, "d": 10}])
def rbf_classifier(data, **size):
    """30 units whose places and widths learn; see `against_units`."""
    X, y = digits_or(data, **size)
    quality = Quality("training accuracy", lambda m: m.score(X, y), "larger", within=0.01)
    return against_units("RBFClassifier", "MLPClassifier", "LogisticRegression", 30, X, y, quality)


def against_units(name, network, readout, units, X, y, quality):
    """100 iterations of L-BFGS on both networks; and as many fixed units with a linear model."""
    shared = {"alpha": 1e-4, "max_iter": 100, "random_state": 0}

    def peer(model):
        import warnings

        options = {"solver": "lbfgs", "activation": "tanh", "tol": 1e-12, **shared}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            return model(hidden_layer_sizes=units, **options).fit(X, y)

    def glue(Nystroem):
        from sklearn import linear_model
        from sklearn.pipeline import make_pipeline

        fixed = Nystroem(gamma=1 / X.shape[1] / X.var(), n_components=units, random_state=0)
        return make_pipeline(fixed, getattr(linear_model, readout)()).fit(X, y)

    return Comparison(
        ours=Run(
            f"shallows.network.{name}",
            lambda model: model(units, tol=None, **shared).fit(X, y),
        ),
        peers=[
            Run(f"sklearn.neural_network.{network}", peer, "sklearn, tanh units"),
            Run("sklearn.kernel_approximation.Nystroem", glue, "sklearn, fixed units"),
        ],
        quality=[quality],
    )


def squared_error(X, y, within):
    return Quality("squared error", lambda m: np.mean((m.predict(X) - y) ** 2), "smaller", within)


def curve(n, d):
    X, _ = problem(n, max(d, 10), "float64")
    X = X[:, :d]
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


def digits_or(data, n=0, d=0):
    """Digits, or the artificial classes."""
    if data == "cloud":
        return problem(n, d, "float64")
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X / 16, y


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
