"""Copies of the training data."""

import numpy as np
import pytest
from scipy.ndimage import rotate, shift, zoom
from sklearn.linear_model import LinearRegression, Ridge

from shallows.data import make_linear
from shallows.prepare import add_noisy_copies, augment_images, augment_signals
from shallows.prepare._augment import _move


def test_noisy_copies_count_and_keep_the_originals():
    X, y = make_linear(50, [1.0, 2.0], random_state=0)
    more, labels, source = add_noisy_copies(X, y, copies=3, variance=0.04, random_state=0)
    assert more.shape == (200, 2) and np.array_equal(more[:50], X)
    assert np.array_equal(labels, y[source])
    assert (more[50:] - X[source[50:]]).std() == pytest.approx(0.2, rel=0.15)


def test_noisy_copies_act_like_ridge():
    """Per row the penalty is variance * copies / (copies + 1); scikit-learn sums over rows."""
    X, y = make_linear(100, [1.0, -2.0, 0.5], noise=0.5, random_state=0)
    variance, copies = 0.5, 200
    more, targets, _ = add_noisy_copies(X, y, copies=copies, variance=variance, random_state=1)
    noisy = LinearRegression(fit_intercept=False).fit(more, targets).coef_
    penalty = len(X) * variance * copies / (copies + 1)
    ridge = Ridge(penalty, fit_intercept=False).fit(X, y).coef_
    plain = LinearRegression(fit_intercept=False).fit(X, y).coef_
    assert np.abs(noisy - ridge).max() < 0.02 < 0.3 < np.abs(plain - ridge).max()


def test_images_keep_labels_and_ink():
    rng = np.random.default_rng(0)
    images = np.zeros((20, 12, 12))
    images[:, 4:8, 4:8] = rng.uniform(0.5, 1, size=(20, 4, 4))
    X, y, source = augment_images(
        images.reshape(20, -1), np.arange(20), shape=(12, 12), copies=2, scale=0.0, random_state=0
    )
    assert X.shape == (60, 144) and np.array_equal(y, source)
    assert np.allclose(X.sum(axis=1), X[source].sum(axis=1), rtol=0.15)
    assert not np.allclose(X[20:], X[source[20:]])


def test_no_change_is_no_change():
    X = np.random.default_rng(0).uniform(size=(5, 30))
    still = augment_images(X, shape=(5, 6), shift=0, rotate=0, scale=0, random_state=0)
    assert np.allclose(still.X[5:], X) and still.y is None
    still = augment_signals(X, shift=0, stretch=0, amplitude=0, random_state=0)
    assert np.allclose(still.X[5:], X)


def test_moves_agree_with_scipy_ndimage():
    image = np.random.default_rng(0).uniform(size=(9, 9))
    assert np.allclose(_move(image, [1.5, -0.5], 0.0, 1.0), shift(image, [1.5, -0.5], order=1))
    turned = _move(image, [0, 0], np.deg2rad(30), 1.0)
    assert np.allclose(turned, rotate(image, 30, reshape=False, order=1))
    quarter = _move(image, [0, 0], np.pi / 2, 1.0)
    assert np.allclose(quarter, np.rot90(image), atol=1e-12)
    assert np.allclose(_move(image, [0, 0], 0.0, 2.0)[::2, ::2], zoom(image[2:7, 2:7], 1))


def test_signals_shift_and_scale():
    signal = np.arange(20.0)[None]
    moved = augment_signals(signal, copies=50, shift=3, stretch=0, amplitude=0, random_state=0).X
    delays = {float(10 - row[10]) for row in moved[1:]}
    assert delays == {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}
    sized = augment_signals(signal, copies=50, stretch=0, amplitude=0.2, random_state=0).X[1:]
    factors = sized[:, 19] / 19
    assert 0.8 <= factors.min() < 0.85 and 1.15 < factors.max() <= 1.2
    stretched = augment_signals(signal, copies=50, stretch=0.2, amplitude=0, random_state=0).X[1:]
    slopes = stretched[:, 10] - stretched[:, 9]
    assert 0.8 <= slopes.min() < 0.85 and 1.15 < slopes.max() <= 1.2


def test_errors():
    with pytest.raises(ValueError, match="do not fit rows of 6 pixels"):
        augment_images([[1.0] * 6], shape=(2, 2))
    with pytest.raises(ValueError, match="X has 1 rows, y has 2"):
        add_noisy_copies([[1.0]], [1, 2])
    with pytest.raises(ValueError, match="rows and columns"):
        augment_signals([1.0, 2.0])
