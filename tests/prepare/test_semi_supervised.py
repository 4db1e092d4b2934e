"""Two-stage learning and outlier removal."""

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline as resampling_pipeline
from scipy.stats import norm
from sklearn.datasets import load_digits, make_blobs
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.pipeline import make_pipeline

from shallows.data import make_linear
from shallows.prepare import OutlierRemover, SemiSupervised


def test_without_unlabelled_rows_it_is_the_pipeline():
    X, y = load_digits(return_X_y=True)
    model = SemiSupervised(PCA(10), KNeighborsClassifier(3)).fit(X[:500], y[:500])
    pipe = make_pipeline(PCA(10), KNeighborsClassifier(3)).fit(X[:500], y[:500])
    assert np.array_equal(model.predict(X), pipe.predict(X))
    assert np.allclose(model.predict_proba(X), pipe.predict_proba(X))
    assert not hasattr(model, "decision_function")
    assert model.score(X, y) == pytest.approx(pipe.score(X, y))


def test_reducer_sees_all_rows_and_estimator_the_labelled_ones():
    X, y = load_digits(return_X_y=True)
    known = np.where(np.arange(len(y)) < 300, y, -1)
    model = SemiSupervised(PCA(10), LogisticRegression(max_iter=5000)).fit(X, known)
    assert np.allclose(np.abs(model.reducer_.components_), np.abs(PCA(10).fit(X).components_))
    alone = LogisticRegression(max_iter=5000).fit(model.reducer_.transform(X[:300]), y[:300])
    assert np.array_equal(model.predict(X), alone.predict(model.reducer_.transform(X)))
    assert model.n_labelled_ == 300 and -1 not in model.classes_
    assert model.score(X, known) == pytest.approx((model.predict(X[:300]) == y[:300]).mean())


@pytest.mark.parametrize("marker", [np.nan, None, "no label"])
def test_other_marks_of_no_label(marker):
    X, y = make_linear(60, [1.0, 2.0], noise=0.1, random_state=0)
    labels = np.array(["low", "high"], dtype=object)[(y > 0).astype(int)]
    if marker is np.nan:
        y[40:] = np.nan
        model = SemiSupervised(PCA(2), Ridge(1e-6)).fit(X, y)
        assert np.allclose(model.predict(X), X @ [1.0, 2.0], atol=0.2)
    else:
        labels[40:] = marker
        model = SemiSupervised(PCA(2), KNeighborsClassifier(3), unlabelled=marker).fit(X, labels)
        assert model.classes_.tolist() == ["high", "low"]
    assert model.n_labelled_ == 40


def test_semi_supervised_errors():
    with pytest.raises(ValueError, match="no row has a label"):
        SemiSupervised(PCA(1), Ridge()).fit(np.eye(3), [-1, -1, -1])
    with pytest.raises(ValueError, match="requires y"):
        SemiSupervised(PCA(1), Ridge()).fit(np.eye(3), None)


@pytest.fixture
def dirty():
    X, y = make_blobs(100, centers=[[0, 0], [4, 4]], random_state=0)
    X[[3, 50]] = [[60, 60], [-80, 5]]
    return X, y


def test_default_rule_is_the_robust_z_score(dirty):
    X, y = dirty
    median = np.median(X, axis=0)
    spread = np.median(np.abs(X - median), axis=0) / norm.ppf(0.75)
    expected = np.flatnonzero((np.abs(X - median) / spread <= 3.5).all(axis=1))
    model = OutlierRemover().fit(X)
    assert np.array_equal(model.sample_indices_, expected)
    assert set(range(100)) - set(expected) == {3, 50}
    kept, labels = model.fit_resample(X, y)
    assert np.array_equal(kept, X[expected]) and np.array_equal(labels, y[expected])


def test_detector_frames_and_classes(dirty):
    X, y = dirty
    frame = pd.DataFrame(X, columns=["a", "b"])
    kept, labels = OutlierRemover(LocalOutlierFactor()).fit_resample(frame, pd.Series(y))
    expected = LocalOutlierFactor().fit_predict(X) == 1
    assert kept.index.tolist() == np.flatnonzero(expected).tolist() == labels.index.tolist()
    rare = np.vstack([X[:60], [[30.0, 30.0], [30.5, 30.0], [30.0, 30.5]]])
    classes = np.r_[np.zeros(60), np.ones(3)]
    assert 61 not in OutlierRemover().fit(rare, classes).sample_indices_
    assert 61 in OutlierRemover(by_class=True).fit(rare, classes).sample_indices_


def test_pipeline_drops_rows_in_training_only(dirty):
    X, y = dirty
    pipe = resampling_pipeline(OutlierRemover(), LogisticRegression()).fit(X, y)
    assert pipe.predict(X).shape == (100,)
    clean = np.delete(np.arange(100), [3, 50])
    alone = LogisticRegression().fit(X[clean], y[clean])
    assert np.allclose(pipe[-1].coef_, alone.coef_)


def test_outlier_errors():
    with pytest.raises(ValueError, match="requires y"):
        OutlierRemover(by_class=True).fit([[1.0], [2.0]])
    assert OutlierRemover().fit([[1.0], [1.0], [1.0], [9.0]]).sample_indices_.tolist() == [
        0,
        1,
        2,
        3,
    ]
