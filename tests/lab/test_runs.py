import sys

import pytest

from lab.odd_experiments import ENTRIES, coin
from lab.serving import is_alive, wait_for
from shallows.lab._limits import Limits
from shallows.lab._runs import QueueFullError, Runs


@pytest.fixture
def runs():
    made = Runs(at_once=1, most_waiting=2, most_kept=4)
    yield made
    made.close()


def ended(runs, job):
    return wait_for(lambda: (now := runs.find(job.id)) and not now.active and now)


def test_a_run_in_its_own_process_gives_the_same_result(runs):
    job = ended(runs, runs.start(ENTRIES["coin"], {"n": 7, "seed": 3}))
    assert job.state == "done"
    here = coin(n=7, seed=3)
    assert job.result.tables == here.tables
    assert job.result.claims == here.claims
    assert job.result.parameters == here.parameters
    assert job.seconds > 0
    assert job.seconds == job.seconds
    assert job.failure is None


def test_a_run_that_raises_says_what_and_where(runs):
    job = ended(runs, runs.start(ENTRIES["stopping"], {}))
    assert job.state == "failed"
    assert job.failure.message == "ZeroDivisionError: unlucky <b>day</b>"
    assert "odd_experiments.py" in job.failure.trace
    assert job.result is None


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("leave", "Its process ended with exit code 3 and without a result."),
        ("die", "Its process was ended by the system (Segmentation fault)."),
    ],
)
def test_a_run_that_vanishes_is_noticed(runs, how, message):
    job = ended(runs, runs.start(ENTRIES["vanishing"], {"how": how}))
    assert job.state == "failed"
    assert job.failure.message == message


def test_parameters_are_checked_once_more_where_they_are_used(runs):
    job = ended(runs, runs.start(ENTRIES["coin"], {"n": 501}))
    assert job.failure.message == "ValueError: coin: n must be int in [1, 500], got 501."


def begun(runs, job):
    """Wait until the inner loop of the endless one is reported."""
    return wait_for(lambda: len(loops := runs.find(job.id).loops) == 2 and loops)


def test_cancel_ends_the_process_and_those_it_has_started(runs):
    job = runs.start(ENTRIES["endless"], {})
    outer, inner = begun(runs, job)
    assert outer == ("outer", 0, 3)
    assert inner[1:] == (0, None)
    pid, child = runs._at_work[job.id].pid, int(inner.text)
    assert is_alive(pid)
    assert is_alive(child)
    runs.cancel(job.id)
    assert runs.find(job.id).state == "cancelled"
    assert runs.find(job.id).loops == ()
    wait_for(lambda: not is_alive(pid) and not is_alive(child))
    runs.cancel(job.id)
    assert ended(runs, runs.start(ENTRIES["coin"], {})).state == "done"
    assert runs.find(job.id).state == "cancelled"


def test_those_who_wait_start_in_turn_and_the_line_has_an_end(runs):
    first = runs.start(ENTRIES["endless"], {})
    wait_for(lambda: runs.find(first.id).state == "running")
    second, third = [runs.start(ENTRIES["coin"], {"n": n}) for n in (1, 2)]
    with pytest.raises(
        QueueFullError,
        match="No more than 2 runs may wait, and as many do; cancel one, or run coin once one",
    ):
        runs.start(ENTRIES["coin"], {})
    assert [job.state for job in runs.all()] == ["running", "waiting", "waiting"]
    runs.cancel(second.id)
    assert runs.find(second.id).seconds == 0
    fourth = runs.start(ENTRIES["coin"], {"n": 3})
    runs.cancel(first.id)
    assert ended(runs, fourth).result.parameters["n"] == 3
    assert runs.find(third.id).state == "done"
    assert runs.find(second.id).state == "cancelled"


def test_the_oldest_ended_runs_are_forgotten(runs):
    long = runs.start(ENTRIES["endless"], {})
    wait_for(lambda: runs.find(long.id).state == "running")
    for _ in range(5):
        last = runs.start(ENTRIES["coin"], {})
        runs.cancel(last.id)
    assert len(runs.all()) == 5
    runs.cancel(long.id)
    kept = [job.id for job in runs.all()]
    assert len(kept) == 4
    assert kept[2:] == [last.id, long.id]


def test_closing_ends_all(runs):
    job = runs.start(ENTRIES["endless"], {})
    waiting = runs.start(ENTRIES["coin"], {})
    child = int(begun(runs, job)[1].text)
    runs.close()
    assert {runs.find(job.id).state, runs.find(waiting.id).state} == {"cancelled"}
    assert runs._at_work == {}
    wait_for(lambda: not is_alive(child))


def test_a_process_that_can_not_be_started_is_reported(runs, monkeypatch):
    def fail(*_):
        raise OSError("no more processes")

    monkeypatch.setattr("multiprocessing.context.ForkServerProcess.start", fail)
    job = ended(runs, runs.start(ENTRIES["coin"], {}))
    assert job.failure.message == "Its process could not be started: no more processes"


def test_a_run_ends_at_its_limit_of_time():
    runs = Runs(at_once=1, limits=Limits(seconds=3))
    job = ended(runs, runs.start(ENTRIES["endless"], {}))
    runs.close()
    assert job.failure.limit == "time"
    assert job.failure.message.startswith("It took longer than the 3 s that a run may take")
    assert 3 <= job.seconds < 6


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the memory of a process")
def test_a_run_ends_at_its_limit_of_memory():
    runs = Runs(at_once=1, limits=Limits(bytes=500_000_000))
    job = ended(runs, runs.start(ENTRIES["hungry"], {}))
    runs.close()
    assert job.failure.limit == "memory"
    assert job.failure.message.startswith("It needed more than the 0.5 GB of memory that a run")
