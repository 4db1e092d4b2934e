"""Claims: the theory's word against the run's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from shallows.lab._values import Value, plain, shorten

_FORMS = ({"expected", "within"}, {"at_least"}, {"at_most"}, {"at_least", "at_most"}, {"holds"})


@dataclass(frozen=True)
class Claim:
    """One sentence of the theory, what the run measured, and whether it holds.

    Parameters
    ----------
    text : str
        The sentence.
    measured : bool, int, float, str or None
        What the run found.
    holds : bool
        The verdict.
    expected, within : float, optional
        The theory's number and the largest accepted distance to it.
    at_least, at_most : float, optional
        Bounds, instead of a number; with neither, the experiment judged the claim itself.
    probability : float, optional
        Chance that the claim fails although the theory is right.

    Examples
    --------
    >>> Claim("half of them", 0.47, True, expected=0.5, within=0.05).allowed
    '0.5 ± 0.05'
    """

    text: str
    measured: Value
    holds: bool
    expected: float | None = None
    within: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    probability: float | None = None

    @property
    def allowed(self) -> str:
        """What the theory allows, in short."""
        if self.expected is not None:
            tolerance = f" ± {self.within:.2g}" if self.within else " exactly"
            return f"{self.expected:.6g}{tolerance}"
        low = "" if self.at_least is None else f"≥ {self.at_least:.6g}"
        high = "" if self.at_most is None else f"≤ {self.at_most:.6g}"
        return " and ".join(filter(None, (low, high))) or "as stated"

    @property
    def shown(self) -> str:
        """The measured value, shortened for reading."""
        return shorten(self.measured)


def judge(
    owner: str,
    text: str,
    measured: Any,
    *,
    holds: bool | None = None,
    probability: float | None = None,
    **limits: float | None,
) -> Claim:
    """Return the claim with its verdict; refuse one that can't fail or can't be read.

    Parameters
    ----------
    owner : str
        The experiment's name, for messages.
    text : str
        The claim as a sentence.
    measured : number, bool or str
        What the run found. NaN never holds.
    holds : bool, optional
        The experiment's own verdict, instead of limits.
    probability : float in (0, 1), optional
        Chance that a true claim fails.
    **limits : float
        `expected` and `within`, or `at_least` and/or `at_most`.

    Returns
    -------
    Claim
        The judged claim.

    Examples
    --------
    >>> judge("dice", "a fair die", 0.17, expected=1 / 6, within=0.01).holds
    True
    >>> judge("dice", "a fair die", float("nan"), at_most=1).holds
    False
    """
    owner = f"{owner}: claim {text!r}"
    given = {
        name: _finite(owner, name, limit) for name, limit in limits.items() if limit is not None
    }
    form = {*given, "holds"} if holds is not None else set(given)
    if form not in _FORMS:
        raise ValueError(
            f"{owner} needs expected and within, or at_least and/or at_most, or holds, "
            f"got {', '.join(sorted(form)) or 'none of them'}."
        )
    if probability is not None and not 0 < probability < 1:
        raise ValueError(f"{owner}: probability must lie in (0, 1), got {probability}.")

    value = plain(f"{owner}: measured", measured)
    if isinstance(value, float) and math.isnan(value):
        verdict = False
    elif holds is not None:
        verdict = bool(holds)
    elif isinstance(value, int | float):
        verdict = _within(value, given)
    else:
        raise TypeError(f"{owner}: measured must be a number, got {value!r}.")
    return Claim(text, value, verdict, probability=probability, **given)


def _finite(owner: str, name: str, limit: float) -> float:
    number = float(limit)
    if not math.isfinite(number) or (name == "within" and number < 0):
        allowed = "finite and not negative" if name == "within" else "finite"
        raise ValueError(f"{owner}: {name} must be {allowed}, got {number}.")
    return number


def _within(value: float, limits: dict[str, float]) -> bool:
    if "expected" in limits:
        return abs(value - limits["expected"]) <= limits["within"]
    return limits.get("at_least", -math.inf) <= value <= limits.get("at_most", math.inf)
