"""Experiments that check the theory: each one records rows, draws figures and states claims.

`import shallows.lab` loads nothing; a name's module is imported when the name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shallows._core.showing.figures import (
        Drawing,
        Figure,
        bars,
        figure_png,
        figure_svg,
        heatmap,
        histogram,
        line,
        region_columns,
        regions,
        scatter,
    )
    from shallows.lab._catalogue import check_all, find, run
    from shallows.lab._claim import Claim
    from shallows.lab._draw_error_surface import draw_error_surface
    from shallows.lab._draw_version_space import draw_version_space
    from shallows.lab._experiment import Experiment, experiment
    from shallows.lab._progress import Cancelled
    from shallows.lab._result import Result
    from shallows.lab._run import Run
    from shallows.lab._time_model import time_model
    from shallows.lab._trace_perceptron import PerceptronTrace, trace_perceptron

__all__ = [
    "Cancelled",
    "Claim",
    "Drawing",
    "Experiment",
    "Figure",
    "PerceptronTrace",
    "Result",
    "Run",
    "bars",
    "check_all",
    "draw_error_surface",
    "draw_version_space",
    "experiment",
    "figure_png",
    "figure_svg",
    "find",
    "heatmap",
    "histogram",
    "line",
    "region_columns",
    "regions",
    "run",
    "scatter",
    "time_model",
    "trace_perceptron",
]

_MODULES = {
    "shallows._core.showing.figures": (
        "Drawing",
        "Figure",
        "bars",
        "figure_png",
        "figure_svg",
        "heatmap",
        "histogram",
        "line",
        "region_columns",
        "regions",
        "scatter",
    ),
    "shallows.lab._catalogue": ("check_all", "find", "run"),
    "shallows.lab._claim": ("Claim",),
    "shallows.lab._draw_error_surface": ("draw_error_surface",),
    "shallows.lab._draw_version_space": ("draw_version_space",),
    "shallows.lab._time_model": ("time_model",),
    "shallows.lab._trace_perceptron": ("PerceptronTrace", "trace_perceptron"),
    "shallows.lab._experiment": ("Experiment", "experiment"),
    "shallows.lab._progress": ("Cancelled",),
    "shallows.lab._result": ("Result",),
    "shallows.lab._run": ("Run",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
