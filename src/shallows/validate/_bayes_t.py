"""A Bayesian comparison of two algorithms from cross-validation scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from shallows._core.contract.params import Fraction, NonNegativeFloat, PositiveFloat, check_value
from shallows.validate._inputs import finite_pair


@dataclass(frozen=True)
class BayesianComparison:
    """Posterior probabilities that an algorithm is better, worse, or equivalent in practice.

    Parameters
    ----------
    better, equivalent, worse : float
        Probability that the mean difference is above, inside or below the region of practical
        equivalence.
    effect : float
        Mean of the posterior: the lead of the first algorithm.
    low, high : float
        Interval that contains the difference with probability `level`.
    rope : float
        Half width of the region of practical equivalence.
    level : float
        Probability of the interval.
    names : tuple of str
        The two algorithms.

    Examples
    --------
    >>> from shallows.validate import BayesianComparison
    >>> print(BayesianComparison(0.9, 0.08, 0.02, 0.02, 0.0, 0.04, rope=0.01))
    A is better than B with probability 0.900, worse with 0.020; with 0.080 they differ
    by 0.01 at most.
    """

    better: float
    equivalent: float
    worse: float
    effect: float
    low: float
    high: float
    rope: float
    level: float = 0.95
    names: tuple[str, str] = ("A", "B")

    @property
    def sentence(self) -> str:
        """The outcome in plain words."""
        first, second = self.names
        text = (
            f"{first} is better than {second} with probability {self.better:.3f}, "
            f"worse with {self.worse:.3f}"
        )
        if self.rope == 0:
            return text + "."
        return text + f"; with {self.equivalent:.3f} they differ by {self.rope:.4g} at most."

    def __str__(self) -> str:
        return self.sentence


def compare_bayes(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    test_train_ratio: PositiveFloat,
    rope: NonNegativeFloat = 0.01,
    level: Fraction = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> BayesianComparison:
    r"""Return the probabilities that one algorithm is better, worse, or practically equal.

    The differences of :math:`J` splits are modelled as normal with equal correlation :math:`\rho =
    n_{test} / (n_{test} + n_{train})`. With the usual flat prior, the mean difference follows a
    Student distribution around the observed mean, with :math:`J - 1` degrees of freedom and the
    scale of the corrected resampled t-test [1]_. Unlike a p-value, these probabilities can support
    equality.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_splits,)
        Scores of two algorithms on the same splits, higher is better.
    test_train_ratio : float
        Size of a test set over that of its training set, 1/9 in 10-fold cross-validation.
    rope : float, default=0.01
        Differences up to this size don't matter in practice.
    level : float, default=0.95
        Probability of the interval.
    names : tuple of str, default=("A", "B")
        Names of the two in the outcome.

    Returns
    -------
    comparison : BayesianComparison
        Three probabilities that add up to 1.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demsar and M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18(77), 1-36, 2017.

    Examples
    --------
    >>> from shallows.validate import compare_bayes
    >>> forest = [0.93, 0.95, 0.91, 0.96, 0.94, 0.95, 0.92, 0.97, 0.93, 0.94]
    >>> tree = [0.91, 0.92, 0.92, 0.93, 0.91, 0.94, 0.92, 0.93, 0.90, 0.93]
    >>> print(compare_bayes(forest, tree, test_train_ratio=1 / 9, names=("forest", "tree")))
    forest is better than tree with probability 0.875, worse with 0.002; with 0.124 they differ
    by 0.01 at most.
    """
    owner = "compare_bayes"
    check_value(owner, "test_train_ratio", PositiveFloat, test_train_ratio)
    check_value(owner, "rope", NonNegativeFloat, rope)
    check_value(owner, "level", Fraction, level)
    a, b = finite_pair(owner, scores_a, scores_b)
    difference = a - b
    mean, freedom = difference.mean(), len(difference) - 1
    # The factor of the variance is that of the corrected resampled t-test, 1/J + n_test/n_train.
    scale = np.sqrt((1 / len(difference) + test_train_ratio) * difference.var(ddof=1))
    if not scale > 1e-12 * np.abs(difference).max():
        raise ValueError(
            f"{owner} needs differences that vary, got {len(difference)} times {mean:.4g}."
        )
    better, worse = (float(stdtr(freedom, (side * mean - rope) / scale)) for side in (1, -1))
    reach = stdtrit(freedom, 0.5 + level / 2) * scale
    return BayesianComparison(
        better,
        max(0.0, 1 - better - worse) if rope else 0.0,
        worse,
        float(mean),
        float(mean - reach),
        float(mean + reach),
        float(rope),
        level,
        names,
    )
