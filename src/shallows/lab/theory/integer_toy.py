"""Experiment: rules that agree on the examples but differ elsewhere."""

from __future__ import annotations

from typing import Annotated

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, heatmap
from shallows.theory import FiniteVersionSpace

EXAMPLES = {4: "A", 13: "B", 6: "A", 8: "A", 11: "B"}


@experiment(chapter="theory", sources="notes-000a M21", quick={"largest": 20})
def integer_toy(largest: Annotated[int, Range(15, 60)] = 25, *, run: Run) -> None:
    """Which rule is behind a few examples?

    The numbers 4, 6 and 8 are labelled A, 13 and 11 are labelled B. Three rules explain this: even
    or odd, below or above 11, composite or prime. The examples don't distinguish them, but one
    more well-chosen example does. A table of the examples also agrees, but for any other number it
    has only a default.

    Parameters
    ----------
    largest : int
        Numbers shown, from 1.
    """
    rules = {
        "even": lambda i: "A" if i % 2 == 0 else "B",
        "below 11": lambda i: "A" if i < 11 else "B",
        "not prime": lambda i: "B" if _is_prime(i) else "A",
        "table": lambda i: {**EXAMPLES, 2: "B", 15: "A"}.get(i, "B"),
    }
    space = FiniteVersionSpace(rules)
    for number, label in EXAMPLES.items():
        space = space.update(number, label)
    for number in run.progress(range(1, largest + 1)):
        for name, rule in rules.items():
            known = EXAMPLES.get(number) == rule(number)
            run.row(
                number=number,
                rule=name,
                answer=(1 if rule(number) == "A" else -1) * (1.0 if known else 0.5),
            )
    run.figure(
        heatmap(
            "number",
            "rule",
            "answer",
            diverging=True,
            title="Answers A (+) and B (-); the examples in full colour",
        )
    )
    names = ("even", "below 11", "not prime", "table")
    run.claim("rules left after five examples", len(space), len(names), within=0)
    for number, label in ((2, "B"), (15, "A")):
        left = space.update(number, label).names
        run.claim(
            f"one more, {number} is {label}: left besides the table",
            ", ".join(name for name in left if name != "table"),
            holds=left == ("not prime", "table"),
        )
    agreed = sum(not space.is_informative(i) for i in range(1, largest + 1) if i not in EXAMPLES)
    run.claim("other numbers on which all four rules agree", agreed, at_least=1)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % i for i in range(2, int(number**0.5) + 1))
