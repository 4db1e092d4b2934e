"""Visits of a perceptron whose weights are penalised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled


class Shrinkage(NamedTuple):
    """What each visit does to the weights: a factor (l2) and a length (l1)."""

    factor: float
    length: float


class SparseRows(NamedTuple):
    """Rows in compressed sparse form."""

    data: NDArray[np.floating]
    columns: NDArray[np.unsignedinteger]
    starts: NDArray[np.unsignedinteger]


@compiled
def penalised_epoch(X, signed, order, margin, eta, bias, shrinkage, w, debts, strengths):
    """Visit samples in `order`, move `w` in place, return the weight of the mistakes.

    Each visit multiplies the weights by a factor (l2), moves them by a mistake, and shortens them
    (l1) by the cumulative penalty of Tsuruoka, Tsujii and Ananiadou (2009): `debts` has for each
    weight what it was shortened by, and in its last entry what it could have been shortened by.
    """
    n_features = X.shape[1]
    mistaken = 0.0
    for i in order:
        field = bias * w[n_features]
        for j in range(n_features):
            field += X[i, j] * w[j]
        step = eta * signed[i]
        if step < 0.0:
            field = -field
        wrong = not field > margin
        debts[n_features] += shrinkage.length
        for j in range(n_features):
            value = w[j] * shrinkage.factor
            if wrong:
                value += step * X[i, j]
            kept = value
            if value > 0.0:
                kept = max(0.0, value - (debts[n_features] + debts[j]))
            elif value < 0.0:
                kept = min(0.0, value + (debts[n_features] - debts[j]))
            debts[j] += kept - value
            w[j] = kept
        if wrong:
            w[n_features] += step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])
    return mistaken


@compiled
def penalised_csr_epoch(rows, signed, order, margin, eta, bias, shrinkage, w, debts, strengths):
    """Do as `penalised_epoch` with sparse rows: the l1 part shortens the weights of a row only.

    The weights are a scale times `w`, which a visit multiplies; it is put back at the end.
    """
    last = len(w) - 1
    scale, mistaken = 1.0, 0.0
    for i in order:
        start, end = rows.starts[i], rows.starts[i + 1]
        field = 0.0
        for k in range(start, end):
            field += rows.data[k] * w[rows.columns[k]]
        field = field * scale + bias * w[last]
        step = eta * signed[i]
        if step < 0.0:
            field = -field
        wrong = not field > margin

        # l2: all weights at once; a scale near zero is put back first.
        scale *= shrinkage.factor
        if scale < 1e-9:
            for j in range(last):
                w[j] *= scale
            scale = 1.0
        if wrong:
            for k in range(start, end):
                w[rows.columns[k]] += step / scale * rows.data[k]
            w[last] += step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])

        # l1: the weights of this row catch up with what they missed.
        debts[last] += shrinkage.length
        if shrinkage.length > 0.0:
            for k in range(start, end):
                j = rows.columns[k]
                value = w[j] * scale
                kept = value
                if value > 0.0:
                    kept = max(0.0, value - (debts[last] + debts[j]))
                elif value < 0.0:
                    kept = min(0.0, value + (debts[last] - debts[j]))
                debts[j] += kept - value
                w[j] = kept / scale
    for j in range(last):
        w[j] *= scale
    return mistaken
