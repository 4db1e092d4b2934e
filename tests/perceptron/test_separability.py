"""Certificates against linear programming, quadratic programming and Cover's theorem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, nnls
from scipy.sparse import csr_matrix
from sklearn.svm import SVC

from shallows.perceptron import (
    AdaTron,
    duality_gap,
    gordan_certificate,
    kuhn_tucker_residuals,
    separability,
    stability,
    strict_separation,
)


def feasible(X, S, threshold):
    """Ask HiGHS for w with potentials of at least 1."""
    rows = (np.column_stack([X, np.ones(len(X))]) if threshold else X) * S[:, None]
    n = rows.shape[1]
    return linprog(np.zeros(n), -rows, -np.ones(len(X)), bounds=(None, None)).status == 0


def check(X, S, found, threshold):
    """Exactly one proof, and it proves."""
    scale = np.abs(X).max(initial=1e-300)
    if found.separable:
        assert found.null_vector is None
        assert not len(found.contradicting)
        assert (S * (X @ found.coef + found.intercept) > 0).all()
        kappa = stability(found.coef, X, S, found.intercept)
        assert kappa == pytest.approx(found.stability, rel=1e-6)
    else:
        z = found.null_vector
        assert found.coef is None
        assert (z >= 0).all()
        assert z.sum() == pytest.approx(1)
        np.testing.assert_allclose((z * S) @ X / scale, 0, atol=1e-9)
        if threshold:
            assert z @ S == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("threshold", [False, True])
@pytest.mark.parametrize(("P", "N"), [(8, 4), (20, 10), (21, 10), (40, 20)])
def test_exactly_one_proof_and_the_same_answer_as_a_linear_program(P, N, threshold):
    rng = np.random.default_rng(P)
    answers = []
    for _ in range(20):
        X, S = rng.normal(size=(P, N)), rng.choice([-1.0, 1.0], size=P)
        found = separability(X, S, threshold=threshold)
        check(X, S, found, threshold)
        assert found.separable == feasible(X, S, threshold)
        answers.append(found.separable)
    assert 0 < sum(answers) < 20


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, (7, 3), elements=st.integers(-2, 2).map(float)),
    arrays(float, 7, elements=st.sampled_from([-1.0, 1.0])),
    st.booleans(),
)
def test_degenerate_points_have_exactly_one_proof(X, S, threshold):
    if threshold and len(np.unique(S)) == 1:
        return
    found = separability(X, S, threshold=threshold)
    check(X, S, found, threshold)
    assert found.separable == feasible(X, S, threshold)


@pytest.mark.parametrize("threshold", [False, True])
@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_stability_is_the_largest(threshold, shift):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 5))
    S = np.sign(X @ rng.normal(size=5))
    X += shift * threshold
    found = separability(X, S, threshold=threshold)
    model = AdaTron(
        None,
        threshold="exact" if threshold else "none",
        tol=1e-10,
        max_iter=5000,
        random_state=0,
    )
    model.fit(X, S)
    assert found.stability == pytest.approx(model.stability_[0], rel=1e-7)
    np.testing.assert_allclose(found.coef, model.coef_[0], rtol=1e-4, atol=1e-5)
    assert found.stability == pytest.approx(1 / np.linalg.norm(found.coef))
    if threshold and shift == 0:
        peer = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, S)
        np.testing.assert_allclose(found.coef, peer.coef_[0], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("cut", [0.5, 1.5, 2.0])
def test_stability_is_the_largest_for_many_unbalanced_samples(cut):
    """More samples than are looked at at once, few of them of the second class.

    The weights must be a sum of labelled samples on the margin, balanced between the classes.
    """
    rng = np.random.default_rng(1)
    for _ in range(8):
        X = rng.normal(size=(500, 3))
        S = np.sign(X @ [0.6, 0.8, 0.0] - cut)
        found = separability(X, S)
        nearest = S * (X @ found.coef + found.intercept) < 1 + 1e-6
        assert nearest.any()
        labelled = np.column_stack([X, np.ones(500)])[nearest] * S[nearest, None]
        _, residual = nnls(labelled.T, np.append(found.coef, 0.0))
        assert residual < 1e-6 * np.linalg.norm(found.coef)
        assert found.stability == stability(found.coef, X, S, found.intercept)
        assert (S * (X @ found.coef + found.intercept)).min() == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("gap", 10.0 ** -np.arange(1, 13))
def test_touching_points_on_a_line_are_told_apart(gap):
    found = separability([[0.0], [gap], [1.0]], [0, 1, 1])
    assert found.separable
    assert found.stability == pytest.approx(gap / 2, rel=1e-3)
    assert separability([[5.0], [5 + 2.0**-40], [6.0]], [0, 1, 1]).separable


@pytest.mark.parametrize("gap", 10.0 ** -np.arange(2, 12, 3))
@pytest.mark.parametrize("n", [2, 5, 20])
def test_nearly_touching_classes_are_separated_with_their_stability(n, gap):
    """Samples moved along the teacher's normal; so many lie at `gap` that none is more stable."""
    rng = np.random.default_rng(n)
    X, w = rng.normal(size=(100, n)), rng.normal(size=n)
    w /= np.linalg.norm(w)
    fields, S = X @ w, rng.choice([-1.0, 1.0], size=100)
    wanted = S * np.where(np.arange(100) < 80, gap, gap + np.abs(fields))
    X += np.outer(wanted - fields, w)
    found = separability(X, S)
    assert found.separable
    assert (S * (X @ found.coef + found.intercept) > 0).all()
    assert found.stability == pytest.approx(gap, rel=1e-3)


def test_sparse_samples_have_the_same_proofs():
    rng = np.random.default_rng(6)
    dense = np.zeros((30, 50))
    dense[:, ::10] = rng.normal(size=(30, 5))
    for S in (np.sign(dense[:, 0] + dense[:, 10]), rng.choice([-1.0, 1.0], size=30)):
        found, expected = separability(csr_matrix(dense), S), separability(dense, S)
        check(dense, S, found, True)
        assert found.separable == expected.separable
        assert found.stability == pytest.approx(expected.stability, rel=1e-9)
    assert separability(csr_matrix((3, 2)), [0, 1, 1]).duplicates == ((0, 1),)


@pytest.mark.parametrize("separable", [False, True])
def test_many_samples(separable):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 10))
    fields = X @ rng.normal(size=10)
    keep = np.abs(fields) > 0.2
    X, S = X[keep], np.sign(fields[keep])
    if not separable:
        S[::100] *= -1
    found = separability(X, S)
    assert found.separable == separable
    check(X, S, found, True)
    if not separable:
        assert len(found.contradicting) <= 12


def test_badly_scaled_features_do_not_matter():
    rng = np.random.default_rng(4)
    X, S = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], size=30)
    S[X[:, 0] > 0] = 1
    teacher = np.sign(X @ rng.normal(size=4))
    scales = np.array([1e-8, 1, 1e8, 1e3])
    for labels, expected in ((teacher, True), (S, separability(X, S).separable)):
        found = separability(X * scales, labels)
        assert found.separable == expected


def test_duplicates_with_opposite_labels_are_named():
    X = [[1.0, 2], [3, 4], [1, 2], [5, 6], [3, 4], [1, 2]]
    found = separability(X, [0, 1, 1, 0, 1, 1])
    assert not found.separable
    assert found.duplicates == ((0, 2),)
    assert found.contradicting.tolist() == [0, 2]
    assert separability([[1.0], [1], [2]], [0, 0, 1]).duplicates == ()


def test_known_sets():
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert separability(X, [0, 0, 0, 1]).stability == pytest.approx(8**-0.5)
    assert gordan_certificate(X, [0, 1, 1, 1]) is None
    np.testing.assert_allclose(gordan_certificate(X, [0, 1, 1, 0]), 0.25)
    assert not separability([[0.0, 0], [1, 1]], [-1, 1], threshold=False).separable
    np.testing.assert_array_equal(gordan_certificate([[0.0], [1]], [1, 1], threshold=False), [1, 0])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="two classes, got one class"):
        separability([[1.0], [2]], [1, 1])
    with pytest.raises(ValueError, match="exactly two classes, got 3"):
        separability([[1.0], [2], [3]], [0, 1, 2])
    with pytest.raises(ValueError, match="0 sample"):
        separability(np.zeros((0, 2)), [])
    with pytest.raises(ValueError, match="NaN"):
        separability([[np.nan], [1]], [0, 1])


def test_strict_separation():
    X, y = [[0.0, 0], [1, 1], [-1, -1], [-2, 0]], [1, 1, 0, 0]
    plane = strict_separation([1, 1], X, y)
    assert (plane.side(X) == [1, 1, -1, -1]).all()
    assert plane.distance(X)[0] == pytest.approx(2**0.5 / 2)
    with pytest.raises(ValueError, match="See separability"):
        strict_separation([-1, -1], X, y)


@pytest.mark.parametrize("C", [None, 0.3])
@pytest.mark.parametrize("threshold", ["none", "exact"])
def test_optimum_has_no_residuals_and_no_gap(C, threshold):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 4))
    S = np.sign(X @ rng.normal(size=4) + 0.2 * (threshold == "exact"))
    model = AdaTron(C, threshold=threshold, tol=1e-11, max_iter=10_000, random_state=0).fit(X, S)
    intercept = float(model.intercept_[0]) if threshold == "exact" else None
    candidate = {"intercept": intercept, "C": C}
    residuals = kuhn_tucker_residuals(model.embedding_strengths_, X, S, **candidate)
    assert residuals.largest < 1e-4
    if C is not None:
        gap = duality_gap(model.embedding_strengths_, X, S, **candidate)
        assert 0 <= gap.relative + 1e-12 < 1e-9
    wrong = kuhn_tucker_residuals(
        model.embedding_strengths_, X, S, coef=1.1 * model.coef_[0], **candidate
    )
    assert wrong.stationarity == pytest.approx(0.1 * np.abs(model.coef_[0]).max(), rel=1e-4)


def test_gap_brackets_the_optimum():
    X, S = np.array([[2.0, 0], [3, 0]]), [1, 1]
    assert duality_gap([0.25, 0], X, S).gap == 0
    assert duality_gap([0.1, 0], X, S).primal == np.inf
    assert duality_gap([0.1, 0], X, S).dual < 0.125
    assert duality_gap([0.1, 0], X, S, coef=[1, 0]).primal == 0.5
    assert duality_gap([-0.1, 0], X, S).dual == -np.inf
    assert duality_gap([1.0, 0], X, S, C=0.5).dual == -np.inf
    assert duality_gap([1.0, 0], X, [1, -1], intercept=0.0, C=2).dual == -np.inf
    assert duality_gap([1.0, 0], X, [1, -1], intercept=0.0, C=2).relative == np.inf
    with pytest.raises(ValueError, match=r"strengths must be a finite array of shape \(2,\)"):
        duality_gap([1.0], X, S)
