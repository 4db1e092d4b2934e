"""Tasks with answers that depend on past inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shallows._core.contract.rng import as_generator


@dataclass(frozen=True)
class TemporalTask:
    """An input signal and the desired output signal.

    Parameters
    ----------
    inputs : array-like of shape (n_steps,) or (n_steps, n_inputs)
        Signal u.
    outputs : array-like of shape (n_steps,) or (n_steps, n_outputs)
        Desired output signal y.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.signal import TemporalTask
    >>> task = TemporalTask([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0])
    >>> task.loss(lambda u: u)
    1.0
    """

    inputs: np.ndarray
    outputs: np.ndarray

    def __post_init__(self) -> None:
        for name in ("inputs", "outputs"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        if len(self.inputs) != len(self.outputs) or not len(self.inputs):
            raise ValueError(
                "TemporalTask: inputs and outputs must have the same number of steps, at least "
                f"one, got {len(self.inputs)} and {len(self.outputs)}."
            )

    def split(self, at: int) -> tuple[TemporalTask, TemporalTask]:
        """Return the task before a given step, and from that step on.

        Parameters
        ----------
        at : int
            The step.

        Returns
        -------
        before, after : TemporalTask
            The two parts.
        """
        return (
            TemporalTask(self.inputs[:at], self.outputs[:at]),
            TemporalTask(self.inputs[at:], self.outputs[at:]),
        )

    def loss(self, system: Callable, washout: int = 0) -> float:
        """Return the time average of the squared errors of a system.

        Parameters
        ----------
        system : callable
            Takes the inputs and returns outputs.
        washout : int, default=0
            Initial steps that are ignored.

        Returns
        -------
        loss : float
            Mean squared error.
        """
        gaps = np.asarray(system(self.inputs), dtype=np.float64) - self.outputs
        return float(np.mean(gaps[washout:] ** 2))


def memory_span(
    system: Callable, length: int = 200, *, tol: float = 1e-9, random_state=0
) -> tuple[int, bool]:
    """Measure how far back a system remembers, and whether it is causal.

    One value of a random signal is changed, and the outputs that change with it are counted.

    Parameters
    ----------
    system : callable
        Takes a signal and returns one of the same length.
    length : int, default=200
        Steps of the signal; the largest measurable span is half of it.
    tol : float, default=1e-9
        Changes up to this size are ignored.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the signal.

    Returns
    -------
    span : int
        Number of inputs that an output depends on, including the present one.
    causal : bool
        Whether no output depends on future inputs.

    Examples
    --------
    >>> from shallows.signal import memory_span, transversal_filter
    >>> memory_span(lambda x: transversal_filter(x, [1.0, 0.0, 0.5]))
    (3, True)
    """
    x = as_generator(random_state).standard_normal(length)
    middle = length // 2
    other = x.copy()
    other[middle] += 1.0
    changed = np.abs(np.asarray(system(other)) - np.asarray(system(x))) > tol
    after = np.flatnonzero(changed[middle:])
    return (int(after[-1]) + 1 if len(after) else 0), not changed[:middle].any()
