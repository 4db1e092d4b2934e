"""Classical, metric and Sammon scaling against SciPy, scikit-learn and exact configurations."""

import warnings

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import smacof

from shallows.reduce import MDS, PCA, Sammon
from shallows.reduce._disparities import Disparities
from shallows.reduce._stress import settle_rows, stress_and_gradient

RNG = np.random.default_rng(0)
IRIS, _ = load_iris(return_X_y=True)
CLOUD = RNG.normal(size=(60, 5)) * [3, 2, 1, 0.5, 0.1] + 1.0


def planar(n=40):
    flat = RNG.normal(size=(n, 2))
    return flat, flat @ np.linalg.qr(RNG.normal(size=(5, 5)))[0][:2] + 3.0


@pytest.mark.parametrize("n", [60, 450])
def test_classical_scaling_of_euclidean_distances_is_pca(n):
    X = RNG.normal(size=(n, 5)) * [3, 2, 1, 0.5, 0.1]
    model, pca = MDS(3, kind="classical").fit(X), PCA(3).fit(X)
    np.testing.assert_allclose(
        np.abs(model.embedding_), np.abs(pca.transform(X)), atol=1e-8 * np.abs(X).max()
    )
    np.testing.assert_allclose(model.eigenvalues_, (n - 1) * pca.explained_variance_, rtol=1e-8)
    assert abs(model.smallest_eigenvalue_) < 1e-3 * model.eigenvalues_[-1]


@pytest.mark.parametrize("n", [40, 480])
def test_arc_lengths_on_a_circle_have_negative_eigenvalues(n):
    gap = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    arcs = 2 * np.pi / n * np.minimum(gap, n - gap)
    model = MDS(2, kind="classical", metric="precomputed").fit(arcs)
    exact = np.fft.fft(-0.5 * (arcs[0] ** 2 - np.mean(arcs[0] ** 2))).real  # circulant
    assert model.eigenvalues_[0] == pytest.approx(exact.max(), rel=1e-9)
    assert model.smallest_eigenvalue_ == pytest.approx(exact.min(), rel=1e-3)
    if n == 40:
        assert exact.max() == pytest.approx(40.08, abs=0.01)
        assert exact.min() == pytest.approx(-10.08, abs=0.01)


@pytest.mark.kernel
@pytest.mark.parametrize("sammon", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_gradient_of_the_stress_equals_differences(n, sammon):
    wanted = squareform(pdist(RNG.normal(size=(n, 3)))) if n > 1 else np.zeros((1, 1))
    place = RNG.normal(size=(2, n))
    value, gradient = stress_and_gradient(wanted, place, sammon=sammon)
    if n > 1:
        errors = (squareform(wanted) - pdist(place.T)) ** 2
        naive = np.sum(errors / squareform(wanted) if sammon else errors)
        assert value == pytest.approx(naive)
    for k in range(place.size):
        step = np.zeros(place.size)
        step[k] = 1e-6
        up = stress_and_gradient(wanted, place + step.reshape(place.shape), sammon=sammon)[0]
        down = stress_and_gradient(wanted, place - step.reshape(place.shape), sammon=sammon)[0]
        assert gradient.ravel()[k] == pytest.approx((up - down) / 2e-6, abs=1e-6)


def test_steps_are_those_of_smacof():
    wanted, start = squareform(pdist(IRIS[::3])), PCA(2).fit_transform(IRIS[::3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, stress = smacof(wanted, init=start, n_init=1, max_iter=20, eps=0.0)
    model = MDS(init="classical_mds", max_iter=20, eps=0.0).fit(IRIS[::3])
    assert model.stress_ == pytest.approx(stress, rel=1e-9)
    assert procrustes(model.embedding_, theirs)[2] < 1e-15


def test_nonmetric_steps_are_those_of_smacof():
    wanted = squareform(pdist(IRIS[::3].round()))  # with ties
    wanted += 0.01 * (1 - np.eye(len(wanted)))
    start = RNG.normal(size=(50, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"n_init": 1, "eps": 0.0, "normalized_stress": True}
        theirs, _ = smacof(wanted, metric=False, init=start, max_iter=15, **options)
        first, _ = smacof(wanted, init=start, max_iter=1, **options)  # theirs is a metric one
    model = MDS(kind="nonmetric", init=first, metric="precomputed", max_iter=14, eps=0.0)
    model.fit(wanted)
    assert procrustes(model.embedding_, theirs)[2] < 1e-10
    flat, lengths = squareform(wanted), pdist(model.embedding_)
    fit = IsotonicRegression().fit_transform(flat, lengths)
    fit *= np.linalg.norm(flat) / np.linalg.norm(fit)
    stress = np.linalg.norm(fit - lengths) / np.linalg.norm(flat)
    assert model.normalized_stress_ == pytest.approx(stress, rel=1e-9)


def test_nonmetric_scaling_sees_the_order_alone():
    flat, X = planar(40)
    options = {"metric_mds": False, "metric": "precomputed", "eps": 0.0, "max_iter": 60}
    options["init"] = "classical_mds"
    distances = squareform(pdist(X))
    start = RNG.normal(size=(30, 2))
    plain, bent = (
        MDS(**options).fit(bend(distances[:30, :30]), init=start) for bend in (np.array, np.cbrt)
    )
    assert procrustes(plain.embedding_, bent.embedding_)[2] < 1e-12
    assert plain.normalized_stress_ == pytest.approx(bent.normalized_stress_, rel=1e-9)
    # Metric scaling has nothing to hold on to; the order of 435 distances tells nearly all.
    model = MDS(**{**options, "max_iter": 1000}).fit(np.cbrt(distances[:30, :30]))
    assert model.normalized_stress_ < 0.01
    placed = np.vstack([model.embedding_, model.transform(np.cbrt(distances[30:, :30]))])
    assert procrustes(flat, placed)[2] < 0.01
    metric = MDS(metric="precomputed", init="classical_mds").fit(np.cbrt(distances[:30, :30]))
    assert metric.normalized_stress_ > 10 * model.normalized_stress_


def test_disparities_are_the_nearest_distances_in_order():
    distances = squareform([1.0, 2.0, 2.0, 3.0, 5.0, 4.0])
    place = RNG.normal(size=(2, 4))
    found = squareform(Disparities(distances)(place))
    order = np.argsort([1, 2, 2, 3, 5, 4], kind="stable")
    assert (np.diff(found[order]) >= 0).all() and found[1] == found[2]
    assert np.sum(found**2) == pytest.approx(1 + 4 + 4 + 9 + 25 + 16)
    # Nearest up to scale: no monotone direction improves the fit.
    fit = found * (pdist(place.T) @ found) / (found @ found)
    assert np.sum((pdist(place.T) - fit) * fit) == pytest.approx(0, abs=1e-12)
    for step in np.tril(np.ones((6, 6))):
        change = np.empty(6)
        change[order] = step[::-1]
        change[[1, 2]] = change[[1, 2]].max()
        assert np.sum((pdist(place.T) - fit) * change) <= 1e-9


def test_the_stress_falls_and_does_not_depend_on_rotation_or_shift():
    model = MDS(init="random", n_init=3, random_state=0).fit(IRIS)
    losses = np.array(model.history_["loss"])
    assert (np.diff(losses) <= 1e-15).all()
    assert model.n_iter_ == len(losses)
    wanted = squareform(pdist(IRIS))
    turned = model.embedding_ @ np.linalg.qr(RNG.normal(size=(2, 2)))[0] + 7.0
    stress = stress_and_gradient(wanted, np.ascontiguousarray(turned.T))[0]
    assert stress == pytest.approx(model.stress_, rel=1e-9)


@pytest.mark.parametrize(
    "model", [MDS(init="classical_mds", eps=1e-12, max_iter=3000), Sammon(tol=1e-8)]
)
def test_planar_data_embed_without_stress(model):
    flat, X = planar()
    embedding = model.fit_transform(X)
    assert model.stress_ < 1e-8
    assert procrustes(flat, embedding)[2] < 1e-8


@pytest.mark.parametrize("model", [MDS(init="random", random_state=1), Sammon()])
def test_distances_are_kept_on_iris(model):
    distances = pdist(model.fit_transform(IRIS))
    assert np.corrcoef(distances, pdist(IRIS))[0, 1] > 0.99


@pytest.mark.parametrize("kind", ["metric", "classical"])
def test_new_samples_take_the_place_they_had(kind):
    flat, X = planar(60)
    model = MDS(kind=kind, eps=1e-13, max_iter=3000).fit(X[:50])
    placed = np.vstack([model.embedding_, model.transform(X[50:])])
    assert procrustes(flat, placed)[2] < 1e-6
    np.testing.assert_allclose(model.transform(X[:50]), model.embedding_, atol=1e-9)
    distances = squareform(pdist(X))
    by_distance = MDS(kind=kind, metric="precomputed", eps=1e-13, max_iter=3000)
    by_distance.fit(distances[:50, :50])
    placed = np.vstack([by_distance.embedding_, by_distance.transform(distances[50:, :50])])
    assert procrustes(flat, placed)[2] < 1e-6


def test_new_samples_take_the_place_they_had_in_a_sammon_map():
    flat, X = planar(60)
    model = Sammon(tol=1e-9).fit(X[:50])
    placed = np.vstack([model.embedding_, model.transform(X[50:])])
    assert procrustes(flat, placed)[2] < 1e-6
    np.testing.assert_array_equal(model.transform(X[:50]), model.embedding_)
    distances = squareform(pdist(X))
    by_distance = Sammon(metric="precomputed", tol=1e-9).fit(distances[:50, :50])
    placed = np.vstack([by_distance.embedding_, by_distance.transform(distances[50:, :50])])
    assert procrustes(flat, placed)[2] < 1e-6


@pytest.mark.kernel
@pytest.mark.parametrize("sammon", [False, True])
def test_settling_a_point_lowers_its_stress(sammon):
    fixed, wanted = RNG.normal(size=(20, 2)), RNG.uniform(0.5, 2, size=(3, 20))
    placed = RNG.normal(size=(3, 2))

    def stress(points):
        weights = 1 / wanted if sammon else 1.0
        return np.sum(weights * (wanted - cdist(points, fixed)) ** 2, axis=1)

    before = stress(placed)
    settle_rows(wanted, fixed, placed, sammon, 500, 1e-12)
    least = stress(placed)
    assert (least < before).all()
    for step in ([1e-3, 0.0], [0.0, -1e-3]):
        assert (stress(placed + step) > least).all()


def test_samples_at_one_place_and_other_metrics():
    X = np.vstack([CLOUD, CLOUD[:5]])
    assert np.isfinite(Sammon().fit(X).stress_)
    assert MDS(metric="manhattan").fit(X).normalized_stress_ < 0.3


def test_bad_requests_for_scaling_are_explained():
    with pytest.raises(ValueError, match="must be square"):
        MDS(metric="precomputed").fit(CLOUD)
    with pytest.raises(ValueError, match="must be symmetric and not negative"):
        MDS(metric="precomputed").fit(-np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"init must have shape \(60, 2\), got \(60, 3\)"):
        MDS(init=np.zeros((60, 3))).fit(CLOUD)
    with pytest.raises(ValueError, match="n_components=61 must be at most n_samples = 60"):
        MDS(61).fit(CLOUD)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps"):
        MDS(max_iter=3, init="random", random_state=0).fit(CLOUD)
    with pytest.warns(ConvergenceWarning, match="max_iter=3 steps"):
        Sammon(max_iter=3, init="random", random_state=0).fit(CLOUD)
    with pytest.warns(UserWarning, match="only 2 of n_components=3 have a positive"):
        MDS(3, kind="classical").fit(planar()[1])
