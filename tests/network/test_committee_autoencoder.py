"""Soft committee machines and autoencoders."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.special import erf
from sklearn.decomposition import PCA

from shallows.network import Autoencoder, SoftCommitteeMachine, count_parameters


def sine():
    X = np.linspace(0, 1, 60)[:, None]
    return X, np.sin(2 * np.pi * X).ravel()


def test_committee_is_the_sum_of_sigmoids():
    X, y = sine()
    model = SoftCommitteeMachine(3, max_iter=20, tol=None, random_state=0).fit(X, y)
    by_hand = sum(
        v * erf(X @ w - theta)
        for v, w, theta in zip(model.output_weights_, model.coef_, model.thresholds_, strict=True)
    )
    np.testing.assert_allclose(model.predict(X), by_hand)
    size = model.coef_.size + model.thresholds_.size + model.output_weights_.size
    assert size == count_parameters([1, 3], "soft_committee")


def test_best_fit_of_several_starts_improves_with_units():
    X, y = sine()

    def best(n_units):
        fits = [
            SoftCommitteeMachine(n_units, max_iter=300, tol=None, random_state=seed).fit(X, y)
            for seed in range(4)
        ]
        return min(fit.history_["loss"][-1] for fit in fits)

    errors = [best(k) for k in (1, 2, 4)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2] and errors[2] < 1e-5


def test_members_of_a_committee_count_alike():
    X, y = sine()
    model = SoftCommitteeMachine(6, output="ones", activation="tanh", random_state=0).fit(X, y)
    assert (model.output_weights_ == 1).all()
    assert model.history_["loss"][-1] < 0.3 * model.history_["loss"][0]


def stretched(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(n, 6))
        * [5, 3, 1, 0.5, 0.3, 0.2]
        @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    )
    return X - X.mean(axis=0)


def test_linear_autoencoder_spans_the_principal_subspace():
    X = stretched()
    model = Autoencoder(2, linear=True, tol=None, max_iter=400, random_state=0).fit(X)
    pca = PCA(2).fit(X)
    assert subspace_angles(model.coefs_[-1].T, pca.components_.T).max() < 1e-3
    discarded = (
        X.var(axis=0).sum()
        - X.var(axis=0) @ np.zeros(6)
        - (np.linalg.eigvalsh(np.cov(X.T, bias=True))[-2:].sum())
    )
    assert -model.score(X) == pytest.approx(discarded / 2, rel=1e-5)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(X)),
        pca.inverse_transform(pca.transform(X)),
        atol=2e-2,
    )


def test_bent_data_need_a_bent_autoencoder():
    angle = np.linspace(0, 1.5 * np.pi, 150)
    X = np.c_[np.cos(angle), np.sin(angle)]
    straight = Autoencoder(1, linear=True, random_state=0).fit(X)
    deep = Autoencoder((10, 1), random_state=0, max_iter=600, tol=1e-7).fit(X)
    assert deep.score(X) > 0.2 * straight.score(X)  # a fifth of the error
    assert deep.transform(X).shape == (150, 1)
    assert deep.get_feature_names_out().tolist() == ["autoencoder0"]


def test_denoising_pulls_samples_towards_the_data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 1)) @ np.ones((1, 5))
    model = Autoencoder(
        3,
        linear=True,
        noise=0.5,
        solver="adam",
        learning_rate_init=0.01,
        max_iter=150,
        tol=None,
        random_state=0,
    ).fit(X)
    noisy = X + 0.5 * rng.normal(size=X.shape)
    before = ((noisy - X) ** 2).mean()
    after = ((model.inverse_transform(model.transform(noisy)) - X) ** 2).mean()
    assert after < 0.4 * before
    with pytest.raises(ValueError, match="takes no noise"):
        Autoencoder(2, noise=0.1).fit(X)


def test_bad_codes_and_layers_are_named():
    X = stretched(20)
    model = Autoencoder(2, max_iter=2, tol=None).fit(X)
    with pytest.raises(ValueError, match=r"\(n_samples, 2\)"):
        model.inverse_transform(X)
    with pytest.raises(ValueError, match="whole numbers"):
        Autoencoder((2, 0)).fit(X)
