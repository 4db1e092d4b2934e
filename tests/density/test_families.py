"""The small families against scipy.stats and known numbers."""

import numpy as np
import pytest
import scipy.stats as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from shallows.density import (
    Bernoulli,
    Binomial,
    Exponential,
    Multinomial,
    PointMasses,
    Poisson,
    UniformBox,
    rate_from_events,
)

RNG = np.random.default_rng(0)
COUNTS = np.arange(21)[:, None]
PAIRS = [
    (Bernoulli(0.3), st.bernoulli(0.3), np.array([[0], [1]])),
    (Binomial(20, 0.1), st.binom(20, 0.1), COUNTS),
    (Poisson(3.5), st.poisson(3.5), COUNTS),
    (Exponential(2.34), st.expon(scale=1 / 2.34), np.linspace(0, 5, 20)[:, None]),
    (UniformBox(-1.0, 3.0), st.uniform(-1, 4), np.linspace(-1, 3, 20)[:, None]),
]
by_law = pytest.mark.parametrize(("ours", "theirs", "X"), PAIRS, ids=lambda part: repr(part)[:20])


# The laws of counts refuse the real numbers of these checks; this one takes them.
@parametrize_with_checks(
    [Exponential()],
    expected_failed_checks=lambda model: {
        "check_positive_only_tag_during_fit": "asks for scikit-learn's wording"
    },
)
def test_sklearn_contract(estimator, check):
    check(estimator)


@by_law
def test_log_density_and_moments(ours, theirs, X):
    logs = theirs.logpmf(X) if hasattr(theirs, "pmf") else theirs.logpdf(X)
    np.testing.assert_allclose(ours.score_samples(X), logs[:, 0], atol=1e-12)
    assert ours.expectation()[0] == pytest.approx(theirs.mean())
    assert ours.variance()[0] == pytest.approx(theirs.var())
    assert np.isneginf(ours.score_samples([[-7.0]]))


@by_law
def test_samples_follow_the_law_and_give_the_parameters_back(ours, theirs, X):
    drawn = ours.sample(20000, random_state=0)
    assert drawn.shape == (20000, 1)
    assert drawn.mean() == pytest.approx(theirs.mean(), abs=5 * theirs.std() / np.sqrt(20000))
    names = ours._names
    learned = clone(ours).set_params(**dict.fromkeys(names)).fit(drawn)
    for name in names:
        given = getattr(ours, name)
        assert getattr(learned, f"{name}_")[0] == pytest.approx(given, rel=0.05)
    np.testing.assert_array_equal(drawn, ours.sample(20000, random_state=0))


@by_law
def test_independent_features_add_their_logs(ours, theirs, X):
    wide = np.column_stack([X[:, 0], X[::-1, 0]])
    both = ours.score_samples(X) + ours.score_samples(X)[::-1]
    np.testing.assert_allclose(ours.score_samples(wide), both)


@pytest.mark.parametrize(
    ("q", "mode", "height"), [(0.1, 2, 0.2852), (0.5, 10, 0.1762), (0.9, 18, 0.2852)]
)
def test_binomial_modes(q, mode, height):
    p = np.exp(Binomial(20, q).score_samples(COUNTS))
    assert p.argmax() == mode
    assert p.max() == pytest.approx(height, abs=5e-5)
    assert p.sum() == pytest.approx(1, abs=1e-12)


def test_weights_are_repetitions():
    X, weights = RNG.poisson(3, size=(30, 2)), RNG.integers(0, 4, size=30)
    weighted = Poisson().fit(X, sample_weight=weights)
    np.testing.assert_allclose(weighted.rate_, np.repeat(X, weights, axis=0).mean(axis=0))


def test_rate_is_not_the_mean_waiting_time():
    t = np.cumsum(RNG.exponential(1 / 2.34, size=20001))
    rate = rate_from_events(t)
    assert rate == pytest.approx(2.34, abs=5 * 2.34 / np.sqrt(20000))
    assert rate == pytest.approx(Exponential().fit(np.diff(t)[:, None]).rate_[0])
    assert rate == rate_from_events(t[::-1])
    with pytest.raises(ValueError, match="at least two different"):
        rate_from_events([1.0])


def test_counts_of_a_poisson_process_have_mean_equal_to_variance():
    t = np.cumsum(RNG.exponential(1 / 3, size=60000))
    counts = np.histogram(t, np.arange(0, int(t[-1])))[0]
    assert counts.mean() == pytest.approx(3, rel=0.03)
    assert counts.var() == pytest.approx(3, rel=0.06)
    assert Poisson(3.0).variance() == Poisson(3.0).expectation()


def test_multinomial():
    law = Multinomial([0.2, 0.3, 0.5], n=7)
    X = law.sample(5000, random_state=1)
    np.testing.assert_allclose(
        law.score_samples(X[:50]), st.multinomial(7, [0.2, 0.3, 0.5]).logpmf(X[:50])
    )
    np.testing.assert_allclose(Multinomial().fit(X).p_, X.sum(axis=0) / X.sum())
    np.testing.assert_allclose(Multinomial().fit([[55, 45]]).p_, [0.55, 0.45])
    certain = Multinomial([1.0, 0.0])
    np.testing.assert_allclose(certain.score_samples([[3, 0], [3, 1]]), [0, -np.inf])


def test_point_masses():
    law = PointMasses([1.0, 2.0, 3.0], [0.5, 0.25, 0.25])
    assert law.expectation() == pytest.approx(1.75)
    assert law.variance() == pytest.approx(0.6875)
    assert law.probability(2, 3) == 0.5
    np.testing.assert_allclose(np.exp(law.score_samples([[3.0], [1.0], [1.5]])), [0.25, 0.5, 0.0])
    learned = PointMasses().fit([[1, 0], [1, 0], [0, 2]], sample_weight=[1, 2, 1])
    np.testing.assert_array_equal(learned.points_, [[0, 2], [1, 0]])
    np.testing.assert_array_equal(learned.masses_, [0.25, 0.75])
    drawn = law.sample(8000, random_state=0)
    assert (drawn == 1).mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(8000))
    with pytest.raises(ValueError, match="sum to one"):
        PointMasses([1.0, 2.0], [0.5, 0.1]).sample()


def test_uniform_box_density_is_one_over_the_volume():
    X = RNG.uniform([0, -1], [2, 4], size=(500, 2))
    box = UniformBox().fit(X)
    np.testing.assert_array_equal(box.low_, X.min(axis=0))
    volume = np.prod(np.ptp(X, axis=0))
    np.testing.assert_allclose(np.exp(box.score_samples(X)), 1 / volume)
    wide = UniformBox(unbiased=True).fit(X)
    assert (wide.low_ < box.low_).all() and (wide.high_ > box.high_).all()
    ends = [UniformBox(0.0, unbiased=True).fit(RNG.random((9, 1))).high_[0] for _ in range(3000)]
    assert np.mean(ends) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (Poisson(), [[1.5]], "counts 0, 1, 2"),
        (Poisson(), [[-1.0]], "counts 0, 1, 2"),
        (Bernoulli(), [[2.0]], "zeros and ones"),
        (Binomial(3), [[4.0]], "counts from 0 to n=3"),
        (Exponential(), [[-0.1]], "not negative"),
        (Exponential(), [[0.0], [0.0]], "rate is infinite"),
        (Multinomial(), [[0, 0]], "zeros only"),
        (Multinomial([0.5, 0.5]), [[1, 1, 1]], "of length 3"),
        (UniformBox(), [[1.0], [1.0]], "low must be below high"),
        (UniformBox(0.0, 1.0), [[2.0]], "between low=0.0"),
        (Poisson([-1.0]), [[2.0]], "rate must be finite and not negative"),
    ],
)
def test_data_that_do_not_fit_are_refused(model, X, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X)


def test_parameters_for_another_number_of_features_are_refused():
    for model in (Poisson([1.0, 2.0]), UniformBox([0.0, 0.0], 1.0), PointMasses([1.0], [1.0])):
        with pytest.raises(ValueError, match="X has 3 features"):
            model.score_samples([[1.0, 1.0, 1.0]])
