"""All experiments, found by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from shallows._core.contract import registry
from shallows._core.contract.registry import Entry
from shallows.lab._experiment import Experiment
from shallows.lab._result import Result


def experiments() -> list[Entry]:
    """Return the entry of every experiment, without importing any."""
    return list(registry.experiments())


def find(name: str) -> Experiment:
    """Return the experiment of that name; hyphens count as underscores.

    Parameters
    ----------
    name : str
        Its name, e.g. ``"angle_error"``.

    Returns
    -------
    Experiment
        Ready to be called.

    Examples
    --------
    >>> find("angle-error").chapter
    'theory'
    """
    known = {entry.name: entry for entry in experiments()}
    wanted = name.replace("-", "_")
    if wanted in known:
        found: Experiment = known[wanted].load()
        return found
    close = get_close_matches(wanted, known, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(close)}" if close else "`shallows list lab` names them all"
    raise ValueError(f"There is no experiment {name!r}; {hint}{'?' if close else '.'}")


def run(name: str, **parameters: Any) -> Result:
    """Run one experiment.

    Parameters
    ----------
    name : str
        Its name.
    **parameters : number, str, bool or None
        Values inside the experiment's bounds, and `seed`.

    Returns
    -------
    Result
        What the run found.

    Examples
    --------
    >>> run("gradient_regimes", n=3).holds
    True
    """
    return find(name)(**parameters)


def check_all(quick: bool = False) -> list[Result]:
    """Run every experiment.

    Parameters
    ----------
    quick : bool
        Take the small sizes that the experiments name for tests.

    Returns
    -------
    list of Result
        One per experiment, in the order of `shallows list lab`.

    Examples
    --------
    >>> from shallows import lab
    >>> all(result.holds for result in lab.check_all(quick=True))  # doctest: +SKIP
    True
    """
    found = [find(entry.name) for entry in experiments()]
    return [experiment.run(experiment.quick if quick else {}) for experiment in found]
