"""Tabulated laws: probability, marginal, conditional, support."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.integrate import nquad, quad
from scipy.stats import multivariate_normal, norm

from shallows.density import Tabulated

GRID = np.linspace(-6, 6, 601)
LAW = multivariate_normal([0.5, -1.0], [[1.0, 0.6], [0.6, 2.0]])
WIDE = np.linspace(-9, 9, 361)
JOINT = Tabulated(lambda x, y: LAW.pdf(np.stack([x, y], axis=-1)), [WIDE, WIDE])


@given(some.floats(-5, 5), some.floats(0, 5))
def test_interval_probability(a, width):
    law = Tabulated(norm.pdf(GRID), GRID)
    expected = norm.cdf(a + width) - norm.cdf(a)
    assert law.probability(a, a + width) == pytest.approx(expected, abs=2e-5)


def test_integral_of_the_interpolation_is_exact():
    law = Tabulated([0.0, 2.0, 0.5, 0.0], [0.0, 0.5, 0.8, 2.0], normalize=True)
    density = lambda x: float(np.exp(law.score_samples([[x]]))[0])  # noqa: E731
    for a, b in ((0.1, 0.4), (0.2, 1.7), (-3.0, 0.6)):
        direct = quad(density, max(a, 0), b, points=[0.5, 0.8], epsabs=1e-12)[0]
        assert law.probability(a, b) == pytest.approx(direct, abs=1e-9)
    assert law.values.max() > 1  # a density may exceed one
    assert law.probability(-np.inf, np.inf) == pytest.approx(1)
    mean = quad(lambda x: x * density(x), 0, 2, points=[0.5, 0.8], epsabs=1e-12)[0]
    assert law.expectation()[0] == pytest.approx(mean, abs=1e-9)


def test_joint_density():
    box = nquad(lambda x, y: LAW.pdf([x, y]), [[-1, 1], [-2, 0.5]])[0]
    assert JOINT.probability([-1, -2], [1, 0.5]) == pytest.approx(box, abs=2e-4)
    np.testing.assert_allclose(JOINT.marginal(0).values, norm.pdf(WIDE, 0.5, 1.0), atol=1e-5)
    np.testing.assert_allclose(JOINT.marginal(1).values, norm.pdf(WIDE, -1, np.sqrt(2)), atol=1e-5)
    given = JOINT.conditional({1: 0.5})
    assert given.probability(-np.inf, np.inf) == pytest.approx(1)
    exact = norm.pdf(WIDE, 0.5 + 0.3 * 1.5, np.sqrt(1 - 0.18))
    np.testing.assert_allclose(given.values, exact, atol=1e-3)
    np.testing.assert_allclose(JOINT.expectation(), [0.5, -1], atol=1e-4)


def test_table_of_three_variables():
    table = np.random.default_rng(0).dirichlet(np.ones(24)).reshape(2, 3, 4)
    law = Tabulated(table, [[0, 1], [0, 1, 2], [0, 1, 2, 3]], kind="pmf")
    np.testing.assert_allclose(law.marginal([2, 0]).values, table.sum(axis=1).T)
    np.testing.assert_allclose(
        law.conditional({0: 1, 2: 3}).values, table[1, :, 3] / table[1, :, 3].sum()
    )
    assert law.probability([0, 1, 0], [1, 2, 1]) == pytest.approx(table[:, 1:, :2].sum())
    assert law.score_samples([[1, 2, 3]])[0] == pytest.approx(np.log(table[1, 2, 3]))
    assert np.isneginf(law.score_samples([[0.5, 2, 3]]))
    np.testing.assert_allclose(law.expectation()[2], (table.sum(axis=(0, 1)) * np.arange(4)).sum())


def test_support():
    pmf = Tabulated([0, 0.5, 0, 0.5, 0], np.arange(5), kind="pmf")
    assert [end[0] for end in pmf.support()] == [1, 3]
    pdf = Tabulated([0, 0, 1.0, 0, 0], np.arange(5))
    assert [end[0] for end in pdf.support()] == [1, 3]


def test_samples_follow_the_law():
    X = JOINT.sample(30000, random_state=0)
    np.testing.assert_allclose(np.cov(X.T), LAW.cov, atol=0.08)
    law = Tabulated([0.0, 2.0, 0.5, 0.0], [0.0, 0.5, 0.8, 2.0], normalize=True)
    drawn = law.sample(30000, random_state=0)
    assert (drawn < 0.5).mean() == pytest.approx(
        law.probability(0, 0.5), abs=5 * 0.5 / np.sqrt(30000)
    )
    assert drawn.min() >= 0 and drawn.max() <= 2


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match=r"must sum to 1, they sum to 0\.9"):
        Tabulated([0.5, 0.4], [0, 1], kind="pmf")
    with pytest.raises(ValueError, match="shape"):
        Tabulated([0.5, 0.5], [0, 1, 2], kind="pmf")
    with pytest.raises(ValueError, match="must increase"):
        Tabulated([0.5, 0.5], [1, 0], kind="pmf")
    with pytest.raises(ValueError, match="not negative"):
        Tabulated([-0.5, 1.5], [0, 1], kind="pmf")
    with pytest.raises(ValueError, match="not on the grid"):
        JOINT.conditional({0: 99.0})
    with pytest.raises(ValueError, match="has no probability"):
        Tabulated([[0, 0], [0.5, 0.5]], [[0, 1], [0, 1]], kind="pmf").conditional({0: 0})
