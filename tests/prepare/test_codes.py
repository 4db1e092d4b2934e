"""Codes of symbols and targets."""

import numpy as np
import pandas as pd
import pytest

from shallows.prepare import BinaryEncoder, ThermometerEncoder, code_targets, decide

SIZES = [["small", "medium", "large", "huge"]]


def test_thermometer_distance_is_the_distance_of_ranks():
    codes = ThermometerEncoder(SIZES).fit_transform([[s] for s in SIZES[0]])
    ranks = np.arange(4)
    city_block = np.abs(codes[:, None] - codes).sum(axis=-1)
    assert np.array_equal(city_block, np.abs(ranks[:, None] - ranks))
    assert np.array_equal(codes.sum(axis=1), ranks)


@pytest.mark.parametrize("k", range(1, 18))
def test_binary_code_has_the_shortest_length_and_distinct_codes(k):
    symbols = [[f"s{i:02d}"] for i in range(k)]
    codes = BinaryEncoder().fit_transform(symbols)
    assert codes.shape == (k, max(1, int(np.ceil(np.log2(k)))))
    assert len(np.unique(codes, axis=0)) == k
    assert codes @ 2 ** np.arange(codes.shape[1])[::-1] == pytest.approx(np.arange(k))


@pytest.mark.parametrize("encoder", [ThermometerEncoder(), BinaryEncoder()])
def test_round_trip_of_mixed_columns_with_names(encoder):
    frame = pd.DataFrame({"size": list("cabca"), "count": [3, 1, 2, 7, 7]})
    codes = encoder.set_output(transform="pandas").fit_transform(frame)
    assert list(codes.columns) == list(encoder.get_feature_names_out())
    assert codes.columns[0] in ("size>a", "size_bit1")
    restored = encoder.inverse_transform(codes.to_numpy())
    assert np.array_equal(restored, frame.to_numpy(dtype=object))


def test_codes_refuse_what_they_do_not_know():
    encoder = BinaryEncoder().fit([["a"], ["b"], ["c"]])
    with pytest.raises(ValueError, match="unknown categories"):
        encoder.transform([["d"]])
    with pytest.raises(ValueError, match="not the code of any of its 3 symbols"):
        encoder.inverse_transform([[1, 1]])
    with pytest.raises(ValueError, match="must have 2 columns"):
        encoder.inverse_transform([[1, 1, 0]])


def test_targets_lie_inside_the_range_and_decode_back():
    y = np.array(["b", "a", "c", "a"])
    values, classes = code_targets(y)
    assert values.shape == (4, 3) and set(values.ravel()) == {0.1, 0.9}
    assert np.array_equal(decide(values, classes).labels, y)
    values, classes = code_targets([5, 7, 5], low=-0.9)
    assert values.tolist() == [-0.9, 0.9, -0.9]
    assert decide(values, classes, threshold=0.0).labels.tolist() == [5, 7, 5]
    with pytest.raises(ValueError, match="low must be smaller"):
        code_targets(y, low=0.9, high=0.1)
    with pytest.raises(ValueError, match="at least two classes"):
        code_targets([1, 1])


def test_one_hot_rows_decode_and_ties_follow_the_rule():
    classes = np.array(["a", "b", "c"])
    assert decide(np.eye(3)[[2, 0, 1]], classes).labels.tolist() == ["c", "a", "b"]
    tied = [[0.2, 0.9, 0.9], [1.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match=r"row 0 has no unique answer; .*ties='first'"):
        decide(tied, classes)
    assert decide(tied, classes, ties="first").labels.tolist() == ["b", "a"]
    assert decide(tied, classes, ties="first").answered.all()
    assert decide(tied, classes, ties="reject").answered.tolist() == [False, True]


def test_rejection_zone():
    outputs = np.linspace(0, 1, 11)
    found = decide(outputs, [0, 1], reject=0.15, ties="reject")
    assert outputs[~found.answered].round(1).tolist() == [0.4, 0.5, 0.6]
    assert np.array_equal(found.labels[found.answered], outputs[found.answered] > 0.5)
    several = decide([[0.8, 0.7, 0.1], [0.9, 0.1, 0.2]], list("abc"), reject=0.3)
    assert several.answered.tolist() == [False, True]
    with pytest.raises(ValueError, match="need 3 classes, got 2"):
        decide([[1, 2, 3]], ["a", "b"])
