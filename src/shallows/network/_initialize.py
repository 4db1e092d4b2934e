"""Random first weights, and how many parameters a network has."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np

from shallows._core.contract.params import PositiveFloat, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.network._network import Array

Init = Literal["glorot", "fan_in", "lecun", "he", "uniform", "orthogonal"]


def initialize(
    shapes: Any,
    kind: Init = "glorot",
    *,
    scale: PositiveFloat | None = None,
    random_state: RandomState = None,
) -> tuple[list[Array], list[Array]]:
    r"""Draw first weights and biases of a network.

    Units that start equal stay equal, so weights are random; large ones saturate sigmoids, so
    they are small. With :math:`n` inputs and :math:`m` outputs of a layer, weights are uniform
    in :math:`[-r, r]`:

    ============== ======================================================= =============
    kind           r                                                       scale if None
    ============== ======================================================= =============
    "glorot"       scale :math:`\sqrt{6 / (n + m)}`, biases likewise       1
    "lecun"        scale :math:`/ \sqrt{n}`                                1
    "he"           scale :math:`\sqrt{6 / n}`, for rectifiers              1
    "fan_in"       2 scale :math:`/ n`, but scale for the output layer     0.7
    "uniform"      scale                                                   0.7
    ============== ======================================================= =============

    "orthogonal" takes scale times a random matrix with orthonormal rows or columns. Biases are
    zero except where said. "glorot" is that of [1]_, "he" that of [2]_.

    Parameters
    ----------
    shapes : sequence of int
        Units of each layer, inputs first.
    kind : {"glorot", "fan_in", "lecun", "he", "uniform", "orthogonal"}, default="glorot"
        How weights are drawn.
    scale : float or None, default=None
        Factor of the range.
    random_state : int, RandomState, Generator or None, default=None
        Source of the weights.

    Returns
    -------
    weights : list of ndarray of shape (n_in, n_out)
        One matrix per layer.
    biases : list of ndarray of shape (n_out,)
        One vector per layer.

    References
    ----------
    .. [1] X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward
       neural networks", AISTATS, 249-256, 2010.
    .. [2] K. He et al., "Delving deep into rectifiers", ICCV, 1026-1034, 2015.

    Examples
    --------
    >>> from shallows.network import initialize
    >>> weights, biases = initialize([4, 3, 2], "lecun", random_state=0)
    >>> [W.shape for W in weights], bool(abs(weights[0]).max() <= 0.5)
    ([(4, 3), (3, 2)], True)
    """
    check_arguments(initialize, locals())
    sizes = [int(size) for size in shapes]
    if len(sizes) < 2 or min(sizes) < 1:
        raise ValueError(
            f"shapes must name at least 2 layers of at least 1 unit each, got {shapes!r}."
        )
    rng = as_generator(random_state)
    if scale is None:
        scale = 0.7 if kind in ("fan_in", "uniform") else 1.0
    weights: list[Array] = []
    biases: list[Array] = []
    for n_in, n_out in pairwise(sizes):
        is_output = len(weights) == len(sizes) - 2
        if kind == "orthogonal":
            weights.append(scale * _orthogonal(n_in, n_out, rng))
            biases.append(np.zeros(n_out))
            continue
        # Uniform weights within a reach that keeps the variance of signals (Glorot, He) or of sums
        # (LeCun).
        reach = {
            "glorot": scale * (6 / (n_in + n_out)) ** 0.5,
            "lecun": scale / n_in**0.5,
            "he": scale * (6 / n_in) ** 0.5,
            "fan_in": scale if is_output else 2 * scale / n_in,
            "uniform": scale,
        }[kind]
        weights.append(rng.uniform(-reach, reach, (n_in, n_out)))
        biases.append(rng.uniform(-reach, reach, n_out) if kind == "glorot" else np.zeros(n_out))
    return weights, biases


def count_parameters(layers: Any, kind: Literal["mlp", "soft_committee"] = "mlp") -> int:
    r"""Return the number of adaptive parameters of a network.

    :math:`\sum_m (n_{m-1} + 1) n_m` for a layered network: weights and one bias per unit. A
    soft committee of :math:`K` units on :math:`N` inputs has :math:`K N + 2 K`: no bias of the
    output.

    Parameters
    ----------
    layers : sequence of int
        Units of each layer, inputs first.
    kind : {"mlp", "soft_committee"}, default="mlp"
        A layered network, or a soft committee with layers (N, K) or (N, K, 1).

    Returns
    -------
    count : int
        Weights and biases together.

    Examples
    --------
    >>> from shallows.network import count_parameters
    >>> count_parameters([10, 5, 2]), count_parameters([10, 5], "soft_committee")
    (67, 60)
    """
    check_arguments(count_parameters, locals())
    sizes = [int(size) for size in layers]
    if kind == "soft_committee":
        return sizes[1] * sizes[0] + 2 * sizes[1]
    return sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))


def _orthogonal(n_in: int, n_out: int, rng: np.random.Generator) -> Array:
    tall = rng.standard_normal((max(n_in, n_out), min(n_in, n_out)))
    basis, triangle = np.linalg.qr(tall)
    basis *= np.sign(np.diag(triangle))
    return basis if n_in >= n_out else basis.T
