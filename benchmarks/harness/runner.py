"""Start the measuring processes and join what they report."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import psutil
from benchmarks.harness.sides import ROOT

THREAD_VARIABLES = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
]


@dataclass(frozen=True)
class Settings:
    """How to measure: the same for every side."""

    threads: int
    budget: float = 10.0
    rounds: int = 3
    timeout: float = 600.0


def measure(family, case, size, settings):
    """Measure a case at one size, first its time, then each side's memory."""
    task = {"family": str(family), "case": case, "size": size, "sides": None, "skip": []}
    task |= {key: getattr(settings, key) for key in ("threads", "budget", "rounds")}
    result = {"case": case, "size": size, "error": None, "quality": [], "sides": {}}

    failed = {}
    while True:
        before = processor_time()
        report, guilty, reason = run_child(task | {"measure": "time"}, settings)
        busy, own, wall = processor_time() - before
        if report is not None or guilty is None:
            break
        # The others deserve their numbers: once more without the one that broke the process.
        failed[guilty] = {"error": reason}
        task["skip"].append(guilty)
    if report is None:
        return result | {"error": reason}

    records = failed | report["records"]
    result |= {"quality": report["quality"], "sides": {s: records[s] for s in report["sides"]}}
    result["others"] = max(0.0, busy - own) / (wall * os.cpu_count())
    for name, record in result["sides"].items():
        if "error" not in record:
            only = {"measure": "memory", "sides": [name]}
            report, _, reason = run_child(task | only, settings)
            found = report["records"][name] if report else {"error": reason}
            record |= {"memory_error" if key == "error" else key: v for key, v in found.items()}
    result["comparisons"] = [compare(result, peer) for peer in result["sides"] if peer != "ours"]
    return result


def run_child(task, settings):
    """Return a child's report, or None with the side it was busy with and what happened."""
    variables = os.environ | dict.fromkeys(THREAD_VARIABLES, str(settings.threads))
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.harness.child", json.dumps(task)],
            cwd=ROOT,
            env=variables | {"TMPDIR": scratch},
            stdout=subprocess.PIPE,
            bufsize=0,  # select sees only what has not been read ahead
            start_new_session=True,
        )
        busy_with = None
        try:
            while select.select([process.stdout], [], [], settings.timeout)[0]:
                line = process.stdout.readline()
                if not line:
                    return None, busy_with, ending(process.wait())
                message = json.loads(line)
                if "done" in message:
                    return message["done"], None, None
                busy_with = message["doing"]
            return None, busy_with, f"no answer within {settings.timeout:g} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with what it started
            process.wait()
            process.stdout.close()


def processor_time():
    """Seconds of processor that the machine and that this run used so far, and the clock."""
    machine, run = psutil.cpu_times(), os.times()
    own = run.user + run.system + run.children_user + run.children_system
    return np.array([machine.user + machine.nice + machine.system, own, run.elapsed])


def ending(code):
    """Say in words how a process ended."""
    if code < 0:
        return f"crashed with {signal.Signals(-code).name}"
    return f"ended with exit code {code}; its message is above"


def compare(result, peer):
    """Set ours against a peer: how many times faster, and where worse."""
    ours, other = result["sides"]["ours"], result["sides"][peer]
    verdict = {"peer": peer, "ratio": None, "slower": False, "worse": []}
    if "error" in ours or "error" in other:
        return verdict
    verdict["ratio"] = min(other["seconds"]) / min(ours["seconds"])
    verdict["slower"] = verdict["ratio"] < 1
    verdict["worse"] = [
        measure["name"]
        for measure in result["quality"]
        if is_worse(ours["quality"][measure["name"]], other["quality"][measure["name"]], measure)
    ]
    return verdict


def is_worse(ours, other, measure):
    """Judge one quality; None stands for a value that is not finite."""
    if other is None:
        return False
    if ours is None:
        return True
    loss = ours - other if measure["better"] == "smaller" else other - ours
    return loss > measure["within"] * abs(other)
