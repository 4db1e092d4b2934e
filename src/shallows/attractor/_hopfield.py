"""Hopfield network: associative memory with attractors."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.linalg import qr
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.attractor._energy import energy
from shallows.attractor._sweeps import step_together, sweep_rows
from shallows.attractor.recurrent import Update

UNITS_PER_BLOCK = 32


class Hopfield(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Network of binary units that restores stored patterns from corrupted ones.

    Patterns are stored in couplings. The dynamics :math:`S_i := \text{sign}(\sum_j w_{ij} S_j)`
    then moves a state into a nearby attractor [1]_. Positive entries count as +1, others as -1.

    Parameters
    ----------
    learning : {"hebb", "projection", "perceptron"}, default="hebb"
        How patterns :math:`\xi` are stored:

        - ``"hebb"``: :math:`w_{ij} = \sum_\mu \xi_i^\mu \xi_j^\mu / P`; stores up to about 0.14
          unrelated patterns per unit
        - ``"projection"``: the projection on the span of the patterns; stores up to one pattern
          per unit exactly, even if patterns are correlated
        - ``"perceptron"``: Rosenblatt's rule teaches each unit its state in every pattern; stores
          up to two unrelated patterns per unit, with asymmetric couplings
    update : {"sequential", "random", "parallel"}, default="sequential"
        Whether units change one after the other, in a new random order in each sweep, or all at
        the same time. Parallel updates may end in a cycle of two states.
    margin : float, default=1.0
        In all patterns, the field of each unit times its state must exceed this; for
        ``"perceptron"`` only. A larger margin widens the basins of attraction.
    max_passes : int, default=1000
        Largest number of passes over the patterns; for ``"perceptron"`` only.
    max_sweeps : int, default=100
        Largest number of updates of each unit in `transform`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the orders of ``update="random"``.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features, n_features)
        Couplings; entry i, j is the weight from unit j to unit i, and the diagonal is zero.
    n_passes_ : int
        Passes over the patterns.
    n_features_in_ : int
        Number of units.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] J. J. Hopfield, "Neural networks and physical systems with emergent collective
       computational abilities", PNAS 79, 2554-2558, 1982.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.attractor import Hopfield, overlap
    >>> rng = np.random.default_rng(0)
    >>> patterns = rng.choice([-1, 1], size=(10, 200))
    >>> memory = Hopfield().fit(patterns)
    >>> damaged = patterns * rng.choice([-1, 1], p=[0.2, 0.8], size=patterns.shape)
    >>> float(overlap(memory.transform(damaged), patterns).diagonal().min())
    1.0
    """

    def __init__(
        self,
        learning: Literal["hebb", "projection", "perceptron"] = "hebb",
        *,
        update: Update = "sequential",
        margin: NonNegativeFloat = 1.0,
        max_passes: PositiveInt = 1000,
        max_sweeps: PositiveInt = 100,
        random_state: RandomState = None,
    ):
        self.learning = learning
        self.update = update
        self.margin = margin
        self.max_passes = max_passes
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Store patterns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns, one per row.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each pattern in Hebb's rule.

        Returns
        -------
        self : Hopfield
            The fitted memory.
        """
        check_params(self)
        self._refuse_weights(sample_weight)
        X, weights = check_unlabelled(self, X, sample_weight)
        patterns = binary(X)
        self.n_passes_ = 1
        if self.learning == "hebb":
            self._remember(None, 0.0, patterns, weights, X.dtype)
        elif self.learning == "projection":
            self.weights_ = _without_diagonal(_projection(patterns)).astype(X.dtype)
        else:
            couplings, self.n_passes_ = _trained(patterns, self.margin, self.max_passes)
            self.weights_ = couplings.astype(X.dtype)
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Store further patterns by Hebb's rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns, one per row.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each pattern.

        Returns
        -------
        self : Hopfield
            The memory with the new patterns added.
        """
        check_params(self)
        if self.learning != "hebb":
            raise ValueError(
                f'Hopfield: partial_fit needs learning="hebb", but {self.learning!r} must '
                "see all patterns at once. Use fit."
            )
        first = not hasattr(self, "weights_")
        X, weights = check_unlabelled(self, X, sample_weight, reset=first)
        before, total = (None, 0.0) if first else (self.weights_, self._stored)
        self._remember(before, total, binary(X), weights, X.dtype if first else before.dtype)
        self.n_passes_ = 1 if first else self.n_passes_ + 1
        return self

    def transform(self, X):
        """Let states run into attractors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Corrupted patterns.

        Returns
        -------
        states : ndarray of shape (n_samples, n_features)
            States +1 or -1: fixed points, or states after `max_sweeps`.
        """
        X = check_new(self, X)
        states, rng = binary(X), as_generator(self.random_state)
        weights = self.weights_.astype(np.float64, copy=False)
        if self.update == "parallel":
            step_together(states, weights, self.max_sweeps)
        else:
            shuffle = self.update == "random"
            sweep_rows(states, weights, 0.0, rng, shuffle=shuffle, n_sweeps=self.max_sweeps)
        return states.astype(X.dtype)

    def energy(self, X):
        """Return the energies of states; symmetric couplings never raise them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            States; entries count as +1 where positive, else as -1.

        Returns
        -------
        energies : ndarray of shape (n_samples,)
            Energy of each state.
        """
        return energy(self.weights_, binary(check_new(self, X)))

    def _remember(self, before, total, patterns, weights, dtype):
        """Add patterns to couplings `before` (or None) of weight `total`."""
        self._stored = total + weights.sum()
        couplings = (patterns * weights[:, None]).T @ patterns
        if before is not None:
            couplings += total * before
        couplings /= self._stored
        self.weights_ = _without_diagonal(couplings).astype(dtype, copy=False)

    def _refuse_weights(self, sample_weight):
        if sample_weight is not None and self.learning != "hebb":
            raise ValueError(
                f"Hopfield: learning={self.learning!r} stores every pattern exactly and takes no "
                'sample_weight; only learning="hebb" does.'
            )


def binary(X):
    """Return +1 for positive entries, else -1."""
    return np.where(X > 0, 1.0, -1.0)


def _without_diagonal(weights):
    np.fill_diagonal(weights, 0.0)
    return weights


def _projection(patterns):
    """Return the projection on the span of the patterns, which may be linearly dependent."""
    # Columns of Q with a negligible diagonal entry of R belong to dependent patterns.
    basis, triangle, _ = qr(patterns.T, mode="economic", pivoting=True, check_finite=False)
    sizes = np.abs(triangle.diagonal())
    basis = basis[:, sizes > sizes[0] * len(patterns.T) * np.finfo(float).eps]
    return basis @ basis.T


def _trained(patterns, margin, max_passes):
    """Return couplings that store every pattern, and the number of passes.

    The weights of a unit are a sum of patterns, so its fields need only products of patterns.
    """
    n_patterns, n = patterns.shape
    products = patterns @ patterns.T / n
    learn = map_blocks(
        lambda units: train_units(products, patterns.T[units].copy(), n, margin, max_passes),
        n,
        UNITS_PER_BLOCK,
    )
    strengths = np.concatenate([part[0] for part in learn])
    passes = np.concatenate([part[1] for part in learn])
    if (passes > max_passes).any():
        warnings.warn(
            f"Hopfield: {(passes > max_passes).sum()} of {n} units did not learn all {n_patterns} "
            f"patterns in {max_passes} passes. Raise max_passes, lower margin or store fewer "
            "patterns.",
            ConvergenceWarning,
            stacklevel=3,
        )
    weights = (strengths * patterns.T) @ patterns / n
    return _without_diagonal(weights), int(min(passes.max(), max_passes))


@compiled
def train_units(products, parts, n, margin, max_passes):
    """Return how often each unit was taught by each pattern, and passes (max_passes + 1: failed).

    Self-coupling is subtracted from the field, otherwise a unit would learn to keep its state.
    """
    n_units, n_patterns = parts.shape
    strengths = np.zeros((n_units, n_patterns))
    passes = np.full(n_units, max_passes + 1)
    for unit in range(n_units):
        part, fields = parts[unit], np.zeros(n_patterns)
        for epoch in range(max_passes):
            mistakes = 0
            for p in range(n_patterns):
                # Perceptron rule: a pattern without margin adds itself to the weights of the unit.
                if part[p] * fields[p] <= margin:
                    mistakes += 1
                    strengths[unit, p] += 1.0
                    for q in range(n_patterns):
                        fields[q] += part[p] * products[p, q] - part[q] / n
            if mistakes == 0:
                passes[unit] = epoch + 1
                break
    return strengths, passes
