"""The base of a classifier and a regressor by a layered network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from shallows._core.contract.data import check_new, hold_out
from shallows._core.contract.magnitude import refuse_too_wide
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.network._initialize import initialize
from shallows.network._layers import hidden_activations, hidden_sizes
from shallows.network._network import (
    Array,
    Network,
    flatten,
    output_net_inputs,
    sizes_of,
    views,
)
from shallows.network._output_loss import name_and_options, sample_losses
from shallows.network._samples import Samples
from shallows.network._train import Trainer, train


class LayeredNetwork(IterativeMixin, ABC):
    """Training of a layered network, and what can be read off a fitted one."""

    coefs_: list[Array]
    intercepts_: list[Array]
    t_: int
    _memory: dict[str, Any] | None

    @property
    def network_(self) -> Network:
        """The fitted network."""
        return Network(
            self.coefs_, self.intercepts_, self.activations_, self._loss, self._loss_options
        )

    @property
    def n_layers_(self) -> int:
        """Number of layers, inputs and outputs included."""
        return len(self.coefs_) + 1

    @property
    def n_outputs_(self) -> int:
        """Number of outputs."""
        return self.coefs_[-1].shape[1]

    @property
    def out_activation_(self) -> str:
        """Activation of the outputs."""
        return self.activations_[-1]

    @property
    def loss_curve_(self) -> list[float]:
        """Loss of each epoch."""
        return self.history_["loss"]

    @property
    def loss_(self) -> float:
        """Loss of the last epoch."""
        return self.history_["loss"][-1]

    @property
    def best_loss_(self) -> float | None:
        """Least loss of an epoch; None where a validation score was watched instead."""
        return None if "val_score" in self.history_ else min(self.history_["loss"])

    @property
    def validation_scores_(self) -> list[float] | None:
        """Score of each epoch on held-out data; None without `early_stopping`."""
        return self.history_.get("val_score")

    @property
    def best_validation_score_(self) -> float | None:
        """Best score on held-out data; None without `early_stopping`."""
        scores = self.validation_scores_
        return None if scores is None else max(scores)

    @abstractmethod
    def _output_activation(self) -> str:
        """Return the activation of the outputs."""

    @abstractmethod
    def _targets(self, y: Array) -> Array:
        """Return the targets of the outputs for checked y."""

    @abstractmethod
    def _answers(self, net_input: Array) -> Array:
        """Return what net inputs of the outputs say, in the form of checked y."""

    @abstractmethod
    def _as_given(self, y: Array) -> Array:
        """Return checked y as the user and the scorer of a callback know it."""

    @abstractmethod
    def _score(self, answers: Array, y: Array, weights: Array) -> float:
        """Return how good answers are."""

    def _net_inputs(self, X: Any) -> Array:
        """Return the net inputs of the outputs for new data."""
        X = check_new(self, X, sparse=True)
        return output_net_inputs(self.network_, X)

    def _fit(self, X: Any, y: Array, weights: Array) -> None:
        """Train from scratch or, with `warm_start`, from the network found before."""
        rng = as_generator(self.random_state)
        score = None
        if self.early_stopping:
            stratify = is_classifier(self) and y.ndim == 1
            (X, y, weights), held_out = hold_out(
                X, y, weights, self.validation_fraction, rng, stratify=stratify
            )
            score = self._watch(*held_out)
        # One vector holds all weights; the layers are views of it.
        samples = Samples.of(X, self._targets(y), weights)
        keep = self.warm_start and hasattr(self, "coefs_")
        vector = self._start(samples, rng, keep)
        run = Training(
            self,
            self.max_iter,
            self.tol,
            patience=self.n_iter_no_change,
            state=("coefs_", "intercepts_"),
            X=X,
            y=self._as_given(y),
            sample_weight=weights,
        )
        trainer = Trainer(self, vector, self.network_, rng)
        train(trainer, samples, run, score)
        self.t_ = trainer.n_seen
        self.history_, self.n_iter_, self._memory = run.history, run.n_iter, None

    def _partial_fit(self, X: Any, y: Array, weights: Array) -> None:
        """Visit samples once in batches, and keep the memory of the update rule."""
        if self.early_stopping:
            raise ValueError(
                f"{type(self).__name__}: partial_fit does not support early_stopping=True, which "
                "needs all data at once."
            )
        samples = Samples.of(X, self._targets(y), weights)
        keep, memory = hasattr(self, "coefs_"), getattr(self, "_memory", None)
        if keep and self.n_outputs_ != samples.target.shape[1]:
            raise ValueError(
                f"{type(self).__name__}: partial_fit goes on with {self.n_outputs_} outputs, but y "
                f"asks for {samples.target.shape[1]}; call fit to start anew."
            )
        rng = as_generator(self.random_state) if memory is None else memory["rng"]
        vector = self._start(samples, rng, keep)

        # The optimiser goes on with its memory of the last call.
        trainer = Trainer(self, vector, self.network_, rng)
        if memory is None:
            self.history_, self.n_iter_ = {"loss": []}, 0
        else:
            trainer.resume(memory)
        with trainer.threads(len(samples)):
            loss = trainer.epoch(samples, self.n_iter_ + 1)
        if not np.isfinite(loss):
            raise FloatingPointError(
                f"{type(self).__name__}: the loss became {loss}. Lower the learning rate or scale "
                "the data."
            )
        trainer.adapt_rate(loss)
        self.history_["loss"].append(loss)
        self.n_iter_ += 1
        self.t_ = trainer.n_seen
        self._memory = trainer.memory()

    def _start(self, samples: Samples, rng: np.random.Generator, keep: bool) -> Array:
        """Set up the network and return the vector of which its arrays are views.

        With `keep` the weights found so far are the start; new classes or a new number of
        outputs get a new last layer on the old ones.
        """
        hidden = hidden_sizes(self)
        self.activations_ = (*hidden_activations(self, len(hidden)), self._output_activation())
        self._loss, self._loss_options = name_and_options(self.loss)
        sizes = [samples.X.shape[1], *hidden, samples.target.shape[1]]
        kept = self._kept_layers(sizes) if keep else 0
        given = f"hidden_layer_sizes={self.hidden_layer_sizes}"
        refuse_too_wide(type(self).__name__, given, sizes)
        weights: list[Array] = []
        biases: list[Array] = []
        if kept < len(sizes) - 1:
            weights, biases = initialize(sizes, self.init, random_state=rng)
        if kept:
            weights[:kept], biases[:kept] = self.coefs_[:kept], self.intercepts_[:kept]
        vector = flatten(weights, biases).astype(samples.X.dtype)
        self.coefs_, self.intercepts_ = views(vector, sizes)
        return vector

    def _kept_layers(self, sizes: list[int]) -> int:
        """Return how many layers go on with the weights found before."""
        old = sizes_of(self.coefs_)
        if old[:-1] != sizes[:-1]:
            raise ValueError(
                f"{type(self).__name__}: the network has layers {old}, but now {sizes} are asked "
                "for. Set warm_start=False to start anew."
            )
        same_outputs = old == sizes and not getattr(self, "_new_classes", False)
        return len(old) - (1 if same_outputs else 2)

    def _watch(self, X: Any, y: Array, weights: Array) -> Any:
        """Return a function that gives score and mean loss on held-out data."""
        target = np.ascontiguousarray(self._targets(y), dtype=X.dtype)

        def score() -> tuple[float, float]:
            net_input = output_net_inputs(self.network_, X)
            losses = sample_losses(self.network_, net_input, target).astype(np.float64)
            loss = float(np.average(losses, weights=weights))
            return self._score(self._answers(net_input), y, weights), loss

        return score


def learns_in_steps(model: Any) -> bool:
    """Tell whether a solver can learn from data in pieces."""
    return model.solver != "lbfgs"
