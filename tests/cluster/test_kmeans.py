"""KMeans against scikit-learn, its theory, known results, and data larger than memory."""

import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.callback import ScoringMonitor
from sklearn.cluster import KMeans as Peer
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning

from shallows._core.numerics.threads import limit_threads
from shallows.cluster import KMeans, MiniBatchKMeans, SoftKMeans, linkage

IRIS = load_iris(return_X_y=True)[0]


def overlapping(n=3000, d=5, k=12, seed=0):
    return make_blobs(n, d, centers=k, cluster_std=3.0, random_state=seed)[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("d", "k"), [(2, 3), (5, 12), (10, 60), (40, 9)])
def test_same_minimum_as_scikit_learn(d, k, dtype):
    X = overlapping(d=d, k=k).astype(dtype)
    start = X[np.random.default_rng(0).choice(len(X), k, replace=False)]
    ours = KMeans(k, init=start, max_iter=1000).fit(X)
    peer = Peer(k, init=start, n_init=1, max_iter=1000).fit(X)
    assert ours.inertia_ == pytest.approx(peer.inertia_, rel=1e-3 if dtype == np.float32 else 1e-9)
    if dtype == np.float64:
        np.testing.assert_array_equal(ours.labels_, peer.labels_)
        np.testing.assert_allclose(ours.cluster_centers_, peer.cluster_centers_, atol=1e-9)
        assert ours.n_iter_ == peer.n_iter_
        np.testing.assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-9)
        assert ours.score(X) == pytest.approx(peer.score(X))


def test_iris_elbow():
    cost = [KMeans(k, n_init=10, random_state=0).fit(IRIS).inertia_ / 150 for k in range(1, 6)]
    np.testing.assert_allclose(cost, [4.54, 1.02, 0.53, 0.38, 0.31], atol=0.01)


@pytest.mark.parametrize("init", ["k-means++", "random", "assignment"])
def test_cost_never_rises_and_ends_at_the_inertia(init):
    X = overlapping()
    model = KMeans(12, init=init, n_init=3, tol=0.0, max_iter=1000, random_state=0).fit(X)
    loss = np.array(model.history_["loss"])
    assert len(loss) == model.n_iter_ > 1
    assert (np.diff(loss) <= 1e-12 * loss[0]).all()
    assert loss[-1] == pytest.approx(model.inertia_, rel=1e-10)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.inertia_)


def test_one_cluster_is_the_mean_and_n_clusters_cost_nothing():
    X = overlapping(60, 3, 4)
    np.testing.assert_allclose(KMeans(1).fit(X).cluster_centers_[0], X.mean(axis=0))
    assert KMeans(60, random_state=0).fit(X).inertia_ == pytest.approx(0, abs=1e-24)


def test_a_function_may_place_the_centres_as_in_scikit_learn():
    X = overlapping(300, 3, 4)
    given = X[[5, 50, 150, 250]]
    calls = []

    def start(X, n_clusters, random_state):
        calls.append(random_state)
        rows = random_state.randint(len(X), size=n_clusters)  # a method of RandomState alone
        return given if len(calls) == 3 else X[rows]

    model = KMeans(4, init=start, random_state=0).fit(X)
    assert len(calls) == 10
    assert len({state.randint(2**31) for state in calls}) == 10
    fixed = Peer(4, init=given, n_init=1, tol=1e-4).fit(X)
    assert model.inertia_ <= fixed.inertia_ * (1 + 1e-9)
    calls.clear()
    KMeans(4, init=start, n_init=2, random_state=0).fit(X)
    assert len(calls) == 2
    same = KMeans(4, init=lambda X, n_clusters, random_state: given).fit(X)
    np.testing.assert_array_equal(same.labels_, KMeans(4, init=given).fit(X).labels_)
    with pytest.raises(ValueError, match=r"init must be of shape \(4, 3\)"):
        KMeans(4, init=lambda X, n_clusters, random_state: X[:2]).fit(X)
    calls.clear()
    MiniBatchKMeans(4, init=start, random_state=0).fit(X)
    assert len(calls) == 3
    SoftKMeans(4, init=start, random_state=0).fit(X)
    assert len(calls) == 4


def test_bad_weights_name_the_estimator():
    X = overlapping(20, 2, 2)
    weights = np.ones(20)
    weights[3] = -2
    for call, owner in [
        (lambda: KMeans(2, random_state=0).fit(X, sample_weight=weights), "KMeans"),
        (lambda: KMeans(2, random_state=0).fit(X).score(X, sample_weight=weights), "KMeans"),
        (lambda: linkage(X, sample_weight=weights), "linkage"),
    ]:
        with pytest.raises(ValueError, match=f"{owner}: sample_weight .* got -2 at 3"):
            call()


def test_weights_equal_repetition():
    X = overlapping(400, 3, 5)
    weights = np.random.default_rng(0).integers(0, 4, size=400)
    start = X[weights > 0][:5]
    weighted = KMeans(5, init=start).fit(X, sample_weight=weights)
    repeated = KMeans(5, init=start).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-12)
    np.testing.assert_array_equal(weighted.labels_, repeated.predict(X))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert weighted.score(X, sample_weight=weights) == pytest.approx(-repeated.inertia_)


def test_bits_do_not_depend_on_the_number_of_threads():
    X = overlapping(40_000, 4, 9)
    models = []
    for threads in (1, 2, 5):
        with limit_threads(threads):
            models.append(KMeans(9, n_init=2, random_state=3).fit(X))
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].cluster_centers_, other.cluster_centers_)
        assert models[0].history_ == other.history_ and models[0].inertia_ == other.inertia_


def test_an_empty_cluster_gets_the_farthest_sample_or_is_dropped():
    X = np.array([[0.0], [1.0], [2.0], [10.0]])
    start = [[0.0], [100.0], [200.0]]
    reseeded = KMeans(3, init=start).fit(X)
    peer = Peer(3, init=np.array(start), n_init=1).fit(X)
    np.testing.assert_allclose(np.sort(reseeded.cluster_centers_, axis=0)[-1], [10.0])
    assert reseeded.inertia_ == pytest.approx(peer.inertia_)
    assert len(np.unique(reseeded.labels_)) == 3
    dropped = KMeans(3, init=start, empty="drop").fit(X)
    np.testing.assert_allclose(dropped.cluster_centers_, [[13 / 4]])
    np.testing.assert_array_equal(dropped.labels_, [0, 0, 0, 0])
    dropped = KMeans(2, init=[[100.0], [0.0]], empty="drop").fit(X)
    np.testing.assert_allclose(dropped.cluster_centers_, [[13 / 4]])


def test_csr_equals_dense():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20)) * (rng.random((500, 20)) < 0.3)
    weights = rng.uniform(0.5, 2, size=500)
    dense = KMeans(6, init=X[:6]).fit(X, sample_weight=weights)
    sparse = KMeans(6, init=X[:6]).fit(csr_array(X), sample_weight=weights)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_allclose(dense.cluster_centers_, sparse.cluster_centers_, atol=1e-12)
    np.testing.assert_allclose(dense.history_["loss"], sparse.history_["loss"])
    np.testing.assert_allclose(dense.transform(X), sparse.transform(csr_array(X)), atol=1e-7)
    for init in ("k-means++", "random", "assignment"):
        options = {"init": init, "n_init": 5, "random_state": 0}
        cost = KMeans(6, **options).fit(csr_array(X)).inertia_
        assert cost == pytest.approx(KMeans(6, **options).fit(X).inertia_, rel=0.05)


@pytest.mark.parametrize("kind", ["memmap", "dask"])
def test_streams_equal_the_fit_in_memory(kind, tmp_path):
    X = overlapping()
    if kind == "memmap":
        np.save(tmp_path / "X.npy", X)
        stream = np.load(tmp_path / "X.npy", mmap_mode="r")
    else:
        stream = da.from_array(X, chunks=(700, 2))
    # The last start is far from all samples: a cluster without any is reseeded here, too.
    start = np.concatenate([X[:11], X[:1] + 1e4])
    memory, streamed = KMeans(12, init=start).fit(X), KMeans(12, init=start).fit(stream)
    np.testing.assert_allclose(streamed.cluster_centers_, memory.cluster_centers_, rtol=1e-9)
    np.testing.assert_array_equal(streamed.labels_, memory.labels_)
    assert streamed.inertia_ == pytest.approx(memory.inertia_)
    np.testing.assert_allclose(streamed.history_["loss"], memory.history_["loss"])
    np.testing.assert_array_equal(streamed.predict(stream), memory.labels_)
    assert streamed.score(stream) == pytest.approx(memory.score(X))
    distances = streamed.transform(stream)
    assert isinstance(distances, np.ndarray if kind == "memmap" else da.Array)
    assert distances.shape == (len(X), 12)
    np.testing.assert_allclose(distances, cdist(X, memory.cluster_centers_), rtol=1e-7)
    found = KMeans(12, n_init=3, random_state=0).fit(stream).inertia_
    assert found == pytest.approx(Peer(12, n_init=3, random_state=0).fit(X).inertia_, rel=0.05)
    with pytest.raises(ValueError, match="sample_weight"):
        KMeans(2).fit(stream, sample_weight=np.ones(len(X)))


@pytest.mark.slow
def test_a_cluster_of_workers_gives_the_same_centres():
    distributed = pytest.importorskip("distributed")
    X = overlapping()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with distributed.Client(**options, dashboard_address=":0"):
        streamed = KMeans(12, init=X[:12]).fit(da.from_array(X, chunks=(700, 5)))
    memory = KMeans(12, init=X[:12]).fit(X)
    np.testing.assert_allclose(streamed.cluster_centers_, memory.cluster_centers_, rtol=1e-9)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(20, 3), (4000, 3), (4000, 40)])
def test_answers_refuse_what_is_no_number(shape, dtype, value):
    X = np.random.default_rng(0).normal(size=shape).astype(dtype)
    model = KMeans(7, random_state=0).fit(X)
    broken = X.copy()
    broken[11, 1] = value
    for answer in model.predict, model.score, model.transform:
        with pytest.raises(ValueError, match="KMeans" if np.isnan(value) else "infinity"):
            answer(broken)


def test_rows_so_far_that_squares_overflow_have_an_answer():
    model = KMeans(2, random_state=0).fit(np.arange(8.0)[:, None])
    assert set(model.predict(np.array([[1e200], [-1e200]]))) <= {0, 1}


def test_too_few_samples_or_distinct_samples():
    with pytest.raises(ValueError, match=r"n_samples=2 should be >= n_clusters=3"):
        KMeans(3).fit(np.zeros((2, 2)))
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])
    assert model.inertia_ == 0.0
    with pytest.raises(ValueError, match=r"init must be of shape \(2, 1\)"):
        KMeans(2, init=[[0.0, 1.0], [1.0, 1.0]]).fit([[0.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        KMeans(12, max_iter=1, tol=0, random_state=0).fit(overlapping())


def test_callbacks_see_the_iterations_of_all_starts():
    X = overlapping(300, 2, 4)
    monitor = ScoringMonitor(scoring={"score": lambda model, X, y=None: model.score(X)})
    model = KMeans(4, n_init=3, random_state=0).set_callbacks(monitor).fit(X, np.zeros(300))
    scores = [row["score"] for row in monitor.get_logs().data if row["task_name"] == "epoch"]
    ends = np.flatnonzero(np.diff(scores) < -1e-9)  # a new start is worse than the end before it
    assert len(ends) == 2 and len(scores) > model.n_iter_
    assert max(scores) == pytest.approx(-model.inertia_)


def test_names_of_the_distances():
    names = KMeans(2, random_state=0).fit(IRIS).get_feature_names_out()
    assert list(names) == ["kmeans0", "kmeans1"]
