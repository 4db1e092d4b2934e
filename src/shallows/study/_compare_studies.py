"""Hold finished studies against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from shallows.study._assess import number_of_draws, resampled
from shallows.study._errors import StudyError
from shallows.study._measures import Measure
from shallows.study._result import StudyResult
from shallows.validate import compare

Array = NDArray[Any]
Names = tuple[str, str]
MISTAKE = 0.05  # chance that an interval misses the difference


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


def compare_studies(
    first: StudyResult,
    second: StudyResult,
    *,
    names: Names = ("A", "B"),
    n_comparisons: int = 1,
) -> StudyComparison:
    """Tell whether the choice of one study predicts better than that of another.

    Parameters
    ----------
    first, second : StudyResult
        From `Study.run` or `load_result`. On the same test rows the comparison is paired.
    names : tuple of str
        What the text calls them.
    n_comparisons : int
        How many such comparisons are made; their intervals hold together at 95 % (Bonferroni).

    Returns
    -------
    comparison : StudyComparison
        The difference with its interval, and what it means.
    """
    _check_question(first, second, names)
    mistake = MISTAKE / n_comparisons
    a, b = first.assessment, second.assessment
    difference = a.score - b.score
    paired = same_rows(first, second)
    if paired:
        low, high, p_value = _paired(first, second, mistake)
        p_value = min(1.0, n_comparisons * p_value)
    else:
        wider = norm.isf(mistake / 2) / norm.isf((1 - a.level) / 2)
        reach = float(wider * np.hypot((a.high - a.low) / 2, (b.high - b.low) / 2))
        low, high, p_value = difference - reach, difference + reach, None
    text = _verdict(first, (difference, low, high), names, p_value)
    if not paired:
        text += _about_rows(first, second, names)
    if a.n_decisive or b.n_decisive:
        text += " A few rows decide these scores, so don't rely on it; see the reports."
    return StudyComparison(a.score, b.score, difference, low, high, paired, text)


def cautions(result: StudyResult) -> list[str]:
    """Return what must be known of a study before its score is compared with another's."""
    found = []
    if not result.learned:
        found.append("the locked rows do not show that it predicts better than a constant answer.")
    if result.alarms:
        found.append(f"its score is too good if {result.alarms} spoils the test.")
    return [*found, *result.notes]


def same_rows(first: StudyResult, second: StudyResult) -> bool:
    """Tell whether two studies locked the same rows away.

    The places in the files must agree, the targets, and most columns that both files have: other
    data, sorted by their classes, would have the same targets at the same places.
    """
    one, other = first.answers, second.answers
    if sorted(first.classes) != sorted(second.classes) or any(
        list(one[name]) != list(other[name]) for name in ("rows", "truth")
    ):
        return False
    known, there = one.get("digests", {}), other.get("digests", {})
    common = (known.keys() & there.keys()) - {first.data["target"]}
    return 2 * sum(known[name] == there[name] for name in common) > len(common)


def _check_question(first: StudyResult, second: StudyResult, names: Names) -> None:
    """Refuse studies whose scores do not mean the same."""
    one, other = names
    target, task = first.data["target"], first.task
    if target != second.data["target"]:
        raise StudyError(
            f"{one} predicts {target!r} and {other} {second.data['target']!r}; compare studies of "
            "the same target."
        )
    for name, mine, others in (
        ("task", task, second.task),
        ("measure", first.measure, second.measure),
    ):
        if mine != others:
            raise StudyError(
                f"The {name} of {one} is {mine}, that of {other} {others}; run one of them again "
                f"with --{name} {mine} or --{name} {others} and another folder as --out."
            )
    for name, result in zip(names, (first, second), strict=True):
        found = result.assessment
        if None in (found.score, found.low, found.high):
            raise StudyError(
                f"{name} has no score to compare: its locked rows have none by {first.kind.title}."
            )


def _paired(first: StudyResult, second: StudyResult, mistake: float) -> tuple[float, float, float]:
    """Return percentiles of the difference over resamples of the common rows, and a p-value."""
    kind = first.kind
    truth, one = _scored(first, first.classes)
    _, other = _scored(second, first.classes)
    groups = first.answers.get("groups")
    groups = None if groups is None else np.asarray(groups)
    gains = resampled(
        lambda rows: kind.score(truth[rows], one[rows]) - kind.score(truth[rows], other[rows]),
        truth,
        groups,
        bool(first.classes),
        seed=0,
    )
    low, high = np.quantile(gains, [mistake / 2, 1 - mistake / 2])
    return float(low), float(high), _p_if_swapped(kind, truth, one, other, groups)


def _p_if_swapped(
    kind: Measure, truth: Array, one: Array, other: Array, groups: Array | None
) -> float:
    """Return how often the scores differ as much if the answers to rows or groups are swapped."""
    if kind.name == "accuracy" and groups is None:  # McNemar's test knows all swaps
        right, also = one == truth, other == truth
        return compare(right, also, "mcnemar").p_value if np.any(right != also) else 1.0
    if kind.name == "auc":  # which is about ranks; chances of two models need not be of one scale
        one, other = rankdata(one, axis=0), rankdata(other, axis=0)
    rng = np.random.default_rng(0)
    units = np.arange(len(truth)) if groups is None else np.unique(groups, return_inverse=True)[1]
    found = abs(kind.score(truth, one) - kind.score(truth, other)) - 1e-12
    n_draws, as_great = number_of_draws(truth), 0
    for _ in range(n_draws):
        swap = rng.integers(2, size=units.max() + 1)[units] == 1
        swap = swap if one.ndim == 1 else swap[:, None]
        mixed, rest = np.where(swap, other, one), np.where(swap, one, other)
        as_great += abs(kind.score(truth, mixed) - kind.score(truth, rest)) >= found
    return (1 + as_great) / (1 + n_draws)


def _scored(result: StudyResult, classes: tuple[str, ...]) -> tuple[Array, Array]:
    """Return truth and answers as the measure takes them; codes are places in `classes`."""
    truth, answers = result.answers["truth"], result.answers["predicted"]
    if not classes:
        return np.asarray(truth, dtype=np.float64), np.asarray(answers, dtype=np.float64)
    codes = {name: code for code, name in enumerate(classes)}
    truth = np.array([codes[name] for name in truth])
    if result.kind.answer == "chance":
        columns = [result.classes.index(name) for name in classes]
        return truth, np.asarray(result.answers["chances"])[:, columns]
    return truth, np.array([codes[name] for name in answers])


def _verdict(
    result: StudyResult,
    found: tuple[float, float, float],
    names: Names,
    p_value: float | None,
) -> str:
    """Say which study is better, or that it can't be told; without a p-value the rows differ."""
    say, ends = result.say_difference, found[1:]
    ahead, behind = names
    if found[0] < 0:
        ahead, behind, ends = behind, ahead, (-found[2], -found[1])
    paired = p_value is not None
    rows = f"the same {result.n_test:,} locked rows" if paired else "different locked rows"
    proof = f"95 % interval {say(ends[0]).removesuffix(' points')} to {say(ends[1])}"
    if p_value is not None:
        proof += f", p = {p_value:.2g}"
    gain = say(abs(found[0])).removeprefix("+")
    if ends[0] > 0 and (p_value is None or p_value < MISTAKE):
        better = "is better than" if paired else "scores better than"
        return f"{ahead} {better} {behind} on {rows}, by {gain} ({proof})."
    lead = f"{ahead} is ahead by {gain}" if found[0] else "their scores are the same"
    return f"{names[0]} and {names[1]} can't be told apart on {rows}: {lead} ({proof})."


def _about_rows(first: StudyResult, second: StudyResult, names: Names) -> str:
    """Say that the rows may make the difference, and how they could be the same."""
    rows = " and ".join(
        f"{result.n_test:,} of {result.data['n_rows']:,} rows of {result.data['name']} in {name}"
        for name, result in zip(names, (first, second), strict=True)
    )
    return (
        f" The locked rows are not the same ({rows}), so the rows may make the difference and not "
        "the choice; study the same rows with the same --seed, --test-size, --group, --time and "
        "--positive to compare the choices alone."
    )
