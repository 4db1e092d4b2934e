"""Experiment: false alarms of the paired t-test on overlapping splits."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit
from scipy.stats import binomtest

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.validate import compare

Floats = NDArray[np.float64]
LEVEL, FALSE_ALARM = 0.05, 1e-4
MOST_CORRECTED = 0.08


@experiment(
    chapter="validate",
    sources="notes-002 A8, 2.1.4",
    quick={"trials": 300, "splits": 40},
)
def algorithm_comparison(
    trials: Annotated[int, Range(200, 20_000)] = 2000,
    splits: Annotated[int, Range(20, 500)] = 100,
    samples: Annotated[int, Range(40, 400)] = 100,
    test_share: Annotated[float, Range(0.05, 0.5)] = 0.1,
    *,
    run: Run,
) -> None:
    """How often are two equal algorithms declared different?

    Both classify by the nearest class mean, each with its own half of equally useful features, so
    neither is better on average. Their accuracies on random splits of one data set are compared by
    a paired t-test at 5 %. The splits share most of their training data. More splits therefore add
    little information, but make the test treat the mean as more and more precise. The corrected
    test adds the ratio of test to training size to the variance.

    Parameters
    ----------
    trials : int
        Data sets.
    splits : int
        Most random splits of each into training and test part.
    samples : int
        Samples in a data set.
    test_share : float
        Share of them in the test part.
    """
    n_test = round(test_share * samples)
    ratio = n_test / (samples - n_test)
    counts = np.unique(np.geomspace(3, splits, 9).astype(int))
    differences = np.array(
        [
            _accuracy_differences(samples, n_test, splits, run.rng)
            for _ in run.progress(range(trials))
        ]
    )
    rejected: dict[str, Floats] = {}
    for count in counts:
        mean = differences[:, :count].mean(axis=1)
        spread = differences[:, :count].std(axis=1, ddof=1)
        critical = stdtrit(count - 1, 1 - LEVEL / 2)
        excess = 2 * stdtr(count - 1, -critical / np.sqrt(1 + count * ratio))
        for test, factor in (("naive", 1 / count), ("corrected", 1 / count + ratio)):
            hit = np.abs(mean) > critical * spread * np.sqrt(factor)
            rejected[test] = hit
            run.row(
                test=test,
                splits=count,
                false_alarms=hit.mean(),
                predicted=excess if test == "naive" else LEVEL,
                standard_error=np.sqrt(hit.mean() * (1 - hit.mean()) / trials),
            )

    run.figure(
        line(
            "splits",
            "false_alarms",
            theory="predicted",
            error="standard_error",
            color="test",
            x_log=True,
            y_rule=LEVEL,
            title="Equal algorithms called different, by number of splits",
            x_title="random splits of one data set",
            y_title="share of data sets",
        )
    )

    table = run.columns()
    naive = table["false_alarms"][table["test"] == "naive"]
    corrected = table["false_alarms"][table["test"] == "corrected"]
    run.claim(
        "neither algorithm is ahead on average (p-value of a t-test over the data sets)",
        compare(differences.mean(axis=1), np.zeros(trials), "paired-t").p_value,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )
    run.claim(
        f"corrected test at {splits} splits: 8 % false alarms at most (p-value against more)",
        binomtest(int(rejected["corrected"].sum()), trials, MOST_CORRECTED, "greater").pvalue,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )
    predicted = table["predicted"][table["test"] == "naive"]
    run.claim(
        f"naive test at {splits} splits: at least half of the predicted excess over 5 %",
        naive[-1] - LEVEL,
        at_least=(predicted[-1] - LEVEL) / 2,
        probability=FALSE_ALARM,
    )
    run.claim(
        "naive false alarms grow with the splits, by half of what is predicted or more",
        naive[-1] - naive[0],
        at_least=(predicted[-1] - predicted[0]) / 2,
        probability=FALSE_ALARM,
    )
    run.claim(
        "the correction removes at least half of the predicted excess",
        naive[-1] - corrected[-1],
        at_least=(predicted[-1] - LEVEL) / 2,
        probability=FALSE_ALARM,
    )
    equal = np.zeros(splits)
    agree = [
        compare(one, equal, "paired-t").significant == naive_hit
        and compare(one, equal, test_train_ratio=ratio).significant == corrected_hit
        for one, naive_hit, corrected_hit in zip(
            differences[:100], *rejected.values(), strict=False
        )
    ]
    run.claim("compare() decides as the figure does, in 100 data sets", sum(agree), 100, within=0)


def _accuracy_differences(
    samples: int, n_test: int, splits: int, rng: np.random.Generator
) -> Floats:
    """Return accuracy of one algorithm minus that of the other on random splits of one set."""
    y = np.arange(samples) % 2
    X = rng.normal(size=(2, samples, 5)) + 0.4 * (2 * y[:, None] - 1)
    order = np.argsort(rng.random((splits, samples)), axis=1)
    test = order[:, :n_test]
    training = np.ones((splits, samples))
    np.put_along_axis(training, test, 0, axis=1)
    right = []
    for features in X:
        means = [
            (training * (y == k)) @ features / (training * (y == k)).sum(axis=1, keepdims=True)
            for k in (0, 1)
        ]
        direction, middle = means[1] - means[0], (means[0] + means[1]) / 2
        side = direction @ features.T - np.sum(direction * middle, axis=1, keepdims=True)
        hit = (side > 0) == y
        right.append(np.take_along_axis(hit, test, axis=1).mean(axis=1))
    return right[0] - right[1]
