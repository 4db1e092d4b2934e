"""PCA against an SVD, the theory of reconstruction, scikit-learn, and data beyond memory."""

import subprocess
import sys

import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.exceptions import NotFittedError

from shallows.reduce import PCA

RNG = np.random.default_rng(0)
SOLVERS = ["covariance_eigh", "gram", "randomized", "full"]


def cloud(n, d, offset=3.0):
    """Anisotropic data of full rank, away from the origin."""
    rotation = np.linalg.qr(RNG.normal(size=(d, d)))[0]
    return RNG.normal(size=(n, d)) * 0.9 ** np.arange(d) @ rotation + offset


TALL, WIDE = cloud(200, 12), cloud(15, 40)


def by_svd(X, k):
    """Components and variances from the definition, signs by the largest entry."""
    centred = X - X.mean(axis=0)
    _, s, vectors = np.linalg.svd(centred, full_matrices=False)
    vectors = vectors[:k]
    vectors *= np.sign(vectors[np.arange(k), np.abs(vectors).argmax(axis=1)])[:, None]
    return vectors, s[:k] ** 2 / (len(X) - 1)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("X", [TALL, WIDE], ids=["tall", "wide"])
def test_components_equal_those_of_an_svd(X, solver):
    model = PCA(5, svd_solver=solver, random_state=0).fit(X)
    vectors, variances = by_svd(X, 5)
    close = 1e-2 if solver == "randomized" else 1e-9
    np.testing.assert_allclose(model.components_, vectors, atol=close)
    np.testing.assert_allclose(model.explained_variance_, variances, rtol=close**2 + 1e-9)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("k", [3, 0.9, None])
def test_every_attribute_agrees_with_scikit_learn(k, whiten):
    ours, theirs = PCA(k, whiten=whiten).fit(TALL), SklearnPCA(k, whiten=whiten).fit(TALL)
    names = "components_ explained_variance_ explained_variance_ratio_ singular_values_ mean_ "
    for name in (names + "n_components_ noise_variance_").split():
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9)
    np.testing.assert_allclose(ours.transform(TALL), theirs.transform(TALL), atol=1e-9)
    if not whiten:  # with whitening scikit-learn scales the model's components twice
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
        np.testing.assert_allclose(ours.score_samples(TALL), theirs.score_samples(TALL))
    assert list(ours.get_feature_names_out()) == [f"pca{i}" for i in range(ours.n_components_)]


def test_projections_are_uncorrelated_with_the_variances_of_the_spectrum():
    model = PCA().fit(TALL)
    covariance = np.cov(model.transform(TALL).T)
    np.testing.assert_allclose(covariance, np.diag(model.explained_variance_), atol=1e-12)
    whitened = PCA(4, whiten=True).fit_transform(TALL)
    np.testing.assert_allclose(np.cov(whitened.T), np.eye(4), atol=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
def test_left_over_spectrum_is_the_reconstruction_error(ddof):
    model = PCA(ddof=ddof).fit(TALL)
    for m in range(13):
        part = model.transform(TALL)[:, :m] @ model.components_[:m] + model.mean_
        error = ((TALL - part) ** 2).sum()
        assert model.reconstruction_error(m) == pytest.approx(error, rel=1e-10, abs=1e-9)
    np.testing.assert_allclose(model.inverse_transform(model.transform(TALL)), TALL, atol=1e-12)


def test_no_linear_projection_of_the_same_rank_loses_less():
    best = PCA(3).fit(TALL).reconstruction_error(3)
    centred = TALL - TALL.mean(axis=0)
    for _ in range(50):
        q = np.linalg.qr(RNG.normal(size=(12, 3)))[0]
        assert ((centred - centred @ q @ q.T) ** 2).sum() > best


def test_likelihood_is_that_of_the_model_gaussian():
    model = PCA(4, whiten=True).fit(TALL)
    expected = multivariate_normal(model.mean_, model.get_covariance()).logpdf(TALL)
    np.testing.assert_allclose(model.score_samples(TALL), expected, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 4, 12])
def test_the_model_of_the_data_is_that_of_scikit_learn(k):
    ours, theirs = PCA(k).fit(TALL), SklearnPCA(k).fit(TALL)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-10)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-6, atol=1e-8)
    identity = ours.get_precision() @ ours.get_covariance()
    np.testing.assert_allclose(identity, np.eye(12), atol=1e-9)


def test_coordinates_of_the_wrong_width_are_refused():
    model = PCA(3)
    with pytest.raises(NotFittedError):
        model.inverse_transform(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="inverse_transform expects 3 columns, got 4"):
        model.fit(TALL).inverse_transform(np.zeros((2, 4)))


def test_centred_rows_leave_one_direction_fewer_and_vectors_stay_orthonormal():
    model = PCA().fit(WIDE)
    assert model.components_.shape == (15, 40)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(15), atol=1e-10)
    assert model.explained_variance_[-1] < 1e-12 * model.explained_variance_[0]


@pytest.mark.parametrize("solver", ["covariance_eigh", "randomized"])
def test_sparse_equals_dense(solver):
    X = TALL * (RNG.random(TALL.shape) < 0.3)
    weights = RNG.integers(1, 4, len(X)).astype(float)
    for given in (None, weights):
        dense = PCA(4, svd_solver=solver, random_state=0).fit(X, sample_weight=given)
        sparse = PCA(4, svd_solver=solver, random_state=0).fit(csr_array(X), sample_weight=given)
        np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-9)
        assert sparse.total_variance_ == pytest.approx(dense.total_variance_)
        np.testing.assert_allclose(sparse.transform(csr_array(X)), dense.transform(X), atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_equal_repetition(solver):
    counts = RNG.integers(1, 4, len(TALL))
    weighted = PCA(3, svd_solver=solver, random_state=0).fit(TALL, sample_weight=counts)
    repeated = PCA(3, svd_solver=solver, random_state=0).fit(np.repeat(TALL, counts, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-8)
    np.testing.assert_allclose(
        weighted.explained_variance_, repeated.explained_variance_, rtol=1e-9
    )


def test_pieces_give_what_the_whole_gives():
    whole, pieces = PCA(4).fit(TALL), PCA(4)
    for part in np.split(TALL, [50, 60, 150]):
        pieces.partial_fit(part)
    np.testing.assert_allclose(pieces.components_, whole.components_, atol=1e-10)
    np.testing.assert_allclose(pieces.mean_, whole.mean_, atol=1e-12)
    assert pieces.n_samples_ == 200


def test_weighted_and_sparse_pieces_give_what_the_whole_gives():
    weights = RNG.integers(0, 3, size=len(TALL)).astype(float)
    sparse = np.where(TALL > 3, TALL, 0)
    whole, pieces = PCA(3).fit(sparse, sample_weight=weights), PCA(3)
    for rows in (slice(0, 90), slice(90, 200)):
        pieces.partial_fit(csr_array(sparse[rows]), sample_weight=weights[rows])
    np.testing.assert_allclose(pieces.components_, whole.components_, atol=1e-9)
    np.testing.assert_allclose(pieces.explained_variance_, whole.explained_variance_)


@pytest.mark.parametrize("solver", ["auto", "randomized"])
@pytest.mark.parametrize("kind", ["memmap", "dask"])
def test_streams_give_what_the_array_gives(kind, solver, tmp_path):
    X = cloud(3000, 12)
    np.save(tmp_path / "x.npy", X)
    stream = (
        np.load(tmp_path / "x.npy", mmap_mode="r")
        if kind == "memmap"
        else da.from_array(X, chunks=(700, 5))
    )
    ours = PCA(4, svd_solver=solver, random_state=0).fit(stream)
    whole = PCA(4, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(ours.components_, whole.components_, atol=1e-9)
    coordinates = ours.transform(stream)
    assert isinstance(coordinates, da.Array) == (kind == "dask")
    np.testing.assert_allclose(np.asarray(coordinates), whole.transform(X), atol=1e-8)
    with pytest.raises(ValueError, match="sample_weight with data in memory only"):
        PCA().fit(stream, sample_weight=np.ones(3000))


LIMITED = """
import resource, sys
import numpy as np
from shallows.reduce import PCA
limit = int(sys.argv[2])
X = np.load(sys.argv[1], mmap_mode="r")
assert X.nbytes > 5 * limit
PCA(3).fit(np.ones((50, 20)) + np.eye(50, 20))  # libraries are loaded and threads started
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (used + limit, used + limit))
try:
    np.array(X)
except MemoryError:
    print(PCA(3).fit(X).explained_variance_.tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets Linux's data limit")
def test_a_file_five_times_larger_than_the_memory_limit(tmp_path):
    path, shape = tmp_path / "large.npy", (2_700_000, 20)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=shape)
    for rows in range(0, shape[0], 100_000):
        X[rows : rows + 100_000] = RNG.normal(size=(100_000, 20)) * np.arange(1, 21)
    X.flush()
    limit = X.nbytes // 5 - 1_000_000
    del X
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path, str(limit)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(eval(done.stdout), [400, 361, 324], rtol=0.01)


def test_randomized_solver_comes_close_on_a_slow_spectrum():
    X = RNG.normal(size=(1500, 800)) / np.sqrt(1 + np.arange(800))
    found = PCA(20, random_state=0).fit(X).explained_variance_.sum()
    best = PCA(20, svd_solver="full").fit(X).explained_variance_.sum()
    assert 0 <= 1 - found / best < 1e-3


def test_full_solver_resolves_what_products_can_not():
    scales = 10.0 ** -np.arange(0, 12)
    X = RNG.normal(size=(300, 12)) * scales
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    found = PCA(svd_solver="full").fit(X).singular_values_
    np.testing.assert_allclose(found, exact, rtol=1e-3)


def test_iris_spectrum():
    X, _ = load_iris(return_X_y=True)
    found = PCA().fit(X).explained_variance_
    np.testing.assert_allclose(found, [4.22824, 0.24267, 0.07821, 0.02384], atol=1e-5)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PCA(13), r"n_components=13 must be at most min\(n_samples, n_features\)=12"),
        (PCA(0.9, svd_solver="randomized"), "a share of the variance, which"),
        (
            PCA(1.5),
            "PCA: n_components must be int in .* or float in .0, 1. or .* or None, got 1.5",
        ),
    ],
)
def test_impossible_requests_are_explained(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(TALL)


@pytest.mark.parametrize("d", [6, 12])
def test_the_likeliest_number_of_components_is_that_of_scikit_learn(d):
    signal = RNG.normal(size=(300, 3)) @ RNG.normal(size=(3, d)) * 3
    X = signal + RNG.normal(size=(300, d))
    ours = PCA("mle").fit(X)
    assert ours.n_components_ == SklearnPCA("mle", svd_solver="full").fit(X).n_components_ == 3
    X = load_iris().data
    assert PCA("mle").fit(X).n_components_ == SklearnPCA("mle").fit(X).n_components_
    with pytest.raises(ValueError, match="needs at least as many samples as features=40"):
        PCA("mle").fit(WIDE)


def test_one_sample_has_no_variance():
    with pytest.raises(ValueError, match="PCA needs more than n_samples=1"):
        PCA().fit(TALL[:1])
