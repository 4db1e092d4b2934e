"""Diagnosis of training: gradients per layer, and how complex a network has become."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from shallows.network._backprop import backpropagate
from shallows.network._network import Array, as_network, layer_outputs

SATURATED = {"tanh": (-1.0, 1.0), "logistic": (0.0, 1.0), "erf": (-1.0, 1.0)}


def gradient_norms(net: Any, X: Any, y: Any, sample_weight: Any = None) -> Array:
    """Return the size of the gradient in each layer.

    The root of the mean square over the weights of a layer. Where it falls from layer to layer
    towards the inputs, gradients vanish: logistic units pass on less than a quarter of what
    they get, rectifiers that are on pass on all.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples, n_outputs)
        Targets of the outputs; one-hot for classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample in the mean.

    Returns
    -------
    norms : ndarray of shape (n_layers,)
        From the first layer to the outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, gradient_norms, initialize
    >>> net = Network(*initialize([4] * 6, random_state=0), ("logistic",) * 4 + ("identity",))
    >>> norms = gradient_norms(net, np.eye(4), np.zeros((4, 4)))
    >>> bool(norms[0] < 0.1 * norms[-1])
    True
    """
    found = backpropagate(net, X, y, sample_weight)
    return np.array([np.sqrt(np.mean(np.square(W, dtype=np.float64))) for W in found.weights])


class Complexity(NamedTuple):
    """How complex the function of a network is.

    Parameters
    ----------
    weight_norm : float
        Length of all weights together.
    saturated : float
        Share of outputs of sigmoid hidden units within a tenth of the range of their limits.
    nonlinearity : float
        Share of the variance of the outputs before the last activation that the best linear
        map of the inputs leaves over: 0 for a linear network.

    Examples
    --------
    >>> from shallows.network import Complexity
    >>> Complexity(1.0, 0.0, 0.0).nonlinearity
    0.0
    """

    weight_norm: float
    saturated: float
    nonlinearity: float


def complexity(net: Any, X: Any) -> Complexity:
    """Return how complex the function of a network is on given samples.

    With small weights sigmoids work in their linear part, and the network is hardly more than a
    linear map; training makes them grow.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    complexity : Complexity
        Weight norm, share of saturated units, and distance from the best linear fit.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, complexity, initialize
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> small, large = (
    ...     Network(*initialize([3, 5, 1], "uniform", scale=scale, random_state=0),
    ...             ("tanh", "identity")) for scale in (0.01, 3.0))
    >>> complexity(small, X).nonlinearity < 1e-4 < complexity(large, X).nonlinearity
    True
    """
    net = as_network(net)
    outputs = layer_outputs(net._replace(activations=(*net.activations[:-1], "identity")), X)

    # Share of hidden outputs within a tenth of saturation.
    near, count = 0, 0
    for name, output in zip(net.activations[:-1], outputs, strict=False):
        if name in SATURATED:
            low, high = SATURATED[name]
            margin = 0.1 * (high - low)
            near += int(((output < low + margin) | (output > high - margin)).sum())
            count += output.size

    # Share of the output's variance that no linear function of the inputs explains.
    design = np.c_[np.asarray(X, dtype=np.float64), np.ones(len(outputs[-1]))]
    final = outputs[-1].astype(np.float64)
    left = final - design @ np.linalg.lstsq(design, final, rcond=None)[0]
    spread = float(((final - final.mean(axis=0)) ** 2).sum())
    norm = float(np.sqrt(sum(np.sum(np.square(W, dtype=np.float64)) for W in net.weights)))
    return Complexity(
        norm, near / count if count else 0.0, float((left**2).sum()) / spread if spread else 0.0
    )


class ComplexityMonitor:
    """Callback that follows the complexity of a network through its training.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples on which to look at the network.

    Attributes
    ----------
    history_ : dict of str to list of float
        "weight_norm", "saturated" and "nonlinearity" after each epoch of the last fit.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import ComplexityMonitor, MLPRegressor
    >>> X = np.linspace(-3, 3, 60)[:, None]
    >>> monitor = ComplexityMonitor(X)
    >>> options = {"hidden_layer_sizes": 10, "activation": "tanh", "solver": "lbfgs"}
    >>> model = MLPRegressor(**options, max_iter=50, tol=None, random_state=0)
    >>> model = model.set_callbacks(monitor).fit(X, np.sin(X).ravel())
    >>> monitor.history_["nonlinearity"][-1] > monitor.history_["nonlinearity"][0]
    True
    """

    def __init__(self, X: Any):
        self.X = X
        self.history_: dict[str, list[float]] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Start a new history.

        Parameters
        ----------
        estimator : estimator
            The estimator about to be fitted.
        context : sklearn.callback.CallbackContext
            The task.
        """
        self.history_ = {name: [] for name in Complexity._fields}

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing at the end of the fit.

        Parameters
        ----------
        estimator : estimator
            The fitted estimator.
        context : sklearn.callback.CallbackContext
            The task.
        """

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing before an epoch.

        Parameters
        ----------
        estimator : estimator
            The estimator.
        context : sklearn.callback.CallbackContext
            The task.
        """

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Record the complexity after an epoch.

        Parameters
        ----------
        estimator : estimator
            The estimator.
        context : sklearn.callback.CallbackContext
            The task.
        fitted_estimator : estimator, default=None
            The estimator as if the fit had ended here.

        Returns
        -------
        stop : bool
            Never True.
        """
        if context.parent is not None:
            found = complexity(fitted_estimator, self.X)
            for name, value in found._asdict().items():
                self.history_[name].append(value)
        return False
