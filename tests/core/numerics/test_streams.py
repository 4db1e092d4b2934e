"""Folding over arrays, memory-mapped files and Dask arrays; merged moments."""

import dask.array as da
import numpy as np
import pytest
from sklearn.base import BaseEstimator

from shallows._core.numerics import moments, streams
from shallows._core.numerics.streams import check_stream, fold, is_stream, row_blocks, sample_rows

DATA = np.random.default_rng(0).normal(3.0, 2.0, size=(1000, 7))


def memmap(tmp_path, values):
    path = tmp_path / "data.npy"
    np.save(path, values)
    return np.load(path, mmap_mode="r")


def stored(kind, tmp_path, values=DATA):
    if kind == "array":
        return values
    if kind == "memmap":
        return memmap(tmp_path, values)
    return da.from_array(values, chunks=(173, 3))


KINDS = pytest.mark.parametrize("kind", ["array", "memmap", "dask"])


@KINDS
def test_blocks_are_all_rows_in_order(kind, tmp_path):
    blocks = list(row_blocks(stored(kind, tmp_path), block_bytes=7 * 8 * 64))
    assert len(blocks) > 3
    assert np.array_equal(np.concatenate(blocks), DATA)


@KINDS
def test_moments_of_a_stream_equal_those_of_the_array(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "BLOCK_BYTES", 4096)
    found = fold(stored(kind, tmp_path), moments.accumulate, moments.merge)
    assert found.weight == 1000
    np.testing.assert_allclose(found.mean, DATA.mean(0), rtol=1e-13)
    np.testing.assert_allclose(found.covariance(ddof=1), np.cov(DATA.T), rtol=1e-12)


@KINDS
def test_integers_become_floats_and_bad_values_are_refused(kind, tmp_path):
    integers = stored(kind, tmp_path, np.arange(20).reshape(10, 2))
    assert next(row_blocks(integers)).dtype == np.float64
    bad = DATA.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="contain NaN or infinity"):
        fold(stored(kind, tmp_path, bad), moments.accumulate, moments.merge)


@KINDS
def test_sampled_rows_are_rows(kind, tmp_path):
    rows = sample_rows(stored(kind, tmp_path), 50, np.random.default_rng(1))
    found = (rows[:, None] == DATA).all(2).argmax(1)
    assert len(set(found)) == 50 and (np.diff(found) > 0).all()


def test_what_is_a_stream(tmp_path):
    assert not is_stream(DATA)
    assert is_stream(stored("memmap", tmp_path)) and is_stream(stored("dask", tmp_path))


def test_check_stream_sets_the_number_of_features_and_refuses_other_shapes(tmp_path):
    model = BaseEstimator()
    check_stream(model, stored("memmap", tmp_path))
    assert model.n_features_in_ == 7
    with pytest.raises(ValueError, match="BaseEstimator takes an array of shape"):
        check_stream(model, da.zeros(3))
    unknown = da.from_array(DATA)
    with pytest.raises(ValueError, match=r"must know the number of rows .* compute_chunk_sizes"):
        check_stream(model, unknown[unknown[:, 0] > 0])


def test_weighted_moments_equal_repetition():
    weights = np.random.default_rng(2).integers(1, 4, size=1000)
    found = moments.accumulate(DATA, weights.astype(float))
    repeated = np.repeat(DATA, weights, axis=0)
    np.testing.assert_allclose(found.mean, repeated.mean(0), rtol=1e-12)
    np.testing.assert_allclose(found.covariance(), np.cov(repeated.T, ddof=0), rtol=1e-12)


def test_float32_moments_are_summed_in_float64():
    far = (np.random.default_rng(3).normal(size=(200_000, 2)) + 1000).astype(np.float32)
    found = moments.accumulate(far)
    assert found.scatter.dtype == np.float64
    np.testing.assert_allclose(found.covariance(1), np.cov(far.astype(float).T), atol=2e-6)


def test_merging_does_not_cancel_far_from_the_origin():
    far = DATA + 1e8
    found = moments.merge(moments.accumulate(far[:300]), moments.accumulate(far[300:]))
    np.testing.assert_allclose(found.covariance(1), np.cov(DATA.T), rtol=1e-6)
