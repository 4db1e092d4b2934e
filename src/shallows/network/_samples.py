"""Training data of a network: inputs, targets of the outputs, weights; whole or in batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.threads import block_slices
from shallows.network._network import Array


class Samples(NamedTuple):
    """Inputs, targets of the outputs and weights; None weighs all alike."""

    X: Any
    target: Array
    weights: Array | None

    @classmethod
    def of(cls, X: Any, target: Array, weights: Array) -> Samples:
        """Return checked data as training takes them, in the dtype of X."""
        target = np.ascontiguousarray(target, dtype=X.dtype)
        return cls(X, target, None if (weights == 1).all() else weights.astype(X.dtype))

    def __len__(self) -> int:
        return len(self.target)

    @property
    def mass(self) -> float:
        """Sum of the weights."""
        return float(len(self) if self.weights is None else self.weights.sum(dtype=np.float64))

    def shares(self, mass: float) -> Array | None:
        """Return the weights divided by their sum."""
        return None if self.weights is None else self.weights / self.weights.dtype.type(mass)

    def blocks(self, n_rows: int) -> list[Samples]:
        """Return the samples in blocks, with shares of the sum of the weights."""
        shares = self.shares(self.mass)
        if shares is None:
            shares = np.full(len(self), 1 / len(self), self.target.dtype)
        return [
            Samples(self.X[rows], self.target[rows], shares[rows])
            for rows in block_slices(len(self), n_rows)
        ]


class Batches:
    """Copies rows of samples into buffers that all batches share.

    Parameters
    ----------
    samples : Samples
        All samples.
    n_rows : int
        Rows of the largest batch.
    """

    def __init__(self, samples: Samples, n_rows: int):
        self.samples = samples
        X, target = samples.X, samples.target
        self._inputs = None if issparse(X) else np.empty((n_rows, X.shape[1]), X.dtype)
        self._targets = np.empty((n_rows, target.shape[1]), target.dtype)

    def take(self, rows: Array) -> Samples:
        """Return some of the samples, until the next call."""
        X, target, weights = self.samples
        if self._inputs is None:
            X = X[rows]
        else:
            X = np.take(X, rows, axis=0, out=self._inputs[: len(rows)], mode="clip")
        target = np.take(target, rows, axis=0, out=self._targets[: len(rows)], mode="clip")
        return Samples(X, target, None if weights is None else weights[rows])
