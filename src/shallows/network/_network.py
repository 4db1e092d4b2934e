"""A layered network as plain arrays, and its forward pass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows.descent._activations import ACTIVATIONS

Array = NDArray[Any]
BLOCK_VALUES = 2**22  # numbers in the widest layer of one block of a prediction


class Network(NamedTuple):
    r"""A feed-forward network: weights, biases and activations, layer by layer.

    Layer :math:`m` computes :math:`Z_m = g_m(Z_{m-1} W_m + b_m)` from the outputs of the layer
    below, with :math:`Z_0 = X`. A threshold is minus a bias. Functions of this family take
    such a network or a fitted estimator that is one.

    Parameters
    ----------
    weights : list of ndarray of shape (n_in, n_out)
        One matrix per layer.
    biases : list of ndarray of shape (n_out,)
        One vector per layer.
    activations : tuple of str
        One name per layer, the last for the outputs: "identity", "logistic", "tanh", "relu"
        and the like, "softmax", or "exp".
    loss : str, default="squared_error"
        What training minimises: "squared_error" (with factor 1/2), "absolute_error", "huber",
        "minkowski", "sign_squared", "poisson" or "log_loss", summed over outputs.
    options : dict, default={}
        Parameters of the loss, such as ``{"delta": 2.0}`` of "huber".

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, forward
    >>> weights, biases = [np.eye(2), np.ones((2, 1))], [np.zeros(2), np.zeros(1)]
    >>> forward(Network(weights, biases, ("relu", "identity")), [[3.0, -1.0]])
    array([[3.]])
    """

    weights: list[Array]
    biases: list[Array]
    activations: tuple[str, ...]
    loss: str = "squared_error"
    options: dict[str, float] = {}  # noqa: RUF012  never changed


def as_network(model: Any) -> Network:
    """Return the network of a fitted estimator, or the network itself."""
    net = getattr(model, "network_", model)
    if not isinstance(net, Network):
        raise TypeError(
            f"net must be a Network or a fitted network estimator, got {type(model).__name__}."
        )
    return net


def forward(net: Any, X: Any) -> Array:
    """Return the outputs of a network.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Inputs.

    Returns
    -------
    outputs : ndarray of shape (n_samples, n_outputs)
        Outputs of the last layer.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, forward
    >>> net = Network([np.ones((2, 1))], [np.array([-1.5])], ("logistic",))
    >>> (forward(net, [[0, 0], [1, 1]]) > 0.5).ravel()  # AND
    array([False,  True])
    """
    return layer_outputs(net, X)[-1]


def layer_outputs(net: Any, X: Any) -> list[Array]:
    """Return the outputs of all layers.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Inputs.

    Returns
    -------
    outputs : list of ndarray of shape (n_samples, n_units)
        One array per layer.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, layer_outputs
    >>> net = Network([np.eye(2), np.ones((2, 1))], [np.zeros(2)] * 2, ("relu", "identity"))
    >>> [outputs.shape for outputs in layer_outputs(net._replace(biases=[0.0, 1.0]), np.eye(2))]
    [(2, 2), (2, 1)]
    """
    net = as_network(net)
    signal = X if hasattr(X, "dtype") else np.asarray(X, dtype=np.float64)
    found = []
    for weights, bias, name in zip(net.weights, net.biases, net.activations, strict=True):
        signal = activate(name, signal @ weights + bias)
        found.append(signal)
    return found


def predict_outputs(net: Network, X: Any) -> Array:
    """Return the outputs of the last layer, in blocks of rows that need little memory."""
    widest = max(weights.shape[1] for weights in net.weights)
    n_rows = max(256, BLOCK_VALUES // widest)
    if X.shape[0] <= n_rows:
        return forward(net, X)
    starts = range(0, X.shape[0], n_rows)
    return np.concatenate([forward(net, X[start : start + n_rows]) for start in starts])


def output_net_inputs(net: Network, X: Any) -> Array:
    """Return the net inputs of the outputs, in blocks of rows that need little memory."""
    return predict_outputs(net._replace(activations=(*net.activations[:-1], "identity")), X)


def activate(name: str, net_input: Array) -> Array:
    """Return the outputs of units with a given activation; the net input may be overwritten."""
    if name in IN_PLACE:
        return IN_PLACE[name](net_input)
    return ACTIVATIONS[name].value(net_input)


def slope(name: str, net_input: Array | None, output: Array) -> Array:
    """Return the derivative of an activation from its output or, where needed, its input."""
    if name == "exp":
        return output
    function = ACTIVATIONS[name]
    if function.derivative_of_output is not None:
        return function.derivative_of_output(output)
    return function.derivative(net_input)


def needs_net_input(name: str) -> bool:
    """Tell whether the output of an activation does not determine its slope."""
    return name in ACTIVATIONS and ACTIVATIONS[name].derivative_of_output is None


def flatten(weights: list[Array], biases: list[Array]) -> Array:
    """Return all parameters in one vector: per layer the weights, then the biases."""
    return np.concatenate(
        [part.ravel() for pair in zip(weights, biases, strict=True) for part in pair]
    )


def views(vector: Array, sizes: list[int]) -> tuple[list[Array], list[Array]]:
    """Return weights and biases as views of a vector made by `flatten`."""
    weights, biases, start = [], [], 0
    for n_in, n_out in pairwise(sizes):
        stop = start + n_in * n_out
        weights.append(vector[start:stop].reshape(n_in, n_out))
        biases.append(vector[stop : stop + n_out])
        start = stop + n_out
    return weights, biases


def one_vector(parts: list[Array], dtype: Any) -> tuple[Array, list[Array]]:
    """Return arrays in one vector, and views of it in their shapes."""
    vector = np.concatenate([part.ravel() for part in parts]).astype(dtype)
    cuts = np.cumsum([part.size for part in parts])[:-1]
    pieces = zip(np.split(vector, cuts), parts, strict=True)
    return vector, [piece.reshape(part.shape) for piece, part in pieces]


def sizes_of(weights: list[Array]) -> list[int]:
    """Return the number of units of every layer, inputs first."""
    return [weights[0].shape[0], *(matrix.shape[1] for matrix in weights)]


def _identity(net_input: Array) -> Array:
    return net_input


def _relu(net_input: Array) -> Array:
    return np.maximum(net_input, 0, out=net_input)


def _tanh(net_input: Array) -> Array:
    return np.tanh(net_input, out=net_input)


def _logistic(net_input: Array) -> Array:
    with np.errstate(over="ignore"):
        np.exp(np.negative(net_input, out=net_input), out=net_input)
    net_input += 1
    return np.reciprocal(net_input, out=net_input)


def _softmax(net_input: Array) -> Array:
    net_input -= net_input.max(axis=1, keepdims=True)
    np.exp(net_input, out=net_input)
    net_input /= net_input.sum(axis=1, keepdims=True)
    return net_input


def _exp(net_input: Array) -> Array:
    return np.exp(net_input, out=net_input)


IN_PLACE = {
    "identity": _identity,
    "relu": _relu,
    "tanh": _tanh,
    "logistic": _logistic,
    "exp": _exp,
    "softmax": _softmax,
}
