"""The methods that a study compares, from simple to complex, each with its own preparation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from shallows.kernel import SVC, SVR, KernelRidge, KernelRidgeClassifier
from shallows.linear import BayesianLinear, LeastSquaresClassifier, Ridge
from shallows.network import MLPClassifier, MLPRegressor
from shallows.perceptron import AdaTron
from shallows.prototype import GMLVQ, KNeighborsClassifier, KNeighborsRegressor
from shallows.study._errors import StudyError
from shallows.study._over_windows import OverWindows
from shallows.study._problem import Problem
from shallows.study._schema import listed, near
from shallows.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

Setting = dict[str, Any]
MOST_ONE_HOT = 30  # columns of a category; the rarer levels share one
GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
WINDOWS = (2, 5, 15)
MOST_IN_WINDOW = 1000  # numbers in the largest window


@dataclass(frozen=True)
class Design:
    """What a builder must know about the data."""

    numbers: tuple[int, ...]
    categories: tuple[int, ...]
    n_columns: int  # after preparation, about
    n_classes: int
    seed: int


@dataclass(frozen=True)
class Candidate:
    """A method with the settings to try, from simple to complex.

    `complexity` orders methods: among those that can't be told apart the lower one is chosen.
    `axis` is the parameter along which the report draws scores. Beyond `most_rows` training
    rows the method takes too long and is left out. One for a `series` looks at several rows in
    order of time.
    """

    name: str
    source: str
    complexity: int
    build: Callable[[Design, Setting], Any]
    settings: tuple[Setting, ...] = ({},)
    axis: str = ""
    most_rows: int = 10**9
    series: bool = False


def design_of(problem: Problem, seed: int) -> Design:
    """Describe the columns of a problem."""
    features = problem.schema.features
    categories = tuple(i for i, feature in enumerate(features) if feature.is_category)
    numbers = tuple(i for i, feature in enumerate(features) if not feature.is_category)
    widths = [min(len(features[i].levels), MOST_ONE_HOT) for i in categories]
    return Design(numbers, categories, len(numbers) + sum(widths), len(problem.classes), seed)


def choose_candidates(
    problem: Problem, only: Sequence[str] = (), skip: Sequence[str] = ()
) -> tuple[list[Candidate], list[str]]:
    """Return the candidates that fit the task and the number of rows, and what was left out."""
    known = classifiers() if problem.is_classification else regressors()
    names = [candidate.name for candidate in known]
    if strange := [name for name in (*only, *skip) if name not in names]:
        raise StudyError(f"There is no method {listed(strange)}; {near(strange, names, 99)}")
    notes, kept = [], []
    for candidate in known:
        if candidate.complexity and (
            candidate.name in skip or (only and candidate.name not in only)
        ):
            continue
        if candidate.series and not _is_series(problem):
            if candidate.name in only:
                notes.append(
                    f"{candidate.name} was not tried: it needs --time with one row per moment, no "
                    "--group, and few columns."
                )
            continue
        if len(problem.y) > candidate.most_rows:
            notes.append(
                f"{candidate.name} was not tried: it takes too long beyond "
                f"{candidate.most_rows:,} training rows."
            )
            continue
        kept.append(candidate)
    if not any(candidate.complexity for candidate in kept):
        raise StudyError(
            f"No method is left to compare with {kept[0].name!r}; "
            + (" ".join(notes) or "name others with --only, or fewer with --skip.")
        )
    return kept, notes


def _is_series(problem: Problem) -> bool:
    """Tell whether the rows are one series, a row at each time, narrow enough for windows."""
    if problem.order is None or problem.groups is not None:
        return False
    narrow = design_of(problem, 0).n_columns * max(WINDOWS) <= MOST_IN_WINDOW
    return narrow and len(set(problem.order.tolist())) == len(problem.order)


def classifiers() -> list[Candidate]:
    """Return the candidates for classes."""
    return [
        Candidate("majority class", "scikit-learn", 0, lambda d, s: DummyClassifier()),
        Candidate(
            "naive Bayes",
            "scikit-learn",
            1,
            lambda d, s: scaled(d, GaussianNB(**s)),
            ({"var_smoothing": 0.1}, {"var_smoothing": 1e-3}, {"var_smoothing": 1e-9}),
            "var_smoothing",
        ),
        Candidate(
            "least squares",
            "shallows",
            2,
            lambda d, s: scaled(d, LeastSquaresClassifier(**s)),
            _each("alpha", (100.0, 1.0, 0.01)),
            "alpha",
        ),
        Candidate(
            "logistic regression",
            "scikit-learn",
            3,
            lambda d, s: scaled(d, LogisticRegression(max_iter=1000, **s)),
            _each("C", GRID),
            "C",
        ),
        Candidate(
            "window ridge",
            "shallows",
            3,
            lambda d, s: scaled(
                d, OverWindows(LeastSquaresClassifier(alpha=s["alpha"]), s["window"])
            ),
            _grid("window", WINDOWS, "alpha", (100.0, 1.0, 0.01)),
            "window",
            100_000,
            series=True,
        ),
        Candidate(
            "AdaTron",
            "shallows",
            3,
            lambda d, s: scaled(d, AdaTron(random_state=d.seed, **s)),
            _each("C", (0.001, 0.01, 0.1, 1.0)),
            "C",
        ),
        Candidate(
            "GMLVQ",
            "shallows",
            4,
            lambda d, s: scaled(d, GMLVQ(random_state=d.seed, **s)),
            _each("n_prototypes", (1, 2, 4)),
            "n_prototypes",
            50_000,
        ),
        Candidate(
            "decision tree",
            "shallows",
            5,
            lambda d, s: plain(d, DecisionTreeClassifier(random_state=d.seed, **s)),
            _each("max_leaf_nodes", (4, 8, 16, 64)),
            "max_leaf_nodes",
        ),
        Candidate(
            "k-NN",
            "shallows",
            6,
            lambda d, s: scaled(d, KNeighborsClassifier(**s)),
            _each("n_neighbors", (31, 15, 7, 3, 1)),
            "n_neighbors",
            100_000,
        ),
        Candidate(
            "SVC",
            "shallows",
            7,
            lambda d, s: scaled(d, SVC(C=s["C"], gamma=s["width"] / d.n_columns)),
            _grid("width", (0.1, 0.3, 1.0, 3.0), "C", (0.3, 3.0, 30.0)),
            "C",
            20_000,
        ),
        Candidate(
            "kernel ridge",
            "shallows",
            7,
            lambda d, s: scaled(
                d, KernelRidgeClassifier(s["alpha"], gamma=s["width"] / d.n_columns)
            ),
            _grid("width", (0.1, 0.3, 1.0), "alpha", (10.0, 1.0, 0.1)),
            "alpha",
            10_000,
        ),
        Candidate(
            "random forest",
            "shallows",
            8,
            lambda d, s: plain(d, RandomForestClassifier(100, random_state=d.seed, **s)),
            _grid("min_samples_leaf", (5, 1), "max_features", ("sqrt", 0.5)),
            "min_samples_leaf",
        ),
        Candidate(
            "multilayer perceptron",
            "shallows",
            9,
            lambda d, s: scaled(
                d,
                MLPClassifier(
                    hidden_layer_sizes=(s["hidden"],), alpha=s["alpha"], random_state=d.seed
                ),
            ),
            _grid("hidden", (16, 64), "alpha", (1.0, 0.01)),
            "hidden",
        ),
        Candidate(
            "gradient boosting",
            "scikit-learn",
            10,
            lambda d, s: _boosting(d, HistGradientBoostingClassifier, s),
            _grid("max_leaf_nodes", (4, 31), "learning_rate", (0.05, 0.15)),
            "max_leaf_nodes",
        ),
    ]


def regressors() -> list[Candidate]:
    """Return the candidates for numbers."""
    return [
        Candidate("mean", "scikit-learn", 0, lambda d, s: DummyRegressor()),
        Candidate(
            "lasso",
            "scikit-learn",
            1,
            lambda d, s: scaled(d, _target_scaled(Lasso(max_iter=5000, **s))),
            _each("alpha", (0.3, 0.1, 0.03, 0.01, 0.001)),
            "alpha",
        ),
        Candidate(
            "ridge",
            "shallows",
            2,
            lambda d, s: scaled(d, Ridge(**s)),
            _each("alpha", (1000.0, 100.0, 10.0, 1.0, 0.01)),
            "alpha",
        ),
        Candidate(
            "Bayesian linear", "shallows", 2, lambda d, s: scaled(d, BayesianLinear()), ({},)
        ),
        Candidate(
            "window ridge",
            "shallows",
            3,
            lambda d, s: scaled(d, OverWindows(Ridge(s["alpha"]), s["window"])),
            _grid("window", WINDOWS, "alpha", (100.0, 1.0, 0.01)),
            "window",
            100_000,
            series=True,
        ),
        Candidate(
            "decision tree",
            "shallows",
            5,
            lambda d, s: plain(d, DecisionTreeRegressor(random_state=d.seed, **s)),
            _each("max_leaf_nodes", (4, 8, 16, 64)),
            "max_leaf_nodes",
        ),
        Candidate(
            "k-NN",
            "shallows",
            6,
            lambda d, s: scaled(d, KNeighborsRegressor(weights="distance", **s)),
            _each("n_neighbors", (31, 15, 7, 3)),
            "n_neighbors",
            100_000,
        ),
        Candidate(
            "SVR",
            "shallows",
            7,
            lambda d, s: scaled(
                d, _target_scaled(SVR(C=s["C"], gamma=s["width"] / d.n_columns, epsilon=0.1))
            ),
            _grid("width", (0.1, 0.3, 1.0), "C", (0.3, 3.0, 30.0)),
            "C",
            20_000,
        ),
        Candidate(
            "kernel ridge",
            "shallows",
            7,
            lambda d, s: scaled(
                d,
                _target_scaled(
                    KernelRidge(s["alpha"], kernel="rbf", gamma=s["width"] / d.n_columns)
                ),
            ),
            _grid("width", (0.03, 0.1, 0.3, 1.0), "alpha", (10.0, 1.0, 0.1)),
            "alpha",
            10_000,
        ),
        Candidate(
            "random forest",
            "shallows",
            8,
            lambda d, s: plain(d, RandomForestRegressor(100, random_state=d.seed, **s)),
            _grid("min_samples_leaf", (5, 1), "max_features", (0.33, 1.0)),
            "min_samples_leaf",
        ),
        Candidate(
            "multilayer perceptron",
            "shallows",
            9,
            lambda d, s: scaled(
                d,
                _target_scaled(
                    MLPRegressor(
                        hidden_layer_sizes=(s["hidden"],), alpha=s["alpha"], random_state=d.seed
                    )
                ),
            ),
            _grid("hidden", (16, 64), "alpha", (1.0, 0.01)),
            "hidden",
        ),
        Candidate(
            "gradient boosting",
            "scikit-learn",
            10,
            lambda d, s: _boosting(d, HistGradientBoostingRegressor, s),
            _grid("max_leaf_nodes", (4, 31), "learning_rate", (0.05, 0.15)),
            "max_leaf_nodes",
        ),
    ]


def scaled(design: Design, model: Any) -> Pipeline:
    """Put medians into gaps, z-scores and one-hot codes before a model that measures distances."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    return make_pipeline(_by_column(design, numbers), model)


def plain(design: Design, model: Any) -> Pipeline:
    """Put medians into gaps and one-hot codes before a model that does not mind scales."""
    gaps = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(_by_column(design, gaps), model)


def _by_column(design: Design, numbers: Any) -> ColumnTransformer:
    codes = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_ONE_HOT, sparse_output=False
    )
    steps = [("numbers", numbers, list(design.numbers))] if design.numbers else []
    if design.categories:
        steps.append(("categories", codes, list(design.categories)))
    return ColumnTransformer(steps)


def _boosting(design: Design, kind: type, setting: Setting) -> Any:
    categories = list(design.categories) or None
    return kind(
        categorical_features=categories, early_stopping=False, random_state=design.seed, **setting
    )


def _target_scaled(model: Any) -> TransformedTargetRegressor:
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def _each(name: str, values: Iterable[Any]) -> tuple[Setting, ...]:
    return tuple({name: value} for value in values)


def _grid(
    name: str, values: Iterable[Any], other: str, others: Iterable[Any]
) -> tuple[Setting, ...]:
    others = list(others)
    return tuple({name: value, other: more} for value in values for more in others)
