"""Repulsion between the points of a plane, by splines on a grid and Fourier transforms.

The push that all points together exert is a convolution of their density with a smooth
kernel. Cubic splines spread the points on a grid, a Fourier transform convolves, and the same
splines read the result off at the points: n points cost O(n) and the grid, not O(n^2). The
filter that lets the splines pass through the values at the nodes is part of the transformed
kernel, and costs nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import fft, fftfreq, ifft, irfft, next_fast_len, rfft

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks, n_threads

SPACING = 0.4  # of the grid, where the kernel 1 / (1 + d^2) has width one
FEWEST_CELLS = 40  # along the longer side of a small picture
WIDEST = 1500.0  # a wider picture would need too large a grid
MARGIN = 4  # nodes that splines reach beyond the points
BLOCK_ROWS = 4096


class GridRepulsion:
    """Sums of the Student kernel over all pairs of points in the plane.

    Transformed kernels are kept as long as the grid keeps its shape and spacing.
    """

    def __init__(self, spacing=SPACING):
        self.spacing = spacing
        self._prepared = None

    def __call__(self, Y):
        """Return the sum of w over pairs of different points and the pushes on all points.

        The push on point i is the sum over j of w^2 (y_i - y_j) with w = 1 / (1 + d^2).
        """
        low = Y.min(axis=0)
        span = Y.max(axis=0) - low

        # A grid fine enough for the kernel, in units of its cells; the margin is for splines at the
        # border.
        spacing = min(self.spacing, max(span.max() / FEWEST_CELLS, np.finfo(float).tiny))
        shape = tuple(int(cells) + MARGIN for cells in span / spacing)
        self._prepare(shape, spacing)
        places = (Y - low) / spacing + 1

        # Spread the points onto the grid, and transform them.
        mass = np.zeros(shape, np.float32)
        spread(places, mass)
        whole, threads = self._whole, n_threads()
        lines = rfft(mass, whole[1], axis=1, workers=threads)
        waves = fft(lines, whole[0], axis=0, workers=threads, overwrite_x=True)
        # The normaliser: sum over pairs of 1 / (1 + d^2), by Parseval's theorem.
        near = np.einsum("ij,ij,ij->", self._closeness, waves.real, waves.real, dtype=np.float64)
        near += np.einsum("ij,ij,ij->", self._closeness, waves.imag, waves.imag, dtype=np.float64)

        # The force field is a convolution with the kernel's gradient, read off at each point.
        fields = [self._field(waves * kernel, shape) for kernel in self._pushes]
        force = np.empty_like(Y)
        map_blocks(lambda rows: gather(places[rows], *fields, force[rows]), len(Y), BLOCK_ROWS)
        return float(near) - len(Y), force

    def _field(self, waves, shape):
        threads = n_threads()
        lines = ifft(waves, axis=0, workers=threads, overwrite_x=True)[: shape[0]]
        return irfft(lines, self._whole[1], axis=1, workers=threads)[:, : shape[1]]

    def _prepare(self, shape, spacing):
        """Transform the kernels for a grid twice as large, lest the picture meets its copies."""
        whole = tuple(next_fast_len(2 * cells, real=True) for cells in shape)
        if self._prepared == (whole, spacing):
            return
        self._prepared, self._whole = (whole, spacing), whole
        along, across = (fftfreq(cells, 1 / cells) * spacing for cells in whole)
        weights = 1 / (1 + along[:, None] ** 2 + across**2)
        angles = (2 * np.pi * fftfreq(cells) for cells in whole)
        down, right = (((2 + np.cos(angle)) / 3) ** -2 for angle in angles)
        half = whole[1] // 2 + 1
        cardinal = down[:, None] * right[:half]

        closeness = fft(rfft(weights, axis=1), axis=0).real * cardinal / weights.size
        closeness[:, 1 : (whole[1] + 1) // 2] *= 2  # stand for the half that is not stored
        self._closeness = closeness.astype(np.float32)
        self._pushes = [
            (fft(rfft(weights**2 * gaps, axis=1), axis=0) * cardinal).astype(np.complex64)
            for gaps in (along[:, None], across)
        ]


@compiled
def spread(places, mass):
    """Add each point's cubic B-spline, whose values sum to one, to the nodes of `mass`."""
    for i in range(places.shape[0]):
        row, column = int(places[i, 0]), int(places[i, 1])
        down = spline(places[i, 0] - row)
        right = spline(places[i, 1] - column)
        for a in range(4):
            for b in range(4):
                mass[row + a - 1, column + b - 1] += down[a] * right[b]


@compiled
def gather(places, field_x, field_y, force):
    """Read two fields off at the points, with the same splines."""
    for i in range(places.shape[0]):
        row, column = int(places[i, 0]), int(places[i, 1])
        down = spline(places[i, 0] - row)
        right = spline(places[i, 1] - column)
        x, y = 0.0, 0.0
        for a in range(4):
            for b in range(4):
                weight = down[a] * right[b]
                x += weight * field_x[row + a - 1, column + b - 1]
                y += weight * field_y[row + a - 1, column + b - 1]
        force[i, 0] = x
        force[i, 1] = y


@compiled
def spline(t):
    """Return the cubic B-splines of the nodes at -1, 0, 1 and 2, taken at t in [0, 1]."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        (4.0 + t * t * (3.0 * t - 6.0)) / 6.0,
        (4.0 + s * s * (3.0 * s - 6.0)) / 6.0,
        t * t * t / 6.0,
    )
