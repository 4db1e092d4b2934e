"""From the parameters of a boosting estimator to what `boost` takes."""

from __future__ import annotations

from copy import copy
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from sklearn.metrics import check_scoring

from shallows._core.contract.data import hold_out
from shallows._core.contract.params import Fraction, PositiveInt, Range
from shallows.tree._boosting_fit import Boosted, Patience, Plan, Samples
from shallows.tree._histogram_grower import NO_LIMIT, Limits, Relations

MANY_ROWS = 10_000  # from which "auto" stops early, and most rows that a score is computed on

MaxLeafNodes = Annotated[int, Range(2)] | None
MaxBins = Annotated[int, Range(2, 255)]
ShareOfFeatures = Annotated[float, Range(0, 1, open="low")]
MonotonicCst = dict | list | tuple | np.ndarray | None
InteractionCst = Literal["pairwise", "no_interactions"] | list | tuple | set | None
EarlyStopping = Literal["auto"] | bool
ValidationFraction = Fraction | PositiveInt | None


def plan_of(estimator: Any, X) -> Plan:
    """Read the parameters of a histogram boosting estimator."""
    n_columns = X.shape[1]
    counts = [0 if known is None else len(known) for known in estimator.categories_]
    refuse_many_categories(estimator, counts)
    limits = Limits(
        estimator.max_leaf_nodes or NO_LIMIT,
        estimator.max_depth or NO_LIMIT,
        estimator.max_features,
    )
    signs = signs_of(estimator, n_columns)
    if signs[np.array(counts) > 0].any():
        raise ValueError(
            f"{type(estimator).__name__}: monotonic_cst must be 0 for categories, which have no "
            f"order, got {signs.tolist()} with categories in columns "
            f"{np.flatnonzero(counts).tolist()}."
        )
    return Plan(
        estimator.learning_rate,
        estimator.max_iter,
        estimator.max_bins,
        limits,
        estimator.min_samples_leaf,
        estimator.l2_regularization,
        Relations(signs, groups_of(estimator, n_columns)),
        counts,
    )


def refuse_many_categories(estimator: Any, counts: list[int]) -> None:
    """Raise where a column has more categories than bins."""
    for column, count in enumerate(counts):
        if count > estimator.max_bins:
            raise ValueError(
                f"{type(estimator).__name__}: a column of categories must have at most "
                f"max_bins={estimator.max_bins} of them, got {count} in column {column}. Raise "
                "max_bins (to 255 at most), or join rare categories."
            )


def signs_of(estimator: Any, n_columns: int) -> np.ndarray:
    """Return the sign of each column's effect: 1 rises, -1 falls, 0 is free."""
    given, owner = estimator.monotonic_cst, type(estimator).__name__
    signs = np.zeros(n_columns, np.int8)
    if given is None:
        return signs
    if isinstance(given, dict):
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                f"{owner}: monotonic_cst was given by names, but X has none: it was not a data "
                "frame with strings as column names. Give an array with one sign per column."
            )
        places = {name: place for place, name in enumerate(names)}
        unknown = sorted(set(given) - set(places))
        if unknown:
            raise ValueError(
                f"{owner}: monotonic_cst contains {unknown[0]!r}, which is no column "
                f"of X. The columns are {list(names)}."
            )
        values = [given.get(name, 0) for name in names]
    else:
        values = list(given)
    if len(values) != n_columns or not set(values) <= {-1, 0, 1}:
        raise ValueError(
            f"{owner}: monotonic_cst must have {n_columns} entries, one per column, each -1, 0 "
            f"or 1, got {values!r}."
        )
    signs[:] = values
    return signs


def groups_of(estimator: Any, n_columns: int) -> np.ndarray:
    """Return the groups of columns that may meet on a path, as lines of a mask."""
    given, owner = estimator.interaction_cst, type(estimator).__name__
    if given is None:
        return np.ones((1, n_columns), bool)
    if given == "no_interactions":
        return np.eye(n_columns, dtype=bool)
    sets = combinations(range(n_columns), 2) if given == "pairwise" else given
    try:
        sets = [{int(column) for column in one} for one in sets]
    except TypeError:
        raise ValueError(
            f"{owner}: interaction_cst must be a sequence of sets of column numbers, got {given!r}."
        ) from None
    named = set().union(*sets)
    if not named <= set(range(n_columns)):
        raise ValueError(
            f"{owner}: interaction_cst must name columns from 0 to {n_columns - 1}, got "
            f"{sorted(named)}."
        )
    rest = set(range(n_columns)) - named
    sets += [rest] if rest else []
    groups = np.zeros((len(sets), n_columns), bool)
    for line, one in zip(groups, sets, strict=True):
        line[sorted(one)] = True
    return groups


def stops_early(estimator: Any, n_samples: int, X_val: Any) -> bool:
    """Tell whether training ends where scores stop improving."""
    if estimator.early_stopping == "auto":
        return n_samples > MANY_ROWS or X_val is not None
    return bool(estimator.early_stopping)


def split_off(
    estimator: Any, samples: Samples, rng: np.random.Generator, stratify: bool
) -> tuple[Samples, Samples | None]:
    """Return training and validation rows by `validation_fraction`."""
    fraction = estimator.validation_fraction
    if fraction is None:
        return samples, None
    if isinstance(fraction, int | np.integer):
        if fraction >= len(samples.y):
            raise ValueError(
                f"{type(estimator).__name__}: validation_fraction={fraction} must leave rows for "
                f"training, but there are {len(samples.y)}."
            )
        fraction = fraction / len(samples.y)
    train, held = hold_out(*samples, fraction, rng, stratify=stratify)
    return Samples(*train), Samples(*held)


def refuse_half_validation(estimator: Any, X_val: Any, y_val: Any) -> None:
    """Raise where only one of X_val and y_val was given."""
    if (X_val is None) != (y_val is None):
        raise ValueError(
            f"{type(estimator).__name__}: X_val and y_val must be given together, got only "
            f"{'y_val' if X_val is None else 'X_val'}."
        )


def patience_of(
    estimator: Any, train: Samples, held: Samples | None, labels, rng: np.random.Generator
) -> Patience:
    """Return when to stop early; `labels` turns checked targets into those of the user."""
    if estimator.scoring == "loss":
        return Patience(estimator.n_iter_no_change, estimator.tol, None)
    scorer = check_scoring(estimator, scoring=estimator.scoring)
    judged = copy(estimator)
    # The rows are checked and their categories numbered already.
    judged.categories_ = [None] * train.X.shape[1]
    vars(judged).pop("feature_names_in_", None)
    few = train
    if len(train.y) > MANY_ROWS:
        drawn = np.sort(rng.choice(len(train.y), MANY_ROWS, replace=False))
        few = Samples(*(part[drawn] for part in train))

    def rate(boosted: Boosted) -> tuple[float, float]:
        judged._boosted = boosted
        scores = [
            float(scorer(judged, rows.X, labels(rows.y), sample_weight=rows.weights))
            for rows in (few, held)
            if rows is not None
        ]
        return scores[0], scores[-1]

    return Patience(estimator.n_iter_no_change, estimator.tol, rate)
