"""The process that measures one case at one size; it tells its parent what it is doing.

Called with one argument, the task as JSON. Writes lines of JSON: ``{"doing": side}`` before
each step, so that a crash or a hang is laid at the right door, and last ``{"done": report}``.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time

from benchmarks.harness.cases import load_cases
from benchmarks.harness.worker import describe, take_stdout

MOST_ROUNDS = 100


def main(task):
    """Build the comparison and measure the sides that the task names."""
    out = take_stdout()
    if hasattr(os, "sched_setaffinity"):  # for what counts cores instead of reading variables
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: task["threads"]])
    comparison = load_cases(task["family"])[task["case"]].build(**task["size"])

    sides = comparison.sides()
    measured = {name: sides[name] for name in task["sides"] or sides if name not in task["skip"]}
    log = Log(measured, out)
    if task["measure"] == "memory":
        measure_memory(measured, log)
    else:
        measure_time(measured, log, comparison.quality, task["budget"], task["rounds"])
    quality = [{"name": q.name, "better": q.better, "within": q.within} for q in comparison.quality]
    report = {"sides": list(sides), "quality": quality, "records": log.records}
    print(json.dumps({"done": report}), file=out)


class Log:
    """What was measured so far, by side."""

    def __init__(self, sides, out):
        self.records = {name: {} for name in sides}
        self._out = out

    @contextlib.contextmanager
    def step(self, name):
        """Announce a step; an exception ends this side, not the others."""
        print(json.dumps({"doing": name}), file=self._out)
        try:
            yield self.records[name]
        except Exception as error:
            self.records[name]["error"] = describe(error)

    def healthy(self):
        """Return the sides without an error."""
        return [name for name, record in self.records.items() if "error" not in record]


def measure_time(sides, log, qualities, budget, rounds):
    """Warm up, then take turns for at least `rounds` rounds and until `budget` is spent."""
    for name, side in sides.items():
        with log.step(name) as record:
            side.start()
            record["version"] = side.version()
            record["first_call"] = side.seconds()
            record["seconds"] = []

    begin, done = time.perf_counter(), 0
    while log.healthy() and done < MOST_ROUNDS:
        if done >= rounds and time.perf_counter() - begin > budget:
            break
        # Back and forth, so that no side always runs in the wake of the same other.
        for name in log.healthy()[:: 1 if done % 2 == 0 else -1]:
            with log.step(name) as record:
                record["seconds"].append(sides[name].seconds())
        done += 1

    for name in log.healthy():
        with log.step(name) as record:
            result = sides[name].result
            record["quality"] = {q.name: finite(q.of(result)) for q in qualities}
            sides[name].stop()


def measure_memory(sides, log):
    """Peak memory of each side; the parent asks for one side per process."""
    for name, side in sides.items():
        with log.step(name) as record:
            side.start()
            record["peak_bytes"] = side.peak()


def finite(number):
    """Return a float, or None for what JSON cannot say."""
    return float(number) if math.isfinite(number) else None


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
