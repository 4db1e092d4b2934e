"""Types used by several modules of this family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
ValueAndGradient = Callable[[Array], tuple[float, Array]]
Schedule = Callable[[int], float]
