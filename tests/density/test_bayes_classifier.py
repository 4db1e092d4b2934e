"""Bayes' classifier: known error rates, regions, and fitted densities."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import bernoulli, expon, multinomial, multivariate_normal, norm, poisson
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KernelDensity

from shallows.density import (
    BayesClassifier,
    Bernoulli,
    Exponential,
    Gaussian,
    GaussianMixture,
    Histogram,
    Multinomial,
    Parzen,
    Poisson,
    SiteProfile,
)

X, Y = load_iris(return_X_y=True)
THREE = BayesClassifier([norm(0, 2), norm(0.5, 0.5), norm(3, 0.7)], [0.5, 0.3, 0.2])


def test_two_equal_gaussians_have_a_known_error():
    for gap in (0.5, 2.0, 6.0):
        known = BayesClassifier([Gaussian(0.0, 1.0), Gaussian(gap, 1.0)])
        assert known.error_rate().rate == pytest.approx(ndtr(-gap / 2), rel=1e-8)
    means = [np.zeros(3), np.full(3, 1.0)]
    wide = BayesClassifier([multivariate_normal(m, np.eye(3)) for m in means], [0.5, 0.5])
    found = wide.error_rate(n_samples=40_000, random_state=0)
    assert found.standard_error > 0
    assert abs(found.rate - ndtr(-np.sqrt(3) / 2)) < 5 * found.standard_error


def test_error_is_one_less_the_integral_of_the_largest():
    joint = [(0.5, norm(0, 2)), (0.3, norm(0.5, 0.5)), (0.2, norm(3, 0.7))]
    edges, labels = THREE.regions(-20, 20)
    correct = sum(
        quad(lambda x, p=joint[label][0], f=joint[label][1]: p * f.pdf(x), low, high)[0]
        for low, high, label in zip(edges[:-1], edges[1:], labels, strict=True)
    )
    assert THREE.error_rate().rate == pytest.approx(1 - correct, abs=1e-8)
    assert (labels == 0).sum() > 1  # one class has several intervals
    inner = THREE.predict_proba(edges[1:-1, None])
    np.testing.assert_allclose(np.sort(inner, axis=1)[:, -1], np.sort(inner, axis=1)[:, -2])


def test_no_rule_beats_it():
    best = THREE.error_rate().rate
    rng = np.random.default_rng(0)
    labels = rng.choice(3, 20_000, p=[0.5, 0.3, 0.2])
    x = np.array([0, 0.5, 3])[labels] + np.array([2, 0.5, 0.7])[labels] * rng.normal(size=20_000)
    for rule in (
        lambda Z: np.zeros(len(Z), int),
        lambda Z: np.where(Z[:, 0] > 2, 2, 1),
        LogisticRegression().fit(x[:, None], labels).predict,
    ):
        assert THREE.error_rate(rule).rate > best
    wrong = (THREE.predict(x[:, None]) != labels).mean()
    assert wrong == pytest.approx(best, abs=5 * np.sqrt(best * (1 - best) / 20_000))
    shifted = BayesClassifier([norm(0, 2), norm(0.5, 0.5), norm(3, 0.7)], [1 / 3] * 3)
    assert THREE.error_rate(shifted.predict).rate > best


def test_counts_are_summed():
    known = BayesClassifier([Poisson(2.0), Poisson(6.0)])
    k = np.arange(60)[:, None]
    p = np.exp([Poisson(2.0).score_samples(k), Poisson(6.0).score_samples(k)])
    assert known.error_rate().rate == pytest.approx(1 - 0.5 * p.max(axis=0).sum(), abs=1e-12)


def test_gaussian_densities_are_quadratic_discriminants():
    ours = BayesClassifier(Gaussian()).fit(X, Y)
    peer = QuadraticDiscriminantAnalysis().fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    given = BayesClassifier(Gaussian(), priors=[0.8, 0.1, 0.1]).fit(X, Y)
    other = QuadraticDiscriminantAnalysis(priors=[0.8, 0.1, 0.1]).fit(X, Y)
    np.testing.assert_allclose(given.predict_proba(X), other.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize(
    "density", [Parzen(width=0.4), Parzen(width="loo"), GaussianMixture(2, random_state=0)]
)
def test_any_density_classifies_iris(density):
    assert cross_val_score(BayesClassifier(density), X, Y, cv=5).mean() > 0.93


def test_windows_of_scikit_learn_and_weights():
    foreign = BayesClassifier(KernelDensity(bandwidth=0.4)).fit(X, Y)
    ours = BayesClassifier(Parzen(width=0.4)).fit(X, Y)
    np.testing.assert_allclose(foreign.predict_proba(X), ours.predict_proba(X), atol=1e-7)
    weights = np.random.default_rng(0).integers(1, 4, size=150)
    weighted = BayesClassifier(Parzen(width=0.4)).fit(X, Y, sample_weight=weights)
    repeated = BayesClassifier(Parzen(width=0.4)).fit(
        np.repeat(X, weights, axis=0), np.repeat(Y, weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_priors_decide_where_no_density_reaches():
    model = BayesClassifier(Histogram(3), priors=[0.2, 0.8]).fit(
        [[0.0], [1], [5], [6]], list("aabb")
    )
    np.testing.assert_allclose(model.predict_proba([[99.0]]), [[0.2, 0.8]])
    assert model.predict([[0.1], [5.1], [99.0]]).tolist() == ["a", "b", "b"]


def test_bits_and_letters():
    rng = np.random.default_rng(0)
    bits = (rng.random((400, 8)) < np.repeat([[0.2], [0.8]], 200, axis=0)).astype(float)
    labels = np.repeat([0, 1], 200)
    assert BayesClassifier(Bernoulli()).fit(bits, labels).score(bits, labels) > 0.95
    words = ["ACAA", "ACAC", "ACCA", "DDED", "DDEE", "DDDD"]
    families = BayesClassifier(SiteProfile("ACDE")).fit(words, [0, 0, 0, 1, 1, 1])
    assert families.predict(["ACCC", "EDED"]).tolist() == [0, 1]


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="one density for each of the 3"):
        BayesClassifier([Gaussian()]).fit(X, Y)
    with pytest.raises(ValueError, match="priors must be 3 probabilities"):
        BayesClassifier(priors=[0.5, 0.5]).fit(X, Y)
    with pytest.raises(ValueError, match="two-dimensional"):
        THREE.predict([1.0, 2.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("law", [Bernoulli, Multinomial, Poisson, Exponential])
def test_laws_that_are_linear_in_the_features(law, dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    rates = rng.uniform(0.2, 0.8, size=(3, 4))[y]
    data = rng.binomial(1, rates) if law is Bernoulli else rng.poisson(9 * rates)
    data = data.astype(dtype)
    model = BayesClassifier(law()).fit(data, y)

    def log_density(rows):
        mean, theirs = rows.mean(axis=0, dtype=float), data.astype(float)
        if law is Multinomial:
            return multinomial.logpmf(theirs, theirs.sum(axis=1), mean / mean.sum())
        if law is Exponential:
            return expon.logpdf(theirs, scale=mean).sum(axis=1)
        return (bernoulli if law is Bernoulli else poisson).logpmf(theirs, mean).sum(axis=1)

    joint = [log_density(data[y == k]) + np.log(np.mean(y == k)) for k in range(3)]
    expected = np.logaddexp.reduce(joint)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(model.score_samples(data), expected, rtol=tolerance)
    np.testing.assert_allclose(
        model.predict_proba(data), np.exp(joint - expected).T, rtol=100 * tolerance, atol=1e-7
    )


def test_counts_that_a_class_never_saw_are_impossible_there():
    data = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    model = BayesClassifier(Bernoulli()).fit(data, [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[1, 1], [1, 0]]), [[0, 1], [1, 0]])
    both = BayesClassifier(Poisson()).fit(data + 1, [0, 0, 1, 1])
    np.testing.assert_allclose(both.predict_proba([[1.5, 1.0]]), [[0.5, 0.5]])  # no count
