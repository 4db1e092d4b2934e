"""Learning curves in infinitely many dimensions, against asymptotics, equations and finite runs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from shallows.theory import (
    generalization_error,
    learning_curve_adaline,
    learning_curve_bayes,
    learning_curve_gibbs,
    learning_curve_hebb,
    learning_curve_max_stability,
    max_stability,
)

CURVES = [
    learning_curve_adaline,
    learning_curve_bayes,
    learning_curve_gibbs,
    learning_curve_hebb,
    learning_curve_max_stability,
]
MANY = 1e5


@pytest.mark.parametrize(
    ("curve", "constant"),
    [
        (learning_curve_gibbs, 0.625),
        (learning_curve_max_stability, 0.5005),
        (learning_curve_bayes, 0.442),
    ],
)
def test_errors_fall_as_one_over_alpha(curve, constant):
    assert MANY * curve(MANY) == pytest.approx(constant, abs=5e-4)
    assert 1e3 * curve(1e3) == pytest.approx(MANY * curve(MANY), rel=1e-4)


def test_hebb_falls_as_the_square_root():
    assert learning_curve_hebb(MANY) * np.sqrt(2 * np.pi * MANY) == pytest.approx(1, abs=1e-4)


def test_adaline_peaks_where_examples_equal_dimensions():
    assert learning_curve_adaline(1.0) == 0.5
    assert learning_curve_adaline(0.5) < learning_curve_adaline(0.9) < 0.5
    assert learning_curve_adaline(2.0) < learning_curve_adaline(1.1) < 0.5


@pytest.mark.parametrize("curve", CURVES)
def test_without_examples_the_student_guesses(curve):
    assert curve(0) == pytest.approx(0.5, rel=1e-12)
    assert curve([[0.0, 2.0]]).shape == (1, 2)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("alpha", [-1, np.nan, np.inf])
def test_impossible_numbers_of_examples_are_refused(curve, alpha):
    with pytest.raises(ValueError, match="alpha must be float"):
        curve(alpha)


def test_nobody_beats_bayes_and_all_beat_gibbs_beyond_few_examples():
    alpha = np.geomspace(0.01, 1000, 40)
    best = learning_curve_bayes(alpha)
    for curve in CURVES:
        assert np.all(curve(alpha) >= best - 1e-12)
    assert np.all(learning_curve_max_stability(alpha) <= learning_curve_gibbs(alpha))
    assert np.all(np.diff(best) < 0)


@pytest.mark.parametrize("alpha", [0.3, 2.0, 20.0])
def test_gibbs_overlap_makes_the_volume_stationary(alpha):
    """The entropy of the version space, written without the algebra that led to the equation."""

    def entropy(overlap):
        slope = np.sqrt(overlap / (1 - overlap))

        def integrand(t):
            return norm.pdf(t) * norm.sf(slope * t) * norm.logsf(slope * t)

        energy = 2 * alpha * quad(integrand, -20, 20, epsabs=1e-12, limit=200)[0]
        return 0.5 * np.log(1 - overlap) + 0.5 * overlap + energy

    overlap = np.cos(np.pi * learning_curve_gibbs(alpha))
    step = 1e-4 * (1 - overlap)
    slope = (entropy(overlap + step) - entropy(overlap - step)) / (2 * step)
    assert abs(slope) < 1e-5


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.0, 50.0])
def test_maximum_stability_solves_both_conditions(alpha):
    overlap, stability, support = max_stability(alpha)
    width = np.sqrt(1 - overlap**2)

    def share(t):
        return 2 * norm.pdf(t) * norm.cdf(overlap * t / width)

    def integral(function):
        return quad(function, -12, stability, epsabs=1e-13, limit=500, points=[0.0])[0]

    squared = integral(lambda t: share(t) * (stability - t) ** 2)
    assert alpha * squared == pytest.approx(width**2, rel=1e-7)
    assert integral(share) == pytest.approx(support, rel=1e-7)
    edge = stability / width
    first = stability * norm.cdf(edge) + width * norm.pdf(edge)
    assert alpha * np.sqrt(2 / np.pi) * first == pytest.approx(overlap, rel=1e-9)
    assert support * alpha <= 1


def test_support_vectors_are_all_examples_at_first_and_one_per_dimension_in_the_end():
    theory = max_stability([0.0, 0.01, 1e4])
    np.testing.assert_allclose(theory.support[:2], 1, atol=1e-6)
    assert theory.support[2] * 1e4 == pytest.approx(1, abs=1e-6)
    assert theory.stability[0] == np.inf


@pytest.mark.parametrize(
    ("curve", "learn"),
    [
        (learning_curve_hebb, lambda X, y: X.T @ y),
        (learning_curve_adaline, lambda X, y: np.linalg.lstsq(X, y, rcond=None)[0]),
    ],
)
@pytest.mark.parametrize("alpha", [0.5, 2.5])
def test_closed_forms_agree_with_large_simulations(curve, learn, alpha):
    rng = np.random.default_rng(0)
    n, errors = 200, []
    for _ in range(8):
        teacher = rng.standard_normal(n)
        X = rng.standard_normal((round(alpha * n), n))
        errors.append(generalization_error(learn(X, np.sign(X @ teacher)), teacher))
    spread = np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert abs(np.mean(errors) - curve(alpha)) < 6 * spread + 2 / n
