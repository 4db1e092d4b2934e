"""The result of a test of two algorithms, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Outcome of a test of two algorithms.

    Parameters
    ----------
    test : str
        The test, in words.
    statistic : float
        Its statistic.
    p_value : float
        Two-sided probability of a statistic at least as extreme if the algorithms are equal.
    effect : float
        Lead of the first over the second.
    low, high : float
        Interval of the effect. It excludes "no difference" if the test rejects.
    measure : str
        What the effect measures.
    level : float
        Level of the interval; the test rejects if the p-value is at most ``1 - level``.
    names : tuple of str
        The two algorithms.

    Examples
    --------
    >>> from shallows.validate import Comparison
    >>> print(Comparison("sign test", 8, 0.039, 0.89, 0.52, 0.99, "share of pairs won"))
    A against B: share of pairs won 0.89 (95 % interval 0.52 to 0.99). A and B differ
    at the 5 % level (sign test, p = 0.039).
    """

    test: str
    statistic: float
    p_value: float
    effect: float
    low: float
    high: float
    measure: str
    level: float = 0.95
    names: tuple[str, str] = ("A", "B")

    @property
    def significant(self) -> bool:
        """Whether the test rejects equality."""
        return self.p_value <= 1 - self.level

    @property
    def sentence(self) -> str:
        """The outcome in plain words."""
        first, second = self.names
        percent = f"{100 * (1 - self.level):.4g} % level"
        found = f"({self.test}, p = {self.p_value:.2g})"
        if self.significant:
            verdict = f"{first} and {second} differ at the {percent} {found}."
        else:
            verdict = (
                f"The data show no difference at the {percent} {found}; "
                "that is no proof that there is none."
            )
        return (
            f"{first} against {second}: {self.measure} {self.effect:.4g} "
            f"({100 * self.level:.4g} % interval {self.low:.4g} to {self.high:.4g}). {verdict}"
        )

    def __str__(self) -> str:
        return self.sentence
