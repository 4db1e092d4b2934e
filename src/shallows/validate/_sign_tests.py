"""Tests that use only the order of paired scores, or correct and wrong predictions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtri
from scipy.stats import binomtest, wilcoxon

from shallows.validate._comparison import Comparison
from shallows.validate._inputs import Floats, finite_pair
from shallows.validate._interval import clopper_pearson

EXACT_UP_TO = 50  # pairs, as in scipy.stats.wilcoxon


def sign(scores_a: ArrayLike, scores_b: ArrayLike, level: float, **words: Any) -> Comparison:
    """Count wins and losses; ties are ignored."""
    a, b = finite_pair("compare", scores_a, scores_b, least=1)
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    _refuse_ties("sign", wins + losses, len(a))
    result = binomtest(wins, wins + losses)
    low, high = map(float, clopper_pearson(wins, wins + losses, level))
    share = wins / (wins + losses)
    measure = "share of untied pairs won"
    return Comparison("sign test", wins, result.pvalue, share, low, high, measure, level, **words)


def signed_rank(scores_a: ArrayLike, scores_b: ArrayLike, level: float, **words: Any) -> Comparison:
    """Wilcoxon's test with the Hodges-Lehmann estimate of the shift."""
    a, b = finite_pair("compare", scores_a, scores_b)
    difference = a - b
    _refuse_ties("wilcoxon", int(np.count_nonzero(difference)), len(a))
    # Zero differences are split between both signs; without ties the exact distribution is used.
    zeros = "zsplit" if np.any(difference == 0) else "wilcox"
    ranked = np.abs(difference)
    plain = zeros == "wilcox" and len(np.unique(ranked)) == len(ranked)
    exact = plain and len(a) <= EXACT_UP_TO
    result = wilcoxon(difference, zero_method=zeros, method="exact" if exact else "asymptotic")
    # The interval's ends are order statistics of the Walsh means, the means of two differences.
    walsh = len(a) * (len(a) + 1) // 2
    cut = min(_left_out(len(a), (1 - level) / 2, exact), (walsh - 1) // 2)
    ordered = np.sort(difference)
    middle = (_walsh(ordered, (walsh + 1) // 2) + _walsh(ordered, walsh // 2 + 1)) / 2
    unbounded = exact and cut < 0
    low, high = (
        (-np.inf, np.inf) if unbounded else (_walsh(ordered, cut + 1), _walsh(ordered, walsh - cut))
    )
    measure = "typical difference of the scores (Hodges-Lehmann)"
    return Comparison(
        "Wilcoxon signed-rank test",
        float(result.statistic),
        float(result.pvalue),
        middle,
        low,
        high,
        measure,
        level,
        **words,
    )


def mcnemar(
    right_a: ArrayLike, right_b: ArrayLike, level: float, *, exact: bool, **words: Any
) -> Comparison:
    """Use the samples that only one of two classifiers predicts correctly."""
    a, b = finite_pair("compare", right_a, right_b, least=1)
    if not np.isin(np.concatenate([a, b]), (0, 1)).all():
        raise ValueError(
            "compare: McNemar's test takes 1 for each correctly predicted sample and 0 for the "
            "others, as y_pred == y_true gives them; got other values."
        )
    only_a, only_b = int(np.sum(a > b)), int(np.sum(a < b))
    discordant = only_a + only_b
    if discordant == 0:
        raise ValueError(
            "compare: McNemar's test needs a sample that one classifier predicts correctly and "
            f"the other does not, but there is none among {len(a)}."
        )
    binomial = binomtest(only_a, discordant)
    statistic: float = min(only_a, only_b)
    p_value = binomial.pvalue
    if not exact:
        statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / discordant
        p_value = float(chdtrc(1, statistic))
    share = (
        clopper_pearson(only_a, discordant, level)
        if exact
        else binomial.proportion_ci(level, method="wilsoncc")
    )
    # From the share of discordant samples that A wins to the difference of accuracies.
    low, high = ((2 * end - 1) * discordant / len(a) for end in share)
    return Comparison(
        "McNemar's exact test" if exact else "McNemar's chi-square test",
        statistic,
        p_value,
        (only_a - only_b) / len(a),
        float(low),
        float(high),
        "difference of the accuracies",
        level,
        **words,
    )


def _refuse_ties(test: str, n_untied: int, n: int) -> None:
    if n_untied == 0:
        raise ValueError(
            f"compare: test={test!r} needs at least one pair of scores that differ, got {n} ties."
        )


def _walsh(ordered: Floats, k: int) -> float:
    """Return the k-th smallest Walsh mean (of two differences, or one and itself)."""
    low, high = float(ordered[0]), float(ordered[-1])
    if _means_up_to(ordered, low) >= k:
        return low
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            return high
        if _means_up_to(ordered, middle) >= k:
            high = middle
        else:
            low = middle


def _means_up_to(ordered: Floats, limit: float) -> int:
    # Count ordered pairs with a mean up to the limit, plus the diagonal; half of it is the number
    # of unordered pairs.
    pairs = np.searchsorted(ordered, 2 * limit - ordered, side="right").sum()
    return int(pairs + np.searchsorted(ordered, limit, side="right")) // 2


def _left_out(n: int, tail: float, exact: bool) -> int:
    """Return how many Walsh means to drop at either end; -1 if the interval is unbounded."""
    if exact:
        return int(np.searchsorted(_signed_rank_cdf(n), tail, side="right")) - 1
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, int(np.floor(n * (n + 1) / 4 + ndtri(tail) * spread)))


@cache
def _signed_rank_cdf(n: int) -> Floats:
    # The sum of ranks with positive sign: each rank is added with probability 1/2.
    chance = np.ones(1)
    for rank in range(1, n + 1):
        longer = np.zeros(len(chance) + rank)
        longer[: len(chance)] += chance / 2
        longer[rank:] += chance / 2
        chance = longer
    return np.cumsum(chance)
