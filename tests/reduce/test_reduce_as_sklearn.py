"""What `reduce` has under scikit-learn's names, against scikit-learn and the theory."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import manifold
from sklearn.datasets import load_iris, make_swiss_roll

from shallows.reduce import (
    MDS,
    PCA,
    TSNE,
    FastICA,
    IncrementalPCA,
    Isomap,
    LocallyLinearEmbedding,
    SpectralEmbedding,
)

X = load_iris().data


@pytest.mark.parametrize("whiten", [False, True])
def test_batches_come_to_the_components_of_all_data(whiten):
    whole = PCA(2, whiten=whiten).fit(X)
    for model in (
        IncrementalPCA(2, whiten=whiten, batch_size=17).fit(X),
        IncrementalPCA(2, whiten=whiten).fit(csr_array(X)),
    ):
        for name in ("components_", "explained_variance_", "mean_", "singular_values_"):
            np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-8)
        np.testing.assert_allclose(model.transform(X), whole.transform(X), atol=1e-10)
        np.testing.assert_allclose(model.var_, X.var(axis=0), rtol=1e-10)
        assert model.n_samples_seen_ == len(X)
        assert model.noise_variance_ == pytest.approx(whole.noise_variance_)
    assert IncrementalPCA().partial_fit(X[:3]).n_components_ == 3


def test_batches_that_are_too_small_are_refused():
    with pytest.raises(ValueError, match="must be less or equal to the batch number"):
        IncrementalPCA(3).partial_fit(X[:2])
    with pytest.raises(ValueError, match="invalid for n_features=4"):
        IncrementalPCA(5).fit(X)
    with pytest.raises(TypeError, match="does not support sparse input"):
        IncrementalPCA(2).partial_fit(csr_array(X))


@pytest.mark.parametrize(
    "options",
    [{"n_neighbors": 20}, {"affinity": "rbf", "gamma": 0.05}, {"affinity": "precomputed"}],
)
def test_spectral_embedding_is_scikit_learns(options):
    data = make_swiss_roll(120, random_state=0)[0]
    if options.get("affinity") == "precomputed":
        data = np.exp(-0.02 * ((data[:, None] - data) ** 2).sum(axis=2))
    ours = SpectralEmbedding(**options).fit_transform(data)
    theirs = manifold.SpectralEmbedding(**options, random_state=0).fit_transform(data)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_a_graph_in_pieces_warns():
    apart = np.concatenate([X[:20], X[:20] + 100])
    with pytest.warns(UserWarning, match="not fully connected"):
        SpectralEmbedding(n_neighbors=5).fit(apart)


def sources():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.laplace(size=2000), rng.uniform(-1, 1, 2000)])


@pytest.mark.parametrize(
    "options",
    [
        {"fun_args": {"alpha": 2.0}},
        {"fun": lambda y: (y**3, (3 * y**2).mean(axis=-1))},
        {
            "fun": lambda y, power: (y**power, (power * y ** (power - 1)).mean(axis=-1)),
            "fun_args": {"power": 3},
        },
        {"whiten": "arbitrary-variance"},
    ],
)
def test_contrasts_given_by_the_user_find_the_sources(options):
    true = sources()
    model = FastICA(2, random_state=0, **options).fit(true @ np.array([[1.0, 0.5], [0.4, 1.0]]))
    found = model.transform(true @ np.array([[1.0, 0.5], [0.4, 1.0]]))
    fits = np.abs(np.corrcoef(found.T, true.T)[:2, 2:]).max(axis=1)
    assert (fits > 0.99).all()
    wanted = len(true) ** -0.5 if options.get("whiten") else 1.0
    np.testing.assert_allclose(found.std(axis=0), wanted, rtol=1e-3)


def test_a_steeper_logcosh_is_another_contrast():
    data = sources() @ np.array([[1.0, 0.5], [0.4, 1.0]])
    plain, steep = (
        FastICA(2, random_state=0, tol=1e-10, max_iter=500, fun_args=args).fit(data).components_
        for args in (None, {"alpha": 2.0})
    )
    assert not np.allclose(plain, steep, rtol=1e-6)
    with pytest.raises(ValueError, match=r"must be in \[1,2\]"):
        FastICA(fun_args={"alpha": 3.0}).fit(data)


@pytest.mark.parametrize("options", [{"p": 1}, {"metric_params": {"w": [1, 0.1, 2, 3]}}])
def test_isomap_takes_the_parameters_of_its_metric(options):
    data = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)  # without ties
    ours = Isomap(n_neighbors=40, **options).fit(data)
    theirs = manifold.Isomap(n_neighbors=40, **options).fit(data)
    np.testing.assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-9)
    assert ours.nbrs_.kneighbors(data[:1], 3)[1][0, 0] == 0
    values = ours.kernel_pca_.eigenvalues_
    np.testing.assert_allclose(values, ours.eigenvalues_, rtol=1e-8)


def test_mds_by_other_names_and_starts():
    start = np.random.default_rng(0).normal(size=(len(X), 2))
    model = MDS(metric_mds=False, max_iter=40, eps=0.0).fit(X, init=start)
    assert model.stress_ == model.normalized_stress_ < 1
    raw = MDS(kind="nonmetric", max_iter=40, eps=0.0, normalized_stress=False).fit(X, init=start)
    total = np.sum(raw.dissimilarity_matrix_**2) / 2
    assert raw.stress_ == pytest.approx(raw.normalized_stress_**2 * total)
    by_metric = MDS(init="classical_mds", metric="manhattan").fit(X)
    by_power = MDS(init="classical_mds", metric="minkowski", metric_params={"p": 1}).fit(X)
    np.testing.assert_allclose(by_metric.embedding_, by_power.embedding_, atol=1e-9)
    given = MDS(init="classical_mds", dissimilarity="precomputed")
    given.fit(by_metric.dissimilarity_matrix_)
    np.testing.assert_allclose(given.embedding_, by_metric.embedding_, atol=1e-9)


def test_t_sne_ends_without_progress_and_on_small_gradients():
    options = {"perplexity": 10.0, "random_state": 0, "n_jobs": 1}
    short = TSNE(n_iter_without_progress=0, max_iter=5000, **options).fit(X[:60])
    assert 250 < short.n_iter_ < 5000
    flat = TSNE(min_grad_norm=1e3, **options).fit(X[:60])
    assert flat.n_iter_ == 251


def test_lengths_of_reflections_below_the_limit_count_as_zero():
    data = make_swiss_roll(150, random_state=0)[0]
    options = {"n_neighbors": 10, "method": "modified"}
    plain = LocallyLinearEmbedding(**options).fit(data)
    none = LocallyLinearEmbedding(modified_tol=1e3, **options).fit(data)
    assert not np.allclose(plain.embedding_, none.embedding_)
    assert plain.nbrs_.n_samples_fit_ == len(data)
