"""Values that no constructor parameter expects, or few do."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.data import raising

# These ask for work or memory; a user who asks for much of it waits, which is no fault of ours.
ASKS_FOR_WORK = {
    "batch_size",
    "candidate_iter",
    "epochs_per_unit",
    "max_epochs",
    "max_iter",
    "max_units",
    "max_prototypes",
    "n_candidates",
    "n_estimators",
    "n_init",
    "n_samples",
    "n_restarts",
    "insert_every",
}
HUGE = 10**9

VALUES: dict[str, Any] = {
    "none": None,
    "nan": np.nan,
    "inf": np.inf,
    "minus_inf": -np.inf,
    "minus_one": -1,
    "zero": 0,
    "one": 1,
    "huge_int": HUGE,
    "larger_than_int64": 10**30,
    "half": 0.5,
    "tiny": 1e-300,
    "denormal": 5e-324,
    "huge": 1e300,
    "true": True,
    "empty_text": "",
    "unknown_text": "nonsense",
    "bytes": b"rbf",
    "empty_list": [],
    "list": [1, "a", None],
    "nested": ((1.0, 2.0), (3.0,)),
    "dictionary": {"a": 1},
    "array": np.array([1.0, 2.0]),
    "array_nan": np.array([1.0, np.nan]),
    "array_empty": np.empty((0, 3)),
    "raises": raising,
    "object": object(),
    "type": int,
    "numpy_int": np.int64(3),
    "complex": 1 + 1j,
}


def values_for(parameter: str) -> list[str]:
    """Return the names of the values that a parameter is to meet."""
    left_out = {"huge_int", "huge", "larger_than_int64"} if parameter in ASKS_FOR_WORK else set()
    return [name for name in VALUES if name not in left_out]
