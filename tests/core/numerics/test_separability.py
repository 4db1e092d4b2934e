"""Gordan's alternative: two ways to find it, and what can't be verified."""

import numpy as np
import pytest

from shallows._core.numerics.separability import (
    EVIDENCE,
    _verified,
    gordan_alternative,
    least_distance,
    nearest_by_program,
    nearest_in_hull,
)


def test_program_and_hull_agree():
    rng = np.random.default_rng(3)
    for _ in range(20):
        units = rng.normal(size=(12, 6))
        units /= np.linalg.norm(units, axis=1)[:, None]
        answers = [_verified(units, *find(units)) for find in (nearest_in_hull, nearest_by_program)]
        assert (answers[0].y is None) == (answers[1].y is None)


@pytest.mark.parametrize("gap", 10.0 ** -np.arange(2, 13, 2))
def test_closer_looks_find_what_a_single_program_misses(gap):
    """Two rows that point in nearly opposite directions; half-way between lies the only way."""
    units = np.array([[np.sin(gap), np.cos(gap)], [np.sin(gap), -np.cos(gap)], [1.0, 0.0]])
    w, y = nearest_by_program(units)
    assert (units @ w).min() == pytest.approx(gap, rel=1e-3)
    assert np.linalg.norm(units.T @ y) == pytest.approx(gap, rel=1e-3)
    assert gordan_alternative(units).worth == pytest.approx(gap, rel=1e-3)


def test_a_combination_beyond_doubt_is_not_asked_for(monkeypatch):
    """Where neither is verified to 1e-13, the shortest combination below 1e-9 is the answer."""
    rows = np.array([[1.0, 1e-11], [-1.0, 1e-11], [0.0, 1.0]])
    poor = np.array([1.0, 0.0]), np.array([0.5, 0.5, 0.0])
    worse = np.array([1.0, 0.0]), np.array([0.5, 0.4, 0.1])
    module = "shallows._core.numerics.separability"
    monkeypatch.setattr(f"{module}.nearest_in_hull", lambda units: poor)
    monkeypatch.setattr(f"{module}.nearest_by_program", lambda units: worse)
    np.testing.assert_allclose(gordan_alternative(rows).y, [0.5, 0.5, 0.0])


def test_what_can_not_be_verified_is_refused(monkeypatch):
    """A plane that separates by less than rounding allows to tell, and no null vector."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    useless = np.array([1.0, EVIDENCE / 2]), np.array([0.5, 0.5])
    for name in ("nearest_in_hull", "nearest_by_program"):
        monkeypatch.setattr(f"shallows._core.numerics.separability.{name}", lambda units: useless)
    with pytest.raises(ArithmeticError, match="verified to 1e-9"):
        gordan_alternative(rows)


def test_linear_programming_steps_in_where_least_squares_fails(monkeypatch):
    def failing(units):
        raise RuntimeError("too many steps")

    monkeypatch.setattr("shallows._core.numerics.separability.nearest_in_hull", failing)
    assert gordan_alternative(np.array([[1.0, 0.0], [1.0, 1.0]])).y is None
    np.testing.assert_allclose(gordan_alternative(np.array([[1.0], [-3.0]])).y, [0.75, 0.25])


def test_rows_that_matter_are_enough():
    """Of many rows only a working set is solved for; the nearest point is that of all."""
    rng = np.random.default_rng(5)
    units = rng.normal(size=(3000, 5)) + [4, 0, 0, 0, 0]
    units = units[units[:, 0] > 0.5]
    units /= np.linalg.norm(units, axis=1)[:, None]
    w, y = nearest_in_hull(units)
    all_of_them = least_distance(units, np.ones(len(units)))
    np.testing.assert_allclose(w, units.T @ all_of_them / all_of_them.sum(), atol=1e-9)
    assert np.count_nonzero(y) <= 6
    assert (units @ w).min() == pytest.approx(w @ w, rel=1e-8)


def test_no_rows_agree_with_anything():
    found = gordan_alternative(np.zeros((0, 3)))
    assert found.y is None
    assert found.w.shape == (3,)
