"""The version space of a finite class of hypotheses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import Any


class FiniteVersionSpace:
    """The hypotheses of a finite class that agree with all examples seen.

    A version space never changes: `update` returns a smaller one.

    Parameters
    ----------
    hypotheses : dict of str to callable
        Functions that map an instance to a label, by name.

    Attributes
    ----------
    names : tuple of str
        Names of the remaining hypotheses.

    Examples
    --------
    >>> from shallows.theory import FiniteVersionSpace
    >>> space = FiniteVersionSpace({"even": lambda i: i % 2 == 0, "below 11": lambda i: i < 11})
    >>> space.update(4, True).update(2, True).names
    ('even', 'below 11')
    >>> space.update(7, True).names
    ('below 11',)
    """

    def __init__(self, hypotheses: Mapping[str, Callable[[Any], Hashable]]):
        self.hypotheses = dict(hypotheses)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the remaining hypotheses."""
        return tuple(self.hypotheses)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def update(self, x, y) -> FiniteVersionSpace:
        """Return the version space without the hypotheses that contradict an example.

        Parameters
        ----------
        x : object
            Instance.
        y : object
            Its label.

        Returns
        -------
        space : FiniteVersionSpace
            The remaining hypotheses, perhaps none.
        """
        return FiniteVersionSpace(
            {name: rule for name, rule in self.hypotheses.items() if rule(x) == y}
        )

    def votes(self, x) -> dict[Hashable, int]:
        """Count the answers of the hypotheses to one instance.

        Parameters
        ----------
        x : object
            Instance.

        Returns
        -------
        votes : dict
            Number of hypotheses by label.
        """
        return dict(Counter(rule(x) for rule in self.hypotheses.values()))

    def is_informative(self, x) -> bool:
        """Return whether the label of an instance would exclude some hypothesis.

        Parameters
        ----------
        x : object
            Instance.

        Returns
        -------
        informative : bool
            Whether the hypotheses disagree about it.
        """
        return len(self.votes(x)) > 1
