"""What the two histogram boosting estimators do alike: learn, continue, answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new
from shallows._core.contract.rng import as_generator
from shallows.tree._boosting_fit import Boosted, Samples, boost, raw_answers, staged_answers
from shallows.tree._boosting_setup import patience_of, plan_of, split_off, stops_early
from shallows.tree._columns import encode_columns


class HistogramBoosting:
    """Methods of estimators that hold `_boosted`, a constant and trees that are added to it."""

    _boosted: Boosted
    random_state: Any
    warm_start: Any
    max_iter: int
    categories_: list
    history_: dict[str, list[float]]
    n_iter_: int
    train_score_: np.ndarray
    validation_score_: np.ndarray

    def _seeded(self) -> int:
        """Return the seed of this fit, that of the last one where its trees are kept."""
        if not self._continues():
            self._seed = int(as_generator(self.random_state).integers(2**63))
        return self._seed

    def _continues(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "_boosted")

    def _learn(self, loss: Any, samples: Samples, held: Samples | None, labels: Any) -> None:
        """Boost, and set what has been learned. `labels` turns targets into those of the user."""
        before = self._boosted if self._continues() else None
        n_done = 0 if before is None else self.n_iter_
        if self.max_iter < n_done:
            raise ValueError(
                f"{type(self).__name__}: with warm_start max_iter must be at least the {n_done} "
                f"iterations that were done, got {self.max_iter}."
            )
        rng = np.random.default_rng([self._seed, n_done])
        given = held
        self.do_early_stopping_ = stops_early(self, len(samples.y), given)
        patience = None
        if self.do_early_stopping_:
            if given is None:
                split_rng = np.random.default_rng(self._seed)
                is_classifier = hasattr(self, "classes_")
                samples, held = split_off(self, samples, split_rng, is_classifier)
            patience = patience_of(self, samples, held, labels, np.random.default_rng(self._seed))
        else:
            held = None
        plan = plan_of(self, samples.X)
        boosted, training, scores = boost(self, loss, plan, samples, held, patience, before, rng)
        history: dict[str, list[float]] = {} if before is None else self.history_
        kept: list[list[float]] = [[], []]
        if before is not None:
            # The first scores repeat the last ones of the fit before.
            kept = [self.train_score_.tolist()[:-1], self.validation_score_.tolist()[:-1]]
        self.history_ = {
            name: history.get(name, []) + more for name, more in training.history.items()
        }
        self.n_iter_ = len(boosted.trees.roots) // loss.n_outputs
        self.n_trees_per_iteration_ = loss.n_outputs
        dtype = samples.X.dtype
        self.train_score_ = np.array(kept[0] + scores[0], dtype)
        self.validation_score_ = np.array(kept[1] + scores[1], dtype)
        is_categorical = np.array([known is not None for known in self.categories_])
        self.is_categorical_ = is_categorical if is_categorical.any() else None
        self._boosted = boosted

    def _checked(self, X):
        check_is_fitted(self)
        return check_new(self, encode_columns(self, X), allow_nan=True)

    def _raw(self, X):
        return raw_answers(self._boosted, X)

    def _staged_raw(self, X):
        return staged_answers(self._boosted, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
