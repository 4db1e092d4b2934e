"""The rows that a mixture is fitted to: in memory, with gaps, or read block by block."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.numerics.moments import accumulate, merge
from shallows._core.numerics.streams import (
    check_stream,
    float_type,
    fold,
    is_stream,
    row_blocks,
    sample_rows,
)
from shallows.density._mixture_gaps import gap_log_joint, gap_maximise, gap_pass, patterns_of
from shallows.density._mixture_steps import Moments, each_block, maximise, run_pass

STREAM_SAMPLE_PER_COMPONENT = 2000


class DenseRows:
    """Rows in memory."""

    def __init__(self, X, weights):
        self.X, self.weights = X, weights
        self.about = accumulate(X, weights)

    @property
    def weight(self):
        return self.about.weight

    def start_rows(self, n_components, rng):
        """Return rows to start from, their weights and moments."""
        return self.X, self.weights, self.about

    def run_pass(self, mixture, hard):
        """Return the sum of log densities and the moments of the components."""
        return run_pass(self.X, self.weights, mixture, self.about.mean, hard=hard)

    def maximise(self, mixture, moments, reg_covar, variance):
        """Return the mixture that the moments make likeliest."""
        about = self.about
        return maximise(mixture, moments, about.mean, about.scatter, reg_covar, variance)


class GapRows:
    """Rows in memory with missing values."""

    def __init__(self, X, weights):
        self.X, self.weights, self.weight = X, weights, float(weights.sum())
        self.patterns = patterns_of(X)

    def start_rows(self, n_components, rng):
        """Return rows with column means in the gaps, their weights and moments."""
        shown = ~np.isnan(self.X)
        filled = np.where(shown, self.X, 0)
        mean = (self.weights @ filled) / (self.weights @ shown)
        filled = np.ascontiguousarray(np.where(shown, self.X, mean.astype(self.X.dtype)))
        return filled, self.weights, accumulate(filled, self.weights)

    def run_pass(self, mixture, hard):
        """Return the sum of log densities and the moments of the components."""
        return gap_pass(self.X, self.weights, self.patterns, mixture, hard=hard)

    def maximise(self, mixture, moments, reg_covar, variance):
        """Return the mixture that the moments make likeliest."""
        return gap_maximise(mixture, moments, reg_covar, variance)


class StreamRows(DenseRows):
    """A memory-mapped file or a Dask array, one pass per step."""

    def __init__(self, X):
        self.X, self.about = X, fold(X, accumulate, merge)

    def start_rows(self, n_components, rng):
        """Return a random part of the rows."""
        part = sample_rows(self.X, STREAM_SAMPLE_PER_COMPONENT * n_components, rng)
        return part, np.ones(len(part)), accumulate(part)

    def run_pass(self, mixture, hard):
        """Return the sum of log densities and the moments of the components."""
        center = self.about.mean

        def one(block):
            return run_pass(block, np.ones(len(block)), mixture, center, hard=hard)

        return fold(self.X, one, _add)


def rows_of(model, X, sample_weight):
    """Check training data and return them as rows, with the dtype that is learned."""
    if is_stream(X):
        if sample_weight is not None:
            raise ValueError(
                f"{type(model).__name__}: sample_weight is not supported for memory-mapped and "
                "Dask arrays. Load the data, or repeat rows."
            )
        check_stream(model, X)
        return StreamRows(X), float_type(X.dtype)
    X, weights = check_unlabelled(model, X, sample_weight, allow_nan=True)
    gaps = np.isnan(X)
    if not gaps.any():
        return DenseRows(X, weights), X.dtype
    empty = np.flatnonzero(gaps.all(axis=0))
    if len(empty):
        raise ValueError(
            f"{type(model).__name__}: feature {empty[0]} has no value at all. Remove it."
        )
    return GapRows(X, weights), X.dtype


def map_joint(model, X, mixture, task):
    """Return ``task(log joint)`` of all rows in order; rows of the joint are components."""
    if is_stream(X):
        check_stream(model, X, reset=False)
        parts = [part for block in row_blocks(X) for part in each_block(block, mixture, task)]
        return np.concatenate(parts), float_type(X.dtype)
    X = check_new(model, X, allow_nan=True)
    if not np.isnan(X).any():
        return np.concatenate(each_block(X, mixture, task)), X.dtype
    found, parts = zip(*gap_log_joint(X, mixture), strict=True)
    values = np.concatenate([task(logs) for logs in parts])
    return values[np.argsort(np.concatenate(found))], X.dtype


def _add(left, right):
    moments = Moments(*(a + b for a, b in zip(left[1], right[1], strict=True)))
    return left[0] + right[0], moments
