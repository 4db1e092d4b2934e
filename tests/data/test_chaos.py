"""Chaotic series against SciPy's integrators and their laws."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from shallows import data
from shallows.data._chaos import past

pytestmark = pytest.mark.kernel


def test_lorenz_follows_scipy():
    def slope(_, s):
        return [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]

    start = [1.0, 2.0, 20.0]
    times = np.arange(101) * 0.01
    expected = solve_ivp(slope, (0, 1), start, t_eval=times, rtol=1e-11, atol=1e-11).y.T
    found = data.lorenz(101, washout=0, start=start)
    assert np.allclose(found, expected, atol=2e-4)
    halved = data.lorenz(201, dt=0.005, washout=0, start=start)[::2]
    ratio = np.abs(found - expected).max() / np.abs(halved - expected).max()
    assert 12 < ratio < 22, "fourth order: half the step, a sixteenth of the error"


def test_lorenz_stays_on_the_two_lobed_attractor():
    states = data.lorenz(3000, random_state=0)
    assert (np.abs(states[:, :2]) < 30).all() and (states[:, 2] > 0).all()
    assert states[:, 2].max() < 50
    crossings = (np.diff(np.sign(states[:, 0])) != 0).sum()
    assert crossings > 10


def test_lorenz_below_one_falls_to_the_origin():
    states = data.lorenz(3000, rho=0.5, washout=0, random_state=0)
    assert np.abs(states[-1]).max() < 1e-3


def test_mackey_glass_solves_its_equation():
    """Over the first delay the past is constant, so the equation is an ordinary one."""
    tau, first = 17.0, 1.2
    drive = 0.2 * first / (1 + first**10)
    found = data.mackey_glass(18, washout=0, start=first)
    t = np.arange(18)
    exact = drive / 0.1 + (first - drive / 0.1) * np.exp(-0.1 * t)
    assert np.allclose(found, exact, atol=1e-9)
    assert tau == 17.0


def test_mackey_glass_steps_converge_with_fourth_order():
    fine = data.mackey_glass(61, washout=0, start=1.2, substeps=64)
    errors = [
        np.abs(data.mackey_glass(61, washout=0, start=1.2, substeps=n) - fine).max()
        for n in (2, 4, 8)
    ]
    assert errors[0] > 8 * errors[1] > 64 * errors[2] > 0


def test_mackey_glass_stays_bounded_and_wanders():
    series = data.mackey_glass(1000, random_state=0)
    assert 0.2 < series.min() < 0.6 and 1.1 < series.max() < 1.5
    calm = data.mackey_glass(200, tau=2.0, washout=3000, random_state=0)
    assert np.ptp(calm) < 1e-6, "a short delay gives a fixed point"


def test_past_interpolates_cubics_exactly():
    times = np.arange(6.0)
    values, slopes = times**3 - times, 3 * times**2 - 1
    places = np.array([0.25, 1.5, 3.999, 4.0])
    found = [past(values, slopes, -7.0, place) for place in places]
    assert np.allclose(found, places**3 - places)
    assert past(values, slopes, -7.0, -0.5) == -7.0


def test_baker_map_keeps_area_and_is_one_to_one():
    side = (np.arange(64) + 0.5) / 64
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for steps in (1, 3):
        mapped = data.baker_map(grid, steps)
        assert len(np.unique(mapped, axis=0)) == len(grid)
        counts = np.histogram2d(*mapped.T, bins=8, range=[[0, 1], [0, 1]])[0]
        assert (counts == 64).all()
    assert np.array_equal(data.baker_map(grid, 0), grid)


def test_bad_arguments_say_what_to_do():
    with pytest.raises(ValueError, match="start must be 3 numbers"):
        data.lorenz(5, start=[1.0])
    with pytest.raises(FloatingPointError, match="Lower dt"):
        data.lorenz(2000, dt=0.5, random_state=0)
    with pytest.raises(ValueError, match="tau must be at least one step"):
        data.mackey_glass(5, tau=0.01)
    with pytest.raises(ValueError, match="between 0 and 1"):
        data.baker_map([[2.0, 0.0]])
