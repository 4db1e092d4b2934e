"""Mixtures of any density, for expectation-maximisation."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from shallows._core.contract.params import PositiveInt
from shallows.density._decision import draw
from shallows.density._gaussian import Gaussian
from shallows.density._likelihood import log_densities


class MixtureModel:
    """A mixture of densities of one family, as `ExpectationMaximization` takes it.

    Any density whose `fit` takes weights and maximises the weighted likelihood will do.

    Parameters
    ----------
    component : estimator or None, default=None
        Density that is cloned for each component; None means `Gaussian`.
    n_components : int, default=2
        Number of components.

    Attributes
    ----------
    component, n_components
        As given.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import ExpectationMaximization, MixtureModel, Poisson
    >>> counts = np.array([[0], [1], [2], [1], [9], [11], [10], [10]])
    >>> model = ExpectationMaximization(MixtureModel(Poisson()), random_state=0).fit(counts)
    >>> sorted(round(float(part.rate_[0]), 1) for part in model.parameters_[1])
    [1.0, 10.0]
    """

    def __init__(self, component: Any = None, n_components: PositiveInt = 2):
        self.component = component
        self.n_components = n_components

    def start(self, X, weights, rng):
        """Return parameters to start from: those of random shares.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Samples.
        weights : ndarray of shape (n_samples,)
            Their weights.
        rng : Generator
            Draws the shares.

        Returns
        -------
        parameters : tuple
            Weights and densities of the components.
        """
        shares = rng.dirichlet(np.full(self.n_components, 0.5), size=len(X))
        return self.maximise(X, weights, np.maximum(shares, 1e-6))

    def log_joint(self, X, parameters):
        """Return the log joint density of samples and hidden labels.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Samples.
        parameters : tuple
            Weights and densities of the components.

        Returns
        -------
        log_joint : ndarray of shape (n_samples, n_components)
            Log weight plus log density.
        """
        shares, parts = parameters
        with np.errstate(divide="ignore"):
            return np.log(shares) + log_densities(parts, X)

    def maximise(self, X, weights, shares):
        """Return the parameters that maximise the expected log joint density.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Samples.
        weights : ndarray of shape (n_samples,)
            Their weights.
        shares : ndarray of shape (n_samples, n_components)
            Probabilities of the hidden labels.

        Returns
        -------
        parameters : tuple
            Weights and densities of the components.
        """
        mass = weights[:, None] * shares
        given = self.component
        # A clone takes as long as a fit to a thousand rows.
        fresh = Gaussian(reg_covar=1e-6) if given is None else clone(given)
        parts = [copy(fresh).fit(X, sample_weight=column) for column in mass.T]
        return mass.sum(axis=0) / mass.sum(), parts

    def sample(self, n_samples, parameters, rng):
        """Draw hidden labels, and a sample of the component that each label names.

        Parameters
        ----------
        n_samples : int
            Number of samples.
        parameters : tuple
            Weights and densities of the components.
        rng : Generator
            Draws labels and samples.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        labels : ndarray of shape (n_samples,)
            The component that each was drawn from.
        """
        shares, parts = parameters
        labels = rng.choice(len(shares), n_samples, p=shares)
        drawn = [draw(part, n_samples, rng) for part in parts]
        return np.stack(drawn)[labels, np.arange(n_samples)], labels
