"""Certificates: data are separable because of this plane, or are not because of these samples."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_X_y

from shallows._core.contract.params import FiniteFloat, check_value
from shallows._core.numerics.separability import gordan_alternative, least_distance
from shallows.perceptron._finite_array import finite_array
from shallows.perceptron._storage import LinearThreshold, signs_of, stability

ALL_AT_ONCE = 400  # rows of a quadratic problem; of more, only those that matter are looked at
FREE_CLAMP = 30.0  # length of the constant input in units of the data; any value is right
ROUNDS = 200


@dataclass(frozen=True)
class Separability:
    r"""Whether a hyperplane separates two classes, with the proof.

    Parameters
    ----------
    separable : bool
        The answer.
    coef : ndarray of shape (n_features,) or None
        Weights of the hyperplane of optimal stability, scaled so that the smallest potential
        is 1, up to rounding; None if there is none.
    intercept : float or None
        Its offset.
    stability : float
        Distance :math:`\kappa = 1 / |w|` of the nearest samples, that of this hyperplane; 0 if
        there is none.
    null_vector : ndarray of shape (n_samples,) or None
        Otherwise, Gordan's proof: non-negative, of sum 1, and the sum of its product with label
        and sample is zero, as is that with the labels alone where a threshold was allowed.
    duplicates : tuple of (int, int)
        Pairs of equal samples with opposite labels, one for each such sample.

    Examples
    --------
    >>> from shallows.perceptron import separability
    >>> separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).contradicting
    array([0, 1, 2, 3])
    """

    separable: bool
    coef: np.ndarray | None
    intercept: float | None
    stability: float
    null_vector: np.ndarray | None
    duplicates: tuple[tuple[int, int], ...] = ()

    @property
    def contradicting(self):
        """Indices of samples that no hyperplane separates, few of them; empty if there are none."""
        return np.flatnonzero([] if self.null_vector is None else self.null_vector)


def separability(X, y, *, threshold: bool = True) -> Separability:
    r"""Find the hyperplane of optimal stability, or prove that no hyperplane separates.

    With labels :math:`S = \pm 1` exactly one of two things is true (Gordan): there is :math:`w`
    with :math:`S w \cdot x > 0` for all samples, or there are :math:`z \geq 0`, not all zero,
    with :math:`\sum z S x = 0`. Either is verified, the sum to 1e-9, for samples of length 1 in
    features scaled to comparable size. What rounding can't tell from touching classes, a stability
    below 1e-13 in these units, counts as none.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples. A sparse matrix is made dense, without the features that are zero everywhere.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    threshold : bool, default=True
        Whether the hyperplane may miss the origin.

    Returns
    -------
    certificate : Separability
        The hyperplane or the proof, never both. The hyperplane always separates; that its
        stability is the largest is true up to rounding, which for classes that nearly touch is
        worth about 1e-13 of the data.

    References
    ----------
    .. [1] P. Gordan, "Ueber die Aufloesung linearer Gleichungen mit reellen Coefficienten",
       Mathematische Annalen 6, 23-28, 1873.

    Examples
    --------
    >>> from shallows.perceptron import separability
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> found = separability(X, [0, 0, 0, 1])
    >>> found.coef.round(6), round(found.intercept, 6), round(found.stability, 6)
    (array([2., 2.]), -3.0, 0.353553)
    >>> separability(X, [0, 1, 1, 0]).null_vector
    array([0.25, 0.25, 0.25, 0.25])
    """
    X, y = check_X_y(X, y, dtype=float, accept_sparse="csr")
    S = signs_of("separability", y)
    if issparse(X):
        used = np.union1d(X.indices, 0)  # at least one
        dense = separability(X[:, used].toarray(), S, threshold=threshold)
        if dense.coef is None:
            return dense
        coef = np.zeros(X.shape[1])
        coef[used] = dense.coef
        return replace(dense, coef=coef)
    if threshold and len(np.unique(S)) == 1:
        raise ValueError(
            "separability needs samples of two classes, got one class; with a threshold any one "
            "class is separable. Set threshold=False to ask for a half-space."
        )
    duplicates = _opposite_duplicates(X, S)
    if duplicates:
        null = np.zeros(len(X))
        null[list(duplicates[0])] = 0.5
        return Separability(False, None, None, 0.0, null, duplicates)
    mean = X.mean(axis=0) if threshold else np.zeros(X.shape[1])
    centred = X - mean
    rows = np.column_stack([centred, np.ones(len(X))]) if threshold else centred
    found = gordan_alternative(rows * S[:, None])
    if found.w is None:
        return Separability(False, None, None, 0.0, found.y)

    size = np.linalg.norm(centred, axis=1).max() or 1.0
    start = found.w[:-1] if threshold else found.w
    start = start / np.linalg.norm(start)
    candidates = [start, *_optimal(centred / size, S, threshold, start)]
    planes = [_offset_and_stability(coef, centred, S, threshold) for coef in candidates]
    best = max(range(len(planes)), key=lambda k: planes[k][1])
    offset, kappa = planes[best]
    coef = candidates[best] / kappa
    intercept = float(offset / kappa - mean @ coef)
    return Separability(True, coef, intercept, stability(coef, X, S, intercept), None)


def gordan_certificate(X, y, *, threshold: bool = True):
    """Return Gordan's null vector, or None if a hyperplane separates the classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    threshold : bool, default=True
        Whether the hyperplane may miss the origin.

    Returns
    -------
    null_vector : ndarray of shape (n_samples,) or None
        Non-negative and of sum 1; see `Separability`.

    Examples
    --------
    >>> from shallows.perceptron import gordan_certificate
    >>> gordan_certificate([[1, 2], [2, 4]], [1, -1], threshold=False).round(6)
    array([0.666667, 0.333333])
    """
    return separability(X, y, threshold=threshold).null_vector


def strict_separation(coef, X, y, intercept: float = 0.0) -> LinearThreshold:
    """Move a hyperplane that touches the second class half-way to the first.

    Parameters
    ----------
    coef : array-like of shape (n_features,)
        Weights.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    intercept : float, default=0.0
        Offset, such that no field of the second class is negative and all of the first are.

    Returns
    -------
    plane : LinearThreshold
        A parallel hyperplane with all samples strictly on their sides.

    Examples
    --------
    >>> from shallows.perceptron import strict_separation
    >>> strict_separation([1.0], [[0], [-2]], [1, -1])
    LinearThreshold(coef=array([1.]), intercept=1.0)
    """
    X, y = check_X_y(X, y, dtype=float)
    S = signs_of("strict_separation", y)
    check_value("strict_separation", "intercept", FiniteFloat, intercept)
    coef = finite_array("strict_separation", "coef", coef, X.shape[1])
    if len(np.unique(S)) == 1:
        raise ValueError("strict_separation needs samples of two classes, got one class.")
    fields = X @ coef + intercept
    if (fields[S > 0] < 0).any() or (fields[S < 0] >= 0).any():
        raise ValueError(
            "strict_separation: the hyperplane must leave the second class on its positive side or "
            "touch it, and the first strictly on the negative side. See separability."
        )
    return LinearThreshold(coef, float(intercept - fields[S < 0].max() / 2))


def _opposite_duplicates(X, S):
    """Return one pair of indices for every sample that occurs with both labels."""
    order = np.lexsort(X.T[::-1])
    equal = (X[order][1:] == X[order][:-1]).all(axis=1)
    groups = np.append(0, np.cumsum(~equal))
    pairs = []
    for group in np.unique(groups[1:][equal]):
        members = np.sort(order[groups == group])
        positive, negative = members[S[members] > 0], members[S[members] < 0]
        if len(positive) and len(negative):
            pairs.append(tuple(sorted((int(positive[0]), int(negative[0])))))
    return tuple(sorted(pairs))


def _optimal(X, S, threshold, start):
    """Return directions of optimal stability, as rounding lets them be, for samples of length 1.

    Potentials as large as those of the unit vector `start` keep the weights at a length of about
    1, whatever the margin. A free threshold is the limit of penalised ones, each penalised for
    its distance from the one before. Least squares on the samples that hold the plane sharpens
    it where the margin is small.
    """
    clamp = FREE_CLAMP if threshold else 0.0
    rows = np.column_stack([X, np.full(len(X), clamp)]) * S[:, None]
    centre, kappa = _offset_and_stability(start, X, S, threshold)
    working, found = np.zeros(0, dtype=int), []
    for _ in range(ROUNDS):
        # The shortest w with all potentials at least 1, for inputs seen from the centre.
        w, working, holding = _shortest(rows, kappa - S * centre, working)
        if w is None:
            break
        if len(holding):
            found = [w[:-1], _equal_potentials(X[holding], S[holding], threshold)]

        # The clamped input's weight says how far the threshold is off; move the centre there.
        shift = clamp * w[-1]
        centre += shift
        if abs(shift) <= 1e-13 * (kappa + abs(centre)):
            break
    return [w / np.linalg.norm(w) for w in found if w.any()]


def _shortest(rows, targets, working):
    """Return the shortest w with rows.w >= targets, or None if rounding hides it.

    Also return the rows that were looked at, `working` among them, and those that hold w.
    """
    p, n = rows.shape
    # Start with the most demanding samples; the others join where they are violated.
    demanding = np.arange(p) if p <= ALL_AT_ONCE else np.argsort(-targets)[: 2 * n]
    working = np.union1d(working, demanding)
    while True:
        try:
            u = least_distance(rows[working], targets[working])
        except RuntimeError:
            return None, working, working

        # The dual of least distance: w is a sum of working rows, scaled to meet its demands.
        w, demand = u @ rows[working], u @ targets[working]
        if u.any():
            if not w.any() or demand <= 0:
                return None, working, working
            w *= demand / (w @ w)

        # The worst violations among all samples join the working set.
        missing = targets - rows @ w
        missing[working] = -np.inf
        wrong = np.argsort(-missing)[: 2 * n]
        wrong = wrong[missing[wrong] > 1e-10 * np.abs(targets).max()]
        if not len(wrong):
            return w, working, working[u > 0]
        working = np.union1d(working, wrong)


def _equal_potentials(X, S, threshold):
    """Return the shortest weights that give all samples the same potential."""
    if threshold:
        X, S = X - X.mean(axis=0), S - S.mean()
    return np.linalg.lstsq(X, S)[0]


def _offset_and_stability(coef, X, S, threshold):
    """Return the best offset for weights of length 1, and the stability with it."""
    fields = X @ coef
    if not threshold:
        return 0.0, float((S * fields).min())
    lowest, highest = fields[S > 0].min(), fields[S < 0].max()
    return float(-(lowest + highest) / 2), float((lowest - highest) / 2)
