"""Training by a rule of Kohonen's: epochs over the samples with steps that shrink."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.prototype._cost_descent import pass_over
from shallows.prototype._nearest import NearestPrototypeMixin
from shallows.prototype._partial_fit import PartialFitMixin
from shallows.prototype._start import check_samples, warn_of_lost_prototypes


class HeuristicLVQ(PartialFitMixin, NearestPrototypeMixin, IterativeMixin, BaseEstimator):
    """Learning vector quantization by a rule without a cost; a subclass gives it as `_rule`."""

    def fit(self, X, y, sample_weight=None):
        """Place the prototypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the step sizes; a sample of more than the mean weight is visited
            several times in an epoch.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        samples = check_samples(self, X, y, sample_weight).balanced()
        rng, owner = as_generator(self.random_state), type(self).__name__

        place = self._begin(samples, rng)
        rule = self._rule()
        run = Training(self, self.max_iter, state=("prototypes_",), **samples.given(self.classes_))
        for epoch in run:
            # The step size falls on a straight line, from its first value to nearly zero.
            rate = self.learning_rate * (1 - (epoch - 1) / self.max_iter)
            place, loss = pass_over(owner, rule, place, samples, rng, rate)
            self._keep(place)
            run.record(loss)
        self.history_, self.n_iter_ = run.history, run.n_iter
        warn_of_lost_prototypes(owner, self.prototypes_, samples)
        return self
