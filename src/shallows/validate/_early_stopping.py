"""The best number of epochs: one run per fold gives the score after every epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.callback import CallbackSupportMixin
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.validate._one_standard_error import simplest_of_the_best
from shallows.validate._parts import (
    Scorer,
    Split,
    candidates_of,
    check_data,
    folds,
    score_part,
    stratifies,
    take,
)


@dataclass(frozen=True)
class EpochCurve:
    """Result of `early_stopping_path`.

    Parameters
    ----------
    model : estimator
        Model fitted to all rows for `best_epoch` epochs.
    best_epoch : int
        The chosen number of epochs.
    scores : ndarray of shape (n_epochs, n_folds)
        Validation score after each epoch in each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import EpochCurve
    >>> EpochCurve(None, 2, np.array([[0.5], [0.9], [0.8]])).summary()
    'Stop after epoch 2 of 3: validation 0.9 there, 0.8 at the end.'
    """

    model: Any
    best_epoch: int
    scores: NDArray[np.float64]

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            One sentence.
        """
        means = self.scores.mean(axis=1)
        return (
            f"Stop after epoch {self.best_epoch} of {len(means)}: validation "
            f"{means[self.best_epoch - 1]:.4g} there, {means[-1]:.4g} at the end."
        )


def early_stopping_path(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    epochs: PositiveInt = 100,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = 5,
    one_standard_error: bool = False,
    random_state: RandomState = None,
) -> EpochCurve:
    """Choose the number of epochs by cross-validation.

    Each fold trains once, and the model is scored on the held-out rows after every epoch. The
    final model is trained on all rows for the number of epochs with the best mean. The estimator
    must be iterative. Either it supports scikit-learn's callbacks, as all iterative learners of
    this package do; then `fit` is observed. Or it has `partial_fit`; then an epoch is one call
    with all training rows. In a pipeline this concerns the last step; earlier steps are fitted
    once per training part.

    Parameters
    ----------
    estimator : estimator
        Iterative classifier or regressor, or pipeline that ends in one.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Targets.
    epochs : int, default=100
        Length of the path. It replaces `max_iter`, and `tol` is set to None if there is one. A run
        that ends earlier keeps its last score.
    groups : array-like of shape (n_samples,), default=None
        Group of each row; no group is in two parts of a fold.
    scoring : str, callable or None, default=None
        Score to maximise, as in scikit-learn; None means the estimator's own score.
    cv : int or splitter, default=5
        Folds; a number gives shuffled folds, stratified for classifiers.
    one_standard_error : bool, default=False
        Whether to take the first epoch within one standard error of the best.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the folds, and the estimator if its own random state is None.

    Returns
    -------
    result : EpochCurve
        The model, its number of epochs and the scores of the whole path.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.prototype import GLVQ
    >>> from shallows.validate import early_stopping_path
    >>> X, y = load_iris(return_X_y=True)
    >>> found = early_stopping_path(GLVQ(), X, y, epochs=20, random_state=0)
    >>> found.scores.shape, found.model.n_iter_ == found.best_epoch
    ((20, 5), True)
    """
    check_arguments(early_stopping_path, locals())
    owner = "early_stopping_path"
    y, groups = check_data(owner, X, y, groups)
    for_folds, for_model = as_generator(random_state).spawn(2)
    [model], _ = candidates_of(owner, estimator, None, for_model)
    learner = model[-1] if isinstance(model, Pipeline) else model
    if not isinstance(learner, CallbackSupportMixin) and not hasattr(learner, "partial_fit"):
        raise TypeError(
            f"{owner} needs an iterative estimator with scikit-learn's callbacks or partial_fit, "
            f"got {type(learner).__name__}."
        )
    _run_all(learner, epochs)
    scorer = check_scoring(learner, scoring)
    stratify = stratifies([model], y)
    [splits] = folds(owner, cv, X, y, groups, stratify=stratify, repeats=1, rng=for_folds)

    paths = Parallel()(
        delayed(_follow)(model, X, y, split, scorer, epochs, k) for k, split in enumerate(splits)
    )
    scores = np.array(paths).T
    levels = np.arange(epochs, dtype=float) if one_standard_error else None
    best = simplest_of_the_best(scores, levels, repeats=1) + 1
    return EpochCurve(_train(model, X, y, best, y), best, scores)


class _Watch:
    """Callback that scores the model after every epoch and stops after the last."""

    def __init__(self, epochs: int, score: Any = None):
        self.epochs, self.score = epochs, score
        self.scores: list[float] = []
        self.seen = 0

    def setup(self, estimator: Any, context: Any) -> None:
        """Do nothing before fit."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing after fit."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing before an epoch."""

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Score the model after an epoch."""
        # The task without parent is the whole fit; the others are epochs.
        if context.parent is None:
            return False
        self.seen += 1
        if self.score is not None:
            self.scores.append(self.score(fitted_estimator, self.seen))
        return self.seen >= self.epochs


def _follow(
    model: Any, X: Any, y: NDArray[Any], split: Split, scorer: Scorer, epochs: int, fold: int
) -> list[float]:
    """Return the score on the held-out rows after each epoch."""
    train, test = split
    head, learner = _split_pipeline(clone(model))
    features = _prepare(head, take(X, train), y[train])
    judged = take(X, test) if head is None else head.transform(take(X, test))

    def score(fitted: Any, epoch: int) -> float:
        return score_part(fitted, judged, y[test], scorer, f"fold {fold} after epoch {epoch}")

    scores = _learn(learner, features, y[train], epochs, np.unique(y), score)
    return scores + scores[-1:] * (epochs - len(scores))


def _train(model: Any, X: Any, y: NDArray[Any], epochs: int, labels: NDArray[Any]) -> Any:
    """Return the model after the given number of epochs on all rows."""
    final = clone(model)
    head, learner = _split_pipeline(final)
    _learn(learner, _prepare(head, X, y), y, epochs, np.unique(labels), None)
    if isinstance(learner, CallbackSupportMixin):
        learner.set_callbacks()
    return final


def _learn(
    learner: Any, X: Any, y: NDArray[Any], epochs: int, labels: NDArray[Any], score: Any
) -> list[float]:
    if isinstance(learner, CallbackSupportMixin):
        watch = _Watch(epochs, score)
        learner.set_callbacks(watch).fit(X, y)
        return watch.scores
    first = {"classes": labels} if is_classifier(learner) else {}
    scores = []
    for epoch in range(1, epochs + 1):
        learner.partial_fit(X, y, **(first if epoch == 1 else {}))
        if score is not None:
            scores.append(score(learner, epoch))
    return scores


def _run_all(learner: Any, epochs: int) -> None:
    """Disable the learner's own stopping, so that only the path decides."""
    if not isinstance(learner, CallbackSupportMixin):
        return
    known = learner.get_params()
    wanted = {"max_iter": epochs, "tol": None}
    learner.set_params(**{name: value for name, value in wanted.items() if name in known})


def _split_pipeline(model: Any) -> tuple[Any, Any]:
    """Return the steps before the last (or None) and the last step, without copies."""
    if not isinstance(model, Pipeline):
        return None, model
    return model[:-1] if len(model) > 1 else None, model[-1]


def _prepare(head: Any, X: Any, y: NDArray[Any]) -> Any:
    return X if head is None else head.fit_transform(X, y)
