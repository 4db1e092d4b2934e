"""Whitening, the choice of components, eigenimages and the reconstruction loss."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.linear_model import LinearRegression

from shallows.reduce import PCA, Whitening, choose_components, eigenimages, reconstruction_loss

RNG = np.random.default_rng(0)
IRIS, _ = load_iris(return_X_y=True)


@pytest.mark.parametrize("kind", ["pca", "zca"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_the_covariance_of_the_output_is_the_identity(kind, ddof):
    model = Whitening(kind=kind, ddof=ddof)
    outputs = model.fit_transform(IRIS)
    np.testing.assert_allclose(np.cov(outputs.T, ddof=ddof), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(model.inverse_transform(outputs), IRIS, atol=1e-12)


def test_whitening_agrees_with_scikit_learn_and_zca_with_the_inverse_root():
    theirs = SklearnPCA(3, whiten=True).fit_transform(IRIS)
    np.testing.assert_allclose(np.abs(Whitening(3).fit_transform(IRIS)), np.abs(theirs), atol=1e-9)
    values, vectors = np.linalg.eigh(np.cov(IRIS.T))
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    np.testing.assert_allclose(Whitening(kind="zca").fit(IRIS).whitening_, root, atol=1e-9)


@pytest.mark.parametrize("shape", [(50, 4), (6, 20)])
def test_directions_without_variance_are_left_out(shape):
    X = RNG.normal(size=(shape[0], 2)) @ RNG.normal(size=(2, shape[1]))
    outputs = Whitening().fit_transform(X)
    assert outputs.shape[1] == 2
    np.testing.assert_allclose(np.cov(outputs.T), np.eye(2), atol=1e-9)
    with pytest.raises(ValueError, match="needs data that vary"):
        Whitening().fit(np.ones((5, 3)))


def test_the_rules_choose_what_they_say():
    spectrum = np.array([5.0, 3.0, 1.5, 0.4, 0.1])
    assert choose_components(spectrum, "tolerance", 2.1) == 2
    assert choose_components(spectrum, "tolerance", 2.0) == 3
    assert choose_components(spectrum, "ratio", 0.05) == 3
    assert choose_components(spectrum) == 4
    assert choose_components(spectrum[::-1], "ratio", 0.2) == 2
    assert choose_components(spectrum, "ratio", 1.0) == 0
    assert choose_components(spectrum, "tolerance", 0.0) == 5


def test_ninety_eight_percent_kept_is_ratio_two_percent():
    X, _ = load_digits(return_X_y=True)
    spectrum = PCA().fit(X).explained_variance_
    assert choose_components(spectrum, "ratio", 0.02) == PCA(0.98).fit(X).n_components_


def test_the_knee_stands_between_signal_and_noise():
    X = RNG.normal(size=(5000, 2)) * np.sqrt([5, 3]) @ np.eye(2, 8)
    noisy = X + 0.7 * RNG.normal(size=(5000, 8))
    assert choose_components(PCA().fit(noisy).explained_variance_, "knee") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], "knee"), "at least one variance"),
        (([1.0, -1.0],), "all finite and not negative"),
        (([1.0], "tolerance"), "needs a value"),
        (([1.0, 0.5], "knee", 0.1), "takes no value"),
        (([1.0, 0.5], "mle"), "needs a value, the number of samples"),
        (([1.0], "elbow"), "rule must be one of 'ratio', 'tolerance', 'knee', 'mle'"),
    ],
)
def test_bad_requests_for_components_are_explained(arguments, message):
    with pytest.raises(ValueError, match=message):
        choose_components(*arguments)


def test_eigenimages_are_the_components_on_the_grid():
    X, y = load_digits(return_X_y=True)
    model = PCA(4).fit(X[y == 3])
    plain = eigenimages(model, (8, 8), scale=False)
    np.testing.assert_array_equal(plain.reshape(4, 64), model.components_)
    grey = eigenimages(model, (8, 8))
    assert grey.min(axis=(1, 2)).max() == 0 and grey.max(axis=(1, 2)).min() == 1
    assert not np.shares_memory(grey, model.components_)
    with pytest.raises(ValueError, match=r"shape \(8, 9\) has 72 pixels"):
        eigenimages(model, (8, 9))


def test_centred_images_have_one_variance_less_than_images():
    images = RNG.random((100, 240))
    spectrum = PCA().fit(images).explained_variance_
    assert np.sum(spectrum > 1e-12 * spectrum[0]) == 99


def test_the_loss_of_pca_is_the_left_over_spectrum_and_no_linear_pair_beats_it():
    model = PCA(2, ddof=0).fit(IRIS)
    loss = reconstruction_loss(model, IRIS)
    assert loss == pytest.approx(PCA(ddof=0).fit(IRIS).explained_variance_[2:].sum())
    for _ in range(30):
        codes = (IRIS - IRIS.mean(axis=0)) @ RNG.normal(size=(4, 2))
        best_decoder = LinearRegression().fit(codes, IRIS).predict(codes)
        assert ((IRIS - best_decoder) ** 2).sum(axis=1).mean() > loss


def test_quantisers_are_judged_by_their_nearest_prototype():
    model = KMeans(3, random_state=0, n_init=1).fit(IRIS)
    assert reconstruction_loss(model, IRIS) == pytest.approx(model.inertia_ / 150)
    with pytest.raises(TypeError, match="LinearRegression can't decode"):
        reconstruction_loss(LinearRegression().fit(IRIS, IRIS[:, 0]), IRIS)
