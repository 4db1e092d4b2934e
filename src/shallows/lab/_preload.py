"""Everything that runs need, imported once; processes are then forked from this one.

Nothing here may start a thread: a forked process would lack it, and miss its locks.
"""

import gc
import os
from contextlib import suppress

from shallows._core.contract.registry import playgrounds
from shallows.lab import _tasks
from shallows.lab._catalogue import experiments

__all__ = ["_tasks"]

_server = os.getppid()
if hasattr(os, "setpgrp"):
    os.setpgrp()  # signals for the server's group are not for this process

for _entry in [*experiments(), *playgrounds()]:
    if os.getppid() != _server:
        raise SystemExit  # the server is gone
    with suppress(Exception):  # the page of that experiment says why it can't be imported
        _entry.load()

# Forked processes share these objects as long as the collector leaves them alone.
gc.collect()
gc.freeze()
