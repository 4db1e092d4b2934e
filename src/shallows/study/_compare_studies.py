"""Hold two finished studies against each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shallows.study._errors import StudyError
from shallows.study._result import StudyResult
from shallows.validate import compare

RESAMPLES = 2000


@dataclass(frozen=True)
class StudyComparison:
    """Two studies beside each other.

    Parameters
    ----------
    first, second : float
        Scores on their test parts; greater is better.
    difference : float
        First less second.
    low, high : float
        Ends of the 95 % interval of the difference.
    paired : bool
        Whether both were assessed on the same rows.
    text : str
        What it means, in words.

    Examples
    --------
    >>> from shallows.study import StudyComparison
    >>> StudyComparison(0.9, 0.8, 0.1, 0.02, 0.18, True, "The first is better.").text
    'The first is better.'
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    paired: bool
    text: str


def compare_studies(first: StudyResult, second: StudyResult) -> StudyComparison:
    """Tell whether the choice of one study predicts better than that of another.

    Parameters
    ----------
    first, second : StudyResult
        From `Study.run` or `load_result`. On the same test rows the comparison is paired.

    Returns
    -------
    comparison : StudyComparison
        The difference with its interval, and what it means.
    """
    if (first.data["target"], first.task) != (second.data["target"], second.task):
        raise StudyError(
            f"The studies ask different questions: {first.task} of {first.data['target']!r} and "
            f"{second.task} of {second.data['target']!r}."
        )
    if first.measure != second.measure:
        raise StudyError(
            f"The studies measure {first.measure} and {second.measure}; run one again with "
            "--measure."
        )
    a, b = first.assessment, second.assessment
    same = list(first.answers["rows"]) == list(second.answers["rows"])
    paired = same and list(first.answers["truth"]) == list(second.answers["truth"])
    difference = a.score - b.score
    if paired and first.kind.answer != "chance":
        low, high = _paired_interval(first, second)
        test = "on the same test rows"
        if first.measure == "accuracy":
            truth = np.asarray(first.answers["truth"], dtype=object)
            one, other = (
                np.asarray(result.answers["predicted"], dtype=object) == truth
                for result in (first, second)
            )
            if not np.array_equal(one, other):
                p = compare(one, other, "mcnemar").p_value
                test += f" (McNemar's test: p = {p:.2g})"
    else:
        reach = np.hypot((a.high - a.low) / 2, (b.high - b.low) / 2)
        low, high = difference - reach, difference + reach
        test = "on different test rows"
    say = first.kind.say
    names = f"{first.chosen.name} ({say(a.score)}) and {second.chosen.name} ({say(b.score)})"
    if low <= 0 <= high:
        verdict = f"{names} can't be told apart"
    else:
        verdict = f"Of {names} the {'first' if low > 0 else 'second'} is better"
    factor, unit = (100, " points") if first.kind.is_share else (1, "")
    text = (
        f"{verdict} {test}: difference {factor * difference:+.3g}{unit}, 95 % interval "
        f"{factor * low:+.3g} to {factor * high:+.3g}."
    )
    if a.n_decisive or b.n_decisive:
        text += " A few rows decide these scores, so don't rely on it; see the reports."
    return StudyComparison(a.score, b.score, difference, float(low), float(high), paired, text)


def _paired_interval(first: StudyResult, second: StudyResult) -> tuple[float, float]:
    """Return percentiles of the difference over resamples of the common test rows."""
    kind = first.kind
    truth, one, other = (
        np.asarray(values)
        for values in (
            first.answers["truth"],
            first.answers["predicted"],
            second.answers["predicted"],
        )
    )
    if first.classes:
        codes = {name: code for code, name in enumerate(first.classes)}
        truth, one, other = (
            np.array([codes[name] for name in names]) for names in (truth, one, other)
        )
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(RESAMPLES):
        rows = rng.integers(len(truth), size=len(truth))
        gains.append(kind.score(truth[rows], one[rows]) - kind.score(truth[rows], other[rows]))
    low, high = np.quantile(gains, [0.025, 0.975])
    return float(low), float(high)
