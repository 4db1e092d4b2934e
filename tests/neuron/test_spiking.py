"""Spiking membranes against closed forms and SciPy's integrator."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from shallows.neuron import hodgkin_huxley, integrate_and_fire, mean_firing_rate
from shallows.neuron.hodgkin_huxley import Membrane
from shallows.neuron.integrate_and_fire import Neuron

pytestmark = pytest.mark.kernel


def membrane_slope(_, state, current):
    """Write the four equations down once more."""
    v, m, h, n = state
    alpha_m = 0.1 * (v + 40) / (1 - np.exp(-(v + 40) / 10))
    alpha_n = 0.01 * (v + 55) / (1 - np.exp(-(v + 55) / 10))
    alpha_h, beta_h = 0.07 * np.exp(-(v + 65) / 20), 1 / (1 + np.exp(-(v + 35) / 10))
    beta_m, beta_n = 4 * np.exp(-(v + 65) / 18), 0.125 * np.exp(-(v + 65) / 80)
    ions = 120 * m**3 * h * (v - 50) + 36 * n**4 * (v + 77) + 0.3 * (v + 54.387)
    gates = alpha_m * (1 - m) - beta_m * m, alpha_h * (1 - h) - beta_h * h
    return current - ions, *gates, alpha_n * (1 - n) - beta_n * n


def test_membrane_follows_its_equations():
    start = hodgkin_huxley.init()
    expected = solve_ivp(
        membrane_slope, (0, 12), start, args=(10.0,), rtol=1e-10, atol=1e-10, t_eval=[4, 8, 12]
    )
    states = hodgkin_huxley.simulate(np.full(1200, 10.0), dt=0.01).states
    np.testing.assert_allclose(states[[400, 800, 1200]], expected.y.T, rtol=2e-5, atol=2e-5)


def test_membrane_has_four_variables_and_rests_at_rest():
    start = hodgkin_huxley.init()
    assert len(start) == 4
    end = hodgkin_huxley.simulate(np.zeros(2000), dt=0.05).states[-1]
    np.testing.assert_allclose(end, start, atol=0.01)


@pytest.mark.parametrize(("current", "fires"), [(2.0, False), (10.0, True), (20.0, True)])
def test_strong_currents_fire_again_and_again(current, fires):
    spikes = hodgkin_huxley.simulate(np.full(4000, current), dt=0.025).spikes
    assert (len(spikes) >= 5) is fires
    if fires:  # once settled it is regular
        assert np.ptp(np.diff(spikes[-4:])) < 0.05
    else:
        assert len(spikes) == 0


def test_stronger_currents_fire_faster():
    counts = [len(hodgkin_huxley.simulate(np.full(4000, i), dt=0.05).spikes) for i in (8, 15, 40)]
    assert counts == sorted(set(counts))


def test_steps_make_the_path():
    path = hodgkin_huxley.simulate([0.0, 5.0, 10.0], dt=0.02).states
    state = hodgkin_huxley.init()
    for current, expected in zip([0.0, 5.0, 10.0], path[1:], strict=True):
        state = hodgkin_huxley.step(state, current, dt=0.02)
        np.testing.assert_array_equal(state, expected)


def test_a_membrane_without_sodium_never_spikes():
    quiet = hodgkin_huxley.simulate(np.full(2000, 20.0), dt=0.05, membrane=Membrane(sodium=0.0))
    assert len(quiet.spikes) == 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of Python; compiled code has none
def test_too_long_a_step_is_an_error():
    with pytest.raises(ValueError, match="smaller dt"):
        hodgkin_huxley.simulate(np.full(1000, 10.0), dt=1.0)


@pytest.mark.parametrize("dt", [0.1, 7.0, 200.0])
@pytest.mark.parametrize("current", [1.1, 1.5, 10.0])
def test_interval_between_spikes_is_the_closed_form(current, dt):
    spikes = integrate_and_fire.simulate(np.full(int(400 / dt), current), dt=dt).spikes[0]
    period = 20 * np.log(current / (current - 1))
    assert len(spikes) == int(int(400 / dt) * dt / period)
    np.testing.assert_allclose(spikes, period * np.arange(1, len(spikes) + 1), rtol=1e-9)


def test_below_threshold_the_potential_relaxes():
    record = integrate_and_fire.simulate(np.full(50, 0.8), dt=1.0)
    np.testing.assert_allclose(record.potentials[:, 0], 0.8 * -np.expm1(-np.arange(51) / 20))
    assert len(record.spikes[0]) == 0


def test_reset_rest_and_resistance_enter_the_period():
    neuron = Neuron(tau=10.0, resistance=2.0, threshold=-50.0, reset=-70.0, rest=-65.0)
    spikes = integrate_and_fire.simulate(np.full(2000, 10.0), neuron=neuron).spikes[0]
    np.testing.assert_allclose(np.diff(spikes), 10 * np.log(25 / 5), rtol=1e-9)


def test_a_spike_shifts_potentials_by_the_strengths_of_its_synapses():
    weights = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [-0.2, 0.0, 0.0]])
    currents = np.zeros((2, 3))
    state = integrate_and_fire.init(3)._replace(potentials=np.array([1.0, 0.0, 0.0]))
    record = integrate_and_fire.simulate(currents, dt=1e-9, weights=weights, state=state)
    np.testing.assert_allclose(record.potentials[-1], [0.0, 0.3, -0.2], atol=1e-9)
    back = integrate_and_fire.simulate(currents, dt=1e-9, weights=weights.T, state=state)
    np.testing.assert_allclose(back.potentials[-1], 0.0, atol=1e-9)


def test_a_strong_synapse_makes_the_next_neuron_fire():
    weights = [[0.0, 0.0], [1.5, 0.0]]
    record = integrate_and_fire.simulate(np.full((1000, 2), [1.5, 0.0]), weights=weights)
    first, second = record.spikes
    assert len(first) == len(second) == 4
    assert (second > first).all()
    assert (second < first + 0.11).all()


def test_steps_of_spiking_neurons_make_the_path():
    rng = np.random.default_rng(0)
    weights, currents = rng.normal(scale=0.3, size=(4, 4)), 3 * rng.random((60, 4))
    record = integrate_and_fire.simulate(currents, dt=2.0, weights=weights)
    state, counts = integrate_and_fire.init(4), 0
    for current, expected in zip(currents, record.potentials[1:], strict=True):
        state = integrate_and_fire.step(state, current, 2.0, weights)
        counts = counts + state.fired
        np.testing.assert_allclose(state.potentials, expected)
    np.testing.assert_array_equal(counts, [len(times) for times in record.spikes])
    assert state.time == pytest.approx(120)
    assert counts.sum() > 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dt": 0.0}, "dt and tau must be positive"),
        ({"weights": np.zeros((2, 2))}, "for 1 neurons"),
        ({"neuron": Neuron(reset=1.0)}, "reset below the threshold"),
    ],
)
def test_impossible_neurons_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        integrate_and_fire.simulate(np.ones(3), **arguments)


@pytest.mark.parametrize("period", [0.3, 1.0, 2.5])
def test_rate_of_a_regular_train(period):
    spikes = period * np.arange(1, 1000)
    rates = mean_firing_rate(spikes, window=10.0, duration=100.0)
    assert rates.shape == (10,)
    assert np.abs(rates - 1 / period).max() <= 1 / 10 + 1e-12
    assert rates.sum() * 10 == np.sum(spikes < 100)


def test_rates_of_no_spikes_and_bad_spikes():
    np.testing.assert_array_equal(mean_firing_rate([], 1.0, duration=3.0), np.zeros(3))
    assert mean_firing_rate([], 1.0).shape == (0,)
    with pytest.raises(ValueError, match="not negative"):
        mean_firing_rate([-1.0], 1.0)
    with pytest.raises(ValueError, match="window must be positive"):
        mean_firing_rate([1.0], 0.0)
