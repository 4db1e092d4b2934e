"""Why a task has no result."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Failure:
    """A sentence, where it happened, and the limit that was hit."""

    message: str
    trace: str = ""
    limit: Literal["", "time", "memory"] = ""


def failure_of(error: Exception) -> Failure:
    """Return the failure that an exception means."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    trace = "".join(traceback.format_exception(error))
    return Failure(f"{name}: {text}" if text else name, trace)
