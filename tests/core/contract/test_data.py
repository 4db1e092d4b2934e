"""Data checks: dtype, order, labels, weights, sequences and wording."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from shallows._core.contract.data import (
    check_labelled,
    check_new,
    check_outputs,
    check_regression,
    check_rows,
    check_sequences,
    check_unlabelled,
    check_weights,
    hold_out,
    signed_labels,
)


class Model(BaseEstimator):
    def fit(self, X, y=None):
        return self


X = np.arange(12.0).reshape(6, 2)
Y = np.array(["b", "a", "b", "c", "a", "c"])


def test_labels_become_indices_and_rows_of_weight_zero_disappear():
    model = Model()
    data, y, weights = check_labelled(model, X, Y, [1, 2, 0, 1, 1, 1])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert y.tolist() == [1, 0, 2, 0, 2]
    assert weights.tolist() == [1, 2, 1, 1, 1] and len(data) == 5


def test_each_column_of_labels_has_classes_of_its_own():
    model = Model()
    data, indices = check_outputs(model, X, np.c_[Y, ["z"] * 6])
    assert [classes.tolist() for classes in model.classes_] == [["a", "b", "c"], ["z"]]
    assert indices.tolist() == [[1, 0], [0, 0], [1, 0], [2, 0], [0, 0], [2, 0]]
    assert np.shares_memory(data, X) and not data.flags.writeable


def test_no_copy_without_need():
    assert np.shares_memory(check_unlabelled(Model(), X)[0], X)
    assert check_unlabelled(Model(), X.astype(np.float32))[0].dtype == np.float32
    assert check_unlabelled(Model(), X.astype(int))[0].dtype == np.float64
    assert check_unlabelled(Model(), np.asfortranarray(X))[0].flags.c_contiguous


def test_plain_arrays_need_no_further_check_and_all_else_gets_it(monkeypatch):
    def stop(*_, **__):
        raise RuntimeError("called")

    monkeypatch.setattr("shallows._core.contract.data.validate_data", stop)
    model, values = Model(), np.arange(6.0)
    assert check_regression(model, X, values)[1].tolist() == values.tolist()
    assert check_new(model, X + 1).shape == (6, 2) and model.n_features_in_ == 2
    hole = np.where(X == 3, np.nan, X)
    frame = pd.DataFrame(X)
    strange = [hole, hole * 0 + np.inf, X[:0], X[:, :0], X.ravel(), X.astype(object), X[:, ::-1]]
    for given in [*strange, X.astype(int), np.asfortranarray(X), X.tolist(), frame, csr_array(X)]:
        with pytest.raises(RuntimeError, match="called"):
            check_unlabelled(Model(), given, sparse=True)
    others = [None, values[:5], values[:, None], values.tolist(), values.astype(str), hole[:, 1]]
    for targets in others:
        with pytest.raises(RuntimeError, match="called"):
            check_regression(Model(), X, targets, multi_output=False)
    with pytest.raises(RuntimeError, match="called"):
        check_new(model, X[:, :1])
    model.feature_names_in_ = np.array(["a", "b"])
    for check in (check_new, check_unlabelled):
        with pytest.raises(RuntimeError, match="called"):
            check(model, X)


def test_kernels_always_see_the_same_kind_of_array():
    raw = np.zeros(X.nbytes + 4, dtype=np.uint8)
    misaligned = raw[4:].view(np.float64).reshape(X.shape)
    for given in (X, X.astype(np.float32), X.astype(int), X[::-1], misaligned):
        flags = check_unlabelled(Model(), given)[0].flags
        assert flags.c_contiguous and flags.aligned and not flags.writeable
    assert X.flags.writeable


def test_one_class_and_unknown_labels_are_refused():
    with pytest.raises(ValueError, match=r"Model needs at least 2 classes, got 1 class: 0\.0\."):
        check_labelled(Model(), X, np.zeros(6))
    model = Model()
    check_labelled(model, X, Y)
    with pytest.raises(ValueError, match=r"Model: y holds 'd', which is not one of the classes"):
        check_labelled(model, X[:1], np.array(["d"]), reset=False)


def test_floats_are_labels_where_they_are_whole():
    model = Model()
    _, indices, _ = check_labelled(model, X, np.array([1.0, -1, 1, 1, -1, 1]))
    assert indices.tolist() == [1, 0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match="continuous"):
        check_labelled(model, X, np.array([0.5, 1, 1, 1, 0, 0]))


def test_rows_without_weights_are_those_with_weights():
    data = check_rows(Model(), X.tolist())
    np.testing.assert_array_equal(data, check_unlabelled(Model(), X)[0])
    assert not data.flags.writeable
    with pytest.raises(ValueError, match="NaN"):
        check_rows(Model(), X * [np.nan, 1])
    assert np.isnan(check_rows(Model(), X * [np.nan, 1], allow_nan=True)).any()


def test_classes_of_a_first_block_may_be_named():
    model = Model()
    _, y, _ = check_labelled(model, X[:1], np.array([2]), classes=[3, 2, 1])
    assert model.classes_.tolist() == [1, 2, 3] and y.tolist() == [1]


def test_sparse_is_refused_by_name_or_kept():
    sparse = csr_array(X)
    with pytest.raises(TypeError, match="Model takes dense arrays only, got a sparse matrix"):
        check_unlabelled(Model(), sparse)
    kept, _, _ = check_labelled(Model(), sparse, Y, [1, 1, 0, 1, 1, 1], sparse=True)
    assert kept.format == "csr" and kept.shape == (5, 2)


def test_regression_targets_take_the_dtype_of_X():
    _, y, _ = check_regression(Model(), X.astype(np.float32), np.arange(6))
    assert y.dtype == np.float32
    _, y, _ = check_regression(Model(), X, X)
    assert y.shape == (6, 2)
    with pytest.raises(ValueError, match="1d array"):
        check_regression(Model(), X, X, multi_output=False)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"must have shape \(3,\), one weight per sample, got shape \(2,\)"),
        ([1, -1, 1], "finite and not negative"),
        ([1, np.nan, 1], "finite and not negative"),
        ([0, 0, 0], "at least one non-zero weight, got only zeros"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)


def test_signed_labels():
    assert signed_labels(np.array([0, 1, 1])).tolist() == [-1, 1, 1]


def test_sequences_are_joined_and_found_again():
    parts = [X[:2], X[2:3], X[3:]]
    model = Model()
    joined = check_sequences(model, parts)
    cuts = zip(joined.starts[:-1], joined.starts[1:], strict=True)
    assert all(np.array_equal(joined.values[a:b], p) for (a, b), p in zip(cuts, parts, strict=True))
    assert check_sequences(Model(), X).starts.tolist() == [0, 6]
    with pytest.raises(ValueError, match="3 features, but Model is expecting 2"):
        check_sequences(Model(), [X, np.zeros((2, 3))])
    gap = np.where(np.arange(X.size).reshape(X.shape) == 3, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        check_sequences(Model(), gap)
    assert np.isnan(check_sequences(Model(), gap, allow_nan=True).values).sum() == 1


def test_new_data_must_have_the_features_of_fit():
    model = Model()
    check_unlabelled(model, X)
    model.fitted_ = True
    assert check_new(model, X[:1]).shape == (1, 2)
    with pytest.raises(ValueError, match="3 features, but Model is expecting 2"):
        check_new(model, np.zeros((1, 3)))


def test_hold_out_takes_its_share_of_each_class_and_never_the_last_row():
    y = np.repeat([0, 1, 2], [40, 20, 1])
    rows = np.arange(61.0)[:, None]
    rng = np.random.default_rng(0)
    kept, held = hold_out(rows, y, np.ones(61), 0.25, rng, stratify=True)
    assert np.bincount(held[1], minlength=3).tolist() == [10, 5, 0]
    assert sorted(np.r_[kept[0], held[0]].ravel()) == list(range(61))
    with pytest.raises(ValueError, match=r"validation_fraction=0\.01 of 3 samples leaves none"):
        hold_out(rows[:3], y[:3], np.ones(3), 0.01, rng, stratify=True)


def test_missing_values_pass_only_where_allowed():
    gaps = np.where(X == 3, np.nan, X)
    model = Model()
    assert np.isnan(check_labelled(model, gaps, Y, allow_nan=True)[0]).sum() == 1
    assert np.isnan(check_unlabelled(model, gaps, allow_nan=True)[0]).sum() == 1
    assert np.isnan(check_new(model, gaps, allow_nan=True)).sum() == 1
    for refused in (lambda: check_labelled(model, gaps, Y), lambda: check_new(model, gaps)):
        with pytest.raises(ValueError, match="NaN"):
            refused()
    with pytest.raises(ValueError, match="infinity"):
        check_new(model, np.where(X == 3, np.inf, X), allow_nan=True)


def test_text_is_refused_with_its_place():
    table = pd.DataFrame({"size": [1.0, 2.0], "code": ["7", "8"], "kind": ["1", "abc"]})
    with pytest.raises(ValueError, match="Model: X must hold numbers, but column 'kind' holds 'a"):
        check_labelled(Model(), table, [0, 1])
    with pytest.raises(ValueError, match="could not convert string to float: 'x'"):
        check_labelled(Model(), [["x"], ["1"]], ["a", "b"])  # labels may be text
    model = Model()
    check_unlabelled(model, table[["size", "code"]])
    with pytest.raises(ValueError, match="column 'code' holds 'x'"):
        check_new(model, table[["size", "code"]].assign(code=["7", "x"]))
    for y in (["1", "b"], pd.Series(["1", "b"], dtype=object), np.array(["1", "b"])):
        with pytest.raises(ValueError, match="Model: y must hold numbers, got 'b'"):
            check_regression(Model(), table[["size"]], y)
    assert check_regression(Model(), table[["size"]], ["1", "2.5"])[1].tolist() == [1.0, 2.5]
