"""Parzen windows against scikit-learn, SciPy, a naive sum, and their theory."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity

from shallows.density import GaussianMixture, Parzen
from shallows.density._windows import box_sums, gaussian_exponents

RNG = np.random.default_rng(0)
FIVE = np.array([[0.3], [0.7], [1.1], [3.0], [3.4]])


def naive(X, Z, weights, widths, kernel):
    d = Z.shape[1]
    if kernel == "box":
        inside = (np.abs(X[:, None] - Z) < widths[:, None] / 2).all(axis=2)
        return np.log(inside @ (weights / widths**d))
    exponent = -0.5 * cdist(X, Z, "sqeuclidean") / widths**2
    return logsumexp(exponent, axis=1, b=weights * (2 * np.pi * widths**2) ** (-d / 2))


@pytest.mark.parametrize("kernel", ["gaussian", "box"])
@pytest.mark.parametrize("d", [1, 3, 12])
@pytest.mark.parametrize("adaptive_k", [None, 4])
def test_sum_of_windows(kernel, d, adaptive_k):
    Z, X = RNG.normal(size=(1500, d)), RNG.normal(size=(70, d))
    weights = RNG.random(1500)
    model = Parzen(kernel, width=1.5, adaptive_k=adaptive_k).fit(Z, sample_weight=weights)
    widths = np.full(1500, 1.5)
    if adaptive_k:
        near = np.sort(cdist(Z, Z), axis=1)[:, 1 : adaptive_k + 1]
        widths = 1.5 * np.sqrt((near**2).mean(axis=1))
    np.testing.assert_allclose(model.widths_, widths)
    with np.errstate(divide="ignore"):
        expected = naive(X, Z, weights / weights.sum(), widths, kernel)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-10)


def test_the_edge_is_outside_of_a_box():
    """All numbers are sums of powers of 2, so that the edge is met exactly."""
    model = Parzen("box", width=0.5).fit(np.array([[0.0, 0.0], [1.0, 0.0]]))
    rows = [[0.25, 0.0], [-0.25, 0.125], [0.125, 0.25], [0.75, 0.0], [0.125, -0.125]]
    with np.errstate(divide="ignore"):
        densities = np.exp(model.score_samples(rows))
    np.testing.assert_allclose(densities, [0, 0, 0, 0, 0.5 / 0.5**2], rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 10])
def test_equals_the_peers(d):
    Z, X = RNG.normal(size=(400, d)), RNG.normal(size=(50, d))
    if d < 3:  # in more dimensions scikit-learn's sums over its tree lose digits
        peer = KernelDensity(bandwidth=0.4, rtol=0, atol=0).fit(Z)
        ours = Parzen(width=0.4).fit(Z)
        np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-8)
    weights = RNG.random(400)
    shaped = Parzen(whiten=True).fit(Z, sample_weight=weights)
    expected = gaussian_kde(Z.T, weights=weights).logpdf(X.T)
    np.testing.assert_allclose(shaped.score_samples(X), expected, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "box"])
@pytest.mark.parametrize("adaptive_k", [None, 2])
@pytest.mark.parametrize("width", [0.05, 0.5, 5.0])
def test_integral_is_one_for_every_width(kernel, adaptive_k, width):
    model = Parzen(kernel, width=width, adaptive_k=adaptive_k).fit(FIVE)
    reach = 9 * model.widths_.max()
    grid = np.linspace(FIVE.min() - reach, FIVE.max() + reach, 400_001)
    values = np.exp(model.score_samples(grid[:, None]))
    tolerance = 1e-6 if kernel == "gaussian" else 1e-3
    assert np.trapezoid(values, grid) == pytest.approx(1, abs=tolerance)


def test_gaussian_windows_are_a_mixture_with_a_component_per_sample():
    Z, X = RNG.normal(size=(40, 3)), RNG.normal(size=(20, 3))
    mixture = GaussianMixture(40, covariance_type="spherical")
    mixture.weights_, mixture.means_ = np.full(40, 1 / 40), Z
    mixture.covariances_, mixture.n_features_in_ = np.full(40, 0.7**2), 3
    np.testing.assert_allclose(
        Parzen(width=0.7).fit(Z).score_samples(X), mixture.score_samples(X), rtol=1e-10
    )


def test_no_underflow_far_away_and_with_narrow_windows():
    model = Parzen(width=1e-3).fit(FIVE)
    found = model.score_samples([[100.0]])[0]
    expected = -0.5 * (96.6e3) ** 2 - np.log(5) - np.log(1e-3 * np.sqrt(2 * np.pi))
    assert found == pytest.approx(expected, rel=1e-12)
    shifted = Parzen(width=1e-3).fit(FIVE + 1e6).score_samples(FIVE + 1e6)
    np.testing.assert_allclose(shifted, model.score_samples(FIVE), rtol=1e-5)


@pytest.mark.parametrize("width", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("adaptive_k", [None, 3])
def test_tiles_left_out_change_no_digit(width, adaptive_k):
    Z = np.concatenate([RNG.normal(size=(1500, 2)), 100 + RNG.normal(size=(1500, 2))])
    X = np.concatenate([RNG.normal(size=(200, 2)), RNG.uniform(-200, 300, size=(50, 2))])
    model = Parzen(width=width, adaptive_k=adaptive_k).fit(Z)
    expected = naive(X, Z, model.weights_, model.widths_, "gaussian")
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-12)


@pytest.mark.parametrize("rule", ["loo", "validation"])
def test_width_makes_samples_left_out_likeliest(rule):
    Z = np.concatenate([RNG.normal(size=(150, 1)), RNG.normal(6, 0.5, size=(150, 1))])
    model = Parzen(width=rule, random_state=0).fit(Z)
    tried, scores = np.array(model.width_scores_["width"]), np.array(model.width_scores_["score"])
    assert model.width_ == tried[scores.argmax()]
    assert tried[0] < model.width_ < tried[-1]
    assert scores[0] < scores.max() and scores[-1] < scores.max()


def test_leave_one_out_is_a_fit_to_all_others():
    Z, weights = RNG.normal(size=(25, 2)), RNG.random(25)
    model = Parzen(width="loo").fit(Z, sample_weight=weights)
    logs = []
    for i in range(25):
        rest = np.arange(25) != i
        fit = Parzen(width=model.width_).fit(Z[rest], sample_weight=weights[rest])
        logs.append(fit.score_samples(Z[i : i + 1])[0])
    assert max(model.width_scores_["score"]) == pytest.approx(np.average(logs, weights=weights))


def test_chosen_width_suits_other_samples():
    law = np.random.default_rng(3)
    Z, X = law.normal(size=(400, 2)), law.normal(size=(2000, 2))
    chosen = Parzen(width="loo").fit(Z).score(X)
    assert chosen > Parzen(width=0.05).fit(Z).score(X) + 0.2
    assert chosen > Parzen(width=3.0).fit(Z).score(X) + 0.2


@pytest.mark.parametrize("kernel", ["gaussian", "box"])
@pytest.mark.parametrize("whiten", [False, True])
def test_samples_follow_the_density(kernel, whiten):
    Z = RNG.normal(size=(30, 2)) @ [[2.0, 1.0], [0.0, 0.5]]
    model = Parzen(kernel, width=0.5, whiten=whiten).fit(Z)
    X = model.sample(40000, random_state=0)
    variance = model.width_**2 * (1 if kernel == "gaussian" else 1 / 12)
    shape = np.cov(Z.T) if whiten else np.eye(2)
    np.testing.assert_allclose(np.cov(X.T), np.cov(Z.T, ddof=0) + variance * shape, atol=0.15)


def test_adaptive_windows_are_narrow_where_samples_are_dense():
    Z = np.concatenate([RNG.normal(0, 0.01, (50, 1)), RNG.normal(5, 1.0, (50, 1))])
    widths = Parzen(width=1.0, adaptive_k=5).fit(Z).widths_
    assert np.median(widths[:50]) < 0.05 * np.median(widths[50:])


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="needs samples that differ"):
        Parzen().fit(np.ones((4, 2)))
    with pytest.raises(ValueError, match="adaptive_k=5 neighbours need more"):
        Parzen(adaptive_k=5).fit(FIVE)
    with pytest.raises(ValueError, match="positive definite"):
        Parzen(whiten=True).fit(np.ones((4, 2)))
    with pytest.raises(ValueError, match="width must be"):
        Parzen(width="silverman").fit(FIVE)
    with pytest.raises(ValueError, match="lies in no window"):
        Parzen("box", width="loo").fit(np.append(RNG.random(1000), 1e9)[:, None])


def test_quadrature_of_one_window():
    model = Parzen(width=0.3).fit([[1.0]])
    inside = quad(lambda x: float(np.exp(model.score_samples([[x]]))[0]), 0.7, 1.3)[0]
    assert inside == pytest.approx(0.6826895, abs=1e-6)


@pytest.mark.kernel
def test_kernels_are_their_formulas():
    X, Z = RNG.normal(size=(4, 2)), RNG.normal(size=(7, 2))
    inverse, constants, out = RNG.random(7), RNG.normal(size=7), np.empty((4, 7))
    gaussian_exponents(X, np.ascontiguousarray(Z.T), inverse, constants, out)
    np.testing.assert_allclose(out, constants - 0.5 * inverse * cdist(X, Z, "sqeuclidean"))
    half, heights, total = RNG.random(7), RNG.random(7), np.empty(4)
    own = np.array([-1, 2, -1, 0])
    box_sums(X, Z, half, heights, np.zeros(4, int), np.full(4, 7), own, total)
    inside = (np.abs(X[:, None] - Z) < half[:, None]).all(axis=2)
    inside[1, 2] = inside[3, 0] = False
    np.testing.assert_allclose(total, inside @ heights)
