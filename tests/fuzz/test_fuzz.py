"""The fuzzer sees what it looks for, and a small share of its cases ends well."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from fuzz.__main__ import COUNTED, wanted
from fuzz.cases import Outcome, all_cases, cases_of, judged, names_something, run
from fuzz.data import KINDS
from fuzz.workers import Limits, run_all

QUICK = Limits(seconds=1.0, wall_seconds=30.0)


def act(case):
    """Stand in for an estimator that misbehaves."""
    if case == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    while case == "never ends":
        pass
    if case == "is greedy":
        return judged("KMeans", lambda: {"predict": np.ones(1 << 40)})
    return Outcome("fine", case)


def test_a_dead_or_endless_process_is_counted_and_replaced():
    cases = ["one", "dies", "two", "never ends", "is greedy", "three"]
    found = dict(run_all(act, cases, 1, 100.0, QUICK))
    verdicts = [found[case].verdict for case in cases]
    assert verdicts == ["fine", "crash", "fine", "slow", "deep", "fine"]
    assert "SIGSEGV" in found["dies"].said and "1 seconds" in found["never ends"].said


def test_no_case_begins_when_the_time_is_over():
    started = time.monotonic()
    assert not list(run_all(act, ["one"] * 10, 1, 0.0, QUICK))
    assert time.monotonic() - started < 20


def raised(error):
    def action():
        raise error

    return judged("KMeans", action).verdict


def answered(values, warning=None):
    def action():
        if warning:
            warnings.warn("word", warning, stacklevel=1)
        return {"transform": np.array(values)}

    return judged("KMeans", action).verdict


def test_errors_from_deep_inside_are_told_from_those_of_a_check():
    """This file is not among those that check, so that its errors count as deep."""
    for error in (ValueError("X"), np.linalg.LinAlgError("X"), ZeroDivisionError("KMeans")):
        assert raised(error) == "deep"
    assert run("KMeans/n_clusters/minus_one").verdict == "refused"
    assert run("KMeans/data/gap").verdict == "refused"
    assert run("KMeans/data/plain").verdict == "fine"
    assert names_something("KMeans", "n_clusters must be positive")
    assert not names_something("KMeans", "index out of range")


def test_silent_nans_are_told_from_those_with_a_warning():
    assert answered([1.0, 2.0]) == "fine"
    assert answered([1.0, np.nan]) == answered([np.inf]) == "non-finite"
    assert answered([np.nan], RuntimeWarning) == "non-finite"  # NumPy's, which explain nothing
    assert answered([np.nan], UserWarning) == "fine"


def test_a_seed_fixes_the_cases_and_each_can_be_run_alone():
    part = all_cases(3, 0.001)
    assert part == all_cases(3, 0.001) != all_cases(4, 0.001)
    assert {"KMeans/data/huge", "KMeans/n_clusters/nan"} <= set(cases_of("KMeans"))
    assert wanted("KMeans/data/huge", ["KMeans/*"]) and not wanted("PCA/data/huge", ["KMeans/*"])
    assert len(KINDS) > 75
    command = [sys.executable, "-m", "fuzz", "--case", "KMeans/data/no_rows"]
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent / "src")])
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert "refused" in done.stdout and "0 sample(s)" in done.stdout


def bad_ones(cases):
    found = dict(run_all(run, cases, 2, 60.0))
    assert len(found) > 20
    return {case: outcome for case, outcome in found.items() if outcome.verdict in COUNTED}


def test_what_once_failed_is_refused_in_words():
    assert not bad_ones((Path(__file__).parent / "once_failed.txt").read_text().split())


@pytest.mark.fuzz
def test_a_small_share_of_all_cases_ends_well():
    """`make fuzz` runs them all."""
    assert not bad_ones(all_cases(0, 0.01))
