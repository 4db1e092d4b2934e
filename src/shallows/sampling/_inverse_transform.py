"""Sampling by inverting a distribution function."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices

POINTS = 4097
POINTS_PER_AXIS = 129
HALVINGS = 80
VALUES_AT_ONCE = 2**22


def inverse_transform(n: int, *, pdf=None, cdf=None, support, random_state=None) -> np.ndarray:
    r"""Draw :math:`X = \phi^{-1}(U)` with uniform :math:`U` and distribution function phi.

    Parameters
    ----------
    n : int
        Number of draws.
    pdf : callable, default=None
        Density of an array of values, not necessarily normalised; summed over a fine grid.
    cdf : callable, default=None
        Distribution function of an array of values, inverted by bisection. Give either this or
        `pdf`.
    support : tuple of float
        Ends of the interval that contains the draws, both finite.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    draws : ndarray of shape (n,)
        Independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.sampling import inverse_transform
    >>> draws = inverse_transform(100_000, pdf=lambda x: x, support=(0, 1), random_state=0)
    >>> draws.mean().round(2)
    np.float64(0.67)
    """
    low, high = _bounds(support, "inverse_transform")
    if (pdf is None) == (cdf is None):
        raise ValueError("inverse_transform: give either pdf or cdf.")
    u = as_generator(random_state).random(n)
    if pdf is not None:
        # A density is integrated as a polygon, and that integral inverted in closed form.
        grid = np.linspace(low, high, POINTS)
        return _invert(_heights(pdf(grid), "inverse_transform")[None], grid, u)
    first, last = np.asarray(cdf(np.array([low, high])), dtype=np.float64)
    if not first < last:
        raise ValueError(
            f"inverse_transform: cdf must rise over the support, got {first} and {last}."
        )
    wanted = first + u * (last - first)

    # A distribution function is inverted by halving, for all draws at once.
    below, above = np.full(n, low), np.full(n, high)
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        left = np.asarray(cdf(middle)) < wanted
        below, above = np.where(left, middle, below), np.where(left, above, middle)
    return (below + above) / 2


def inverse_transform_nd(pdf, support, n: int, *, random_state=None) -> np.ndarray:
    r"""Draw one coordinate after the other, each given the previous ones.

    The first coordinate is drawn from its marginal distribution, the next from its conditional
    distribution, and so on, by inversion. Integrals are sums over a grid. Each further axis
    multiplies the work by its number of points, so two or three dimensions are possible.

    Parameters
    ----------
    pdf : callable
        Density of points of shape (n_points, n_dimensions), not necessarily normalised.
    support : sequence of tuples of float
        Ends of the interval of each coordinate.
    n : int
        Number of draws.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    draws : ndarray of shape (n, n_dimensions)
        Independent draws.

    Examples
    --------
    >>> from shallows.sampling import inverse_transform_nd
    >>> triangle = lambda x: (x[:, 0] > x[:, 1]).astype(float)
    >>> draws = inverse_transform_nd(triangle, [(0, 1), (0, 1)], 1000, random_state=0)
    >>> bool((draws[:, 0] > draws[:, 1] - 0.02).all())
    True
    """
    bounds = [_bounds(ends, "inverse_transform_nd") for ends in support]
    axes = [np.linspace(low, high, POINTS_PER_AXIS) for low, high in bounds]
    if len(axes) > 3:
        raise ValueError(
            f"inverse_transform_nd: up to 3 dimensions are possible, got {len(axes)}. Use a Markov "
            "chain: metropolis or gibbs."
        )
    rng = as_generator(random_state)

    # The first coordinate from its marginal, each further one given those before.
    draws = _invert(_marginal(pdf, np.empty((1, 0)), axes), axes[0], rng.random(n))[:, None]
    for k in range(1, len(axes)):
        u, parts = rng.random(n), []
        at_once = max(2, VALUES_AT_ONCE // POINTS_PER_AXIS ** (len(axes) - k))
        for rows in block_slices(n, at_once):
            heights = _marginal(pdf, draws[rows], axes[k:])
            parts.append(_invert(heights, axes[k], u[rows]))
        draws = np.column_stack([draws, np.concatenate(parts)])
    return draws


def _marginal(pdf, known, axes):
    """Return the density of the next coordinate on its grid, for each row of known ones."""
    mesh = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    rows = len(known)
    points = np.column_stack([np.repeat(known, len(mesh), axis=0), np.tile(mesh, (rows, 1))])
    values = np.asarray(pdf(points), dtype=np.float64).reshape(rows, len(axes[0]), -1)
    return _heights(values.sum(axis=2), "inverse_transform_nd")


def _heights(values, owner):
    values = np.asarray(values, dtype=np.float64)
    if not (np.isfinite(values).all() and (values >= 0).all() and (values.sum(axis=-1) > 0).all()):
        raise ValueError(f"{owner}: pdf must be finite, not negative, and positive somewhere.")
    return values


def _invert(heights, grid, u):
    """Return the points at which the shares `u` of the area under the heights are reached.

    All shares use the same row of heights, or each share has its own row.
    """
    areas = (heights[:, 1:] + heights[:, :-1]) / 2 * np.diff(grid)
    sums = np.concatenate([np.zeros((len(areas), 1)), np.cumsum(areas, axis=1)], axis=1)
    return pass_areas(heights, sums, grid, u)


def _bounds(support, owner):
    low, high = (float(end) for end in support)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"{owner}: support must be a finite interval, got ({low}, {high}).")
    return low, high


@compiled
def pass_areas(heights, sums, grid, u):
    """Invert piecewise linear densities: within a cell, a share is the root of a quadratic.

    The search for the cell starts from an index of equal shares.
    """
    n_cells = len(grid) - 1
    found, index = np.empty(len(u)), np.zeros(n_cells + 1, dtype=np.int64)
    for k in range(len(u)):
        row = k if len(heights) > 1 else 0
        total = sums[row, n_cells]
        # Index: the cell in which each of n_cells equal shares begins.
        if k == 0 or len(heights) > 1:
            cell = 0
            for part in range(n_cells + 1):
                while cell < n_cells - 1 and sums[row, cell + 1] <= part / n_cells * total:
                    cell += 1
                index[part] = cell

        # The cell of this share, sought from the index on.
        wanted = u[k] * total
        cell = index[int(u[k] * n_cells)]
        while cell < n_cells - 1 and sums[row, cell + 1] <= wanted:
            cell += 1
        # Solve left s + slope s^2 / 2 = rest for s, in the form that does not cancel.
        left, rest = heights[row, cell], wanted - sums[row, cell]
        step = grid[cell + 1] - grid[cell]
        slope = (heights[row, cell + 1] - left) / step
        bottom = left + np.sqrt(max(left * left + 2.0 * slope * rest, 0.0))
        share = 2.0 * rest / bottom if bottom > 0.0 else 0.0
        found[k] = grid[cell] + min(share, step)
    return found
