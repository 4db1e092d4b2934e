"""Blocks on threads: order, nesting, forks, concurrent calls, joblib and Dask workers."""

import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import distributed
import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

import shallows._core.numerics.threads as module
from shallows._core.numerics.threads import (
    block_slices,
    hold_threads,
    limit_threads,
    map_blocks,
    n_threads,
    quick_lapack,
)
from shallows.prototype._glvq import glvq_epoch
from shallows.prototype._start import Samples

DATA = np.random.default_rng(0).normal(size=(10_000, 8))


def gram(rows):
    return DATA[rows].T @ DATA[rows]


def total(_=None):
    return sum(map_blocks(gram, len(DATA), 512))


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


def test_blocks_cover_all_rows_in_order():
    assert block_slices(5, 2) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert block_slices(0, 2) == []
    with limit_threads(3):
        assert map_blocks(lambda rows: rows.start, 10, 3) == [0, 3, 6, 9]


def test_bits_do_not_depend_on_the_number_of_threads():
    results = []
    for threads in (1, 2, 5):
        with limit_threads(threads):
            results.append(total())
    assert all(np.array_equal(results[0], other) for other in results[1:])


def test_blocks_really_run_at_the_same_time():
    barrier = threading.Barrier(3, timeout=10)
    with limit_threads(3):
        map_blocks(lambda rows: barrier.wait(), 3, 1)


def test_a_nested_call_stays_on_its_thread():
    def inner(rows):
        return threading.get_ident()

    def outer(rows):
        return {threading.get_ident(), *map_blocks(inner, 8, 1)}

    with limit_threads(2):
        assert all(len(idents) == 1 for idents in map_blocks(outer, 4, 1))


def test_a_call_does_not_wait_for_a_pool_that_others_keep_busy(monkeypatch):
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(module, "_pool", lambda: pool)
        release = threading.Event()
        other = pool.submit(release.wait, 30)
        with limit_threads(2):
            assert map_blocks(lambda rows: rows.start, 4, 1) == [0, 1, 2, 3]
        assert not other.done()
        release.set()


def test_an_error_in_a_block_reaches_the_caller_and_blas_is_restored():
    before = blas_threads()
    with limit_threads(2), pytest.raises(ZeroDivisionError):
        map_blocks(lambda rows: 1 / 0, 10, 1)
    assert blas_threads() == before


def test_blas_is_held_to_one_thread_inside_a_call():
    with limit_threads(2):
        assert map_blocks(lambda rows: blas_threads(), 4, 1) == [{1}] * 4


@pytest.mark.parametrize("direct", [True, False])
def test_blas_is_restored_after_overlapping_calls(direct, monkeypatch):
    if direct and module._openblas_switches() is None:
        pytest.skip("BLAS can be changed by threadpoolctl alone")
    if not direct:
        monkeypatch.setattr(module, "_openblas_switches", lambda: None)
    before = blas_threads()

    def call(_):
        with limit_threads(2):
            return map_blocks(lambda rows: (time.sleep(0.01), blas_threads())[1], 4, 1)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, range(8))) == [[{1}] * 4] * 8
    assert blas_threads() == before


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "NUMBA_NUM_THREADS"])
def test_the_environment_may_ask_for_fewer_threads(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert n_threads() == 1
    monkeypatch.setenv(name, "1000")
    assert n_threads() <= (os.cpu_count() or 1)


def _child(queue):
    queue.put(total())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_works_after_a_fork():
    with limit_threads(2):
        expected = total()
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        child = context.Process(target=_child, args=(queue,))
        child.start()
        assert np.array_equal(queue.get(timeout=30), expected)
        child.join(30)
    assert child.exitcode == 0


@pytest.fixture
def portable():
    """The same sum as a closure, which travels to a worker by value and makes its own data."""

    def work(_):
        data = np.random.default_rng(0).normal(size=(10_000, 8))
        return sum(map_blocks(lambda rows: data[rows].T @ data[rows], len(data), 512))

    return work


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_works_inside_joblib_workers(backend, portable):
    results = joblib.Parallel(2, backend=backend)(joblib.delayed(portable)(i) for i in range(4))
    assert all(np.array_equal(result, total()) for result in results)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("processes", [False, True])
def test_works_inside_dask_workers(processes, portable):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=processes, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        results = client.gather(client.map(portable, range(6), pure=False))
    assert all(np.array_equal(result, total()) for result in results)


def test_compiled_kernels_run_from_several_threads_at_once():
    labels, order = np.array([0, 1]), np.arange(len(DATA))
    y = (DATA[:, 0] > 0).astype(np.int64)

    def train(_):
        prototypes = np.zeros((2, 8))
        prototypes[0] -= 0.1
        samples = Samples(DATA, y, np.ones(len(DATA)))
        glvq_epoch(samples, order, prototypes, labels, 1.0, 0.1, prototypes)
        return prototypes

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(train, range(8)))
    assert all(np.array_equal(results[0], other) for other in results[1:])


def test_blas_can_be_held_to_one_thread_over_many_calls():
    def blas_threads():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    before = blas_threads()
    with hold_threads():
        assert blas_threads() == {1}
        assert map_blocks(lambda rows: rows.stop, 10, 5) == [5, 10]
        assert blas_threads() == {1}
    assert blas_threads() == before
    with quick_lapack(100):
        assert blas_threads() == {1}
    with quick_lapack(5000):
        assert blas_threads() == before
