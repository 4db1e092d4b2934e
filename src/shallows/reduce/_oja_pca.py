"""Oja's rules: principal components by Hebbian learning."""

from __future__ import annotations

from typing import Literal

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
)
from shallows._core.contract.rng import RandomState
from shallows.reduce._hebbian_components import HEBB, NORMALIZED, SUBSPACE, HebbianComponents

RULES = {"hebb": HEBB, "normalized": NORMALIZED, "oja": SUBSPACE, "subspace": SUBSPACE}


class OjaPCA(HebbianComponents):
    r"""Principal components learned sample by sample with Oja's rules.

    A linear unit with output :math:`y = w \cdot x` that is changed by
    :math:`\eta\,(y x - y^2 w)` turns into the direction of largest variance, of length one [1]_.
    Several units that share their reconstruction,
    :math:`\Delta w_m = \eta\, y_m (x - \sum_k y_k w_k)`, find an orthonormal basis of the
    space of the leading components, though not the components themselves: for these, in
    order, see :class:`SangerPCA`.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    rule : {"subspace", "oja", "normalized", "hebb"}, default="subspace"
        Oja's rule for several units, for one unit, Hebb's rule with the vector normalised
        after each step, and Hebb's rule alone, which diverges. All but "subspace" have one
        component.
    learning_rate : float, default=0.05
        First step size, in units of the total variance of the data, so that it does not
        depend on their scale; it has halved after 1000 samples and falls as one over their
        number.
    max_iter : int, default=20
        Largest number of passes over the data.
    tol : float or None, default=None
        Training stops when the loss improves by less than this in three passes in a row.
        With None all `max_iter` passes run.
    random_state : int, RandomState, Generator or None, default=None
        Draws the first vectors and the order of the samples.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weight vectors of the units.
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    n_samples_seen_ : int
        Samples visited.
    history_ : dict of str to list of float
        Mean squared residual of each pass over the total variance, under ``"loss"``.
    n_iter_ : int
        Passes, or calls of `partial_fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] E. Oja, "A simplified neuron model as a principal component analyzer", Journal of
       Mathematical Biology 15, 267-273, 1982.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import OjaPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OjaPCA(random_state=0).fit(X)
    >>> abs(model.components_).round(1)
    array([[0.4, 0.1, 0.9, 0.4]])
    """

    def __init__(
        self,
        n_components: PositiveInt = 1,
        *,
        rule: Literal["subspace", "oja", "normalized", "hebb"] = "subspace",
        learning_rate: PositiveFloat = 0.05,
        max_iter: PositiveInt = 20,
        tol: NonNegativeFloat | None = None,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.rule = rule
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _rule(self):
        if self.rule != "subspace" and self.n_components != 1:
            raise ValueError(
                f"OjaPCA: rule={self.rule!r} has n_components=1, got {self.n_components}. "
                "Use rule='subspace' for more."
            )
        return RULES[self.rule]
