"""Convolution and pooling against SciPy, gradients through the whole stack."""

import numpy as np
import pytest
from scipy.signal import correlate2d
from sklearn.base import clone
from sklearn.datasets import load_digits

from shallows._core.numerics.threads import limit_threads
from shallows.descent import numerical_gradient
from shallows.network import Conv, ConvNet, LeNet, Pool, convolve, forward, pool
from shallows.network._convnet_steps import start_stack
from shallows.network._patches import largest_of, patches_of, spread_patches, unpool
from shallows.network._samples import Samples


@pytest.mark.kernel
@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_convolution_is_the_cross_correlation_of_scipy(size, padding):
    rng = np.random.default_rng(0)
    images, kernels = rng.normal(size=(2, 6, 7, 3)), rng.normal(size=(size, size, 3, 4))
    bias = rng.normal(size=4)
    found = convolve(images, kernels, bias, padding)
    for i in range(2):
        for k in range(4):
            layers = [
                correlate2d(images[i, :, :, c], kernels[:, :, c, k], "valid") for c in range(3)
            ]
            inner = sum(layers) + bias[k]
            if padding == "valid":
                np.testing.assert_allclose(found[i, :, :, k], inner)
                continue
            low = (size - 1) // 2
            cut = found[i, low : low + inner.shape[0], low : low + inner.shape[1], k]
            np.testing.assert_allclose(cut, inner)
    if padding == "same":
        assert found.shape == (2, 6, 7, 4)
        if size == 3:
            whole = sum(
                correlate2d(images[0, :, :, c], kernels[:, :, c, 0], "same") for c in range(3)
            )
            np.testing.assert_allclose(found[0, :, :, 0], whole + bias[0])


def naive_pool(image, kind, size, stride):
    value = {"max": np.max, "mean": np.mean}[kind]
    rows = range(0, image.shape[0] - size + 1, stride)
    columns = range(0, image.shape[1] - size + 1, stride)
    return [[value(image[i : i + size, j : j + size]) for j in columns] for i in rows]


@pytest.mark.kernel
@pytest.mark.parametrize("kind", ["max", "mean"])
@pytest.mark.parametrize(("size", "stride"), [(2, 1), (2, 2), (3, 2)])
def test_pooling_equals_loops(kind, size, stride):
    image = np.random.default_rng(0).normal(size=(7, 6))
    found = pool(image[None, :, :, None], kind, size, stride)[0, :, :, 0]
    np.testing.assert_allclose(found, naive_pool(image, kind, size, stride))
    assert pool(np.ones((1, 3, 3, 1)), kind, 2, 1).shape == (1, 2, 2, 1)


@pytest.mark.kernel
def test_the_first_of_equal_maxima_takes_the_derivative():
    image = np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])[None, :, :, None]
    pooled, numbers = largest_of(image, 2, 1)
    np.testing.assert_array_equal(pooled[0, :, :, 0], [[1, 1], [1, 1]])
    np.testing.assert_array_equal(numbers[0, :, :, 0], [[1, 0], [0, 0]])  # as np.argmax has it
    back = unpool(pooled, image.shape, numbers, 2, 1)[0, :, :, 0]
    np.testing.assert_array_equal(back, [[0, 2, 0], [1, 1, 0], [0, 0, 0]])


@pytest.mark.kernel
@pytest.mark.parametrize(
    "layers",
    [
        (Conv(3, 3, activation="tanh"), Pool("max", 2), Conv(2, 2, activation="swish")),
        (Conv(2, 3, "valid", "tanh"), Pool("mean", 3, 2), Conv(3, 2, "valid", "logistic")),
        (Pool("max", 2, 1), Conv(2, 2, activation="tanh")),
    ],
)
def test_gradient_through_filters_and_pools(layers):
    rng = np.random.default_rng(1)
    X, target = rng.normal(size=(4, 98)), np.eye(3)[[0, 1, 2, 1]]
    vector, stack = start_stack(layers, (7, 7, 2), [5], "tanh", 3, np.float64, rng)
    samples = Samples.of(X, target, np.arange(1.0, 5.0))
    stack.cost(samples, 0.1)
    found = stack.gradient.copy()

    def loss(place):
        vector[:] = place
        return stack.cost(samples, 0.1)

    exact = numerical_gradient(loss, vector.copy())
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-8)


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_spreading_patches_is_the_transpose_of_gathering_them(padding, dtype):
    rng = np.random.default_rng(0)
    images = rng.normal(size=(2, 5, 6, 3)).astype(dtype)
    patches = patches_of(images, 3, padding)
    other = rng.normal(size=patches.shape).astype(dtype)
    back = spread_patches(other, images.shape, 3, padding)
    assert patches.dtype == back.dtype == dtype
    np.testing.assert_allclose((patches * other).sum(), (images * back).sum(), rtol=1e-4)


def test_bits_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 256)), np.arange(60) % 3
    model = LeNet(max_iter=2, tol=None, random_state=0)
    found = []
    for threads in (1, 3):
        with limit_threads(threads):
            found.append(clone(model).fit(X, y))
    assert found[0]._stack().block_images < 60
    np.testing.assert_array_equal(found[0].kernels_[0], found[1].kernels_[0])
    np.testing.assert_array_equal(found[0].predict_proba(X), found[1].predict_proba(X))
    outputs = forward(found[0]._stack().dense, found[0].feature_maps(X))
    np.testing.assert_allclose(found[0].predict_proba(X), outputs, rtol=1e-9)
    np.testing.assert_allclose(found[0].predict_log_proba(X), np.log(outputs), rtol=1e-9)


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def test_digits_are_learnt_end_to_end():
    X, y = digits()
    model = ConvNet(
        [Conv(8, 3), Pool()], learning_rate_init=0.01, max_iter=12, tol=None, random_state=0
    ).fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.9
    assert model.kernels_[0].shape == (3, 3, 1, 8)


def test_number_of_filter_weights_does_not_depend_on_the_image():
    rng = np.random.default_rng(0)
    for side in (5, 12):
        X, y = rng.normal(size=(10, side**2)), np.arange(10) % 2
        model = ConvNet([Conv(4, 3)], max_iter=1, tol=None).fit(X, y)
        assert sum(part.size for part in (*model.kernels_, *model.kernel_biases_)) == 40


def test_only_the_read_out_of_pre_wired_filters_adapts():
    X, y = digits()
    layers = [Conv(6, 3, kind="edges"), Pool("max", 2)]
    one = ConvNet(layers, trainable=False, max_iter=1, tol=None, random_state=0).fit(X, y)
    many = ConvNet(
        layers,
        trainable=False,
        max_iter=15,
        tol=None,
        learning_rate_init=0.01,
        alpha=1.0,
        random_state=0,
    ).fit(X, y)
    np.testing.assert_array_equal(one.kernels_[0], many.kernels_[0])
    assert not np.array_equal(one.coefs_[0], many.coefs_[0])
    assert many.score(X, y) > 0.9


def test_pooled_responses_hardly_change_under_small_shifts():
    image = np.zeros((1, 12, 12))
    image[0, 4:8, 2] = 1.0
    moved = np.roll(image, 1, axis=2)
    pixels = np.stack([image, moved]).reshape(2, -1)
    model = ConvNet(
        [Conv(4, 3, kind="edges"), Pool("max", 6)], max_iter=1, tol=None, random_state=0
    ).fit(np.vstack([pixels, pixels]), [0, 1, 0, 1])
    maps = model.feature_maps(pixels)
    change = np.linalg.norm(maps[0] - maps[1]) / np.linalg.norm(maps[0])
    before = np.linalg.norm(pixels[0] - pixels[1]) / np.linalg.norm(pixels[0])
    assert change < 1e-12 < before


def test_lenet_fits_digits():
    X, y = digits()
    model = LeNet((4, 8), (30, 20), max_iter=30, learning_rate_init=0.01, tol=None, random_state=0)
    model.fit(X[:600], y[:600])
    assert model.score(X[1000:], y[1000:]) > 0.85
    assert [W.shape[1] for W in model.coefs_] == [30, 20, 10]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": [Pool("max", 9)]}, "does not fit images of 8 x 8"),
        ({"layers": ["conv"]}, "must be Conv or Pool"),
        ({"image_shape": (7, 7)}, "does not fit 64 features"),
        ({"layers": [Conv(2, activation="sine")]}, "unknown activation"),
    ],
)
def test_bad_layers_are_named(options, words):
    X, y = digits()
    with pytest.raises(ValueError, match=words):
        ConvNet(**options).fit(X[:20], y[:20])
