"""Posterior over parameters on a grid."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.integrate import simpson

from shallows._core.contract.rng import as_generator


class Credible(NamedTuple):
    """Ends of an interval and the posterior probability between them."""

    low: float
    high: float
    level: float


class GridPosterior:
    r"""Posterior :math:`h(\theta|D) \propto \prod_i p(x_i|\theta) h(\theta)` on a grid.

    For one parameter or a few. Integrals are computed from the grid by Simpson's rule, so it
    must be fine enough to show every peak.

    Parameters
    ----------
    likelihood : callable
        Takes the data and one value of the parameters, a number or for several parameters a
        vector, and returns the log density of each sample.
    prior : callable or None, default=None
        Takes one value of the parameters and returns the density of the prior, which need not
        be normalised. None is constant on the grid.
    grid : array-like of shape (n_points,) or list of such
        Values of the parameter, increasing; a list holds one grid per parameter.

    Attributes
    ----------
    grids : list of ndarray
        The grid of each parameter.
    density : ndarray
        Values of the posterior on the grid; before any data those of the prior.
    log_evidence : float
        Logarithm of the probability density of the data seen so far, the normaliser.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from shallows.density import GridPosterior
    >>> model = GridPosterior(norm.logpdf, None, np.linspace(0, 1, 1001))
    >>> posterior = model.update(np.array([0.9, 1.0]))
    >>> round(float(posterior.expectation()[0]), 4), round(float(posterior.maximum_likelihood()), 2)
    (0.5693, 0.95)
    """

    def __init__(self, likelihood, prior=None, grid=None):
        several = isinstance(grid, list | tuple) and np.ndim(grid[0]) == 1
        self.grids = [np.array(part, dtype=float) for part in (grid if several else [grid])]
        for part in self.grids:
            if part.ndim != 1 or len(part) < 3 or any(a >= b for a, b in pairwise(part)):
                raise ValueError(
                    "GridPosterior: grid must hold at least three increasing values per parameter, "
                    f"got {part}."
                )
        self.likelihood, self.prior = likelihood, prior
        self._shape = tuple(len(part) for part in self.grids)
        values = np.ones(self._shape)
        if prior is not None:
            values = self._each(lambda theta: float(np.squeeze(prior(theta))))
        if (values < 0).any() or not np.isfinite(values).all() or not values.any():
            raise ValueError("GridPosterior: prior must be finite, not negative, and not zero.")
        with np.errstate(divide="ignore"):
            self._set(np.log(values), np.zeros(self._shape), evidence=None)

    def update(self, data):
        """Return the posterior after more data.

        Parameters
        ----------
        data : array-like
            Independent samples, as `likelihood` takes them.

        Returns
        -------
        posterior : GridPosterior
            The posterior, which is the prior of the next data.
        """
        data = np.asarray(data)
        logs = self._each(lambda theta: float(np.sum(self.likelihood(data, theta))))
        if np.isnan(logs).any():
            raise ValueError(
                "GridPosterior: the likelihood is not a number at some value of the grid. "
                "Keep the grid where the parameters are allowed."
            )
        after = object.__new__(GridPosterior)
        after.grids, after._shape = self.grids, self._shape
        after.likelihood, after.prior = self.likelihood, self.prior
        with np.errstate(divide="ignore"):
            # Bayes' theorem on the grid: log prior plus log-likelihood, then normalised.
            joint = np.log(self.density) + logs
        after._set(joint, self._log_likelihood + logs, evidence=self.log_evidence)
        return after

    def expectation(self):
        """Return the posterior mean estimate.

        Returns
        -------
        mean : ndarray of shape (n_parameters,)
            Mean of each parameter.
        """
        return np.array(
            [simpson(part * self.marginal(axis), x=part) for axis, part in enumerate(self.grids)]
        )

    def variance(self):
        """Return the posterior variance.

        Returns
        -------
        variance : ndarray of shape (n_parameters,)
            Variance of each parameter.
        """
        means = self.expectation()
        return np.array(
            [
                simpson((part - means[axis]) ** 2 * self.marginal(axis), x=part)
                for axis, part in enumerate(self.grids)
            ]
        )

    def mode(self):
        """Return the value of the grid with the largest posterior density.

        Returns
        -------
        mode : float or ndarray of shape (n_parameters,)
            Maximum of the posterior.
        """
        return self._at(self.density.argmax())

    def maximum_likelihood(self):
        """Return the value of the grid under which the data are likeliest.

        Returns
        -------
        theta : float or ndarray of shape (n_parameters,)
            Maximum of the likelihood.
        """
        return self._at(self._log_likelihood.argmax())

    def marginal(self, axis=0):
        """Return the posterior density of one parameter on its grid.

        Parameters
        ----------
        axis : int, default=0
            Which parameter.

        Returns
        -------
        density : ndarray of shape (n_points,)
            Density with the other parameters integrated out.
        """
        density = self.density
        for other in reversed(range(len(self.grids))):
            if other != axis:
                density = simpson(density, x=self.grids[other], axis=other)
        return density

    def interval(self, level=0.95, axis=0):
        """Return the interval that leaves equal probability on both sides.

        Parameters
        ----------
        level : float, default=0.95
            Posterior probability of the interval.
        axis : int, default=0
            Which parameter.

        Returns
        -------
        interval : Credible
            Its ends and its level.
        """
        until = self._distribution(axis)
        ends = np.interp([(1 - level) / 2, (1 + level) / 2], until, self.grids[axis])
        return Credible(float(ends[0]), float(ends[1]), float(level))

    def sample(self, n_samples=1, random_state=None):
        """Draw values of the parameters; for several parameters values of the grid.

        Parameters
        ----------
        n_samples : int, default=1
            Number of draws.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        theta : ndarray of shape (n_samples, n_parameters)
            The draws.
        """
        rng = as_generator(random_state)
        if len(self.grids) == 1:
            uniform = rng.random(n_samples)
            return np.interp(uniform, self._distribution(0), self.grids[0])[:, None]
        cells = np.ones(self._shape)
        for axis, part in enumerate(self.grids):
            width = np.gradient(part)
            cells = cells * width.reshape([-1 if i == axis else 1 for i in range(cells.ndim)])
        mass = (self.density * cells).ravel()
        chosen = rng.choice(mass.size, n_samples, p=mass / mass.sum())
        places = np.unravel_index(chosen, self._shape)
        return np.column_stack([part[i] for part, i in zip(self.grids, places, strict=True)])

    def _set(self, log_joint, log_likelihood, evidence):
        top = log_joint.max()
        if np.isneginf(top):
            raise ValueError(
                "GridPosterior: the data are impossible at every value of the grid that the prior "
                "allows. Widen the grid."
            )
        scaled = np.exp(log_joint - top)
        total = scaled
        for part in reversed(self.grids):
            total = simpson(total, x=part, axis=-1)
        self.density = scaled / total
        self._log_likelihood = log_likelihood
        self.log_evidence = 0.0 if evidence is None else float(evidence + top + np.log(total))

    def _distribution(self, axis):
        part, density = self.grids[axis], self.marginal(axis)
        steps = np.diff(part) * (density[1:] + density[:-1]) / 2
        until = np.concatenate([[0.0], np.cumsum(steps)])
        return until / until[-1]

    def _each(self, function):
        if len(self.grids) == 1:
            return np.array([function(theta) for theta in self.grids[0]])
        mesh = np.stack(np.meshgrid(*self.grids, indexing="ij"), axis=-1)
        flat = mesh.reshape(-1, len(self.grids))
        return np.array([function(theta) for theta in flat]).reshape(self._shape)

    def _at(self, flat):
        places = np.unravel_index(flat, self._shape)
        theta = np.array([part[i] for part, i in zip(self.grids, places, strict=True)])
        return float(theta[0]) if len(theta) == 1 else theta
