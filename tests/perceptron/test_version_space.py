"""Version space: membership, sampling, mixing, Bayes point."""

import numpy as np
import pytest
from scipy.stats import binomtest, kstest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from shallows._core.numerics.mixing import effective_size, r_hat
from shallows.perceptron import BayesPoint, VersionSpace, sample_version_space
from shallows.perceptron._cone import billiard, hit_and_run

METHODS = ["billiard", "hit-and-run", "rejection"]
CORNERS = [[0, 1], [1, -1], [-1, -1]]


def teacher_data(P, N, seed=0):
    rng = np.random.default_rng(seed)
    teacher = rng.standard_normal(N)
    X = rng.standard_normal((P, N))
    return X, np.sign(X @ teacher), teacher / np.linalg.norm(teacher)


def walls_of(X, y):
    folded = X * y[:, None]
    return folded / np.linalg.norm(folded, axis=1, keepdims=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("second", [[0, 1], [-0.8, 0.6], [-1, 0.05]])
def test_angles_are_uniform_on_the_allowed_arc(method, second):
    X, y = np.array([[1, 0], second]), np.array([1, 1])
    angle_low, angle_high = np.arctan2(second[1], second[0]) - np.pi / 2, np.pi / 2
    members = sample_version_space(X, y, 2000, method=method, random_state=0).weights
    angles = np.arctan2(members[:, 1], members[:, 0])
    places = (angles - angle_low) / (angle_high - angle_low)
    assert kstest(places[::4], "uniform").pvalue > 1e-3
    np.testing.assert_allclose(np.linalg.norm(members, axis=1), 1)


@pytest.mark.parametrize("method", METHODS[:2])
def test_chains_agree_with_rejection_in_a_small_space(method):
    X, y, _ = teacher_data(6, 4, seed=3)
    exact = sample_version_space(X, y, 4000, method="rejection", random_state=1).weights
    chain = sample_version_space(X, y, 4000, method=method, random_state=2)
    spread = exact.std(axis=0) * np.sqrt(1 / 4000 + 1 / chain.effective_size)
    assert np.all(np.abs(exact.mean(axis=0) - chain.weights.mean(axis=0)) < 5 * spread)
    np.testing.assert_allclose(chain.weights.std(axis=0), exact.std(axis=0), rtol=0.15)
    assert chain.r_hat < 1.05


@pytest.mark.parametrize("method", METHODS[:2])
def test_all_members_are_inside(method):
    X, y, teacher = teacher_data(60, 15)
    with pytest.warns(ConvergenceWarning) if method == "hit-and-run" else no_warning():
        members = sample_version_space(X, y, 400, method=method, random_state=0).weights
    space = VersionSpace(X, y)
    assert space.contains(members).all()
    assert space.contains(teacher)
    assert not space.contains(-teacher)


class no_warning:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_same_seed_same_members():
    X, y, _ = teacher_data(20, 5)
    first, second = (sample_version_space(X, y, 50, random_state=7).weights for _ in range(2))
    np.testing.assert_array_equal(first, second)


def naive_flight(walls, w, d, length, step=1e-4):
    """Follow the great circle in small steps and reflect after each that leaves the space."""
    d = d - (d @ w) * w
    d = d / np.linalg.norm(d)
    for _ in range(round(length / step)):
        new = np.cos(step) * w + np.sin(step) * d
        d = np.cos(step) * d - np.sin(step) * w
        outside = np.flatnonzero(walls @ new < 0)
        for i in outside:
            d = d - 2 * (d @ walls[i]) * walls[i]
        w = w if len(outside) else new
        d = d - (d @ w) * w
        d = d / np.linalg.norm(d)
    return w


@pytest.mark.kernel
def test_billiard_follows_the_naive_flight():
    X, y, teacher = teacher_data(4, 3, seed=1)
    walls = walls_of(X, y)
    direction = np.random.default_rng(5).standard_normal(3)
    w, d = teacher.copy(), direction.copy()
    bounces = billiard(walls, walls @ walls.T, w, d, 5.0)
    assert bounces >= 2
    np.testing.assert_allclose(w, naive_flight(walls, teacher, direction, 5.0), atol=0.01)
    assert abs(w @ d) < 1e-12
    assert np.linalg.norm(d) == pytest.approx(1)


@pytest.mark.kernel
def test_billiard_without_kept_cosines_is_the_same():
    X, y, teacher = teacher_data(10, 4, seed=2)
    walls = walls_of(X, y)
    direction = np.random.default_rng(0).standard_normal(4)
    ends = []
    for cosines in (walls @ walls.T, np.empty((0, 0))):
        w = teacher.copy()
        billiard(walls, cosines, w, direction.copy(), 1.5)
        ends.append(w)
    np.testing.assert_allclose(*ends, atol=1e-10)


@pytest.mark.kernel
def test_hit_and_run_takes_the_share_of_the_arc_that_it_is_given():
    walls = np.eye(2)
    for share in (0.01, 0.5, 0.9):
        w = np.array([0.6, 0.8])
        hit_and_run(walls, w, np.array([[-0.8, 0.6]]), np.array([share]))
        assert np.arctan2(w[1], w[0]) == pytest.approx(share * np.pi / 2)


def test_space_shrinks_exactly_where_an_example_is_informative():
    X, y, teacher = teacher_data(3, 3, seed=4)
    space = VersionSpace(X, y)
    members = space.sample(2000, method="rejection", random_state=0).weights
    kinds = set()
    for x in np.random.default_rng(1).standard_normal((20, 3)):
        label = np.sign(x @ teacher)
        inside = VersionSpace(np.vstack([X, x]), np.append(y, label)).contains(members)
        if not space.is_informative(x):
            assert inside.all()
        elif inside.all() or not inside.any():
            continue  # the sample misses a small part
        kinds.add(space.is_informative(x))
    assert kinds == {True, False}


def test_ambiguity():
    space = VersionSpace([[1, 0], [0, 1]], [1, 1])
    ambiguity = space.ambiguity([[1, 1], [1, -1], [-1, -2]], random_state=0)
    np.testing.assert_allclose(ambiguity, [0, 0.5, 0], atol=0.01)


def test_empty_spaces():
    xor = [[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    space = VersionSpace(xor, [-1, 1, 1, -1])
    assert space.is_empty()
    assert not VersionSpace(xor, [-1, -1, -1, 1]).is_empty()
    with pytest.raises(ValueError, match="it is empty"):
        space.is_informative([1, 0, 0])
    with pytest.raises(ValueError, match="the version space is empty"):
        space.sample()


def test_without_examples_the_space_is_the_sphere():
    space = VersionSpace(np.zeros((0, 3)), [])
    assert space.contains([1, 2, 3])
    assert space.is_informative([1, 0, 0])
    members = space.sample(3000, random_state=0).weights
    assert np.abs(members.mean(axis=0)).max() < 0.05


def test_one_dimension_leaves_one_direction():
    members = sample_version_space([[2.0], [-3.0]], [1, -1], 5, random_state=0).weights
    np.testing.assert_array_equal(members, np.ones((5, 1)))


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        ([[1, 0], [0, 0]], [1, 1], "example 1 is the zero vector"),
        ([[1, np.nan]], [1], "finite array"),
        ([[1, 0]], [2], "labels -1 or 1"),
        ([1, 0], [1], "finite array of shape"),
    ],
)
def test_bad_examples_are_refused(X, y, match):
    with pytest.raises(ValueError, match=match):
        VersionSpace(X, y)


def test_bad_labels_are_named_in_one_line():
    with pytest.raises(
        ValueError, match=r"y must be 300 labels -1 or 1, got array\(\[0, 1"
    ) as caught:
        sample_version_space(np.ones((300, 2)), np.arange(300) % 2)
    assert len(str(caught.value)) < 120


def test_rejection_gives_up_with_advice(monkeypatch):
    monkeypatch.setattr("shallows.perceptron._cone.MOST_TRIES", 4096)
    X, y, _ = teacher_data(100, 20)
    with pytest.raises(ValueError, match="Use method="):
        sample_version_space(X, y, 100, method="rejection", random_state=0)


def autoregressive(rho, chains, draws, seed=0):
    rng = np.random.default_rng(seed)
    x = np.empty((chains, draws, 1))
    x[:, 0, 0] = rng.standard_normal(chains)
    for t in range(1, draws):
        x[:, t, 0] = rho * x[:, t - 1, 0] + np.sqrt(1 - rho**2) * rng.standard_normal(chains)
    return x


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_effective_size_of_an_autoregressive_chain(rho):
    chains = autoregressive(rho, 4, 5000)
    expected = 20_000 * (1 - rho) / (1 + rho)
    assert effective_size(chains)[0] == pytest.approx(expected, rel=0.15)
    assert r_hat(chains)[0] < 1.02


def test_chains_apart_have_not_mixed():
    chains = autoregressive(0.5, 4, 500) + np.array([0, 0, 0, 5])[:, None, None]
    assert r_hat(chains)[0] > 1.5
    assert effective_size(chains)[0] < 20


def error(w, teacher):
    return np.arccos(np.clip(w @ teacher / np.linalg.norm(w, axis=-1), -1, 1)) / np.pi


def test_the_centre_errs_less_than_the_members_and_than_the_widest_margin():
    """The teacher is itself a random member, so the centre is best on average."""
    better_than_members, centre, margin = [], [], []
    for seed in range(12):
        X, y, teacher = teacher_data(45, 15, seed)
        model = BayesPoint(fit_intercept=False, n_samples=400, random_state=seed).fit(X, y)
        own = error(model.coef_[0], teacher)
        better_than_members.append(own < error(model.members_[0, :, :-1], teacher).mean())
        centre.append(own)
        svm = LinearSVC(C=1e6, fit_intercept=False, loss="hinge", max_iter=10**6).fit(X, y)
        margin.append(error(svm.coef_[0], teacher))
    assert sum(better_than_members) >= 11
    assert np.mean(centre) < np.mean(margin)


def test_votes_and_decision():
    X, y, _ = teacher_data(40, 6)
    model = BayesPoint(random_state=0).fit(X, y)
    shares = model.votes(X)
    np.testing.assert_array_equal(shares > 0.5, y > 0)
    assert set(np.unique(shares)) == {0.0, 1.0}
    new = np.random.default_rng(9).standard_normal((300, 6))
    shares = model.votes(new)
    assert ((shares > 0) & (shares < 1)).any()
    clear = np.abs(shares - 0.5) > 0.2
    np.testing.assert_array_equal(shares[clear] > 0.5, model.decision_function(new)[clear] > 0)
    assert model.effective_size_ > 1
    assert model.r_hat_ < 1.1


def test_softness_lets_contradictions_be():
    X, y, teacher = teacher_data(80, 5)
    y[:4] = -y[:4]
    with pytest.raises(ValueError, match="Set softness above 0"):
        BayesPoint().fit(X, y)
    model = BayesPoint(softness=1.0, random_state=0).fit(X, y)
    assert model.score(X[4:], y[4:]) > 0.9
    assert error(model.coef_[0], teacher) < 0.1


def test_soft_points_approach_the_hard_one():
    X, y, _ = teacher_data(15, 4, seed=1)
    hard = BayesPoint(fit_intercept=False, n_samples=4000, random_state=0).fit(X, y).coef_[0]
    soft = BayesPoint(1e-6, fit_intercept=False, n_samples=4000, random_state=0).fit(X, y).coef_[0]
    far = BayesPoint(10.0, fit_intercept=False, n_samples=4000, random_state=0).fit(X, y).coef_[0]
    near, apart = (error(w, hard / np.linalg.norm(hard)) for w in (soft, far))
    assert near < 0.02 < apart


def test_three_classes():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 6], [5, -3], [-5, -3]])
    y = rng.integers(0, 3, 60)
    X = centres[y] + rng.standard_normal((60, 2))
    model = BayesPoint(n_samples=200, random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    assert model.score(X, np.array(["a", "b", "c"])[y]) == 1
    assert model.votes(X).shape == (60, 3)
    assert binomtest(int((model.votes(X).argmax(1) == y).sum()), 60, 0.5).pvalue < 1e-3


def test_shrinkage_is_the_share_of_the_arc_that_is_left():
    space = VersionSpace([[1, 0], [0, 1]], [1, 1])  # a quarter of the circle
    angles = np.array([30.0, 10.0, 20.0])  # each new example leaves what lies above its angle
    normals = np.column_stack([-np.sin(np.radians(angles)), np.cos(np.radians(angles))])
    left = space.shrinkage(normals, [1, 1, 1], 4000, random_state=0)
    np.testing.assert_allclose(left, [2 / 3, 2 / 3, 2 / 3], atol=0.03)
    left = space.shrinkage(normals, [-1, 1, 1], 4000, random_state=0)
    np.testing.assert_allclose(left, [1 / 3, 2 / 9, 1 / 9], atol=0.03)
    assert space.shrinkage([[1, 1]], [-1], random_state=0) == 0


def test_more_examples_leave_a_part():
    X, y, teacher = teacher_data(8, 3)
    space = VersionSpace(X[:5], y[:5])
    smaller = space.add(X[5:], y[5:])
    members = smaller.sample(200, random_state=0).weights
    assert space.contains(members).all() and smaller.contains(teacher)
    assert smaller.contains(members).all()
    with pytest.raises(
        ValueError, match=r"VersionSpace: X must be a finite array of shape \(n_new"
    ):
        space.add([[1.0, 2.0]], [1])


def test_probabilities_are_the_votes():
    rng = np.random.default_rng(2)
    X, y, _ = teacher_data(40, 3)
    model = BayesPoint(random_state=0).fit(X, y)
    new = rng.standard_normal((50, 3))
    shares = [np.mean(model.members_[0, :, :-1] @ x + model.members_[0, :, -1] > 0) for x in new]
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], shares)
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1)

    corners = np.vstack([rng.standard_normal((15, 2)) + 6 * np.array(c) for c in CORNERS])
    labels = np.repeat([0, 1, 2], 15)
    model = BayesPoint(n_samples=200, random_state=0).fit(corners, labels)
    new = 4 * rng.standard_normal((30, 2))
    for x, found in zip(new, model.predict_proba(new), strict=True):
        fields = model.members_[:, :, :-1] @ x + model.members_[:, :, -1]
        expected = np.bincount(fields.argmax(axis=0), minlength=3) / 200
        np.testing.assert_allclose(found, expected)
