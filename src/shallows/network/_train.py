"""Training of a layered network: batches or the whole set, penalties, dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.descent._batches import Order, batches
from shallows.network._backprop import Workspace, loss_and_gradient
from shallows.network._dropout import Masks
from shallows.network._layers import frozen_layers
from shallows.network._lbfgs import few_threads, minimise
from shallows.network._max_norm import shorten
from shallows.network._network import Array, Network, sizes_of, views
from shallows.network._penalties import (
    LpPenalty,
    SoftWeightSharing,
    adapt_mixture,
    add_decay,
    mixture_penalty,
    start_mixture,
    weight_penalty,
)
from shallows.network._samples import Batches, Samples
from shallows.network._settings import SHRINKING, Settings
from shallows.network._steps import SGD, Stepper

BLOCK_VALUES = 2**17  # numbers in the widest layer of a block, which fit into a cache
MOST_RUNS = 16  # of blocks, each with a gradient of its own
REMEMBERED = ("rng", "mixture", "n_seen", "rate_factor", "best", "misses")


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
        settings = self.settings = Settings.of(model)
        self.vector, self.net, self.rng = vector, net, rng
        self.frozen = frozen_layers(settings.frozen_layers, len(net.weights))
        self._learning = [m for m in range(len(net.weights)) if m not in self.frozen]
        self.stepper: Any = None
        if settings.solver != "lbfgs":
            self.stepper = Stepper(settings.solver, vector)
        self.mixture: Any = None
        self.n_seen, self.rate_factor, self.best, self.misses = 0, 1.0, np.inf, 0
        self._masks = None if settings.dropout is None else Masks(settings.dropout)
        self._works: dict[int, Workspace] = {}

    def epoch(self, samples: Samples, number: int) -> float:
        """Visit all samples once in batches; return the mean loss on the way."""
        size = self.settings.batch_rows(len(samples))
        rate = self.rate_factor * self.settings.rate(number, self.n_seen)
        self.n_seen += len(samples)
        self._prepare(number)
        if size == len(samples) and self._masks is None and not self.settings.noise:
            loss, gradient, slopes = self._whole(self.blocks(samples))
            return self._move(loss, gradient, slopes, samples.mass, rate)
        work, buffers = self._workspace(size), Batches(samples, size)
        total = mass = 0.0
        order: Order = "permutation" if self.settings.shuffle else "cyclic"
        for rows in batches(len(samples), size, self.rng, order):
            batch = buffers.take(rows)
            weight = batch.mass
            loss = self._on_batch(batch, weight, work)
            total += weight * self._move(loss, work.gradient, work.weights, weight, rate)
            mass += weight
        return total / mass

    def cost(self, blocks: list[Samples], mass: float) -> tuple[float, Array]:
        """Return penalised loss and gradient over `blocks`; `mass` is the sum of all weights."""
        loss, gradient, slopes = self._whole(blocks)
        return loss + self._penalise(slopes, self.settings.alpha / mass), gradient

    def blocks(self, samples: Samples) -> list[Samples]:
        """Return samples in blocks whose widest layer fits into a cache."""
        widest = max(weights.shape[1] for weights in self.net.weights)
        return samples.blocks(max(256, BLOCK_VALUES // widest))

    def _whole(self, blocks: list[Samples]) -> tuple[float, Array, list[Array]]:
        """Return the mean loss over all blocks, its gradient, and the part of the weights."""

        def part(run: slice) -> tuple[float, Array]:
            work = self._workspace(len(blocks[run.start]), run.start)
            loss, gradient = 0.0, np.zeros_like(self.vector)
            for X, target, shares in blocks[run]:
                loss += loss_and_gradient(self.net, X, target, shares, work, None, self.frozen)
                gradient += work.gradient
            return loss, gradient

        runs = map_blocks(part, len(blocks), -(-len(blocks) // MOST_RUNS))
        loss, gradient = runs[0]
        for more, extra in runs[1:]:
            loss += more
            gradient += extra
        return loss, gradient, views(gradient, sizes_of(self.net.weights))[0]

    def _prepare(self, number: int) -> None:
        """Adapt what changes from epoch to epoch: the mixture of weights, gamma of a loss."""
        penalty = self.settings.penalty
        if isinstance(penalty, SoftWeightSharing) and self.settings.alpha:
            flat = np.concatenate([self.net.weights[m].ravel() for m in self._learning])
            if self.mixture is None:
                self.mixture = start_mixture(flat, penalty.n_components)
            else:
                self.mixture = adapt_mixture(flat, self.mixture)
        if self.net.loss == "sign_squared":
            last = max(self.settings.max_iter - 1, 1)
            self.net.options["gamma"] = min(1.0, (number - 1) / last)

    def adapt_rate(self, loss: float) -> None:
        """Divide an adaptive rate by 5 when two epochs in a row bring nothing."""
        if self.settings.learning_rate != "adaptive" or not isinstance(self.settings.solver, SGD):
            return
        improved = loss < self.best - (self.settings.tol or 0)
        self.misses = 0 if improved else self.misses + 1
        self.best = min(self.best, loss)
        if self.misses >= 2:
            self.rate_factor, self.misses = self.rate_factor / 5, 0

    def threads(self, n_samples: int) -> Any:
        """Return a context that keeps BLAS from waking threads for small products."""
        n_rows = self.settings.batch_rows(n_samples)
        return few_threads(n_rows * max(weights.size for weights in self.net.weights))

    def memory(self) -> dict[str, Any]:
        """Return what training remembers from step to step, besides the weights."""
        own = {name: getattr(self, name) for name in REMEMBERED}
        return {**own, "n_steps": self.stepper.n_steps, "rule": self.stepper.memory}

    def resume(self, memory: dict[str, Any]) -> None:
        """Go on with what `memory` returned."""
        for name in REMEMBERED:
            setattr(self, name, memory[name])
        self.stepper.n_steps, self.stepper.memory = memory["n_steps"], memory["rule"]

    def _on_batch(self, batch: Samples, mass: float, work: Workspace) -> float:
        """Fill `work` with the gradient on a batch, noise and dropout included; return the loss."""
        X, noise = batch.X, self.settings.noise
        if noise:
            X = X + X.dtype.type(noise) * self.rng.standard_normal(X.shape, dtype=X.dtype)
        masks = None if self._masks is None else self._masks.draw(self.net, len(batch), self.rng)
        shares = batch.shares(mass)
        return loss_and_gradient(self.net, X, batch.target, shares, work, masks, self.frozen)

    def _move(
        self, loss: float, gradient: Array, slopes: list[Array], mass: float, rate: float
    ) -> float:
        """Take one step; return the loss before it with the penalty."""
        settings = self.settings
        if settings.penalty in SHRINKING:
            share = settings.alpha * (rate if settings.penalty == "shrink" else 1)
            for layer in self._learning:
                self.net.weights[layer][:] *= 1 - share
        else:
            loss += self._penalise(slopes, settings.alpha / mass)
        self.stepper.step(gradient, rate)
        if isinstance(settings.solver, SGD) and settings.solver.noise:
            self._shake(settings.solver.noise)
        if settings.max_norm is not None:
            shorten([self.net.weights[m] for m in self._learning], settings.max_norm)
        return loss

    def _penalise(self, slopes: list[Array], strength: float) -> float:
        """Add the gradient of the penalty to that of the loss; return the penalty."""
        if strength == 0:
            return 0.0
        total, penalty = 0.0, self.settings.penalty
        for layer in self._learning:
            weights, gradient = self.net.weights[layer], slopes[layer]
            if penalty == "l2":
                total += 0.5 * strength * add_decay(gradient, weights, strength)
                continue
            if isinstance(penalty, SoftWeightSharing):
                value, extra = mixture_penalty(weights, self.mixture)
            elif isinstance(penalty, LpPenalty):
                value, extra = weight_penalty(weights, "lp", p=penalty.p)
            else:
                value, extra = weight_penalty(weights, penalty)
            gradient += gradient.dtype.type(strength) * extra
            total += strength * value
        return total

    def _shake(self, size: float) -> None:
        for layer in self._learning:
            for part in (self.net.weights[layer], self.net.biases[layer]):
                noise = self.rng.standard_normal(part.shape, dtype=part.dtype)
                part += part.dtype.type(size) * noise

    def _workspace(self, n_rows: int, number: int = 0) -> Workspace:
        """Return buffers for batches of some rows; threads have buffers of different numbers."""
        if number not in self._works or len(self._works[number].outputs[0]) < n_rows:
            self._works[number] = Workspace(self.net, n_rows)
        return self._works[number]


def train(trainer: Trainer, samples: Samples, run: Any, score: Any = None) -> None:
    """Run the epochs of `run`; `score` returns score and loss of the network on held-out data."""

    def record(loss: float) -> None:
        if score is None:
            run.record(loss)
            return
        val_score, val_loss = score()
        run.record(loss, val_score=val_score, val_loss=val_loss)

    if trainer.stepper is None:
        blocks, mass = trainer.blocks(samples), samples.mass
        with hold_threads():
            most = trainer.settings.max_fun
            minimise(trainer.vector, lambda: trainer.cost(blocks, mass), run, record, most)
        return
    with trainer.threads(len(samples)):
        for number in run:
            loss = trainer.epoch(samples, number)
            record(loss)
            trainer.adapt_rate(loss)
