"""The training loop: stopping, best state, errors, and scikit-learn's callbacks."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.training import IterativeMixin, Training
from shallows.prototype import GLVQ


class Counter(IterativeMixin, ClassifierMixin, BaseEstimator):
    """Its state is the number of epochs; losses and scores are given."""

    def __init__(self, losses=(), scores=None, tol=None, patience=1, on_stall=None):
        self.losses, self.scores, self.tol, self.patience = losses, scores, tol, patience
        self.on_stall = on_stall

    def fit(self, X=None, y=None):
        self.seen_ = np.zeros(1)
        run = Training(
            self, len(self.losses), self.tol, patience=self.patience, state=("seen_",), X=X, y=y
        )
        run.on_stall = self.on_stall
        for epoch in run:
            self.seen_[0] = epoch
            run.record(self.losses[epoch - 1], self.scores and self.scores[epoch - 1])
        self.run_ = run
        return self


def test_stops_when_the_loss_no_longer_improves():
    fit = Counter([5, 4, 3.999, 3.998, 1], tol=0.01, patience=2).fit()
    assert fit.run_.stopped_by == "tol"
    assert fit.run_.history == {"loss": [5, 4, 3.999, 3.998]}
    assert fit.seen_[0] == 4, "without a validation score the last state stays"


@pytest.mark.parametrize(("tol", "n_epochs"), [(0.01, 9), (None, 10)])
def test_a_stall_ends_training_only_where_the_change_it_makes_brings_nothing(tol, n_epochs):
    stalls, losses = [], [5, 4, 4, 4, 3, 3, 3, 3, 3, 3]
    model = Counter(losses, tol=tol, patience=2, on_stall=lambda: stalls.append(True))
    run = model.fit().run_
    assert run.n_iter == n_epochs and len(stalls) == 2
    assert run.stopped_by == ("max_iter" if tol is None else "tol")


def test_best_state_on_the_validation_part_comes_back():
    fit = Counter([5, 4, 3, 2, 1], [0.5, 0.9, 0.8, 0.7, 0.6], tol=0.0, patience=2).fit()
    assert fit.run_.n_iter == 4 and fit.seen_[0] == 2
    assert fit.run_.history["val_score"] == [0.5, 0.9, 0.8, 0.7]


def test_nan_score_is_no_improvement():
    fit = Counter([5, 4, 3, 2], [0.5, np.nan, np.nan, 1.0], tol=0.0, patience=2).fit()
    assert fit.run_.n_iter == 3 and fit.seen_[0] == 1


def test_nan_first_score_does_not_become_the_best():
    fit = Counter([5, 4, 3], [np.nan, 0.4, 0.3], tol=None)
    assert fit.fit().seen_[0] == 2


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_non_finite_loss_ends_with_an_error_that_says_what_to_change(loss):
    with pytest.raises(
        FloatingPointError, match=r"Counter: the loss became \w+ in epoch 2\. Lower"
    ):
        Counter([1.0, loss]).fit()


def test_all_epochs_run_without_tol_and_not_converging_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Counter([1, 1, 1]).fit().run_.stopped_by == "max_iter"
    with pytest.warns(ConvergenceWarning, match="stopped after max_iter=3 epochs before it conv"):
        Counter([3, 2, 1], tol=0.1).fit()


def test_state_may_be_computed_when_it_is_asked_for():
    asked, callback = [], StopAfter(2)

    class Lazy(IterativeMixin, BaseEstimator):
        def fit(self, X=None, y=None):
            run = Training(self, 3, state=lambda: asked.append(run.n_iter) or {"epoch_": asked[-1]})
            for _ in run:
                run.record(1.0)
            return self

    Lazy().fit()
    assert not asked
    Lazy().set_callbacks(callback).fit()
    assert [model.epoch_ for model in callback.seen] == [1, 2]


def test_stop_keeps_the_first_reason():
    run = Training(Counter(), 10)
    for _ in run:
        run.record(0.0)
        run.stop("no mistakes")
        run.stop("other")
    assert run.stopped_by == "no mistakes" and run.n_iter == 1


class Starts(IterativeMixin, BaseEstimator):
    """Runs one list of losses per start, and keeps the index of its start."""

    def __init__(self, losses, tol=None):
        self.losses, self.tol = losses, tol

    def fit(self, X=None, y=None):
        run = Training(self, 3, self.tol)
        for number in run.starts(range(len(self.losses))):
            for epoch in run.epochs():
                run.record(self.losses[number][epoch - 1])
            run.keep(number)
        self.run_ = run
        return self


def test_the_start_with_the_smallest_last_loss_is_the_best():
    run = Starts([[5, 4, 3], [1, 2, 4], [9, 3, 2], [2, 2, 2]]).fit().run_
    assert run.best() == (2, {"loss": [9, 3, 2]}, "max_iter")
    assert run.n_iter == 12 and not run.best().converged


def test_each_start_is_judged_for_itself():
    run = Starts([[5, 4, 4], [9, 9, 0], [8, 7, 6]], tol=0.5).fit().run_
    assert run.history["loss"] == [5, 4, 4, 9, 9, 8, 7, 6]
    assert run.best().converged and run.best().n_iter == 3
    assert run.stopped_by == "max_iter"


def test_a_callback_ends_all_starts_and_the_best_so_far_counts():
    callback = StopAfter(5)
    run = Starts([[5, 4, 3], [9, 1, 8], [0, 0, 0]]).set_callbacks(callback).fit().run_
    assert run.best() == (1, {"loss": [9, 1]}, "callback")
    assert run.n_iter == 5 and callback.torn_down == 1


class StopAfter:
    """A callback that ends training and keeps the estimators it was shown."""

    def __init__(self, epochs):
        self.epochs, self.seen, self.torn_down = epochs, [], 0

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        self.torn_down += 1

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if context.task_name == "epoch":
            self.seen.append(fitted_estimator)
        return len(self.seen) >= self.epochs


def test_a_callback_may_stop_and_sees_each_state():
    callback = StopAfter(3)
    fit = Counter([5, 4, 3, 2, 1]).set_callbacks(callback).fit()
    assert fit.run_.stopped_by == "callback" and fit.run_.n_iter == 3
    assert [model.seen_[0] for model in callback.seen] == [1, 2, 3]


def test_callbacks_are_torn_down_after_an_error():
    callback = StopAfter(9)
    with pytest.raises(FloatingPointError):
        Counter([np.nan]).set_callbacks(callback).fit()
    assert callback.torn_down == 1


X, Y = load_iris(return_X_y=True)


def test_scores_are_monitored_in_every_epoch():
    monitor = ScoringMonitor(scoring="accuracy")
    model = GLVQ(max_iter=4, tol=None, random_state=0).set_callbacks(monitor)
    model.fit(X, Y, sample_weight=np.ones(150))
    logs = monitor.get_logs().data
    scores = [row["accuracy"] for row in logs if row["task_name"] == "epoch"]
    assert len(scores) == 4 and scores[-1] == pytest.approx(model.score(X, Y))


def test_progress_bar_and_monitor_inside_pipeline_and_grid_search(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monitor = ScoringMonitor(scoring="accuracy")
    model = GLVQ(max_iter=3, tol=None, random_state=0).set_callbacks(monitor)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model), {"glvq__n_prototypes": [1, 2]}, cv=2
    )
    search.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, Y)
    epochs = [row for row in monitor.get_logs().data if row["task_name"] == "epoch"]
    assert len(epochs) == (2 * 2 + 1) * 3
    assert "GLVQ" in capsys.readouterr().out
