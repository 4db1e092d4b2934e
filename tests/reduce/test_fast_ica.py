"""FastICA, kurtosis and mutual information against scikit-learn and closed forms."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.decomposition import FastICA as SklearnICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import mutual_info_regression
from sklearn.metrics import mutual_info_score

from shallows.reduce import FastICA, kurtosis, mutual_information

RNG = np.random.default_rng(0)


def mixture(n=3000):
    sources = np.column_stack(
        [RNG.uniform(-1, 1, n), RNG.laplace(size=n), np.sign(RNG.normal(size=n))]
    )
    return sources, sources @ RNG.normal(size=(3, 3)) + 5.0


SOURCES, MIXED = mixture()


def agreement(found, sources):
    k = sources.shape[1]
    return np.abs(np.corrcoef(found.T, sources.T)[:k, k:]).max(axis=0)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_sources_come_back_up_to_sign_order_and_scale(algorithm, fun):
    model = FastICA(3, algorithm=algorithm, fun=fun, random_state=0)
    found = model.fit_transform(MIXED)
    assert agreement(found, SOURCES).min() > 0.98
    np.testing.assert_allclose(np.cov(found.T, ddof=0), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(model.inverse_transform(found), MIXED, atol=1e-9)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
def test_the_unmixing_matrix_is_that_of_scikit_learn(algorithm):
    options = {"algorithm": algorithm, "tol": 1e-10, "max_iter": 1000}
    start = RNG.normal(size=(3, 3))
    ours = FastICA(3, w_init=start, **options).fit(MIXED).transform(MIXED)
    theirs = SklearnICA(3, w_init=start, **options).fit_transform(MIXED)
    np.testing.assert_allclose(agreement(ours, theirs), 1, atol=1e-6)


def test_outputs_are_less_dependent_and_further_from_gaussian_than_inputs():
    mixed = SOURCES[:, :2] @ np.array([[1.0, 2.0], [1.0, -0.5]])
    found = FastICA(fun="cube", random_state=0).fit_transform(mixed)
    assert np.abs(kurtosis(found)).sum() > np.abs(kurtosis(mixed)).sum()
    assert mutual_information(found[:, 0], found[:, 1]) < 0.05
    assert mutual_information(mixed[:, 0], mixed[:, 1]) > 0.1


def test_white_data_need_no_whitening_and_fewer_components_may_be_asked_for():
    white = FastICA(random_state=0).fit_transform(MIXED)
    rotated = white @ np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    found = FastICA(whiten=False, random_state=0).fit_transform(rotated)
    assert agreement(found, SOURCES).min() > 0.98
    assert FastICA(2, random_state=0).fit_transform(MIXED).shape == (3000, 2)


def test_bad_requests_for_sources_are_explained():
    with pytest.raises(ValueError, match="n_components=4 must be at most"):
        FastICA(4).fit(MIXED)
    with pytest.raises(ValueError, match=r"w_init must have shape \(3, 3\)"):
        FastICA(w_init=np.eye(2)).fit(MIXED)
    with (
        pytest.warns(UserWarning, match="Ignoring n_components=2 with whiten=False"),
        pytest.warns(ConvergenceWarning),
    ):
        FastICA(2, whiten=False, max_iter=1).fit(MIXED)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        FastICA(max_iter=1, random_state=0).fit(MIXED)


def test_kurtosis_is_zero_for_gauss_minus_one_for_a_semicircle_two_for_student():
    n = 200_000
    radius = np.sqrt(RNG.uniform(size=n))
    semicircle = radius * np.cos(RNG.uniform(0, 2 * np.pi, n))
    values = kurtosis(np.column_stack([RNG.normal(size=n), semicircle]))
    np.testing.assert_allclose(values, [0, -1], atol=0.05)
    grid = np.linspace(-1, 1, 200_001)
    weight = np.sqrt(1 - grid**2)
    exact = (weight @ grid**4) * weight.sum() / (weight @ grid**2) ** 2 - 3
    assert exact == pytest.approx(-1, abs=1e-4)
    y = RNG.standard_t(7, size=50)
    assert kurtosis(y) == pytest.approx(np.mean((y - y.mean()) ** 4) / y.var() ** 2 - 3)
    with pytest.raises(ValueError, match="a constant variable has none"):
        kurtosis([1.0, 1.0])


def test_information_of_a_gaussian_pair():
    rho, n = 0.8, 5000
    x = RNG.normal(size=n)
    y = rho * x + np.sqrt(1 - rho**2) * RNG.normal(size=n)
    exact = -0.5 * np.log(1 - rho**2)
    assert mutual_information(x, y) == pytest.approx(exact, abs=0.04)
    assert mutual_information(x, y, "histogram") == pytest.approx(exact, abs=0.15)
    theirs = mutual_info_regression(x[:, None], y, random_state=0)[0]
    assert mutual_information(x, y) == pytest.approx(theirs, abs=1e-3)  # it adds noise


def test_information_of_independent_variables_is_nought_and_of_codes_their_entropy():
    x, y = RNG.normal(size=(2, 4000))
    assert mutual_information(x, y) < 0.03
    labels = RNG.integers(0, 4, 500)
    codes = np.array(list("abcd"))[labels]
    shares = np.bincount(labels) / 500
    assert mutual_information(labels, codes) == pytest.approx(-(shares @ np.log(shares)))
    other = RNG.integers(0, 3, 500)
    assert mutual_information(labels, other) == pytest.approx(mutual_info_score(labels, other))


def test_information_survives_monotone_maps_better_than_correlation():
    x = RNG.normal(size=3000)
    y = x**2 + 0.5 * RNG.normal(size=3000)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.1 and mutual_information(x, y) > 0.3
    mapped = mutual_information(norm.cdf(x), y)
    assert mapped == pytest.approx(mutual_information(x, y), abs=0.1)


def test_bad_requests_for_information_are_explained():
    with pytest.raises(ValueError, match="one variable is continuous"):
        mutual_information([0.5, 1.0], [0, 1])
    with pytest.raises(ValueError, match="n_neighbors=3 needs more samples"):
        mutual_information([0.5, 1.0], [0.1, 0.2])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        mutual_information([0.5, 1.0], [0.1])
    assert mutual_information(np.ones(9), np.arange(9.0)) == 0
