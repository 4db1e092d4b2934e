"""Filters, correlations, the Wiener solution and the set-ups of adaptive filtering."""

import numpy as np
import pytest

from shallows.data import binary_channel, fir_plant, interference
from shallows.signal import (
    LMS,
    cancel_noise,
    correlation,
    delay_line,
    equalize,
    feedback_error_learning,
    identify,
    identify_inverse,
    impulse_response,
    invert_filter,
    is_linear,
    memory_span,
    performance_surface,
    risk,
    transversal_filter,
    wiener,
)

RNG = np.random.default_rng(0)


def test_transversal_filter_is_its_sum():
    x, w = RNG.normal(size=30), RNG.normal(size=4)
    expected = [sum(w[j] * x[n - j] for j in range(4) if n >= j) for n in range(30)]
    np.testing.assert_allclose(transversal_filter(x, w), expected)
    np.testing.assert_allclose(delay_line(x, 4) @ w, expected)
    np.testing.assert_allclose(impulse_response(lambda s: transversal_filter(s, w), 6)[:4], w)
    assert is_linear(lambda s: transversal_filter(s, w))
    assert not is_linear(lambda s: transversal_filter(s, w) + 1)
    assert memory_span(lambda s: transversal_filter(s, w)) == (4, True)
    assert memory_span(lambda s: s[::-1])[1] is False


def test_correlations_are_time_averages():
    x, d = RNG.normal(size=200), RNG.normal(size=200)
    found = correlation(x, d, 3)
    rows = np.array([[x[n], x[n - 1], x[n - 2]] for n in range(2, 200)])
    np.testing.assert_allclose(found.R, rows.T @ rows / 198)
    np.testing.assert_allclose(found.p, rows.T @ d[2:] / 198)
    assert found.power == pytest.approx(np.mean(d[2:] ** 2))
    assert np.linalg.eigvalsh(found.R).min() > 0


def test_long_signals_have_constant_diagonals():
    x = transversal_filter(RNG.normal(size=100_000), [1.0, 0.7])
    R = correlation(x, x, 4).R
    for k in range(4):
        assert np.ptp(np.diag(R, k)) < 1e-3


def test_wiener_solution_is_the_lowest_point():
    x, d = fir_plant(5000, [1.0, 0.5, -0.2], noise=0.3, random_state=0)
    R, p, power = correlation(x, d, 3)
    best = wiener(R, p)
    surface = performance_surface(R, p, power)
    np.testing.assert_allclose(R @ best, p, atol=1e-12)
    rows = delay_line(x, 3)[2:]
    np.testing.assert_allclose(best, np.linalg.lstsq(rows, d[2:], rcond=None)[0])
    assert surface.minimum == pytest.approx(risk(best, R, p, power))
    assert surface.minimum == pytest.approx(np.mean((d[2:] - rows @ best) ** 2))
    for w in RNG.normal(size=(10, 3)):
        along = surface.axes.T @ (w - best)
        expected = surface.minimum + surface.curvatures @ along**2
        assert risk(w, R, p, power) == pytest.approx(expected)
    assert surface.spread == pytest.approx(surface.curvatures[-1] / surface.curvatures[0])


def test_wiener_of_dependent_inputs_is_the_shortest():
    np.testing.assert_allclose(wiener([[1.0, 1.0], [1.0, 1.0]], [2.0, 2.0]), [1, 1])


def test_identify_finds_the_impulse_response():
    weights = np.array([0.9, 0.0, 0.0, -0.4, 0.1])
    x = RNG.normal(size=3000)
    plant = lambda s: transversal_filter(s, weights)  # noqa: E731
    np.testing.assert_allclose(identify(plant, x, 8).coef_[:5], weights, atol=1e-5)
    np.testing.assert_allclose(identify(plant, x, 8, LMS()).coef_[:5], weights, atol=1e-3)


def test_inverse_filters_undo():
    x, weights = RNG.normal(size=500), [1.0, -0.6, 0.25]
    np.testing.assert_allclose(invert_filter(weights)(transversal_filter(x, weights)), x)
    for unstable in ([0.5, 1.0], [0.0, 1.0]):
        with pytest.raises(ValueError, match="not stable"):
            invert_filter(unstable)


def test_a_delay_helps_where_the_response_starts_small():
    x = RNG.normal(size=4000)
    plant = lambda s: transversal_filter(s, [0.3, 1.0, 0.2])  # noqa: E731
    errors = []
    for delay in (0, 6):
        model = identify_inverse(plant, x, 12, delay)
        late = np.concatenate([np.zeros(delay), x[: len(x) - delay]])
        errors.append(np.mean((model.predict(delay_line(plant(x), 12)) - late)[100:] ** 2))
    assert errors[1] < errors[0] / 10


def test_equalizer_beats_the_raw_channel():
    sent, received = binary_channel(20_000, (0.4, 1.0, 0.6), noise=0.1, random_state=0)
    raw = np.mean(np.sign(received[1:]) != sent[:-1])
    result = equalize(received, sent[:1000], length=11, delay=6)
    late = np.mean(result.signs[10_000:] != sent[10_000 - 6 : -6])
    assert raw > 0.02
    assert late < raw / 5
    np.testing.assert_array_equal(result.signs, np.where(result.outputs >= 0, 1, -1))


def test_equalizer_with_all_signs_known_is_the_normalized_rule():
    sent, received = binary_channel(300, random_state=1)
    found = equalize(received, sent, length=5, delay=2, mu=0.1)
    rows = delay_line(received, 5)[2:]
    model = LMS(0.1, rule="normalized", psi=1e-12).fit(rows, sent[:-2])
    np.testing.assert_allclose(found.weights, model.coef_, rtol=1e-9)


def test_feedback_vanishes_when_feedforward_has_learned():
    reference = RNG.normal(size=8000)
    run = feedback_error_learning(reference, [1.0, -0.5, 0.2], length=15)
    power = [np.mean(part**2) for part in np.split(run.feedback, 8)]
    assert power[-1] < 1e-6 * power[0]
    np.testing.assert_allclose(run.output[-100:], reference[-100:], atol=1e-3)
    inverse = impulse_response(invert_filter([1.0, -0.5, 0.2]), 15)
    np.testing.assert_allclose(run.weights, inverse, atol=0.01)


def test_cancelled_noise_leaves_the_signal():
    primary, reference, signal = interference(30_000, random_state=0)
    found = cancel_noise(primary, reference, 3)
    late = slice(10_000, None)
    before, after = np.var((primary - signal)[late]), np.var((found.signal - signal)[late])
    assert after < before / 10
    np.testing.assert_allclose(found.signal + found.noise, primary)
    np.testing.assert_allclose(found.weights, [0.8, -0.5, 0.3], atol=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: delay_line([1.0, np.nan], 2), "finite numbers"),
        (lambda: delay_line([1.0], 0), "at least 1"),
        (lambda: correlation([1.0, 2.0], [1.0], 1), "same length"),
        (lambda: wiener([[1.0, 0.0]], [1.0]), "symmetric"),
        (lambda: equalize([1.0, 1.0], [0.5], 1), "signs -1 and 1"),
        (lambda: equalize([1.0, 1.0], [1.0], 1, delay=1), "delay must be below"),
        (lambda: equalize([1.0, 1.0], [1.0], 1, mu=2.0), "between 0 and 1"),
        (lambda: cancel_noise([1.0, 2.0], [1.0], 1), "same length"),
        (lambda: feedback_error_learning([1.0], [0.0, 1.0], 1), "answer at once"),
        (lambda: identify_inverse(np.array, [1.0], 1, delay=1), "delay must be from 0"),
    ],
)
def test_impossible_signals_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
