"""Linear regression against exact rational arithmetic, scikit-learn, and the theory."""

from fractions import Fraction

import dask.array as da
import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from scipy.sparse import csr_array, hstack, random_array
from sklearn.linear_model import LinearRegression as SklearnLinearRegression

from shallows.linear import (
    LinearRegression,
    PolynomialRegression,
    coefficient_table,
    simple_regression,
)
from shallows.linear._least_squares import _at_once, _from_sample, _triangle, by_eigenvectors
from shallows.linear._products import of_array
from shallows.linear._sparse import squares
from shallows.linear._twofold import residuals

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 6)) @ RNG.normal(size=(6, 6)) + 3.0
Y = X @ RNG.normal(size=(6, 2)) + RNG.normal(size=(80, 2))

# J. Longley, Journal of the American Statistical Association 62, 819-841, 1967
LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
# Certified by NIST's Statistical Reference Datasets
LONGLEY_CERTIFIED = [
    -3482258.63459582,
    15.0618722713733,
    -0.0358191792925910,
    -2.02022980381683,
    -1.03322686717359,
    -0.0511041056535807,
    1829.15146461355,
]
NOISE = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048]
NOISE += NOISE[-2::-1]


def exact(design, target):
    """Solve the normal equations of doubles exactly, by fractions."""
    design = [[Fraction(float(v)) for v in row] for row in design]
    target = [Fraction(float(v)) for v in target]
    size = len(design[0])
    table = [
        [sum(row[i] * row[j] for row in design) for j in range(size)]
        + [sum(row[i] * t for row, t in zip(design, target, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        table[i] = [v / table[i][i] for v in table[i]]
        for k in range(size):
            if k != i:
                factor = table[k][i]
                table[k] = [a - factor * b for a, b in zip(table[k], table[i], strict=True)]
    return np.array([float(row[-1]) for row in table])


def correct_digits(model, certified):
    found = np.append(model.intercept_, model.coef_)
    return float(-np.log10(np.max(np.abs(found / certified - 1)) + 1e-17))


def wampler(kind):
    x = np.arange(21.0)
    powers = x[:, None] ** np.arange(1, 6)
    if kind == 2:
        return powers, 1 + powers @ 10.0 ** -np.arange(1, 6), 10.0 ** -np.arange(6)
    size = {1: 0, 3: 1, 4: 100, 5: 10_000}[kind]
    return powers, 1 + powers.sum(axis=1) + size * np.array(NOISE), np.ones(6)


@pytest.mark.parametrize("kind", [1, 2, 3, 4, 5])
def test_wampler_polynomials_keep_their_digits(kind):
    powers, y, certified = wampler(kind)
    design = np.column_stack([np.ones(21), powers])
    # Wampler 2 is exact in decimal numbers, its doubles only nearly so
    np.testing.assert_allclose(exact(design, y), certified, rtol=1e-9 if kind == 2 else 0)
    model = LinearRegression().fit(powers, y)
    assert correct_digits(model, exact(design, y)) >= 12
    assert correct_digits(model, certified) >= 9
    assert model.rank_ == 5


def test_longley_keeps_its_digits():
    y, design = LONGLEY[:, 0], LONGLEY[:, 1:]
    truth = exact(np.column_stack([np.ones(16), design]), y)
    np.testing.assert_allclose(truth, LONGLEY_CERTIFIED, rtol=1e-13)
    model = LinearRegression().fit(design, y)
    assert correct_digits(model, truth) >= 12
    table = coefficient_table(design, y)
    # NIST's standard errors of offset and last weight, and residual deviation
    assert table.standard_error[[0, -1]] == pytest.approx([890420.383607373, 455.478499142212])
    assert table.residual_deviation == pytest.approx(304.854073561965, rel=1e-10)


@pytest.mark.kernel
def test_products_in_twice_the_precision():
    A = RNG.normal(size=(70, 33)) * 10.0 ** RNG.integers(-8, 8, (70, 33))
    x, r = RNG.normal(size=33), RNG.normal(size=70)
    b = A @ x + 1e-9

    def exact_dot(left, right):
        pairs = zip(left, right, strict=True)
        return sum(Fraction(float(a)) * Fraction(float(c)) for a, c in pairs)

    r *= 1e-9
    rest, products, plain = residuals(A, x, b, r)
    for row, value, target, part in zip(A, rest, b, r, strict=True):
        truth = Fraction(float(target)) - Fraction(float(part)) - exact_dot(row, x)
        assert value == pytest.approx(float(truth), rel=1e-14)
    for column, value in zip(A.T, products, strict=True):
        assert value == pytest.approx(float(exact_dot(column, r)), rel=1e-14)
    np.testing.assert_allclose(plain, A.T @ rest, rtol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "normal", "qr"])
@pytest.mark.parametrize("intercept", [True, False])
def test_agrees_with_scikit_learn(solver, intercept):
    weights = RNG.random(80) + 0.1
    ours = LinearRegression(fit_intercept=intercept, solver=solver)
    theirs = SklearnLinearRegression(fit_intercept=intercept, tol=1e-14)
    for given in (None, weights):
        ours.fit(X, Y, sample_weight=given)
        theirs.fit(X, Y, sample_weight=given)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    ours.fit(X, Y)
    moved = X - X.mean(axis=0) if intercept else X
    values = np.linalg.svd(moved, compute_uv=False)
    np.testing.assert_allclose(ours.singular_values_, values, rtol=1e-8)
    assert ours.rank_ == 6


def test_residual_is_orthogonal_and_outputs_are_fitted_one_by_one():
    model = LinearRegression().fit(X, Y)
    residual = Y - model.predict(X)
    assert np.abs(X.T @ residual).max() < 1e-9 and np.abs(residual.sum(axis=0)).max() < 1e-10
    for k in range(2):
        single = LinearRegression().fit(X, Y[:, k])
        np.testing.assert_allclose(single.coef_, model.coef_[k], rtol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "normal"])
def test_minimum_norm_of_redundant_columns(intercept, solver):
    wide = np.hstack([X, X[:, :1], 2 * X[:, 1:2] - X[:, 2:3], np.full((80, 1), 0.1)])
    model = LinearRegression(fit_intercept=intercept, solver=solver)
    with pytest.warns(LinAlgWarning, match="9 columns of X have rank"):
        model.fit(wide, Y)
    moved = wide - wide.mean(axis=0) if intercept else wide
    target = Y - Y.mean(axis=0) if intercept else Y
    truth = np.linalg.lstsq(moved, target, rcond=1e-10)
    np.testing.assert_allclose(model.coef_.T, truth[0], atol=1e-7)
    assert model.rank_ == truth[2]
    if intercept:
        np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, 6], rtol=1e-6)


def test_fewer_samples_than_features_interpolate_with_least_norm():
    wide, y = RNG.normal(size=(10, 30)), RNG.normal(size=10)
    model = LinearRegression(fit_intercept=False).fit(wide, y)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(wide) @ y, rtol=1e-9)
    np.testing.assert_allclose(model.predict(wide), y, rtol=1e-10)
    assert LinearRegression().fit(wide, y).rank_ == 9


def test_streams_pieces_and_sparse_give_the_same(tmp_path):
    truth = LinearRegression().fit(X, Y)
    stored = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=X.shape)
    stored[:] = X
    blocks = da.from_array(X, chunks=(17, 4))
    pieces = LinearRegression()
    for rows in np.split(np.arange(80), [10, 33, 60]):
        pieces.partial_fit(X[rows], Y[rows])
    models = [
        LinearRegression().fit(stored, Y),
        LinearRegression().fit(blocks, da.from_array(Y, chunks=(20, 2))),
        LinearRegression().fit(blocks, Y),
        LinearRegression().fit(csr_array(X), Y),
        pieces,
    ]
    for model in models:
        np.testing.assert_allclose(model.coef_, truth.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_, truth.intercept_, rtol=1e-8)
    np.testing.assert_allclose(np.asarray(models[1].predict(blocks)), truth.predict(X), rtol=1e-9)
    np.testing.assert_allclose(models[0].predict(stored), truth.predict(X), rtol=1e-9)
    weights = RNG.random(80)
    np.testing.assert_allclose(
        LinearRegression().fit(stored, Y[:, 0], weights).coef_,
        LinearRegression().fit(X, Y[:, 0], weights).coef_,
        rtol=1e-9,
    )


@pytest.mark.parametrize(("columns", "density"), [(300, 0.02), (900, 0.005), (900, 0.05)])
def test_large_sparse_problems_agree_with_dense_ones(columns, density):
    rng = np.random.default_rng(0)
    sparse = random_array((15_000, columns), density=density, rng=rng).tocsr()
    y, weights = rng.normal(size=15_000), rng.random(15_000) + 0.5
    model = LinearRegression().fit(sparse, y, weights)
    dense = LinearRegression().fit(sparse.toarray(), y, weights)
    assert model.rank_ == (300 if columns == 300 else None)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.intercept_, dense.intercept_, rtol=1e-9)


def test_large_sparse_problems_of_poor_condition_are_solved_by_lsqr():
    sparse = random_array((3000, 2500), density=0.002, rng=np.random.default_rng(0)).tocsr()
    y = np.asarray(sparse.sum(axis=1)) + 1.0 + 0.1 * RNG.normal(size=3000)
    model = LinearRegression().fit(sparse, y)
    assert model.rank_ is None and model.singular_values_ is None
    residual = y - model.predict(sparse)
    assert np.abs(sparse.T @ residual).max() < 1e-8 and abs(residual.sum()) < 1e-8


def test_iterations_find_the_smallest_norm_of_repeated_columns():
    part = random_array((6000, 400), density=0.02, rng=np.random.default_rng(0)).tocsr()
    y = RNG.normal(size=6000)
    twice = LinearRegression().fit(hstack([part, part]).tocsr(), y)
    once = LinearRegression().fit(part, y)
    np.testing.assert_allclose(twice.coef_[:400], once.coef_ / 2, atol=1e-10)
    np.testing.assert_allclose(twice.coef_[400:], once.coef_ / 2, atol=1e-10)


@pytest.mark.kernel
def test_products_of_sparse_rows_in_any_order_and_stored_twice():
    columns, starts = np.array([2, 0, 1, 1, 0, 1]), np.array([0, 2, 2, 6])
    given = csr_array((np.arange(1.0, 7.0), columns, starts), shape=(3, 3))
    weights = np.array([2.0, 1.0, 0.5])
    dense = given.toarray()
    np.testing.assert_allclose(squares(given, weights), dense.T @ (weights[:, None] * dense))


def test_nearly_equal_columns_keep_their_digits_over_many_blocks():
    rng = np.random.default_rng(0)
    design = rng.normal(size=(5000, 3))
    design[:, 1] = design[:, 0] * (1 + 1e-8 * rng.normal(size=5000))
    y = design @ [1.0, 2.0, 3.0] + rng.normal(size=5000)
    model = LinearRegression().fit(design, y)
    assert model.condition_ > 1e7
    assert correct_digits(model, exact(np.column_stack([np.ones(5000), design]), y)) >= 10


def test_weights_equal_repetition_and_may_be_zero():
    counts = RNG.integers(0, 4, 80)
    weighted = LinearRegression().fit(X, Y, sample_weight=counts)
    repeated = LinearRegression().fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10)


def test_far_from_the_origin_and_in_single_precision():
    far = LinearRegression().fit(X + 1e7, Y)
    np.testing.assert_allclose(far.coef_, LinearRegression().fit(X, Y).coef_, rtol=1e-6)
    single = LinearRegression().fit(X.astype(np.float32), Y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, LinearRegression().fit(X, Y).coef_, rtol=1e-4)


def test_likelihood_is_largest_at_the_fit():
    y = Y[:, 0]
    model = LinearRegression().fit(X, y)
    best = model.log_likelihood(X, y, 1.0)
    residual = y - model.predict(X)
    expected = -40 * np.log(2 * np.pi) - residual @ residual / 2
    assert best == pytest.approx(expected, rel=1e-12)
    model.coef_ = model.coef_ + 0.01
    assert model.log_likelihood(X, y, 1.0) < best
    with pytest.raises(ValueError, match="sigma must be positive, got 0"):
        model.log_likelihood(X, y, 0)


def test_normal_equations_without_directions_that_rounding_blurs():
    line = np.column_stack([X[:, 0], X[:, 0] + 1e-9 * X[:, 1]])
    found = by_eigenvectors(of_array(line, Y, np.ones(80), True))
    assert found.rank == 1
    np.testing.assert_allclose(found.coef[0], found.coef[1], rtol=1e-6)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        LinearRegression().fit([[np.nan], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="solver must be one of 'auto', 'normal', 'qr'"):
        LinearRegression(solver="svd").fit(X, Y)
    with pytest.raises(ValueError, match="y must have 80 rows"):
        LinearRegression().fit(da.from_array(X), Y[:10])
    model = LinearRegression().partial_fit(X, Y)
    with pytest.raises(ValueError, match="is expecting 6 features"):
        model.partial_fit(X[:, :2], Y)


def test_simple_regression_passes_through_the_mean():
    x, y = X[:, 0], Y[:, 0]
    slope, offset = simple_regression(x, y)
    assert slope == pytest.approx(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
    assert slope * x.mean() + offset == pytest.approx(y.mean())
    assert abs((y - slope * x - offset).sum()) < 1e-10
    origin = simple_regression(x, y, through_origin=True)
    assert origin == pytest.approx((x @ y / (x @ x), 0.0))
    with pytest.raises(ValueError, match="all x are the same"):
        simple_regression([2, 2], [1, 3])


def test_p_values_of_a_zero_weight_are_uniform():
    from scipy.stats import kstest

    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        inputs = rng.normal(size=(12, 2))
        target = 2 * inputs[:, 0] + rng.normal(size=12)
        found.append(coefficient_table(inputs, target).p_value[2])
    assert kstest(found, "uniform").pvalue > 1e-3


def test_coefficient_table_against_its_definition():
    y = Y[:, 0]
    table = coefficient_table(X, y, confidence=0.9)
    design = np.column_stack([np.ones(80), X])
    covariance = np.linalg.inv(design.T @ design) * table.residual_deviation**2
    np.testing.assert_allclose(table.standard_error, np.sqrt(np.diag(covariance)), rtol=1e-8)
    np.testing.assert_allclose((table.low + table.high) / 2, table.estimate, rtol=1e-10)
    assert table.degrees_of_freedom == 73
    with pytest.raises(ValueError, match="more samples than weights"):
        coefficient_table(X[:5], y[:5])


def test_triangle_of_many_rows_is_that_of_lapack():
    rng = np.random.default_rng(0)
    A, B = np.vander(rng.random(10_000), 6, increasing=True), rng.normal(size=(10_000, 2))
    expected = np.linalg.qr(np.hstack([A, B]))[1][:6]
    found = _triangle(A, B)
    assert found.shape == (6, 8)
    signs = np.sign(np.diag(found) * np.diag(expected))
    np.testing.assert_allclose(signs[:, None] * found, expected, atol=1e-9)
    assert _from_sample(A, B, 2048) is not None


def test_small_problems_are_solved_at_once_unless_digits_are_at_stake():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(60, 4)) * [1e-9, 1, 1e9, 3], rng.normal(size=(60, 2))
    expected = np.linalg.lstsq(A / A.max(axis=0), B)[0] / A.max(axis=0)[:, None]
    found = _at_once(A, B, False)
    np.testing.assert_allclose(found.coef, expected, rtol=1e-12)
    assert found.rank == 4
    inputs = _at_once(np.column_stack([np.ones(60), A]), B, True)
    np.testing.assert_allclose(inputs.intercept, LinearRegression().fit(A, B).intercept_)
    assert inputs.rank == 4
    A[:, 3] = A[:, 1] * (1 + 1e-3 * rng.normal(size=60))
    assert _at_once(A, B, False) is None
    A[:, 3] = 0
    assert _at_once(A, B, False) is None


def test_triangle_of_rows_that_a_sample_misses():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(10_000, 3)), rng.normal(size=(10_000, 1))
    A[7] = 1e6, 2e6, -1e6
    assert _from_sample(A, B, 2048) is None
    R = _triangle(A, B)
    np.testing.assert_allclose(R[:, :3].T @ R[:, :3], A.T @ A, rtol=1e-12)
    A[:, 2] = A[:, 0] - A[:, 1]
    assert _from_sample(A, B, 2048) is None
    with pytest.warns(LinAlgWarning, match="have rank 2"):
        LinearRegression(solver="qr").fit(A, B[:, 0])


def test_polynomial_of_many_samples_keeps_its_digits():
    rng = np.random.default_rng(2)
    x, noise = rng.integers(0, 1024, 5_000) / 1024, rng.normal(size=5_000)
    weights = np.array([3.0, -2, 5, 1, -4, 2, 1, -3])
    y = np.polynomial.Polynomial(weights)(x)
    # Errors of both signs at each place leave the weights alone.
    model = PolynomialRegression(7).fit(np.r_[x, x][:, None], np.r_[y + noise, y - noise])
    np.testing.assert_allclose(model.coef_[0], weights[1:], rtol=1e-10)
