"""The other methods of LLE: scikit-learn or naive code beside them, and a surface unrolled."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.spatial.distance import cdist
from sklearn.datasets import make_s_curve, make_swiss_roll
from sklearn.linear_model import LinearRegression
from sklearn.manifold import LocallyLinearEmbedding as SklearnLLE

from shallows.reduce import LocallyLinearEmbedding

ROLL, ANGLE = make_swiss_roll(500, random_state=0)
VARIANTS = ["modified", "hessian", "ltsa"]

variants = pytest.mark.parametrize("method", VARIANTS)


@pytest.mark.parametrize("data", ["roll", "curve"])
def test_modified_answers_are_those_of_scikit_learn(data):
    X = {"roll": ROLL, "curve": make_s_curve(400, random_state=1)[0]}[data]
    options = {"n_neighbors": 12, "method": "modified"}
    ours = LocallyLinearEmbedding(**options).fit(X)
    theirs = SklearnLLE(eigen_solver="dense", **options).fit(X)
    assert subspace_angles(ours.embedding_, theirs.embedding_).max() < 1e-5
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-6)
    placed, theirs_placed = ours.transform(X[:9] + 0.01), theirs.transform(X[:9] + 0.01)
    np.testing.assert_allclose(np.abs(placed), np.abs(theirs_placed), atol=1e-5)


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_answers_are_those_of_the_papers(method):
    """Neighbourhoods hold the sample itself, as in the papers.

    scikit-learn leaves it out, and a sample that is nobody's neighbour gets an axis of its own.
    Its "hessian" keeps all that is orthogonal to the tangent coordinates, which is its "ltsa".
    """
    k, n = 11, len(ROLL)
    total = np.zeros((n, n))
    for members in np.argsort(cdist(ROLL, ROLL), axis=1)[:, :k]:
        tangent = np.linalg.svd(ROLL[members] - ROLL[members].mean(axis=0))[0][:, :2]
        columns = [np.ones(k), *tangent.T]
        columns += [tangent[:, 0] ** 2, tangent[:, 0] * tangent[:, 1], tangent[:, 1] ** 2]
        basis = []
        for column in columns:  # Gram and Schmidt
            for earlier in basis + basis:  # twice, against rounding
                column = column - (column @ earlier) * earlier
            basis.append(column / np.linalg.norm(column))
        affine, second = (sum(np.outer(b, b) for b in part) for part in (basis[:3], basis[3:]))
        total[np.ix_(members, members)] += second if method == "hessian" else np.eye(k) - affine
    values, vectors = np.linalg.eigh(total)
    model = LocallyLinearEmbedding(n_neighbors=k - 1, method=method).fit(ROLL)
    assert subspace_angles(model.embedding_, vectors[:, 1:3]).max() < 1e-6
    np.testing.assert_allclose(model.eigenvalues_, values[:3], atol=1e-10)


@variants
def test_only_the_constant_costs_nothing(method):
    X = np.random.default_rng(0).normal(size=(150, 20))  # some are nobody's neighbour
    model = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(X)
    assert abs(model.eigenvalues_[0]) < 1e-12 < 1e-3 < model.eigenvalues_[1]


def unrolled(X, embedding, angle):
    """Return the share of the true coordinates that affine functions of the map explain."""
    arc = (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2
    return (
        LinearRegression()
        .fit(embedding, np.column_stack([arc, X[:, 1]]))
        .score(embedding, np.column_stack([arc, X[:, 1]]))
    )


@variants
def test_a_rolled_rectangle_comes_out_flat(method):
    X, angle = make_swiss_roll(1500, random_state=0)
    flat = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(X)
    assert unrolled(X, flat.embedding_, angle) > 0.995
    bent = LocallyLinearEmbedding(n_neighbors=12).fit(X)
    assert unrolled(X, bent.embedding_, angle) < 0.97


@variants
def test_affine_data_are_kept_to_the_digits(method):
    rng = np.random.default_rng(0)
    plane = rng.uniform(size=(300, 2))
    X = plane @ rng.normal(size=(2, 6)) + 5.0
    model = LocallyLinearEmbedding(n_neighbors=9, method=method).fit(X)
    error = 1e-6 if method == "modified" else 1e-10  # its weights are regularised
    np.testing.assert_allclose(model.eigenvalues_, 0, atol=error)
    explained = LinearRegression().fit(model.embedding_, plane).score(model.embedding_, plane)
    assert explained > 1 - error


@variants
def test_neighbours_within_a_radius_are_as_good_as_those_counted(method):
    X = np.random.default_rng(0).normal(size=(40, 4))
    by_count = LocallyLinearEmbedding(n_neighbors=39, method=method).fit(X)
    by_radius = LocallyLinearEmbedding(n_neighbors=None, radius=100.0, method=method).fit(X)
    np.testing.assert_allclose(by_radius.eigenvalues_, by_count.eigenvalues_, atol=1e-9)
    uneven = LocallyLinearEmbedding(n_neighbors=None, radius=3.2, method=method).fit(X)
    assert np.isfinite(uneven.embedding_).all() and uneven.eigenvalues_[0] < 1e-9


@variants
def test_copies_and_single_precision_are_taken(method):
    copies = np.repeat(ROLL[:60], 3, axis=0)
    model = LocallyLinearEmbedding(n_neighbors=9, method=method).fit(copies)
    assert np.isfinite(model.embedding_).all()
    single = LocallyLinearEmbedding(n_neighbors=12, method=method).fit(ROLL.astype(np.float32))
    assert single.embedding_.dtype == np.float32


@pytest.mark.parametrize(("method", "fewest"), [("modified", 3), ("ltsa", 3), ("hessian", 5)])
def test_too_few_neighbours_are_refused(method, fewest):
    LocallyLinearEmbedding(n_neighbors=fewest, method=method).fit(ROLL)
    with pytest.raises(ValueError, match=rf"{method}.* needs at least {fewest} neighbours"):
        LocallyLinearEmbedding(n_neighbors=fewest - 1, method=method).fit(ROLL)
    pairs = np.repeat(ROLL[:20], 2, axis=0) + 1e-3 * np.tile([0, 1], 20)[:, None]
    with pytest.raises(ValueError, match=r"got 1\. Raise radius\."):
        LocallyLinearEmbedding(n_neighbors=None, radius=0.01, method=method).fit(pairs)
