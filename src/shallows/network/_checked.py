"""Options of an estimator that belong together, as one value."""

from __future__ import annotations

from shallows._core.contract.params import check_params


class Checked:
    """Makes a frozen dataclass refuse values outside its annotations."""

    def __post_init__(self) -> None:
        check_params(self)
