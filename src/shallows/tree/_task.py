"""What trees are grown for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows.tree._growth import Rules
from shallows.tree._ranks import Ranks


class Task(NamedTuple):
    """Ranks of the columns, labels or targets of all samples, and the rules of growth.

    `y` has class indices, or, with no classes, targets in columns, with a mean near zero.
    """

    ranks: Ranks
    y: np.ndarray
    n_classes: int
    rules: Rules

    @property
    def widest_subset(self) -> int:
        """Most categories of a column, if questions are about subsets of them."""
        categories = self.ranks.n_values[self.ranks.is_category]
        return int(categories.max(initial=0)) if self.rules.multiway == "subset" else 0
