"""What the layered estimators share: start, training, validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

from shallows._core.data import hold_out
from shallows._core.descent.activations import ACTIVATIONS
from shallows._core.params import Range
from shallows._core.rng import as_generator
from shallows._core.training import IterativeMixin, Training
from shallows.network._initialize import initialize
from shallows.network._network import Array, Network, flatten, sizes_of, views
from shallows.network._train import Samples, Trainer, mean_loss_of, train, train_lbfgs

Solver = Literal[
    "adam", "sgd", "lbfgs", "rprop", "quickprop", "rmsprop", "adagrad", "averaged_momentum"
]
BatchSize = Literal["auto"] | Annotated[int, Range(1)] | None
LearningRate = Literal["constant", "invscaling", "adaptive"] | Callable[[int], float]
Momentum = Annotated[float, Range(0, 1, open="high")]
Norm = Literal["unit", "network"]
Decay = Literal["gradient", "shrink", "outside-momentum"]
Drop = Literal["units", "weights"]
LOSS_PARAMETER = {"huber": "delta", "minkowski": "r"}


class LayeredMixin(IterativeMixin):
    """A fitted network as plain arrays, and names that scikit-learn gives to its history."""

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


def start_network(
    model: Any,
    n_features: int,
    n_outputs: int,
    output: str,
    dtype: Any,
    rng: np.random.Generator,
    keep: bool,
) -> tuple[Array, Network]:
    """Return a vector of parameters and the network whose arrays are views of it.

    With `keep` the weights found so far are the start; new classes or a new number of outputs
    get a new last layer on the old ones.
    """
    hidden = hidden_sizes(model)
    model.activations_ = (*hidden_activations(model, len(hidden)), output)
    model._loss_options = {}
    if model._loss in LOSS_PARAMETER and model.loss_value is not None:
        model._loss_options = {LOSS_PARAMETER[model._loss]: float(model.loss_value)}
    sizes, kept = [n_features, *hidden, n_outputs], 0
    if keep:
        old = sizes_of(model.coefs_)
        if old[:-1] != sizes[:-1]:
            raise ValueError(
                f"{type(model).__name__}: the network has layers {old}, but now {sizes} are asked "
                "for. Set warm_start=False to start anew."
            )
        same_outputs = old == sizes and not getattr(model, "_new_classes", False)
        kept = len(old) - (1 if same_outputs else 2)
    if kept == len(sizes) - 1:
        weights, biases = model.coefs_, model.intercepts_
    else:
        weights, biases = initialize(sizes, model.init, random_state=rng)
        if kept:
            weights[:kept], biases[:kept] = model.coefs_[:kept], model.intercepts_[:kept]
    vector = flatten(weights, biases).astype(dtype)
    model.coefs_, model.intercepts_ = views(vector, sizes)
    return vector, model.network_


def fit_network(
    model: Any, data: tuple[Any, Array, Array], encode: Any, output: str, evaluate: Any, shown: Any
) -> None:
    """Fit a network from scratch, or from its last state with ``warm_start``.

    Parameters
    ----------
    model : estimator
        Has settings and, with ``warm_start``, a network.
    data : tuple of X, y, weights
        Checked training data.
    encode : callable
        Turns y into targets of the outputs.
    output : str
        Activation of the outputs.
    evaluate : callable
        Function of X, y and weights that returns a validation score.
    shown : callable
        Turns y into what a callback's scorer takes.
    """
    rng = as_generator(model.random_state)
    held_out = None
    if model.early_stopping:
        fraction, labels = model.validation_fraction, data[1]
        stratify = labels.ndim == 1 and labels.dtype.kind == "i"
        data, held_out = hold_out(*data, fraction, rng, stratify=stratify)
    samples = as_samples(*data, encode)
    keep = model.warm_start and hasattr(model, "coefs_")
    vector, net = start_network(
        model, samples.X.shape[1], samples.target.shape[1], output, samples.X.dtype, rng, keep
    )
    run = Training(
        model,
        model.max_iter,
        model.tol,
        patience=model.n_iter_no_change,
        state=("coefs_", "intercepts_"),
        X=data[0],
        y=shown(data[1]),
        sample_weight=data[2],
    )
    score = None
    if held_out is not None:
        watched = as_samples(*held_out, encode)

        def score() -> tuple[float, float]:
            return evaluate(*held_out), mean_loss_of(net, watched)

    if model.solver == "lbfgs":
        train_lbfgs(Trainer(model, vector, net, rng), samples, run, score)
    else:
        train(Trainer(model, vector, net, rng), samples, run, score)
    model.history_, model.n_iter_ = run.history, run.n_iter
    model._memory = None


def partial_fit_network(
    model: Any, data: tuple[Any, Array, Array], encode: Any, output: str
) -> None:
    """Visit the given samples once in batches and keep the memory of the update rule."""
    if model.early_stopping:
        raise ValueError(
            f"{type(model).__name__}: partial_fit does not take early_stopping=True, which needs "
            "all data at once."
        )
    samples = as_samples(*data, encode)
    memory = getattr(model, "_memory", None)
    rng = as_generator(model.random_state) if memory is None else memory["rng"]
    vector, net = start_network(
        model,
        samples.X.shape[1],
        samples.target.shape[1],
        output,
        samples.X.dtype,
        rng,
        keep=hasattr(model, "coefs_"),
    )
    trainer = Trainer(model, vector, net, rng)
    if memory is None:
        model.history_, model.n_iter_ = {"loss": []}, 0
    else:
        trainer.resume(memory)
    model.n_iter_ += 1
    with trainer.threads(len(samples.target)):
        model.history_["loss"].append(trainer.epoch(samples, model.n_iter_))
    model._memory = trainer.memory()


def learns_in_steps(model: Any) -> bool:
    """Tell whether a solver can learn from data in pieces."""
    return model.solver != "lbfgs"


def as_samples(X: Any, y: Array, weights: Array, encode: Any) -> Samples:
    """Return inputs, targets and weights as training takes them."""
    target = np.ascontiguousarray(encode(y), dtype=X.dtype)
    equal = bool((weights == weights[0]).all())
    return Samples(X, target, None if equal and weights[0] == 1 else weights.astype(X.dtype))


def hidden_sizes(model: Any) -> list[int]:
    """Return the numbers of hidden units."""
    given = model.hidden_layer_sizes
    sizes = np.atleast_1d(np.asarray(given)).tolist() if np.size(given) else []
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(
            f"{type(model).__name__}: hidden_layer_sizes must be whole numbers > 0, got {given!r}."
        )
    return sizes


def hidden_activations(model: Any, n_hidden: int) -> tuple[str, ...]:
    """Return one activation for each hidden layer."""
    given = model.activation
    names = (given,) * n_hidden if isinstance(given, str) else tuple(given)
    if len(names) != n_hidden or not set(names) <= set(ACTIVATIONS):
        raise ValueError(
            f"{type(model).__name__}: activation must be one name or {n_hidden}, one per hidden "
            f"layer, out of {', '.join(ACTIVATIONS)}, got {given!r}."
        )
    return names
