"""Synthetic sets: what each promises. Statistical tests fail by chance in 1 of 10,000 runs."""

import math
from dataclasses import is_dataclass

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

from shallows import data

FALSE_ALARM = 1e-4

SEEDED = {
    "make_patterns": (3, 7),
    "make_teacher": (10, 3),
    "make_linear": (10, [1.0, 2.0]),
    "noisy_sine": (),
    "noisy_cubic": (),
    "make_separable": (10,),
    "make_quadrants": (10,),
    "make_scenario": (2,),
    "three_classes": (10,),
    "uniform_cube": (5, 2),
    "uniform_ball": (5, 2),
    "make_random_features": (5, 4),
    "make_irrelevant": (5, 4),
    "make_clusters": ("four",),
    "make_manifold": ("bent",),
    "lorenz": (20,),
    "mackey_glass": (20,),
    "poisson_process": (2.0, 10.0),
    "galton": (5, 10),
    "roll_die": (10,),
    "fir_plant": (10, [1.0]),
    "binary_channel": (10,),
    "interference": (10,),
    "two_quadrants": (10,),
    "random_clock_tree": (5,),
    "fruit_table": (10,),
}


def arrays(result):
    if is_dataclass(result):
        result = tuple(vars(result).values())
    parts = result if isinstance(result, tuple) else (result,)
    return [part for part in parts if isinstance(part, np.ndarray)]


@pytest.mark.parametrize("name", SEEDED)
def test_same_seed_same_data_and_every_kind_of_seed(name):
    make, arguments = getattr(data, name), SEEDED[name]
    for seed in (0, 7):
        first, again = (arrays(make(*arguments, random_state=seed)) for _ in range(2))
        assert all(map(np.array_equal, first, again))
    generator = arrays(make(*arguments, random_state=np.random.default_rng(7)))
    assert all(map(np.array_equal, first, generator))
    assert arrays(make(*arguments, random_state=np.random.RandomState(0)))
    others = [arrays(make(*arguments, random_state=seed)) for seed in (1, 2, 3)]
    assert any(
        not np.array_equal(left, right)
        for other in others
        for left, right in zip(first, other, strict=True)
    )
    with pytest.raises(ValueError, match="random_state must be"):
        make(*arguments, random_state="now")


def test_pattern_overlaps_have_standard_deviation_one_over_root_n():
    patterns = data.make_patterns(400, 100, random_state=0)
    assert set(np.unique(patterns)) == {-1.0, 1.0}
    overlaps = (patterns[::2] * patterns[1::2]).mean(axis=1)
    low, high = stats.chi2(200).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert low < (overlaps**2).sum() * 100 < high


@pytest.mark.parametrize("fraction", [0.0, 0.4, 0.455, 1.0])
def test_corrupt_turns_exactly_the_asked_share(fraction):
    patterns = data.make_patterns(6, 50, random_state=0)
    changed = data.corrupt(patterns, fraction, random_state=1)
    assert ((patterns != changed).sum(axis=1) == round(fraction * 50)).all()
    assert data.corrupt(patterns[0], fraction, random_state=1).shape == (50,)


def separable(X, y):
    """Ask linear programming for a plane with offset."""
    signed = np.hstack([X, np.ones((len(X), 1))]) * np.where(y > 0, 1, -1)[:, None]
    bounds = [(None, None)] * signed.shape[1]
    return linprog(np.zeros(signed.shape[1]), -signed, -np.ones(len(X)), bounds=bounds).success


def test_teacher_sets_are_separable_unless_noisy_or_of_another_rule():
    X, y, teacher = data.make_teacher(200, 5, random_state=0)
    assert np.linalg.norm(teacher) == pytest.approx(1)
    assert separable(X, y)
    assert not separable(*data.make_teacher(200, 5, label_noise=0.2, random_state=0)[:2])
    assert not separable(*data.make_teacher(200, 5, rule="parity", random_state=0)[:2])
    assert data.make_teacher(5, 5, rule="random", random_state=0).weights is None


def test_teacher_label_noise_is_the_share_of_turned_labels():
    X, y, teacher = data.make_teacher(5000, 5, label_noise=0.1, random_state=0)
    turned = int((np.sign(X @ teacher) != y).sum())
    assert stats.binomtest(turned, 5000, 0.1).pvalue > FALSE_ALARM


def test_teacher_input_noise_and_given_weights():
    X, y, teacher = data.make_teacher(2000, 3, input_noise=1.0, weights=[2, 0, 0], random_state=0)
    assert np.array_equal(teacher, [1, 0, 0])
    low, high = stats.chi2(6000).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert low < (X**2).sum() / 2 < high
    assert (np.sign(X[:, 0]) != y).any()
    with pytest.raises(ValueError, match="weights must be 3 numbers"):
        data.make_teacher(5, 3, weights=[1, 2])


def test_linear_residuals_are_white_with_the_asked_variance():
    X, y = data.make_linear(4000, [1.0, -2.0], noise=0.5, random_state=0)
    residual = y - X @ [1.0, -2.0]
    low, high = stats.chi2(4000).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert low < (residual**2).sum() / 0.25 < high
    assert abs(residual.mean()) < 4 * 0.5 / math.sqrt(4000)
    assert abs(np.corrcoef(residual[:-1], residual[1:])[0, 1]) < 4 / math.sqrt(4000)


def test_ten_point_set_gives_the_printed_polynomials():
    x, y = data.curve_fitting()
    assert np.round(y.mean(), 2) == 0.19
    assert np.array_equal(np.polyfit(x, y, 1)[::-1].round(2), [0.82, -1.27])
    assert np.array_equal(np.polyfit(x, y, 3)[::-1].round(2), [0.31, 7.99, -25.43, 17.37])


def test_noise_free_curves_are_their_function():
    x, y = data.noisy_sine(11, noise=0.0)
    assert np.allclose(x, np.arange(11) / 10)
    assert np.allclose(y, np.sin(2 * np.pi * x))
    x, y = data.noisy_cubic(noise=0.0)
    assert len(x) == 11 and np.allclose(y, x**3) and (x[0], x[-1]) == (-1, 1)
    noisy = data.add_noise(np.sin, np.zeros(4000), noise=2.0, random_state=0)
    low, high = stats.chi2(4000).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert low < (noisy**2).sum() / 4 < high


def test_separable_clouds_keep_the_margin_and_flip_exactly():
    X, y, w = data.make_separable(100, 4, margin=0.3, random_state=0)
    assert (y * (X @ w)).min() >= 0.3
    flipped = data.make_separable(100, 4, margin=0.3, flip=0.15, random_state=0)
    assert (flipped.y * (flipped.X @ flipped.weights) < 0).sum() == 15


def test_least_squares_counterexample_misclassifies_two():
    X, y = data.least_squares_counterexample()
    slope, offset = np.polyfit(X[:, 0], y, 1)
    assert np.array_equal(slope * X[:, 0] + offset > 0.5, [False, False, False, True])
    assert separable(X, 2 * y - 1)


def test_quadrants_are_separable_in_quadratic_features_only():
    X, y = data.make_quadrants(200, random_state=0)
    assert not separable(X, y)
    a, b = X.T
    assert separable(np.column_stack([a**2, np.sqrt(2) * a * b, b**2]), y)


def test_scenario_one_has_the_known_bayes_error():
    X, y, means, variance = data.make_scenario(1, 20_000, random_state=0)
    wrong = int((data.bayes_rule(X, means, variance) != y).sum())
    assert stats.binomtest(wrong, 20_000, stats.norm.cdf(-1 / math.sqrt(2))).pvalue > FALSE_ALARM


def test_bayes_rule_compares_mixture_densities():
    first = data.make_scenario(2, 50, random_state=0)
    more = data.make_scenario(2, 300, means=first.means, random_state=1)
    assert more.means is first.means and more.means.shape == (2, 10, 2)
    density = [
        sum(stats.multivariate_normal(m, 0.2).pdf(more.X) for m in means) for means in first.means
    ]
    expected = np.argmax(density, axis=0)
    assert np.array_equal(data.bayes_rule(more.X, first.means, first.variance), expected)
    assert first.y.tolist() == [0] * 25 + [1] * 25


def test_three_classes_rule_is_the_most_probable_class():
    x, y, rule = data.three_classes(20_000, random_state=0)
    grid = np.linspace(-6, 6, 500)
    joint = [
        share * stats.norm(mean, width).pdf(grid)
        for share, mean, width in [(0.5, 0.0, 2.0), (0.3, 0.5, 0.5), (0.2, 3.0, 0.7)]
    ]
    found = rule(grid)
    assert np.array_equal(found, np.argmax(joint, axis=0))
    regions = (np.diff(found) != 0).sum() + 1
    assert regions > 3, "some region is not connected"
    expected = 1 - np.max(joint, axis=0).sum() * (grid[1] - grid[0])
    assert (rule(x) != y).mean() == pytest.approx(expected, abs=0.02)


def test_uniform_ball_median_nearest_distance():
    nearest = [
        np.linalg.norm(data.uniform_ball(50, 10, random_state=seed), axis=1).min()
        for seed in range(400)
    ]
    median = (1 - 0.5 ** (1 / 50)) ** (1 / 10)
    below = int((np.array(nearest) < median).sum())
    assert stats.binomtest(below, 400, 0.5).pvalue > FALSE_ALARM


def test_uniform_points_fill_cube_and_ball():
    cube = data.uniform_cube(2000, 3, random_state=0)
    assert stats.kstest(cube.ravel(), "uniform").pvalue > FALSE_ALARM
    radius = np.linalg.norm(data.uniform_ball(2000, 3, random_state=0), axis=1)
    assert stats.kstest(radius**3, "uniform").pvalue > FALSE_ALARM


def test_random_features_tell_nothing_and_irrelevant_ones_beside_one_that_does():
    X, y = data.make_random_features(4000, 3, random_state=0)
    agree = int((y[:, None] == X).sum())
    assert stats.binomtest(agree, 12_000, 0.5).pvalue > FALSE_ALARM
    assert data.make_random_features(50, 3, binary=False, random_state=0).X.std() > 0.5
    X, y = data.make_irrelevant(4000, 5, error=0.1, random_state=0)
    assert X.shape == (4000, 6)
    assert stats.binomtest(int((X[:, 0] != y).sum()), 4000, 0.1).pvalue > FALSE_ALARM
    assert stats.binomtest(int((X[:, 1] != y).sum()), 4000, 0.5).pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("four", [250] * 4),
        ("elongated", [200]),
        ("two", [100, 100]),
        ("stripes", [100, 100]),
        ("far", [190, 10]),
        ("three_classes", [50] * 3),
    ],
)
def test_clusters_have_the_stated_sizes(kind, sizes):
    X, y = data.make_clusters(kind, random_state=0)
    assert np.bincount(y).tolist() == sizes
    assert X.shape == (sum(sizes), 2)
    assert len(data.make_clusters(kind, 37, random_state=0).X) == 37


def test_manifolds_lie_where_they_should():
    plane = data.make_manifold("plane", random_state=0).X
    assert np.linalg.matrix_rank(plane - plane.mean(axis=0)) == 2
    bent, latent = data.make_manifold("bent", random_state=0)
    assert np.allclose(bent[:, 2], (latent**2).sum(axis=1))
    circle, angle = data.make_manifold("circle", random_state=0)
    assert np.allclose(np.linalg.norm(circle, axis=1), 1) and angle.shape == (200, 1)
    cloud = data.make_manifold("cloud", 5000, random_state=0).X
    assert np.allclose(cloud.var(axis=0), [4, 1, 0.01], rtol=0.2)
    noisy = data.make_manifold("circle", 5000, noise=0.1, random_state=0).X
    assert np.linalg.norm(noisy, axis=1).std() == pytest.approx(0.1, rel=0.1)
    with pytest.raises(ValueError, match="n_latent must be at most n_features=3"):
        data.make_manifold("subspace", n_latent=4)


def test_poisson_process_has_exponential_waits_and_poisson_counts():
    times = data.poisson_process(2.34, 1000.0, random_state=0)
    assert (np.diff(times) > 0).all() and times[0] > 0 and times[-1] < 1000
    assert stats.kstest(np.diff(times), "expon", args=(0, 1 / 2.34)).pvalue > FALSE_ALARM
    counts = np.histogram(times, bins=1000, range=(0, 1000))[0]
    dispersion = ((counts - counts.mean()) ** 2).sum() / counts.mean()
    low, high = stats.chi2(999).ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2])
    assert low < dispersion < high


def test_galton_bins_are_binomial():
    bins = data.galton(8, 20_000, random_state=0)
    expected = stats.binom(8, 0.5).pmf(np.arange(9)) * 20_000
    assert stats.chisquare(np.bincount(bins, minlength=9), expected).pvalue > FALSE_ALARM


def test_die_shows_its_probabilities():
    loaded = [0.16] * 5 + [0.2]
    rolls = data.roll_die(20_000, loaded, random_state=0)
    counts = np.bincount(rolls, minlength=7)[1:]
    assert stats.chisquare(counts, np.array(loaded) * 20_000).pvalue > FALSE_ALARM
    assert set(data.roll_die(200, random_state=0)) == {1, 2, 3, 4, 5, 6}
    with pytest.raises(ValueError, match="sum to 1"):
        data.roll_die(10, [0.5, 0.6])


def test_plants_are_convolutions_and_white_input():
    weights = [0.5, -1.0, 0.25]
    x, d = data.fir_plant(5000, weights, random_state=0)
    assert np.allclose(d, np.convolve(x, weights)[:5000])
    lags = [x[k:] @ x[: len(x) - k] / len(x) for k in range(1, 6)]
    assert np.abs(lags).max() < 4.5 / math.sqrt(5000)
    noisy = data.fir_plant(5000, weights, noise=0.1, random_state=0)
    assert (noisy.output - d).std() == pytest.approx(0.1, rel=0.05)
    sent, received = data.binary_channel(500, [0.0, 1.0], noise=0.0, random_state=0)
    assert np.array_equal(received[1:], sent[:-1])
    primary, reference, signal = data.interference(500, [1.0], random_state=0)
    assert np.allclose(primary - reference, signal)
    with pytest.raises(ValueError, match="weights must be a list"):
        data.fir_plant(5, [])


def test_two_quadrants_never_meet_along_an_axis():
    X = data.two_quadrants(2000, random_state=0)
    assert (np.sign(X[:, 0]) == np.sign(X[:, 1])).all()
    assert stats.binomtest(int((X[:, 0] > 0).sum()), 2000, 0.5).pvalue > FALSE_ALARM


def test_arguments_outside_their_range_are_refused_by_name():
    with pytest.raises(ValueError, match="make_patterns: n_units must be int in"):
        data.make_patterns(3, 0)
    with pytest.raises(ValueError, match="make_clusters: kind must be one of 'four'"):
        data.make_clusters("five")
    with pytest.raises(ValueError, match="corrupt: fraction must be float in"):
        data.corrupt([1, -1], 1.5)
