"""Training of a layered network: batches or the whole set, penalties, dropout, early stopping.

An estimator has parameters named as in `Settings`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.descent.batches import batches
from shallows.network._backprop import Workspace, loss_and_gradient, sample_losses
from shallows.network._dropout import Masks
from shallows.network._lbfgs import few_threads, minimise
from shallows.network._network import Array, Network, predict_outputs
from shallows.network._penalties import adapt_mixture, add_decay, start_mixture, weight_penalty
from shallows.network._settings import Settings, batch_rows, frozen_layers, rule_settings
from shallows.network._steps import Stepper


class Samples(NamedTuple):
    """Inputs, targets of the outputs and weights; None weighs all alike."""

    X: Any
    target: Array
    weights: Array | None


class Trainer:
    """Moves the parameters of a network along a path of falling loss.

    Parameters
    ----------
    model : estimator
        Where the settings come from.
    vector : ndarray
        All parameters; changed in place.
    net : Network
        Its arrays are views of `vector`.
    rng : numpy.random.Generator
        Orders the samples, draws masks and noise.
    """

    def __init__(self, model: Any, vector: Array, net: Network, rng: np.random.Generator):
        model = self.model = Settings.of(model)
        self.vector, self.net, self.rng = vector, net, rng
        self.frozen = frozen_layers(model.frozen_layers, len(net.weights))
        self.stepper: Any = None
        if model.solver != "lbfgs":
            self.stepper = Stepper(model.solver, vector, rule_settings(model))
        self.mixture: Any = None
        self.rate_factor, self._best, self._misses = 1.0, np.inf, 0
        self._masks = None
        if model.keep_probability < 1 or model.keep_input < 1:
            self._masks = Masks(model.drop, model.keep_probability, model.keep_input)
        self._work: Workspace | None = None

    def epoch(self, samples: Samples, number: int) -> float:
        """Visit all samples once in batches; return the mean loss on the way."""
        n_samples = len(samples.target)
        size = batch_rows(self.model, n_samples)
        work = self._workspace(size)
        buffers = _buffers(samples, size)
        self.prepare(number)
        order: Any = "permutation" if self.model.shuffle else "cyclic"
        rate = self._rate(number, n_samples)
        total = mass = 0.0
        for rows in batches(n_samples, size, self.rng, order):
            batch, weight = _take(samples, rows, buffers)
            total += weight * self._learn(batch, weight, work, rate)
            mass += weight
        return total / mass

    def threads(self, n_samples: int) -> Any:
        """Return a context that keeps BLAS from waking threads for small products."""
        n_rows = n_samples if self.stepper is None else batch_rows(self.model, n_samples)
        return few_threads(n_rows * max(weights.size for weights in self.net.weights))

    def memory(self) -> dict[str, Any]:
        """Return what training remembers from step to step, besides the weights."""
        return {
            "rng": self.rng,
            "mixture": self.mixture,
            "n_steps": self.stepper.n_steps,
            "rule": self.stepper.memory,
        }

    def resume(self, memory: dict[str, Any]) -> None:
        """Go on with what `memory` returned."""
        self.rng, self.mixture = memory["rng"], memory["mixture"]
        self.stepper.n_steps, self.stepper.memory = memory["n_steps"], memory["rule"]

    def cost(self, samples: Samples) -> tuple[float, Array]:
        """Return loss and gradient over all samples, without dropout."""
        work = self._workspace(len(samples.target))
        shares, mass = _shares(samples)
        loss = loss_and_gradient(
            self.net, samples.X, samples.target, shares, work, None, self.frozen
        )
        return loss + self._penalise(work, self.model.alpha / mass), work.gradient

    def adapt_rate(self, loss: float) -> None:
        """Divide an adaptive rate by 5 when two epochs in a row bring nothing."""
        if self.model.learning_rate != "adaptive" or self.model.solver != "sgd":
            return
        self._misses = 0 if loss < self._best - (self.model.tol or 0) else self._misses + 1
        self._best = min(self._best, loss)
        if self._misses >= 2:
            self.rate_factor, self._misses = self.rate_factor / 5, 0

    def _learn(self, batch: Samples, mass: float, work: Workspace, rate: float) -> float:
        model, n_rows = self.model, len(batch.target)
        masks = None if self._masks is None else self._masks.draw(self.net, n_rows, self.rng)
        shares = None if batch.weights is None else batch.weights / batch.weights.dtype.type(mass)
        X = batch.X
        if model.noise:
            X = X + model.noise * self.rng.standard_normal(X.shape, dtype=X.dtype)
        loss = loss_and_gradient(self.net, X, batch.target, shares, work, masks, self.frozen)
        if model.decay == "gradient":
            loss += self._penalise(work, model.alpha / mass)
        else:
            factor = 1 - model.alpha * (rate if model.decay == "shrink" else 1)
            for layer in self._learning():
                self.net.weights[layer][:] *= factor
        self.stepper.step(work.gradient, rate)
        if model.jitter:
            self._shake()
        if model.max_norm is not None:
            self._shorten()
        return loss

    def _penalise(self, work: Workspace, strength: float) -> float:
        """Add the gradient of the penalty; return its value."""
        if strength == 0:
            return 0.0
        total = 0.0
        for layer in self._learning():
            weights, gradient = self.net.weights[layer], work.weights[layer]
            if self.model.penalty == "l2":
                total += 0.5 * strength * add_decay(gradient, weights, strength)
                continue
            value, extra = weight_penalty(
                weights, self.model.penalty, alpha=strength, p=self.model.p, mixture=self.mixture
            )
            gradient += extra
            total += value
        return total

    def _shake(self) -> None:
        for layer in self._learning():
            for part in (self.net.weights[layer], self.net.biases[layer]):
                noise = self.rng.standard_normal(part.shape, dtype=part.dtype)
                part += part.dtype.type(self.model.jitter) * noise

    def _shorten(self) -> None:
        """Pull weights that are too long back onto the sphere."""
        most, learning = self.model.max_norm, self._learning()
        if self.model.norm_of == "network":
            square = sum(float(np.sum(self.net.weights[m] ** 2)) for m in learning)
            if square > most:
                for layer in learning:
                    self.net.weights[layer][:] *= (most / square) ** 0.5
            return
        for layer in learning:
            weights = self.net.weights[layer]
            square = np.einsum("ij,ij->j", weights, weights)
            factor = np.sqrt(most / np.maximum(square, most))
            weights *= factor.astype(weights.dtype)

    def prepare(self, number: int) -> None:
        """Adapt what changes from epoch to epoch: the mixture of weights, gamma of a loss."""
        model = self.model
        if model.penalty == "mixture" and model.alpha:
            flat = np.concatenate([self.net.weights[m].ravel() for m in self._learning()])
            if self.mixture is None:
                self.mixture = start_mixture(flat, model.n_components)
            else:
                self.mixture = adapt_mixture(flat, self.mixture)
        if self.net.loss == "sign_squared":
            self.net.options["gamma"] = min(1.0, (number - 1) / max(model.max_iter - 1, 1))

    def _learning(self) -> list[int]:
        return [m for m in range(len(self.net.weights)) if m not in self.frozen]

    def _rate(self, number: int, n_samples: int) -> float:
        model = self.model
        rate = model.learning_rate_init * self.rate_factor
        if callable(model.learning_rate):
            return float(model.learning_rate(number))
        if model.learning_rate == "invscaling":
            return rate / (1 + (number - 1) * n_samples) ** model.power_t
        return rate

    def _workspace(self, n_rows: int) -> Workspace:
        if self._work is None or len(self._work.outputs[0]) < n_rows:
            self._work = Workspace(self.net, n_rows)
        return self._work


def train(trainer: Trainer, samples: Samples, run: Any, score: Any = None) -> None:
    """Run epochs of batches; `score` returns validation score and loss of the network."""
    with trainer.threads(len(samples.target)):
        for number in run:
            loss = trainer.epoch(samples, number)
            record_epoch(run, loss, score)
            trainer.adapt_rate(loss)


def record_epoch(run: Any, loss: float, score: Any = None) -> None:
    """Record the loss of an epoch and, where data are held out, their score and loss."""
    if score is None:
        run.record(loss)
        return
    val_score, val_loss = score()
    run.record(loss, val_score=val_score, val_loss=val_loss)


def train_lbfgs(trainer: Trainer, samples: Samples, run: Any, score: Any = None) -> None:
    """Let L-BFGS iterate over the whole set."""
    trainer.prepare(1)

    def record(value: float) -> None:
        record_epoch(run, value, score)

    with trainer.threads(len(samples.target)):
        minimise(trainer.vector, lambda: trainer.cost(samples), run, record)


def mean_loss_of(net: Network, samples: Samples) -> float:
    """Return the mean loss of a network on samples, without penalty."""
    values = sample_losses(net, predict_outputs(net, samples.X), samples.target)
    return float(np.average(values.astype(np.float64), weights=samples.weights))


def _shares(samples: Samples) -> tuple[Array | None, float]:
    if samples.weights is None:
        return None, float(len(samples.target))
    mass = float(samples.weights.sum())
    return (samples.weights / mass).astype(samples.target.dtype), mass


def _buffers(samples: Samples, n_rows: int) -> tuple[Any, Array]:
    X, target = samples.X, samples.target
    inputs = None if issparse(X) else np.empty((n_rows, X.shape[1]), X.dtype)
    return inputs, np.empty((n_rows, target.shape[1]), target.dtype)


def _take(samples: Samples, rows: Array, buffers: tuple[Any, Array]) -> tuple[Samples, float]:
    """Return a batch and the sum of its weights."""
    inputs, targets = buffers
    if inputs is None:
        X = samples.X[rows]
    else:
        X = np.take(samples.X, rows, axis=0, out=inputs[: len(rows)], mode="clip")
    target = np.take(samples.target, rows, axis=0, out=targets[: len(rows)], mode="clip")
    if samples.weights is None:
        return Samples(X, target, None), float(len(rows))
    weights = samples.weights[rows]
    return Samples(X, target, weights), float(weights.sum())
