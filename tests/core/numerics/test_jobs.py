"""`n_jobs` as the number of threads."""

import pytest

from shallows._core.numerics.threads import limit_threads, n_threads, threads_of, uses_jobs
from shallows.linear import LinearRegression


class Worker:
    def __init__(self, n_jobs):
        self.n_jobs = n_jobs

    @uses_jobs
    def threads(self):
        return n_threads()


def test_a_method_gets_the_threads_that_its_estimator_names():
    assert Worker(3).threads() == 3
    assert Worker(None).threads() == n_threads()
    assert Worker("wrong").threads() == n_threads()  # which check_params refuses


def test_negative_numbers_count_from_all_cores(monkeypatch):
    monkeypatch.setattr("shallows._core.numerics.threads._cores", lambda: 4)
    assert [threads_of(n) for n in (-1, -2, -4, -9)] == [4, 3, 1, 1]


def test_a_limit_outside_holds():
    with limit_threads(2):
        assert Worker(5).threads() == 2 and Worker(1).threads() == 1


@pytest.mark.parametrize("n_jobs", [0, 1.5, True])
def test_other_values_are_refused(n_jobs):

    with pytest.raises(ValueError, match="n_jobs must be"):
        LinearRegression(n_jobs=n_jobs).fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 2.0])
