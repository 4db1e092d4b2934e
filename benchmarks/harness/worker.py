"""Seconds and memory of one call. As a script: serve both from another environment.

That environment holds neither `shallows` nor the harness, so this file imports nothing
but the standard library, and NumPy once it serves.
"""

import ctypes
import gc
import importlib
import json
import os
import sys
import time
from pathlib import Path

FORGET_PEAK = Path("/proc/self/clear_refs")


def seconds(work):
    """Call `work`; return how long it took, and its result."""
    gc.collect()
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def peak(work):
    """Return by how many bytes a call raises the resident memory at its peak.

    A first call compiles, imports and fills pools; the second is measured. Linux resets
    its high-water mark on request, so the answer belongs to that call alone. Elsewhere it
    is the growth of the mark over the whole life of the process: a lower bound.
    """
    work()
    gc.collect()
    if FORGET_PEAK.exists():
        return_free_memory()
        FORGET_PEAK.write_text("5")
    before = high_water_mark()
    work()
    return high_water_mark() - before


def return_free_memory():
    """Give freed memory back to the system; reused, it would not be seen."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def high_water_mark():
    if FORGET_PEAK.exists():
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.split("VmHWM:")[1].split()[0])
    import resource

    mark = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return mark if sys.platform == "darwin" else 1024 * mark


def describe(error):
    return f"{type(error).__name__}: {error}"


def take_stdout():
    """Return a stream on standard output, which from now on nobody else writes to."""
    stream = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return stream


class Peer:
    """A file with `fit` and `result`, and the data to call them with."""

    def __init__(self, file, data):
        import numpy as np

        with np.load(data) as arrays:
            self.data = {name: a if a.ndim else a.item() for name, a in arrays.items()}
        self.file = Path(file)

    def load(self):
        """Import the file."""
        sys.path.insert(0, str(self.file.parent))
        self.module = importlib.import_module(self.file.stem)

    def fit(self):
        """Do the work that is measured."""
        return self.module.fit(**self.data)

    def seconds(self):
        """Return how long one fit takes, and keep the model."""
        self.model = None
        took, self.model = seconds(self.fit)
        return took

    def peak(self):
        """Return the bytes a fit needs at its peak."""
        return peak(self.fit)

    def save(self, file):
        """Write the arrays that describe the model."""
        import numpy as np

        np.savez(file, **self.module.result(self.model))


def serve(file, data):
    """Call the methods named on standard input; answer each with a line of JSON."""
    answers = take_stdout()
    peer = Peer(file, data)
    for line in sys.stdin:
        method, *arguments = line.split()
        try:
            answer = {"value": getattr(peer, method)(*arguments)}
        except Exception as error:
            answer = {"error": describe(error)}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    serve(*sys.argv[1:])
