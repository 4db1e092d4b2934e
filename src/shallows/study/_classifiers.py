"""The methods for classes, one value each; their settings are in portfolio.json."""

from __future__ import annotations

from typing import Any

from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from shallows.kernel import SVC, KernelRidgeClassifier
from shallows.linear import LeastSquaresClassifier
from shallows.network import MLPClassifier
from shallows.perceptron import AdaTron
from shallows.prototype import GMLVQ, KNeighborsClassifier
from shallows.study._candidates import Candidate, Setting
from shallows.study._over_windows import OverWindows
from shallows.study._prepare import Design, plain, scaled
from shallows.tree import DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier


def _logistic(design: Design, setting: Setting) -> Any:
    model = LogisticRegression(C=setting["C"], max_iter=setting.get("max_iter", 300))
    return scaled(design, model, setting.get("normal", False))


def _neighbours(design: Design, setting: Setting) -> Any:
    k, weights = setting["n_neighbors"], setting.get("weights", "uniform")
    model = KNeighborsClassifier(k, weights=weights)
    return scaled(design, model, setting.get("normal", False))


def _svc(design: Design, setting: Setting) -> Any:
    model = SVC(C=setting["C"], gamma=setting["width"] / design.n_columns)
    return scaled(design, model, setting.get("normal", False))


def _kernel_ridge(design: Design, setting: Setting) -> Any:
    gamma = setting["width"] / design.n_columns
    model = KernelRidgeClassifier(setting["alpha"], gamma=gamma)
    return scaled(design, model, setting.get("normal", False))


def _forest(design: Design, setting: Setting) -> Any:
    return plain(design, RandomForestClassifier(random_state=design.seed, **setting))


def _extra(design: Design, setting: Setting) -> Any:
    return plain(design, ExtraTreesClassifier(random_state=design.seed, **setting))


def _perceptron(design: Design, setting: Setting) -> Any:
    model = MLPClassifier(
        hidden_layer_sizes=(setting["hidden"],) * setting.get("layers", 1),
        alpha=setting["alpha"],
        random_state=design.seed,
    )
    return scaled(design, model, setting.get("normal", False))


def _boosting(design: Design, setting: Setting) -> Any:
    return HistGradientBoostingClassifier(
        categorical_features=list(design.categories) or None,
        early_stopping=False,
        random_state=design.seed,
        **setting,
    )


def _window(design: Design, setting: Setting) -> Any:
    model = LeastSquaresClassifier(alpha=setting["alpha"])
    return scaled(design, OverWindows(model, setting["window"]))


CLASSIFIERS = [
    Candidate("majority class", "scikit-learn", 0, lambda d, s: DummyClassifier()),
    Candidate(
        "naive Bayes",
        "scikit-learn",
        1,
        lambda d, s: scaled(d, GaussianNB(**s)),
        axis="var_smoothing",
    ),
    Candidate(
        "least squares",
        "shallows",
        2,
        lambda d, s: scaled(d, LeastSquaresClassifier(**s)),
        axis="alpha",
    ),
    Candidate("logistic regression", "scikit-learn", 3, _logistic, axis="C"),
    Candidate(
        "window ridge", "shallows", 3, _window, axis="window", most_rows=100_000, series=True
    ),
    Candidate(
        "AdaTron",
        "shallows",
        3,
        lambda d, s: scaled(d, AdaTron(random_state=d.seed, **s)),
        axis="C",
    ),
    Candidate(
        "GMLVQ",
        "shallows",
        4,
        lambda d, s: scaled(d, GMLVQ(random_state=d.seed, **s)),
        axis="n_prototypes",
        most_rows=50_000,
    ),
    Candidate(
        "decision tree",
        "shallows",
        5,
        lambda d, s: plain(d, DecisionTreeClassifier(random_state=d.seed, **s)),
        axis="max_leaf_nodes",
    ),
    Candidate("k-NN", "shallows", 6, _neighbours, axis="n_neighbors", most_rows=100_000),
    Candidate("SVC", "shallows", 7, _svc, axis="C", most_rows=20_000),
    Candidate("kernel ridge", "shallows", 7, _kernel_ridge, axis="alpha", most_rows=10_000),
    Candidate("random forest", "shallows", 8, _forest, axis="min_samples_leaf"),
    Candidate("extra trees", "shallows", 8, _extra, axis="min_samples_leaf"),
    Candidate("multilayer perceptron", "shallows", 9, _perceptron, axis="hidden"),
    Candidate("gradient boosting", "scikit-learn", 10, _boosting, axis="max_leaf_nodes"),
]
