"""Theory of learning: what can be counted, bounded or predicted without training."""

from shallows.theory._dichotomies import (
    capacity_perceptron,
    count_ambiguous,
    count_dichotomies,
    fraction_separable,
    in_general_position,
    is_separable,
    log_count_dichotomies,
    separable_labelings,
)

__all__ = [
    "capacity_perceptron",
    "count_ambiguous",
    "count_dichotomies",
    "fraction_separable",
    "in_general_position",
    "is_separable",
    "log_count_dichotomies",
    "separable_labelings",
]
