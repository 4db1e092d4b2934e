"""What ensembles of any estimator share: stochastic learners and ways to combine them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter, validate_data

from shallows._core.contract.data import FLOATS, check_weights, refuse_equal_names
from shallows._core.contract.params import check_arguments
from shallows._core.contract.tags import inner_tags
from shallows._core.contract.targets import check_labels, check_target, naming, refuse_sparse_target

Diversity = Literal["seed", "bootstrap", "features"]
SEEDS = 2**31 - 1


class Member(NamedTuple):
    """A fitted estimator, the columns it looks at and the rows it has learned from.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    columns : ndarray or None
        Places of the columns it looks at; None for all.
    rows : ndarray or None
        Places of the rows it has learned from, with repetitions; None for all.
    """

    estimator: BaseEstimator
    columns: np.ndarray | None
    rows: np.ndarray | None

    def ask(self, method: str, X):
        """Return what a method of the estimator says to these rows.

        Parameters
        ----------
        method : str
            Such as "predict" or "predict_proba".
        X : array-like of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        result : ndarray
            What the method returns.
        """
        return getattr(self.estimator, method)(take(X, columns=self.columns))


def stochastic_learner(
    estimator,
    X,
    y,
    theta: int,
    *,
    diversity: Diversity = "seed",
    sample_weight=None,
) -> Member:
    """Train one member h(., theta) of an ensemble: all of its random choices come from `theta`.

    Parameters
    ----------
    estimator : estimator
        The learner; it is cloned.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Labels or targets.
    theta : int
        The random vector, as a seed. The same seed gives the same member.
    diversity : {"seed", "bootstrap", "features"}, default="seed"
        What is random: the learner's own choices alone, or with them the rows, drawn with
        replacement, or the columns, half of which are drawn.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample.

    Returns
    -------
    member : Member
        The fitted `estimator`, with the `columns` and `rows` it has seen, None for all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.tree import DecisionTreeClassifier, stochastic_learner
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_features=1)
    >>> one, same = (stochastic_learner(tree, X, y, theta=7) for _ in range(2))
    >>> one.estimator.export_text() == same.estimator.export_text()
    True
    """
    check_arguments(stochastic_learner, locals())
    X = X if hasattr(X, "shape") else np.asarray(X)
    return train(estimator, X, np.asarray(y), int(theta), drawn_for(diversity), sample_weight)


def drawn_for(diversity: Diversity) -> Draw:
    """Return what is drawn for a member."""
    return Draw(
        rows=1.0 if diversity == "bootstrap" else None,
        columns=0.5 if diversity == "features" else None,
    )


class Draw(NamedTuple):
    """How many rows and columns a member gets, None for all, and whether one may come twice."""

    rows: int | float | None = None
    columns: int | float | None = None
    rows_again: bool = True
    columns_again: bool = False


def train(estimator, X, y, theta, draw: Draw, weights) -> Member:
    """Fit a clone to drawn rows and columns."""
    rng = np.random.default_rng(theta)
    rows = columns = None
    if draw.rows is not None:
        size = _size(draw.rows, len(y))
        rows = _draw_rows(rng, y, size, draw.rows_again, is_classifier(estimator))
    if draw.columns is not None:
        size = _size(draw.columns, X.shape[1])
        columns = np.sort(rng.choice(X.shape[1], size=size, replace=draw.columns_again))
    member = clone(estimator)
    seeds = [name for name in member.get_params() if name.split("__")[-1] == "random_state"]
    member.set_params(**{name: int(rng.integers(SEEDS)) for name in sorted(seeds)})
    options = {}
    if weights is not None:
        options["sample_weight"] = weights if rows is None else weights[rows]
    member.fit(take(X, rows, columns), y if rows is None else y[rows], **options)
    return Member(member, columns, rows)


def train_all(estimator, X, y, thetas, draw: Draw, weights, **workers):
    """Fit one member per theta, on as many workers as joblib is told to use."""
    jobs = (delayed(train)(estimator, X, y, int(theta), draw, weights) for theta in thetas)
    return Parallel(**workers)(jobs)


def check_members_data(ensemble, learner, X, y=None, sample_weight=None, *, reset=True):
    """Return X as float array, or as frame where it has other columns; and y and weights."""
    mixed = hasattr(X, "iloc") and any(kind.kind not in "fiub" for kind in map(_dtype, X.dtypes))
    gaps = "allow-nan" if inner_tags(learner).input_tags.allow_nan else True
    options = {"skip_check_array": True} if mixed else {
        "dtype": FLOATS, "accept_sparse": "csr" if _takes_sparse(learner) else False,
        "ensure_all_finite": gaps,
    }  # fmt: skip
    owner = type(ensemble).__name__
    refuse_equal_names(owner, X)
    if not reset:
        return _read(ensemble, X, reset=False, **options)
    if y is None:
        raise ValueError(
            f"{type(ensemble).__name__} requires y to be passed, but the target y is None."
        )
    if not mixed:
        options["multi_output"] = _many_outputs(learner)
        options["y_numeric"] = not is_classifier(learner)
    refuse_sparse_target(owner, y)
    check_target(owner, y)
    X, y = _read(ensemble, X, y, **options)
    y = np.asarray(y)
    if is_classifier(learner):
        check_labels(owner, y)
        ensemble.classes_ = np.unique(y)
        if len(ensemble.classes_) < 2:
            raise ValueError(
                f"{type(ensemble).__name__} needs at least 2 classes, "
                f"got 1 class: {ensemble.classes_[0]!r}."
            )
    if sample_weight is None:
        return X, y, None
    weights = check_weights(sample_weight, X.shape[0], owner)
    if not has_fit_parameter(learner, "sample_weight"):
        raise ValueError(
            f"{type(ensemble).__name__}: {type(learner).__name__} takes no sample_weight."
        )
    used = np.flatnonzero(weights > 0)
    if is_classifier(learner) and len(np.unique(y[used])) < 2:
        raise ValueError(
            f"{owner}: sample_weight must not be zero for all classes but one, got weights for "
            f"the class {y[used][0]!r} only."
        )
    return take(X, used), y[used], weights[used]


def _read(ensemble, X, *y, **options):
    """Call scikit-learn's check, whose message shall name the estimator."""
    try:
        return validate_data(ensemble, X, *y, **options)
    except (OverflowError, TypeError, ValueError) as error:
        raise naming(type(ensemble).__name__, error) from None


def shares_of(members, X, classes, soft: bool) -> np.ndarray:
    """Return the mean class probabilities of the members, or the shares of their votes."""
    total = np.zeros((X.shape[0], len(classes)))
    for member in members:
        total += class_shares(member, X, classes, soft)
    return total / len(members)


def class_shares(member, X, classes, soft: bool) -> np.ndarray:
    """Return the probabilities of one member, or 1 for the class that it chooses."""
    shares = np.zeros((X.shape[0], len(classes)))
    if soft and hasattr(member.estimator, "predict_proba"):
        places = np.searchsorted(classes, member.estimator.classes_)
        shares[:, places] = member.ask("predict_proba", X)
    else:
        chosen = np.searchsorted(classes, member.ask("predict", X))
        shares[np.arange(X.shape[0]), chosen] = 1.0
    return shares


def take(X, rows=None, columns=None):
    """Return rows and columns of an array, sparse matrix or frame; None for all."""
    if hasattr(X, "iloc"):
        X = X if rows is None else X.iloc[rows]
        return X if columns is None else X.iloc[:, columns]
    X = X if rows is None else X[rows]
    return X if columns is None else X[:, columns]


def float_type(X):
    """Return float32 for an array or matrix of that type, else float64."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def inherit_tags(tags, learner):
    """Say in the tags what the learner says in its own."""
    inner = inner_tags(learner)
    tags.estimator_type = inner.estimator_type
    tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
    if tags.classifier_tags is not None:
        tags.classifier_tags = replace(tags.classifier_tags, multi_label=False)
    tags.input_tags.allow_nan = inner.input_tags.allow_nan
    tags.input_tags.sparse = inner.input_tags.sparse
    tags.target_tags.required = True
    tags.target_tags.multi_output = _many_outputs(learner)
    return tags


def _draw_rows(rng, y, size, replace, classes):
    """Draw rows, again where all are of one class, from which no classifier learns."""
    for _ in range(100):
        rows = rng.integers(len(y), size=size) if replace else rng.permutation(len(y))[:size]
        if not classes or len(np.unique(y[rows])) > 1:
            return rows
    raise ValueError(
        f"X: {size} rows drawn a hundred times were all of one class. Draw more, or add rows "
        "of the other classes."
    )


def _size(many, n):
    return max(1, int(many * n)) if isinstance(many, float) else min(int(many), n)


def _dtype(kind):
    return kind if hasattr(kind, "kind") else np.dtype(object)


def _many_outputs(learner):
    tags = inner_tags(learner)
    return tags.estimator_type != "classifier" and tags.target_tags.multi_output


def _takes_sparse(learner):
    return inner_tags(learner).input_tags.sparse
