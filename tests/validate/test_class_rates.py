import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
    multilabel_confusion_matrix,
    precision_score,
    recall_score,
)

from shallows.validate import ClassRates, class_rates, macro_f1

COUNTS = arrays(int, st.integers(2, 5).map(lambda k: (k, k)), elements=st.integers(0, 30))


def labels(rng, n=200, k=4):
    y_true = rng.integers(k, size=n)
    return y_true, np.where(rng.random(n) < 0.6, y_true, rng.integers(k, size=n))


def test_counts_and_rates_are_scikit_learns():
    y_true, y_pred = labels(np.random.default_rng(0))
    rates = class_rates(y_true, y_pred)
    tables = multilabel_confusion_matrix(y_true, y_pred)
    np.testing.assert_array_equal(rates.tn, tables[:, 0, 0])
    np.testing.assert_array_equal(rates.fp, tables[:, 0, 1])
    np.testing.assert_array_equal(rates.fn, tables[:, 1, 0])
    np.testing.assert_array_equal(rates.tp, tables[:, 1, 1])
    np.testing.assert_allclose(rates.precision, precision_score(y_true, y_pred, average=None))
    np.testing.assert_allclose(rates.tpr, recall_score(y_true, y_pred, average=None))
    np.testing.assert_allclose(rates.f1, f1_score(y_true, y_pred, average=None))
    assert rates.accuracy == pytest.approx(accuracy_score(y_true, y_pred))
    assert rates.accuracy == pytest.approx(f1_score(y_true, y_pred, average="micro"))
    assert rates.balanced_accuracy == pytest.approx(balanced_accuracy_score(y_true, y_pred))
    assert macro_f1(y_true, y_pred) == pytest.approx(f1_score(y_true, y_pred, average="macro"))


def test_first_class_of_the_four_class_example():
    rates = ClassRates([[72, 6, 11, 4], [3, 50, 2, 1], [13, 2, 40, 3], [7, 1, 1, 30]])
    assert (rates.tp[0], rates.fn[0], rates.fp[0]) == (72, 21, 23)
    assert rates.tpr[0] == pytest.approx(72 / 93)
    assert rates.precision[0] == pytest.approx(72 / 95)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "classes"),
    [
        ([0, 0, 1, 1], [0, 2, 1, 1], [0, 1, 2]),  # class 2 is only predicted
        ([0, 0, 1, 2], [0, 0, 1, 1], [0, 1, 2]),  # class 2 is never predicted
        ([0, 0, 1, 1], [0, 2, 1, 1], [0, 1, 2, 3]),  # class 3 is neither
    ],
)
def test_macro_f1_counts_classes_that_occur_or_are_predicted(y_true, y_pred, classes):
    expected = f1_score(y_true, y_pred, average="macro", zero_division=0)
    rates = class_rates(y_true, y_pred, labels=classes)
    assert rates.macro_f1() == pytest.approx(expected)
    precision = precision_score(y_true, y_pred, average="macro", zero_division=0)
    recall = recall_score(y_true, y_pred, average="macro", zero_division=0)
    harmonic = 2 * precision * recall / (precision + recall)
    assert rates.macro_f1("harmonic") == pytest.approx(harmonic)


@given(COUNTS)
def test_laws_hold_for_every_matrix(counts):
    if not counts.any():
        return
    rates = ClassRates(counts)
    for one, other in ((rates.tpr, rates.fnr), (rates.tnr, rates.fpr)):
        total = one + other
        np.testing.assert_allclose(total[np.isfinite(total)], 1)
    assert rates.macro_f1("harmonic") >= rates.macro_f1() - 1e-12
    assert 0 <= rates.macro_f1("harmonic") <= 1


def test_weights_repeat_and_labels_order():
    y_true, y_pred = labels(np.random.default_rng(1), n=30, k=3)
    weights = np.random.default_rng(2).integers(1, 4, size=30)
    weighted = class_rates(y_true, y_pred, sample_weight=weights, labels=[2, 0, 1])
    repeated = confusion_matrix(
        np.repeat(y_true, weights), np.repeat(y_pred, weights), labels=[2, 0, 1]
    )
    np.testing.assert_array_equal(weighted.confusion, repeated)
    assert weighted.labels.tolist() == [2, 0, 1]


@pytest.mark.parametrize("counts", [[[1, 2]], [[-1, 0], [0, 1]], [[np.nan, 0], [0, 1]], 3])
def test_what_is_no_confusion_matrix_is_refused(counts):
    with pytest.raises(ValueError, match="square matrix of counts"):
        ClassRates(counts)


def test_other_bad_input():
    with pytest.raises(ValueError, match="at least one sample"):
        ClassRates([[0, 0], [0, 0]])
    with pytest.raises(ValueError, match="labels must name the 2 classes"):
        ClassRates([[1, 0], [0, 1]], ["a"])
    with pytest.raises(ValueError, match="one of 'mean', 'harmonic', got 'b'"):
        macro_f1([0, 1], [0, 1], form="b")
