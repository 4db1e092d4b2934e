"""Random numbers: the public `random_state` becomes one NumPy Generator per fit.

Parts that may run in parallel each take a stream of `rng.spawn(n)`, one per part and
not one per worker, so that a result does not depend on the number of workers.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range

RandomState = Annotated[int, Range(0)] | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a Generator; an int always gives the same stream.

    A Generator is used as it is and advances; a RandomState gives one draw as seed.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint32))
    return np.random.default_rng(random_state)
