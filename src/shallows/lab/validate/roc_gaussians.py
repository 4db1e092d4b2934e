"""Experiment: what the area under a ROC curve is, with and without ties."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.validate import delong, roc_band

FALSE_ALARM = 1e-4


@experiment(
    chapter="validate",
    sources="notes-002 Alg. 9, Fig. 4.1, E8, E9; notes-000b Fig. 7.7, M98, M99; notes-003 E9",
    quick={"n": 400, "spacings": 6},
)
def roc_gaussians(
    n: Annotated[int, Range(100, 100_000)] = 2000,
    distance: Annotated[float, Range(0.1, 4)] = 2.0,
    spacings: Annotated[int, Range(4, 30)] = 12,
    *,
    run: Run,
) -> None:
    """Which probability is the area under a ROC curve?

    The probability that a random positive scores higher than a random negative; a tie counts one
    half. For two Gaussians it is `Phi(distance / sqrt(2))`. Rounded scores have ties, which are
    one straight step of the curve. Going through tied samples one by one, as the algorithm in the
    notes does, gives an area that depends on the order in which the samples are stored.

    Parameters
    ----------
    n : int
        Samples of each class.
    distance : float
        Distance of the means in standard deviations.
    spacings : int
        How coarsely scores are rounded: as many steps, up to 4 standard deviations.
    """
    y = np.repeat([0, 1], n)
    scores = (y - 0.5) * distance + run.rng.normal(size=2 * n)
    theory = float(ndtr(distance / np.sqrt(2)))

    band = roc_band(y, scores)
    with np.errstate(divide="ignore"):
        true_tpr = ndtr(ndtri(band.fpr) + distance)
    kept = slice(None, None, 4)
    for curve, tpr in (("measured", band.tpr), ("true", true_tpr), ("chance", band.fpr)):
        run.rows("curves", curve=curve, fpr=band.fpr[kept], tpr=tpr[kept])
    for curve, tpr in (("band, low", band.low), ("band, high", band.high)):
        run.rows("curves", curve=curve, fpr=band.fpr[kept], tpr=tpr[kept])

    worst = 0.0
    for spacing in np.linspace(0, 4, spacings):
        rounded = scores if spacing == 0 else spacing * np.round(scores / spacing)
        area = float(delong(y, rounded).auc[0])
        pairs = mannwhitneyu(rounded[y == 1], rounded[y == 0]).statistic / n**2
        worst = max(worst, abs(area - pairs), abs(area - roc_auc_score(y, rounded)))
        run.row(
            rounded_to=spacing,
            ties_in_one_step=area,
            positives_stored_first=_one_by_one(y[::-1], rounded[::-1]),
            negatives_stored_first=_one_by_one(y, rounded),
        )

    run.figure(
        line(
            "fpr",
            "tpr",
            color="curve",
            table="curves",
            title="ROC curve of two Gaussians and the band that holds all of it in 95 %",
            x_title="false positive rate",
            y_title="true positive rate",
        )
    )
    run.figure(
        line(
            "rounded_to",
            ["ties_in_one_step", "positives_stored_first", "negatives_stored_first"],
            title="Area under the curve of rounded scores",
            x_title="scores rounded to multiples of",
            y_title="area",
        )
    )

    estimate = delong(y, scores)
    error = float(np.sqrt(estimate.covariance[0, 0]))
    run.claim(
        "the area is Phi(distance / sqrt 2), four standard errors",
        estimate.auc[0],
        expected=theory,
        within=4 * error,
        probability=FALSE_ALARM,
    )
    run.claim("means 2 apart: 0.92135", ndtr(2 / np.sqrt(2)), expected=0.92135, within=5e-6)
    run.claim("it equals the Mann-Whitney count, ties one half", worst, at_most=1e-12)
    constant = np.zeros(2 * n)
    run.claim("constant scores: 0.5", delong(y, constant).auc[0], expected=0.5, within=0)
    stretched = delong(y, np.exp(scores)).auc[0] - estimate.auc[0]
    run.claim("increasing transforms change nothing", abs(stretched), at_most=1e-12)
    run.claim(
        "negated scores: 1 - area", delong(y, -scores).auc[0], 1 - estimate.auc[0], within=1e-9
    )
    sure = roc_band(y, scores, level=1 - FALSE_ALARM)
    outside = np.maximum(sure.low - true_tpr, true_tpr - sure.high).max()
    run.claim(
        "the 99.99 % band holds the whole true curve (largest distance outside)",
        outside,
        at_most=1e-12,
        probability=FALSE_ALARM,
    )
    orders = [_one_by_one(y, constant), _one_by_one(y[::-1], constant)]
    run.note(
        "Taking tied samples one by one gives constant scores an area of "
        f"{orders[0]:g} or {orders[1]:g}, as they happen to be stored; 0.5 is right."
    )


def _one_by_one(y: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    """Return the area of a curve that steps through tied samples in the order they are stored."""
    signs = y[np.argsort(-scores, kind="stable")]
    tpr, fpr = np.cumsum(signs) / signs.sum(), np.cumsum(1 - signs) / (1 - signs).sum()
    return float(np.trapezoid(np.append(0, tpr), np.append(0, fpr)))
