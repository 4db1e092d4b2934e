"""Adaptive filters and reservoirs against the packages that have them."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case

PADASIP = ["padasip==1.2.2"]


@case("LMS", sizes=[{"n": 50_000, "d": 16}, {"n": 500_000, "d": 64}])
def lms(n, d):
    """One pass over a noisy linear plant, the same step size."""
    return _adaptive("LMS", {"mu": 0.005}, "lms", {"mu": 0.01}, n, d)


@case("LMS, normalized", sizes=[{"n": 50_000, "d": 16}])
def normalized_lms(n, d):
    """One pass over a noisy linear plant, the same step size."""
    ours = {"mu": 0.05, "rule": "normalized", "psi": 1e-3}
    return _adaptive("LMS", ours, "nlms", {"mu": 0.1}, n, d)


@case("RLS", sizes=[{"n": 50_000, "d": 16}, {"n": 50_000, "d": 64}])
def rls(n, d):
    """One pass over a noisy linear plant, the same forgetting and start."""
    ours, theirs = {"forgetting": 0.999, "delta": 10.0}, {"mu": 0.999, "eps": 0.1}
    return _adaptive("RLS", ours, "rls", theirs, n, d)


def _adaptive(name, options, peer, peer_options, n, d):
    rng = np.random.default_rng(0)
    X, plant = rng.normal(size=(n, d)), rng.normal(size=d)
    y = X @ plant + 0.1 * rng.normal(size=n)
    return Comparison(
        ours=Run(f"shallows.signal.{name}", lambda cls: cls(**options).fit(X, y)),
        peers=[RunApart(f"padasip_{peer}", PADASIP, name="padasip", X=X, y=y, **peer_options)],
        quality=[
            Quality(
                "error of the weights",
                lambda model: float(np.abs(model.coef_ - plant).max()),
                better="smaller",
                within=1e-6,
            )
        ],
    )


@case("EchoStateNetwork", sizes=[{"n": 4000, "units": 300}, {"n": 20_000, "units": 1000}])
def echo_state_network(n, units):
    """One step ahead on the Mackey-Glass series; reservoirs are drawn, so that errors differ."""
    from shallows.data import mackey_glass

    series = mackey_glass(2 * n, random_state=0)[:, None]
    X, y = series[: n - 1], series[1:n]
    options = {"spectral_radius": 0.9, "density": 0.1, "alpha": 1e-6, "random_state": 0}

    def error(model):
        predicted = model.predicted if hasattr(model, "predicted") else model.predict(series)
        return float(np.sqrt(np.mean((predicted[n:-1] - series[n + 1 :]) ** 2)) / series.std())

    return Comparison(
        ours=Run("shallows.signal.EchoStateNetwork", lambda cls: cls(units, **options).fit(X, y)),
        peers=[
            RunApart(
                "reservoirpy_esn",
                ["reservoirpy==0.4.2"],
                name="reservoirpy",
                X=X,
                y=y,
                units=units,
                series=series,
            )
        ],
        quality=[Quality("relative error", error, better="smaller", within=1.0)],
    )


WINDOWS = [{"n": 2_000, "window": 10}, {"n": 50_000, "window": 50}]


@case("WindowRegression", sizes=WINDOWS)
def window_regression(n, window):
    """One step ahead on the Mackey-Glass series with noise, a small penalty on both sides."""
    return _windows(n, window, 1e-3, "sklearn.linear_model.Ridge", (1e-3,))


@case("WindowRegression, leave-one-out", sizes=WINDOWS)
def window_selection(n, window):
    """The same, with the penalty chosen from the same grid by leaving out each sample."""
    grid = np.geomspace(1e-9, 1e3, 13)
    return _windows(n, window, "loo", "sklearn.linear_model.RidgeCV", (grid,))


def _windows(n, window, alpha, peer, arguments):
    """The peer gets its windows from NumPy."""
    from shallows.data import mackey_glass

    series = mackey_glass(n, random_state=0)
    series = series + 0.05 * series.std() * np.random.default_rng(0).normal(size=n)

    def parts(Ridge):
        rows = np.lib.stride_tricks.sliding_window_view(series, window)[:-1]
        model = Ridge(*arguments).fit(rows, series[window:])
        return np.mean((model.predict(rows) - series[window:]) ** 2)

    def ours(WindowRegression):
        X = series[:, None]
        model = WindowRegression(window, alpha=alpha).fit(X)
        return np.mean((model.predict(X)[window - 1 : -1] - X[window:]) ** 2)

    return Comparison(
        ours=Run("shallows.signal.WindowRegression", ours),
        peers=[Run(peer, parts)],
        quality=[Quality("mean squared error", float, better="smaller", within=1e-3)],
    )
