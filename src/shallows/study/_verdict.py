"""Was anything found? Decided on all evidence: cross-validation and the locked rows together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, rankdata

from shallows.study._evidence import Evidence
from shallows.study._measures import Measure, row_losses
from shallows.study._problem import Array, Problem
from shallows.study._together import Recipe

ALPHA = 0.025  # one-sided; with the locked rows' consent false alarms are rarer still
WEAK_AREA, WEAK_CORRELATION = 0.7, 0.3
DRAWS = 200
BLOCKS = 20  # of a series, that are drawn as wholes


@dataclass(frozen=True)
class Verdict:
    """Whether the target can be predicted better than by a constant.

    Parameters
    ----------
    level : {"found", "weak", "nothing"}
        The answer.
    ranking_name : str
        What `ranking` is: the area under the ROC curve, its mean over classes, or the rank
        correlation of answers with targets.
    ranking, low, high : float
        Its value over cross-validation and the locked rows, with a 95 % interval.
    no_ranking : float
        Its value for answers that have nothing to do with the target.
    skill : float
        Share of the constant's proper loss that the model saves, on the same rows.
    p_value : float
        Of a ranking as good by chance.
    confirmed : bool
        Whether the locked rows alone point the same way.

    Examples
    --------
    >>> from shallows.study._verdict import Verdict
    >>> "level" in Verdict.__dataclass_fields__
    True
    """

    level: str
    ranking_name: str
    ranking: float
    low: float
    high: float
    no_ranking: float
    skill: float
    p_value: float
    confirmed: bool


def judge(
    evidence: Evidence,
    recipe: Recipe,
    train: Problem,
    test: Problem,
    answers: Array,
    constant: Array,
    measure: Measure,
    seed: int,
) -> Verdict:
    """Weigh cross-validated answers and those to the locked rows against a constant answer.

    Folds share training rows, so the variance of the cross-validated ranking is multiplied by
    1 + K r, with K folds and r the size of a test fold over that of its training folds, after
    Nadeau and Bengio. The two rankings are then averaged by their precision.
    """
    rng = np.random.default_rng(seed)
    first = evidence.first
    seen = _Rows(
        evidence.y[first],
        recipe.answers[first],
        evidence.parts[first],
        _units(train, evidence.rows[first]),
    )
    locked = _Rows(test.y, answers, np.zeros(len(test.y), np.intp), _units(test))
    n_parts = len(np.unique(seen.parts))
    found = [(_ranking(rows), _spread(rows, rng)) for rows in (seen, locked)]
    spreads = [found[0][1] * np.sqrt(1 + n_parts * evidence.ratio), found[1][1]]
    weights = np.array([1 / max(spread, 1e-12) ** 2 for spread in spreads])
    value = float(np.dot(weights, [each[0] for each in found]) / weights.sum())
    error = float(1 / np.sqrt(weights.sum()))
    none = 0.5 if test.is_classification else 0.0
    p_value = float(norm.sf((value - none) / error))

    # The proper loss saved, on rows that no answer has learned from.
    losses = np.concatenate([recipe.losses[first], row_losses(measure, test.y, answers)])
    usual = np.concatenate([evidence.constant.losses[first], row_losses(measure, test.y, constant)])
    skill = float(1 - losses.mean() / usual.mean()) if usual.mean() > 0 else 0.0
    confirmed = bool(found[1][0] > none)
    level = "nothing"
    if p_value < ALPHA and skill > 0 and confirmed:
        weak = value < (WEAK_AREA if test.is_classification else WEAK_CORRELATION)
        level = "weak" if weak else "found"
    name = "area under the ROC curve" if test.is_classification else "rank correlation"
    if len(test.classes) > 2:
        name = "mean area under the ROC curves of the classes"
    top = 1.0
    low, high = value - 1.96 * error, min(value + 1.96 * error, top)
    return Verdict(level, name, value, low, high, none, skill, p_value, confirmed)


@dataclass(frozen=True)
class _Rows:
    """Targets and answers of rows, the parts within which they are ranked, and their units."""

    y: Array
    answers: Array
    parts: Array
    units: Array | None  # groups or blocks, where rows are not independent


def _units(problem: Problem, places: Array | slice = slice(None)) -> Array | None:
    """Return which rows belong together: groups, or blocks of a series."""
    if problem.groups is not None:
        return np.asarray(problem.groups[places])
    if problem.order is not None:
        order = problem.order[places]
        return np.argsort(np.argsort(order, kind="stable")) * BLOCKS // len(order)
    return None


def _ranking(rows: _Rows) -> float:
    """Return the mean over parts, weighted by their rows."""
    parts = [rows.parts == part for part in np.unique(rows.parts)]
    values = [_rank_score(rows.y[here], _ranks(rows.answers[here])) for here in parts]
    return _mean(values, [int(here.sum()) for here in parts])


def _mean(values: list[float], sizes: list[int]) -> float:
    found = np.isfinite(values)
    if not found.any():
        return 0.5
    return float(np.average(np.array(values)[found], weights=np.array(sizes)[found]))


def _spread(rows: _Rows, rng: np.random.Generator) -> float:
    """Return the standard deviation by chance: targets dealt out anew within parts.

    Where rows are not independent, whole groups or blocks are drawn as well, and the larger of
    the two deviations counts.
    """
    parts = [rows.parts == part for part in np.unique(rows.parts)]
    sizes = [int(here.sum()) for here in parts]
    ranks = [_ranks(rows.answers[here]) for here in parts]
    dealt = []
    for _ in range(DRAWS):
        pairs = zip(parts, ranks, strict=True)
        values = [_rank_score(rng.permutation(rows.y[here]), own) for here, own in pairs]
        dealt.append(_mean(values, sizes))
    spread = float(np.std(dealt))
    if rows.units is None:
        return spread
    members = [np.flatnonzero(rows.units == unit) for unit in np.unique(rows.units)]
    drawn = []
    for _ in range(DRAWS):
        some = np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
        drawn.append(_ranking(_Rows(rows.y[some], rows.answers[some], rows.parts[some], None)))
    return max(spread, float(np.std(drawn)))


def _ranks(answers: Array) -> Array:
    """Return the ranks of answers, by column for classes; of two classes the second tells all."""
    if answers.ndim == 2 and answers.shape[1] == 2:
        answers = answers[:, 1:]
    return np.asarray(rankdata(answers, axis=0))


def _rank_score(y: Array, ranks: Array) -> float:
    """Return the area under the ROC curve, over classes its mean, or Spearman's correlation."""
    if ranks.ndim == 1:
        own = rankdata(y)
        if np.ptp(own) == 0 or np.ptp(ranks) == 0:
            return 0.0
        return float(np.corrcoef(own, ranks)[0, 1])
    codes = [1] if ranks.shape[1] == 1 else range(ranks.shape[1])
    areas = []
    for column, code in enumerate(codes):
        hits = y == code
        n, rest = int(hits.sum()), int((~hits).sum())
        if n and rest:
            areas.append((ranks[hits, column].sum() - n * (n + 1) / 2) / (n * rest))
    return float(np.mean(areas)) if areas else np.nan
