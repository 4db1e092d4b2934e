"""One epoch of the perceptron rule over dense, sparse or rounded rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled


class Rule(NamedTuple):
    """When a sample is learned and how far a step goes.

    A sample is learned where its potential does not exceed `margin`. A step is `eta` times label
    times input; the constant input is `bias`, 1 or 0.
    """

    margin: float
    eta: float
    bias: float


class Learned(NamedTuple):
    """What one perceptron has learned; an epoch changes it in place.

    The last entry of the weights `w` belongs to the constant input. After n visits the average of
    the weights over them is ``w - drift / n``; an empty `drift` is not kept. `strengths` counts
    the steps of each sample.
    """

    w: np.ndarray
    drift: np.ndarray
    strengths: np.ndarray


@compiled
def dense_epoch(X, signed, order, rule, visits, learned):
    """Visit samples in `order`, learn in place, and return the weight of the mistakes.

    `signed` contains the weight of each sample with the sign of its label; `visits` is the number
    of visits before.
    """
    margin, eta, bias = rule
    w, drift, strengths = learned
    n_features = X.shape[1]
    mistaken = 0.0
    for i in order:
        # The potential S (w'x + b): the field with the sign of the label.
        field = bias * w[n_features]
        for j in range(n_features):
            field += X[i, j] * w[j]
        step = eta * signed[i]
        if step < 0.0:
            field = -field

        # Rosenblatt's step, w + eta S x. The drift is the sum of steps times the visits before
        # each: what the average lacks.
        if not field > margin:
            for j in range(n_features):
                w[j] += step * X[i, j]
            w[n_features] += step * bias
            if len(drift) > 0:
                for j in range(n_features):
                    drift[j] += visits * step * X[i, j]
                drift[n_features] += visits * step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])
        visits += 1
    return mistaken


@compiled
def csr_epoch(rows, signed, order, rule, visits, learned):
    """Do as `dense_epoch` with rows in compressed sparse form."""
    data, columns, starts = rows
    margin, eta, bias = rule
    w, drift, strengths = learned
    last = len(w) - 1
    mistaken = 0.0
    for i in order:
        # The potential, from the stored values alone.
        start, end = starts[i], starts[i + 1]
        field = bias * w[last]
        for k in range(start, end):
            field += data[k] * w[columns[k]]
        step = eta * signed[i]
        if step < 0.0:
            field = -field

        # The step, and what it changes in the average.
        if not field > margin:
            for k in range(start, end):
                w[columns[k]] += step * data[k]
            w[last] += step * bias
            if len(drift) > 0:
                for k in range(start, end):
                    drift[columns[k]] += visits * step * data[k]
                drift[last] += visits * step * bias
            strengths[i] += 1
            mistaken += abs(signed[i])
        visits += 1
    return mistaken


@compiled
def rounded_epoch(rows, signed, order, rule, visits, learned):
    """Do as `csr_epoch`, from rounded rows where they suffice.

    A field errs by no more than the error of the row times the length of `w`. A stored value errs
    by 2^-24 of itself, or by 2^-150 if it is tiny; twice that leaves room for the sums. Where
    numbers overflow, so does this bound, and exact rows decide.
    """
    data, columns, starts, rounded, lengths = rows
    margin, eta, bias = rule
    w, drift, strengths = learned
    last = len(w) - 1
    mistaken, square = 0.0, 0.0
    for j in range(len(w)):
        square += np.float64(w[j]) * np.float64(w[j])
    length = np.sqrt(square)
    for i in order:
        # The field from rounded values, and the largest error that it may have.
        start, end = starts[i], starts[i + 1]
        field = bias * w[last]
        for k in range(start, end):
            field += rounded[k] * w[columns[k]]
        if signed[i] < 0.0:
            field = -field
        doubt = length * (2.0**-23 * lengths[i] + 2.0**-149 * np.sqrt(end - start))

        # Within that error of the margin the exact row decides.
        if not field > margin + doubt:
            if not field < margin - doubt:
                field = bias * w[last]
                for k in range(start, end):
                    field += data[k] * w[columns[k]]
                if signed[i] < 0.0:
                    field = -field

            # The step with the exact row; the length of `w` grows by no more than the step's.
            if not field > margin:
                step = eta * signed[i]
                for k in range(start, end):
                    w[columns[k]] += step * data[k]
                w[last] += step * bias
                if len(drift) > 0:
                    for k in range(start, end):
                        drift[columns[k]] += visits * step * data[k]
                    drift[last] += visits * step * bias
                length += abs(step) * (lengths[i] + bias)
                strengths[i] += 1
                mistaken += abs(signed[i])
        visits += 1
    return mistaken
