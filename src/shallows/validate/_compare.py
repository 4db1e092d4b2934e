"""One function for all tests that compare two algorithms."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from numpy.typing import ArrayLike

from shallows._core.contract.params import Fraction, PositiveFloat, check_value
from shallows.validate._comparison import Comparison
from shallows.validate._sign_tests import mcnemar, sign, signed_rank
from shallows.validate._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t

Test = Literal[
    "corrected-t",
    "paired-t",
    "5x2cv-t",
    "5x2cv-f",
    "sign",
    "wilcoxon",
    "mcnemar",
    "mcnemar-chi2",
]
TESTS: dict[str, Any] = {
    "corrected-t": corrected_t,
    "paired-t": paired_t,
    "5x2cv-t": five_by_two_t,
    "5x2cv-f": five_by_two_f,
    "sign": sign,
    "wilcoxon": signed_rank,
    "mcnemar": partial(mcnemar, exact=True),
    "mcnemar-chi2": partial(mcnemar, exact=False),
}


def compare(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    test: Test = "corrected-t",
    *,
    test_train_ratio: PositiveFloat | None = None,
    level: Fraction = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    r"""Test whether two algorithms differ, from scores on the same splits, sets or samples.

    ================  ======================================================================
    test              for
    ================  ======================================================================
    ``corrected-t``   scores of (repeated) cross-validation or random splits. Their training
                      sets overlap, so the variance of the mean is
                      :math:`(1/J + n_{test}/n_{train})\, s^2` and not :math:`s^2/J` [1]_
    ``paired-t``      independent pairs, such as one per data set, nearly normal
    ``5x2cv-t``       five 2-fold cross-validations, with little power [2]_
    ``5x2cv-f``       the same scores, combined [3]_
    ``sign``          pairs; only the sign of each difference is used
    ``wilcoxon``      independent pairs, not necessarily normal; robust against few outliers
    ``mcnemar``       one test set: 1 for each correctly predicted sample, else 0
    ``mcnemar-chi2``  the same by the chi-square approximation with continuity correction
    ================  ======================================================================

    Parameters
    ----------
    scores_a : array-like of shape (n,), or (5, 2) for the 5x2cv tests
        Scores of the first algorithm.
    scores_b : array-like of the same shape
        Scores of the second algorithm, in the same order.
    test : str, default="corrected-t"
        One of the tests above.
    test_train_ratio : float, optional
        For ``corrected-t``: size of a test set divided by the size of its training set, 1/9 in
        10-fold cross-validation, repeated or not.
    level : float, default=0.95
        Confidence level of the interval; the significance level of the test is ``1 - level``.
    names : tuple of str, default=("A", "B")
        Names of the two in the outcome.

    Returns
    -------
    comparison : Comparison
        Statistic, p-value, effect with its interval, and a sentence in words. The interval of
        ``5x2cv-f`` is NaN if the halvings vary so much that the test rejects every mean.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       239-281, 2003.
    .. [2] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923, 1998.
    .. [3] E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification learning
       algorithms", Neural Computation 11, 1885-1892, 1999.

    Examples
    --------
    >>> from shallows.validate import compare
    >>> forest = [0.93, 0.95, 0.91, 0.96, 0.94, 0.95, 0.92, 0.97, 0.93, 0.94]
    >>> tree = [0.91, 0.92, 0.92, 0.93, 0.91, 0.94, 0.92, 0.93, 0.90, 0.93]
    >>> print(compare(forest, tree, test_train_ratio=1 / 9, names=("forest", "tree")))
    forest against tree: mean difference of the scores 0.019 (95 % interval 0.00242 to 0.03558).
    forest and tree differ at the 5 % level (corrected resampled t-test, p = 0.029).
    >>> compare(forest, tree, test="wilcoxon").p_value < 0.05
    True
    """
    check_value("compare", "test", Test, test)
    check_value("compare", "level", Fraction, level)
    needed = test == "corrected-t"
    if needed and test_train_ratio is None:
        raise ValueError(
            "compare: test='corrected-t' needs test_train_ratio, the size of a test set divided by "
            "the size of its training set: 1 / (k - 1) for k-fold cross-validation."
        )
    if not needed and test_train_ratio is not None:
        raise ValueError(
            f"compare: test_train_ratio belongs to test='corrected-t', not to test={test!r}."
        )
    options: dict[str, Any] = {"level": level, "names": names}
    if needed:
        check_value("compare", "test_train_ratio", PositiveFloat, test_train_ratio)
        options["ratio"] = test_train_ratio
    result: Comparison = TESTS[test](scores_a, scores_b, **options)
    return result
