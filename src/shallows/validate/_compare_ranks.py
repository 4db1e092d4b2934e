"""Comparison of several algorithms on several data sets, by their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, ndtr
from scipy.stats import rankdata, studentized_range

from shallows._core.contract.params import Fraction, check_value
from shallows.validate._adjust import Adjustment, adjust_p_values
from shallows.validate._inputs import Floats


@dataclass(frozen=True, eq=False)
class RankComparison:
    """Outcome of a comparison by ranks.

    Parameters
    ----------
    names : tuple of str
        The algorithms.
    mean_ranks : ndarray
        Their ranks, averaged over the data sets; 1 is best.
    n_sets : int
        Number of data sets.
    friedman, friedman_p : float
        Friedman's chi-square statistic, corrected for ties, and its p-value.
    iman_davenport, iman_davenport_p : float
        Iman and Davenport's less conservative form, by the F distribution, and its p-value.
    critical_difference : float
        Nemenyi's critical difference: mean ranks further apart than this differ significantly.
    level : float
        One minus the probability of any false rejection.

    Examples
    --------
    >>> from shallows.validate import compare_ranks
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> compare_ranks(scores).mean_ranks
    array([1.  , 2.25, 2.75])
    """

    names: tuple[str, ...]
    mean_ranks: Floats
    n_sets: int
    friedman: float
    friedman_p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    level: float

    @property
    def standard_error(self) -> float:
        """Standard deviation of a difference of mean ranks under the null hypothesis."""
        k = len(self.names)
        return float(np.sqrt(k * (k + 1) / (6 * self.n_sets)))

    def pairwise(self) -> Floats:
        """Return Nemenyi's p-values of all pairs.

        Returns
        -------
        p_values : ndarray of shape (n_algorithms, n_algorithms)
            Adjusted for the number of pairs.
        """
        gaps = np.abs(self.mean_ranks[:, None] - self.mean_ranks)
        scaled = gaps / self.standard_error * np.sqrt(2)
        p_values = np.ones_like(gaps)
        above = np.triu_indices(len(gaps), 1)
        p_values[above] = studentized_range.sf(scaled[above], len(gaps), np.inf)
        return np.minimum(p_values, p_values.T)

    def against(self, control: str, method: Adjustment = "holm") -> dict[str, float]:
        """Compare all others with one algorithm; this needs fewer tests than all pairs.

        Parameters
        ----------
        control : str
            Name of that algorithm.
        method : {"holm", "hochberg", "bonferroni"}, default="holm"
            Adjustment for the number of tests.

        Returns
        -------
        p_values : dict of str to float
            Adjusted p-value of each other algorithm.
        """
        if control not in self.names:
            raise ValueError(
                f"RankComparison has no algorithm {control!r}; there are {', '.join(self.names)}."
            )
        one = self.names.index(control)
        others = [k for k in range(len(self.names)) if k != one]
        z = np.abs(self.mean_ranks[others] - self.mean_ranks[one]) / self.standard_error
        adjusted = adjust_p_values(2 * ndtr(-z), method)
        return {self.names[k]: float(p) for k, p in zip(others, adjusted, strict=True)}

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest sets of algorithms whose ranks lie within the critical difference.

        Returns
        -------
        groups : list of tuple of str
            Best first, each in the order of the ranks; single algorithms are omitted.
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks = self.mean_ranks[order]
        ends = np.searchsorted(ranks, ranks + self.critical_difference, side="right")
        found, reached = [], 0
        # A run of ranks counts only if it reaches further than the run before; else it is part of
        # it.
        for start, end in enumerate(ends):
            if end > reached and end - start > 1:
                found.append(tuple(self.names[k] for k in order[start:end]))
            reached = max(reached, int(end))
        return found

    @property
    def sentence(self) -> str:
        """The outcome in plain words."""
        best = self.names[int(np.argmin(self.mean_ranks))]
        lead = f"Over {self.n_sets} data sets {best} has the best mean rank, "
        lead += f"{self.mean_ranks.min():.3g} of {len(self.names)}"
        found = f"p = {self.iman_davenport_p:.2g}"
        if self.iman_davenport_p > 1 - self.level:
            return f"{lead}, but the algorithms as a whole show no difference ({found})."
        return (
            f"{lead}; the algorithms differ ({found}), "
            f"pairs by more than {self.critical_difference:.3g} ranks."
        )

    def __str__(self) -> str:
        return self.sentence


def compare_ranks(
    scores: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    higher_is_better: bool = True,
    level: Fraction = 0.95,
) -> RankComparison:
    r"""Compare several algorithms on several data sets by their ranks.

    Friedman's test asks whether the mean ranks :math:`R_j` of :math:`k` algorithms on :math:`N`
    data sets differ more than chance allows. Iman and Davenport's form :math:`F = (N - 1) \chi^2 /
    (N (k - 1) - \chi^2)` has more power. Nemenyi's critical difference :math:`q \sqrt{k (k + 1) /
    (6 N)}` then separates pairs [1]_.

    Parameters
    ----------
    scores : array-like of shape (n_sets, n_algorithms)
        One score per data set and algorithm; at least 2 sets and 3 algorithms.
    names : sequence of str, optional
        Names of the algorithms; "1", "2", ... by default.
    higher_is_better : bool, default=True
        False for errors and times.
    level : float, default=0.95
        One minus the probability of any false rejection.

    Returns
    -------
    comparison : RankComparison
        Tests, mean ranks and critical difference; `critical_difference_chart` draws it.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of
       Machine Learning Research 7, 1-30, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import compare_ranks
    >>> skill = np.array([0.0, 0.0, 0.5, 1.0])
    >>> scores = skill + np.random.default_rng(0).normal(0, 0.5, size=(20, 4))
    >>> result = compare_ranks(scores, ["tree", "stump", "forest", "boosting"])
    >>> print(result)
    Over 20 data sets boosting has the best mean rank, 1.3 of 4; the algorithms differ
    (p = 1.7e-08), pairs by more than 1.05 ranks.
    >>> result.groups()
    [('boosting', 'forest'), ('forest', 'stump', 'tree')]
    """
    owner = "compare_ranks"
    check_value(owner, "level", Fraction, level)
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            f"{owner}: scores must have a row for each of at least 2 data sets and a column for "
            f"each of at least 3 algorithms, got shape {table.shape}; compare() takes two."
        )
    if np.isnan(table).any():
        raise ValueError(f"{owner}: scores must not be NaN; leave out sets without all scores.")
    n, k = table.shape
    words = tuple(str(j + 1) for j in range(k)) if names is None else tuple(names)
    if len(words) != k or len(set(words)) != k:
        raise ValueError(f"{owner}: names must be {k} different ones, got {names!r}.")
    ranks = rankdata(-table if higher_is_better else table, axis=1)
    mean_ranks: Any = ranks.mean(axis=0)
    # Friedman's statistic from the variance of the ranks, which ties make smaller.
    spread = np.sum((ranks - (k + 1) / 2) ** 2) / (n * (k - 1))
    if spread == 0:
        raise ValueError(f"{owner} needs scores that differ on some data set, got only ties.")
    chi2 = n * np.sum((mean_ranks - (k + 1) / 2) ** 2) / spread
    rest = n * (k - 1) - chi2
    statistic = (n - 1) * chi2 / rest if rest > 1e-9 else np.inf
    return RankComparison(
        words,
        mean_ranks,
        n,
        float(chi2),
        float(chdtrc(k - 1, chi2)),
        float(statistic),
        float(fdtrc(k - 1, (k - 1) * (n - 1), statistic)) if np.isfinite(statistic) else 0.0,
        float(_nemenyi(level, k) * np.sqrt(k * (k + 1) / (6 * n))),
        level,
    )


@cache
def _nemenyi(level: float, k: int) -> float:
    """Return the quantile of the range of k mean ranks; cached, because SciPy is slow."""
    return float(studentized_range.ppf(level, k, np.inf) / np.sqrt(2))
