"""Losses of boosting: value, gradient and hessian in the raw prediction f.

A loss is a small class. `start` gives the constant that minimises it, `slopes` its value and
derivatives row by row, `answer` turns raw predictions into predictions. A hessian of None means 1.
A loss with `leaf_value` is no smooth function: there a leaf takes the constant that minimises it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit


def weighted_quantile(values, weights, share):
    """Return the value with this share of the weight below it, the middle where two have."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = share * reached[-1]
    low = np.searchsorted(reached, wanted * (1 - 1e-12))
    high = np.searchsorted(reached, wanted * (1 + 1e-12), side="right")
    last = len(values) - 1
    return (values[order[min(low, last)]] + values[order[min(high, last)]]) / 2


class SquaredError:
    """Half the squared error, (y - f)^2 / 2."""

    n_outputs = 1
    leaf_value = None

    def start(self, y, weights):
        return np.array([np.average(y, weights=weights)])

    def slopes(self, y, raw):
        residual = raw[:, 0] - y
        return 0.5 * residual * residual, residual[:, None], None

    def answer(self, raw):
        return raw[:, 0]


class Quantile:
    """The pinball loss, whose minimum is a quantile: q (y - f) or (1 - q) (f - y)."""

    n_outputs = 1

    def __init__(self, share: float):
        self.share = share

    def start(self, y, weights):
        return np.array([weighted_quantile(y, weights, self.share)])

    def slopes(self, y, raw):
        gradient = np.where(raw[:, 0] > y, 1 - self.share, -self.share)
        return gradient * (raw[:, 0] - y), gradient[:, None], None

    def leaf_value(self, residuals, weights):
        return weighted_quantile(residuals, weights, self.share)

    def answer(self, raw):
        return raw[:, 0]


class AbsoluteError(Quantile):
    """The absolute error |y - f|, twice the pinball loss of the median."""

    def __init__(self):
        super().__init__(0.5)

    def slopes(self, y, raw):
        loss, gradient, _ = super().slopes(y, raw)
        return 2 * loss, 2 * gradient, None


class Poisson:
    """Half the deviance of Poisson's law up to a constant, e^f - y f, for counts with mean e^f."""

    n_outputs = 1
    leaf_value = None
    allowed = "y >= 0 with a positive sum"

    def allows(self, y) -> bool:
        return bool(y.min() >= 0 and y.sum() > 0)

    def start(self, y, weights):
        return np.log([np.average(y, weights=weights)])

    def slopes(self, y, raw):
        mean = np.exp(raw[:, 0])
        return mean - y * raw[:, 0], (mean - y)[:, None], mean[:, None]

    def answer(self, raw):
        return np.exp(raw[:, 0])


class Gamma(Poisson):
    """Half the deviance of the gamma law up to a constant, f + y e^-f, for y with mean e^f."""

    allowed = "y > 0"

    def allows(self, y) -> bool:
        return bool(y.min() > 0)

    def slopes(self, y, raw):
        ratio = y * np.exp(-raw[:, 0])
        return raw[:, 0] + ratio, (1 - ratio)[:, None], ratio[:, None]


class BinaryLogLoss:
    """Minus the logarithm of the probability 1 / (1 + e^-f) of the second of two classes."""

    n_outputs = 1
    leaf_value = None

    def start(self, y, weights):
        share = np.average(y, weights=weights)
        return np.log([share / (1 - share)])

    def slopes(self, y, raw):
        f = raw[:, 0]
        tail = np.exp(-np.abs(f))
        loss = np.log(1 + tail) + np.maximum(f, 0) - y * f
        share = np.where(f >= 0, 1, tail) / (1 + tail)
        return loss, (share - y)[:, None], (tail / (1 + tail) ** 2)[:, None]

    def answer(self, raw):
        second = expit(raw[:, 0])
        return np.stack([1 - second, second], axis=1)


class ExponentialLoss:
    """AdaBoost's loss e^-f of the second of two classes, e^f of the first."""

    n_outputs = 1
    leaf_value = None

    def start(self, y, weights):
        share = np.average(y, weights=weights)
        return 0.5 * np.log([share / (1 - share)])

    def slopes(self, y, raw):
        sign = 1 - 2.0 * y
        loss = np.exp(sign * raw[:, 0])
        return loss, (sign * loss)[:, None], loss[:, None]

    def answer(self, raw):
        return BinaryLogLoss().answer(2 * raw)


class MultinomialLogLoss:
    """Minus the logarithm of the class's share e^f_k / sum e^f."""

    leaf_value = None

    def __init__(self, n_classes: int):
        self.n_outputs = n_classes

    def start(self, y, weights):
        logs = np.log(np.bincount(y, weights, self.n_outputs) / weights.sum())
        return logs - logs.mean()

    def slopes(self, y, raw):
        rows = np.arange(len(y))
        shifted = raw - raw.max(axis=1, keepdims=True)
        shares = np.exp(shifted)
        total = shares.sum(axis=1, keepdims=True)
        loss = np.log(total[:, 0]) - shifted[rows, y]
        shares /= total
        hessian = shares * (1 - shares)
        shares[rows, y] -= 1
        return loss, shares, hessian

    def answer(self, raw):
        shares = np.exp(raw - raw.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)
