"""The decorator that turns a function into an experiment."""

from __future__ import annotations

import functools
import inspect
import platform
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from shallows.lab._declaration import Declaration
from shallows.lab._docstring import parse_docstring
from shallows.lab._parameters import parameters_of
from shallows.lab._progress import Report
from shallows.lab._result import Result
from shallows.lab._run import Run
from shallows.lab._values import Value, plain

_PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "numba": "numba"}


class Experiment:
    """A function that records rows, figures and claims; a call runs it and returns a `Result`.

    Made by the decorator `experiment`.

    Parameters
    ----------
    function : callable
        Takes parameters with hints and defaults, and the keyword `run`.
    chapter : str
        The folder it stands in.
    sources : str
        Where the claims come from.
    quick : mapping
        Parameters for a run of a second or two.

    Examples
    --------
    >>> from shallows import lab
    >>> lab.find("gradient_regimes").quick
    {'n': 3, 'steps': 12}
    """

    def __init__(
        self,
        function: Callable[..., None],
        chapter: str,
        sources: str,
        quick: Mapping[str, Value],
    ):
        functools.update_wrapper(self, function)
        self.name = function.__name__
        self.chapter = chapter
        self.sources = sources
        self.title, self.text, words = parse_docstring(function.__doc__)
        self.parameters = {item.name: item for item in parameters_of(function, words)}
        self.quick = dict(quick)
        self._function = function
        self.__signature__ = inspect.Signature(
            [
                inspect.Parameter(
                    item.name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=item.default,
                    annotation=item.hint,
                )
                for item in self.parameters.values()
            ],
            return_annotation=Result,
        )
        self.check(self.quick)
        self.check({item.name: item.default for item in self.parameters.values()})

    def __call__(self, *args: Any, **parameters: Any) -> Result:
        """Run with the given parameters, the others at their defaults."""
        return self.run(self.__signature__.bind(*args, **parameters).arguments)

    def __repr__(self) -> str:
        return f"<experiment {self.name}{self.__signature__}>"

    @property
    def declaration(self) -> Declaration:
        """What it asks and takes, without the function."""
        return Declaration(
            self.name,
            self.chapter,
            self.sources,
            self.title,
            self.text,
            self.parameters,
            self.quick,
        )

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Raise ValueError for an unknown parameter or a value outside its hint."""
        self.declaration.check(parameters)

    def run(
        self,
        parameters: Mapping[str, Any],
        cancelled: Callable[[], bool] | None = None,
        report: Report | None = None,
    ) -> Result:
        """Run with the given parameters, the others at their defaults.

        Parameters
        ----------
        parameters : mapping
            Values by name.
        cancelled : callable, optional
            Asked while running; once it returns True the run ends with `Cancelled`.
        report : callable, optional
            Told how far the loops are, as a tuple of texts, steps done and steps in all.

        Returns
        -------
        Result
            What the run found.
        """
        self.check(parameters)
        values = {
            name: plain(f"{self.name}: {name}", parameters.get(name, item.default))
            for name, item in self.parameters.items()
        }
        seed = int(values.pop("seed") or 0)
        run = Run(self.name, seed, cancelled, report)
        start = time.perf_counter()
        try:
            self._function(**values, run=run)
        finally:
            run.close()
        return Result(
            name=self.name,
            chapter=self.chapter,
            title=self.title,
            text=self.text,
            sources=self.sources,
            parameters=values,
            seed=seed,
            tables=run.tables,
            figures=run.figures,
            claims=run.claims,
            notes=run.notes,
            seconds=time.perf_counter() - start,
            versions=_versions(),
        )


def experiment(
    *, chapter: str, sources: str = "", quick: Mapping[str, Value] | None = None
) -> Callable[[Callable[..., None]], Experiment]:
    """Turn a function into an experiment.

    The function's hints state what its parameters allow, its docstring what they mean. It
    records through the keyword `run`; a parameter `seed`, from which `run.rng` starts, is added.

    Parameters
    ----------
    chapter : str
        The folder of `shallows.lab` that the file stands in.
    sources : str
        Where the claims come from.
    quick : mapping, optional
        Parameters at which a run takes a second or two and all claims still hold.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> from shallows._core.contract.params import PositiveInt
    >>> from shallows.lab import Run, experiment
    >>> @experiment(chapter="demo", quick={"n": 10})
    ... def mean_of_uniform(n: PositiveInt = 1000, *, run: Run) -> None:
    ...     '''Do uniform numbers average one half?'''
    ...     run.claim("the mean is 1/2", run.rng.random(n).mean(), at_least=0.3, at_most=0.7)
    >>> mean_of_uniform(n=100).holds
    True
    """
    return lambda function: Experiment(function, chapter, sources, quick or {})


def _versions() -> dict[str, str]:
    loaded = {name: version(name) for module, name in _PACKAGES.items() if module in sys.modules}
    return {"python": platform.python_version(), "shallows": version("shallows"), **loaded}
