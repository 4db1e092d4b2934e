"""Playgrounds: typed parameters and a function that returns frames for a page to draw."""

from __future__ import annotations

import inspect
import warnings
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shallows._core.contract.params import check_value, hints_of
from shallows.lab._claim import Claim, judge
from shallows.lab._docstring import parse_docstring
from shallows.lab._parameters import Parameter
from shallows.lab._play_parameters import control_of, read_value


class Lesson(NamedTuple):
    """Do this, look at that, and why; `state` is the part of the address that it starts from."""

    title: str
    do: str
    look: str
    why: str
    state: str = ""


class Exercise(NamedTuple):
    """A question, and the answer that is hidden at first."""

    question: str
    answer: str
    state: str = ""


@dataclass(frozen=True)
class Scene:
    """What a page draws: frames to be played, and what all frames have in common.

    Parameters
    ----------
    frames : sequence of mapping
        One mapping of plain values and arrays per step.
    common : mapping
        Values and arrays that don't change from frame to frame.
    claims : sequence of Claim
        The theory's word on this very state.
    code : str
        Python that repeats it.
    """

    frames: Sequence[Mapping[str, Any]]
    common: Mapping[str, Any] = field(default_factory=dict)
    claims: Sequence[Claim] = ()
    code: str = ""


@dataclass(frozen=True)
class PlayDeclaration:
    """All that a page needs of a playground; it can be sent to another process."""

    name: str
    title: str
    text: str
    sources: str
    experiments: Sequence[str]
    controls: Sequence[Mapping[str, Any]]
    lessons: Sequence[Lesson]
    exercise: Exercise


class Playground:
    """A function from parameters to a scene, with lessons; made by the decorator `playground`."""

    def __init__(
        self,
        function: Callable[..., Scene],
        lessons: Sequence[Lesson],
        exercise: Exercise,
        experiments: Sequence[str],
        sources: str,
    ) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        words = parse_docstring(function.__doc__)
        hints = hints_of(function)
        self.parameters = {
            name: Parameter(name, hints[name], item.default, words.parameters.get(name, ""))
            for name, item in inspect.signature(function).parameters.items()
        }
        for name, item in self.parameters.items():
            check_value(self.name, name, item.hint, item.default)
        self.declaration = PlayDeclaration(
            self.name,
            words.title,
            words.text,
            sources,
            experiments,
            [control_of(item) for item in self.parameters.values()],
            lessons,
            exercise,
        )
        self._function = function

    def __call__(self, **values: Any) -> Scene:
        """Return the scene of these values, the others at their defaults."""
        for name, value in values.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters)
                raise ValueError(f"{self.name} has no parameter {name!r}; it takes {known}.")
            check_value(self.name, name, self.parameters[name].hint, value)
        from sklearn.exceptions import ConvergenceWarning  # the server does without scikit-learn

        with warnings.catch_warnings():  # a run may be shorter than it takes to converge
            warnings.simplefilter("ignore", ConvergenceWarning)
            for owner in ("diagnose", "LMS", "RandomForestClassifier"):  # one sees what they say
                warnings.filterwarnings("ignore", f"{owner}: ")
            return self._function(**values)

    def read(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """Return the values that an address means; raise ValueError for one that is not allowed."""
        return {
            name: read_value(self.name, self.parameters[name], text)
            if name in self.parameters
            else text
            for name, text in typed.items()
        }

    def answer(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """Return the scene of an address as plain values."""
        scene = self(**self.read(typed))
        return {
            "frames": [_plain(frame) for frame in scene.frames],
            "common": _plain(scene.common),
            "claims": [
                asdict(each) | {"shown": each.shown, "allowed": each.allowed}
                for each in scene.claims
            ],
            "code": scene.code,
        }


def playground(
    *,
    lessons: Sequence[Lesson],
    exercise: Exercise,
    experiments: Sequence[str] = (),
    sources: str = "",
) -> Callable[[Callable[..., Scene]], Playground]:
    """Turn a function into a playground; its hints state what its parameters allow."""
    return lambda function: Playground(function, lessons, exercise, experiments, sources)


def claim(text: str, measured: Any, **limits: Any) -> Claim:
    """Return a claim about the scene, judged; takes what `Run.claim` takes."""
    return judge("playground", text, measured, **limits)


def shade(values: ArrayLike, low: float, high: float) -> dict[str, Any]:
    """Return a field over a grid, rows from the bottom, as bytes from `low` (0) to `high` (255)."""
    grid: NDArray[Any] = np.asarray(values, dtype=float)
    level = np.clip((grid - low) / (high - low), 0, 1) * 255
    data = b64encode(np.rint(level).astype(np.uint8).tobytes()).decode()
    return {"rows": grid.shape[0], "columns": grid.shape[1], "data": data}


def _plain(value: Any) -> Any:
    """Return arrays as lists with five digits, which no picture tells from all of them."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return _rounded(value) if value.dtype.kind == "f" else value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.5g}") if np.isfinite(value) else None
    return value


def _rounded(values: NDArray[Any]) -> Any:
    """Return an array of floats as lists with five digits, None for what is no number."""
    flat = [float(f"{value:.5g}") for value in values.ravel().tolist()]
    if not np.isfinite(values).all():
        flat = [value if np.isfinite(value) else None for value in flat]  # type: ignore[misc]
    return np.array(flat, dtype=object).reshape(values.shape).tolist()
