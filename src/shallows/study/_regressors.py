"""The methods for numbers, one value each; their settings are in portfolio.json."""

from __future__ import annotations

from typing import Any

from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Lasso

from shallows.kernel import SVR, KernelRidge
from shallows.linear import BayesianLinear, Ridge
from shallows.network import MLPRegressor
from shallows.prototype import KNeighborsRegressor
from shallows.study._candidates import Candidate, Setting
from shallows.study._over_windows import OverWindows
from shallows.study._prepare import Design, LogTarget, plain, scaled, target_scaled
from shallows.tree import DecisionTreeRegressor, ExtraTreesRegressor, RandomForestRegressor


def _ridge(design: Design, setting: Setting) -> Any:
    return scaled(design, _target(Ridge(setting["alpha"]), setting), setting.get("normal", False))


def _neighbours(design: Design, setting: Setting) -> Any:
    k, weights = setting["n_neighbors"], setting.get("weights", "distance")
    model = KNeighborsRegressor(k, weights=weights)
    return scaled(design, model, setting.get("normal", False))


def _svr(design: Design, setting: Setting) -> Any:
    gamma = setting["width"] / design.n_columns
    model = SVR(C=setting["C"], gamma=gamma, epsilon=0.1)
    return scaled(design, target_scaled(model), setting.get("normal", False))


def _kernel_ridge(design: Design, setting: Setting) -> Any:
    gamma = setting["width"] / design.n_columns
    model = target_scaled(KernelRidge(setting["alpha"], kernel="rbf", gamma=gamma))
    return scaled(design, model, setting.get("normal", False))


def _forest(design: Design, setting: Setting) -> Any:
    return plain(design, RandomForestRegressor(random_state=design.seed, **setting))


def _extra(design: Design, setting: Setting) -> Any:
    return plain(design, ExtraTreesRegressor(random_state=design.seed, **setting))


def _perceptron(design: Design, setting: Setting) -> Any:
    model = MLPRegressor(
        hidden_layer_sizes=(setting["hidden"],) * setting.get("layers", 1),
        alpha=setting["alpha"],
        random_state=design.seed,
    )
    return scaled(design, target_scaled(model), setting.get("normal", False))


def _boosting(design: Design, setting: Setting) -> Any:
    rest = {name: value for name, value in setting.items() if name != "log"}
    model = HistGradientBoostingRegressor(
        categorical_features=list(design.categories) or None,
        early_stopping=False,
        random_state=design.seed,
        **rest,
    )
    return _target(model, setting)


def _window(design: Design, setting: Setting) -> Any:
    return scaled(design, OverWindows(Ridge(setting["alpha"]), setting["window"]))


def _target(model: Any, setting: Setting) -> Any:
    """Let a model learn the target's logarithm where the setting says so."""
    return LogTarget(model) if setting.get("log", False) else model


REGRESSORS = [
    Candidate("mean", "scikit-learn", 0, lambda d, s: DummyRegressor()),
    Candidate(
        "lasso",
        "scikit-learn",
        1,
        lambda d, s: scaled(d, target_scaled(Lasso(max_iter=2000, **s))),
        axis="alpha",
    ),
    Candidate("ridge", "shallows", 2, _ridge, axis="alpha"),
    Candidate("Bayesian linear", "shallows", 2, lambda d, s: scaled(d, BayesianLinear())),
    Candidate(
        "window ridge", "shallows", 3, _window, axis="window", most_rows=100_000, series=True
    ),
    Candidate(
        "decision tree",
        "shallows",
        5,
        lambda d, s: plain(d, DecisionTreeRegressor(random_state=d.seed, **s)),
        axis="max_leaf_nodes",
    ),
    Candidate("k-NN", "shallows", 6, _neighbours, axis="n_neighbors", most_rows=100_000),
    Candidate("SVR", "shallows", 7, _svr, axis="C", most_rows=20_000),
    Candidate("kernel ridge", "shallows", 7, _kernel_ridge, axis="alpha", most_rows=10_000),
    Candidate("random forest", "shallows", 8, _forest, axis="min_samples_leaf"),
    Candidate("extra trees", "shallows", 8, _extra, axis="min_samples_leaf"),
    Candidate("multilayer perceptron", "shallows", 9, _perceptron, axis="hidden"),
    Candidate("gradient boosting", "scikit-learn", 10, _boosting, axis="max_leaf_nodes"),
]
