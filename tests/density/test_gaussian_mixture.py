"""Gaussian mixtures against scikit-learn, a naive EM, and the theory of EM."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.callback import ScoringMonitor
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

from shallows.cluster import KMeans
from shallows.data import old_faithful
from shallows.density import ComponentCurve, Gaussian, GaussianMixture, choose_components
from shallows.density._mixture_steps import half_distances, half_squares, sum_differences

TYPES = ("full", "tied", "diag", "spherical")
every_type = pytest.mark.parametrize("kind", TYPES)
IRIS = load_iris(return_X_y=True)[0]


def blobs(n=700, d=3, k=4, std=2.0, seed=0):
    return make_blobs(n, d, centers=k, cluster_std=std, random_state=seed)[0]


def start(X, k, kind):
    d = X.shape[1]
    shapes = {
        "full": np.tile(np.eye(d), (k, 1, 1)),
        "tied": np.eye(d),
        "diag": np.ones((k, d)),
        "spherical": np.ones(k),
    }
    chosen = X[np.random.default_rng(1).choice(len(X), k, replace=False)]
    return {
        "weights_init": np.full(k, 1 / k),
        "means_init": chosen,
        "precisions_init": shapes[kind],
    }


@every_type
@pytest.mark.parametrize(("d", "k"), [(1, 2), (3, 4), (12, 5)])
def test_same_steps_as_scikit_learn(kind, d, k):
    X = blobs(d=d, k=k)
    options = {"n_components": k, "covariance_type": kind, "max_iter": 500, **start(X, k, kind)}
    ours, peer = GaussianMixture(**options).fit(X), Peer(**options).fit(X)
    assert ours.n_iter_ == peer.n_iter_ and ours.converged_
    np.testing.assert_allclose(ours.lower_bounds_, peer.lower_bounds_, rtol=1e-8)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    assert ours.bic(X) == pytest.approx(peer.bic(X)) and ours.aic(X) == pytest.approx(peer.aic(X))
    assert ours.score(X) == pytest.approx(peer.score(X))


@every_type
@pytest.mark.parametrize("hard", [False, True])
def test_bound_never_falls(kind, hard):
    X = blobs()
    for seed in range(3):
        model = GaussianMixture(
            4,
            covariance_type=kind,
            hard=hard,
            init_params="random_from_data",
            reg_covar=0.0,
            tol=None,
            max_iter=60,
            random_state=seed,
        ).fit(X)
        assert np.diff(model.lower_bounds_).min() > -1e-10
        assert len(model.lower_bounds_) == model.n_iter_ == 60


def test_spherical_variance_without_the_dimension_would_break_the_law():
    """The variance that the notes print, without 1/d, is d times too large."""
    X = blobs()
    model = GaussianMixture(1, covariance_type="spherical", reg_covar=0.0).fit(X)
    scatter = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert model.covariances_[0] == pytest.approx(scatter / 3)
    wrong = multivariate_normal(X.mean(axis=0), scatter * np.eye(3)).logpdf(X).mean()
    assert wrong < model.score(X)


def test_moments_are_those_of_the_data_after_every_step():
    X = blobs()
    weights = np.random.default_rng(0).random(len(X))
    model = GaussianMixture(4, reg_covar=0.0, max_iter=3, tol=None, random_state=0)
    model.fit(X, sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(model.weights_ @ model.means_, mean, atol=1e-10)
    away = model.means_ - mean
    within = np.einsum("k,kij->ij", model.weights_, model.covariances_)
    between = np.einsum("k,ki,kj->ij", model.weights_, away, away)
    np.testing.assert_allclose(within + between, np.cov(X.T, ddof=0, aweights=weights), atol=1e-10)


def test_one_component_is_the_gaussian_at_once():
    X = blobs()
    model = GaussianMixture(1, reg_covar=0.0, max_iter=1, tol=None).fit(X)
    law = Gaussian().fit(X)
    np.testing.assert_allclose(model.means_[0], law.mean_)
    np.testing.assert_allclose(model.covariances_[0], law.covariance_, rtol=1e-10)
    np.testing.assert_allclose(model.score_samples(X), law.score_samples(X))


def test_weights_are_repetitions():
    X, counts = blobs(200), np.random.default_rng(0).integers(0, 4, size=200)
    options = start(X, 3, "full")
    weighted = GaussianMixture(3, **options).fit(X, sample_weight=counts)
    repeated = GaussianMixture(3, **options).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-8)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, rtol=1e-7)
    scaled = GaussianMixture(3, **options).fit(X, sample_weight=0.01 * counts)
    np.testing.assert_allclose(scaled.means_, repeated.means_, rtol=1e-8)


@pytest.mark.parametrize("d", [1, 3])
def test_hard_shares_with_fixed_variance_are_k_means(d):
    X = blobs(d=d, k=6)
    first = X[:6]
    lloyd = KMeans(6, init=first, tol=0.0, max_iter=500).fit(X)
    model = GaussianMixture(6, variance="fixed", hard=True, means_init=first, tol=1e-12)
    model.fit(X)
    assert model.converged_
    np.testing.assert_allclose(model.means_, lloyd.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), lloyd.labels_)


def test_soft_shares_approach_k_means_as_the_variance_vanishes():
    X = blobs(300, 2, 5)
    lloyd = KMeans(5, init=X[:5], tol=0.0, max_iter=500).fit(X).cluster_centers_
    gaps = []
    for variance in (4.0, 1e-1, 1e-3, 1e-6):
        model = GaussianMixture(5, variance=variance, means_init=X[:5], tol=None, max_iter=300)
        gaps.append(np.abs(model.fit(X).means_ - lloyd).max())
        np.testing.assert_array_equal(model.weights_, 0.2)
    assert gaps[0] > 0.05 and gaps[-1] < 1e-8


def test_log_density_is_the_sum_over_hidden_labels():
    model = GaussianMixture(2, random_state=0).fit(blobs(50, 2, 2))
    D = blobs(3, 2, 2, seed=5)
    laws = [
        multivariate_normal(m, c) for m, c in zip(model.means_, model.covariances_, strict=True)
    ]
    terms = [
        sum(np.log(model.weights_[j]) + laws[j].logpdf(x) for j, x in zip(labels, D, strict=True))
        for labels in product(range(2), repeat=3)
    ]
    assert logsumexp(terms) == pytest.approx(model.score_samples(D).sum())


def test_samples_carry_their_hidden_label():
    truth = GaussianMixture(3, random_state=0).fit(blobs(400, 2, 3))
    X, labels = truth.sample(30000, random_state=3)
    assert X.shape == (30000, 2)
    for j in range(3):
        part = X[labels == j]
        share = truth.weights_[j]
        assert len(part) / 30000 == pytest.approx(share, abs=5 * np.sqrt(share / 30000))
        np.testing.assert_allclose(np.cov(part.T), truth.covariances_[j], atol=0.5)
    for kind in TYPES:
        model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        drawn, _ = model.sample(30000, random_state=1)
        assert drawn.mean(axis=0) == pytest.approx(X.mean(axis=0), abs=0.3)
        np.testing.assert_array_equal(drawn, model.sample(30000, random_state=1)[0])


def test_collapse_without_a_floor_and_its_cure():
    X = np.random.default_rng(0).normal(size=(20, 1))
    options = {
        "weights_init": [0.5, 0.5],
        "means_init": [X[0], [0.0]],
        "precisions_init": [[[1e12]], [[1.0]]],
        "max_iter": 300,
        "tol": None,
    }
    with pytest.raises(ValueError, match="raise reg_covar"):
        GaussianMixture(2, reg_covar=0.0, **options).fit(X)
    floored = GaussianMixture(2, reg_covar=1e-3, **options).fit(X)
    assert np.isfinite(floored.lower_bound_) and floored.covariances_.min() >= 1e-3


def test_narrow_components_far_from_the_origin_lose_no_digits():
    rng = np.random.default_rng(0)
    centers = np.array([[1e6, 0.0], [1e6 + 1e-2, 0.0], [1e6, 1e-2]])
    X = centers[rng.integers(3, size=900)] + 1e-4 * rng.normal(size=(900, 2))
    for kind in TYPES:
        model = GaussianMixture(
            3, covariance_type=kind, reg_covar=0.0, n_init=5, random_state=0
        ).fit(X)
        moved = np.sort(np.linalg.norm(model.means_ - centers[0], axis=1))
        np.testing.assert_allclose(moved, [0, 1e-2, 1e-2], atol=3e-5)
        np.testing.assert_allclose(np.sqrt(model.covariances_.max()), 1e-4, rtol=0.15)


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
def test_starts_find_separate_blobs(init):
    X = make_blobs(300, 2, centers=[[0, 0], [9, 9], [0, 9]], random_state=0)[0]
    model = GaussianMixture(3, init_params=init, n_init=8, random_state=0, max_iter=300).fit(X)
    np.testing.assert_allclose(model.weights_, 1 / 3, atol=1e-3)


def test_warm_start_goes_on():
    X = blobs()
    model = GaussianMixture(4, warm_start=True, max_iter=5, tol=None, random_state=0)
    halves = model.fit(X).lower_bounds_ + model.fit(X).lower_bounds_
    whole = GaussianMixture(4, max_iter=10, tol=None, random_state=0).fit(X).lower_bounds_
    np.testing.assert_allclose(halves, whole, rtol=1e-10)


def test_old_faithful_has_two_components():
    X = np.column_stack(old_faithful())
    model = GaussianMixture(2, tol=1e-8, max_iter=500, random_state=0).fit(X)
    assert np.sort(model.weights_) == pytest.approx([0.3559, 0.6441], abs=1e-3)
    assert 272 * model.score(X) == pytest.approx(-1130.26, abs=0.05)


def test_callbacks_see_every_step():
    X = blobs()
    monitor = ScoringMonitor(scoring={"score": lambda model, X, y=None: model.score(X)})
    model = GaussianMixture(4, random_state=0, max_iter=300).set_callbacks(monitor)
    model.fit(X, np.zeros(len(X)))
    scores = [row["score"] for row in monitor.get_logs().data if row["task_name"] == "epoch"]
    assert len(scores) == model.n_iter_
    np.testing.assert_allclose(scores[:-1], model.lower_bounds_[1:], rtol=1e-10)


def test_number_of_components_by_held_out_likelihood():
    X = make_blobs(300, 2, centers=[[0, 0], [9, 9], [0, 9]], random_state=0)[0]
    curve = choose_components(X, range(1, 6), folds=3, random_state=0)
    assert isinstance(curve, ComponentCurve)
    assert curve.best_bic == 3
    assert curve.held_out[2] > max(curve.held_out[:2]) + 0.3
    assert curve.best >= 3


def test_bad_input_is_refused_by_name():
    X = blobs(30)
    with pytest.raises(ValueError, match="n_samples=3 must be at least n_components=4"):
        GaussianMixture(4).fit(X[:3])
    with pytest.raises(ValueError, match="sum to one"):
        GaussianMixture(2, weights_init=[0.5, 0.1]).fit(X)
    with pytest.raises(ValueError, match=r"means_init must be finite and of shape \(2, 3\)"):
        GaussianMixture(2, means_init=[[0.0, 1.0]]).fit(X)
    with pytest.raises(ValueError, match="symmetric, positive-definite"):
        GaussianMixture(1, precisions_init=-np.eye(3)[None]).fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        GaussianMixture(3, max_iter=1, random_state=0).fit(X)


@pytest.mark.kernel
def test_kernels_are_their_formulas():
    rng = np.random.default_rng(0)
    for k, d, b in [(1, 1, 1), (2, 3, 5)]:
        white, constants = rng.normal(size=(k, d, b)), rng.normal(size=k)
        logs = np.empty((k, b))
        half_squares(white, constants, logs)
        np.testing.assert_allclose(logs, constants[:, None] - 0.5 * (white**2).sum(axis=1))
        moved, means, scale = (rng.normal(size=s) for s in ((d, b), (k, d), (k, d)))
        half_distances(moved, means, scale, constants, logs)
        away = moved - means[:, :, None]
        expected = constants[:, None] - 0.5 * ((away * scale[:, :, None]) ** 2).sum(axis=1)
        np.testing.assert_allclose(logs, expected)
        shares = rng.random((k, b))
        first, second = np.empty((k, d)), np.empty((k, d))
        sum_differences(moved, means, shares, first, second)
        np.testing.assert_allclose(first, np.einsum("kb,kdb->kd", shares, away))
        np.testing.assert_allclose(second, np.einsum("kb,kdb->kd", shares, away**2))
