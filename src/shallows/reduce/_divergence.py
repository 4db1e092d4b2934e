"""The divergence that stochastic neighbour embedding makes small."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.threads import map_blocks
from shallows.reduce._fft_repulsion import WIDEST, GridRepulsion
from shallows.reduce._forces import (
    GAUSSIAN,
    STUDENT,
    Cells,
    attract_rows,
    build_tree,
    repel_by_tree,
    repel_rows,
)

# All pairs in vector units are quicker than a grid in the plane, or than a tree, up to here.
PAIRS_UP_TO, PLANE_PAIRS_UP_TO = 25_000, 12_000
BLOCK_ROWS = 256


class Divergence:
    """Divergence of a picture from neighbour probabilities, and its gradient.

    Parameters
    ----------
    joint : CSR array of shape (n_samples, n_samples)
        Symmetric probabilities that sum to one.
    method : {"auto", "barnes_hut", "fft", "exact"}
        How repulsion is summed.
    kernel : {"student", "gaussian"}
        How probabilities fall off in the picture.
    angle : float
        When the tree takes a group of points for one.
    """

    def __init__(self, joint, *, method="auto", kernel="student", angle=0.5):
        self.joint = joint
        self.method = method
        self.kernel = STUDENT if kernel == "student" else GAUSSIAN
        self.angle = angle
        self._grid = GridRepulsion()

    def __call__(self, embedding, factor=1.0, *, measure=True):
        """Return the divergence, 0 unless measured, and its gradient.

        With a factor on p, what is measured is the divergence of the exaggerated p, whose
        gradient this is.
        """
        logs, pull = self._attraction(embedding, measure)
        near, push = self._repulsion(embedding)
        normalizer = max(near, np.finfo(float).tiny)
        gradient = 4 * (factor * pull - push / normalizer)
        divergence = factor * (logs + np.log(normalizer) + np.log(factor)) if measure else 0.0
        return divergence, gradient

    def _attraction(self, embedding, measure):
        pull, joint = np.empty_like(embedding), CsrRows.of(self.joint)

        def block(rows):
            return attract_rows(joint, embedding, rows.start, rows.stop, self.kernel, measure, pull)

        return sum(map_blocks(block, len(embedding), BLOCK_ROWS)), pull

    def _repulsion(self, embedding):
        by = self._way(embedding)
        if by == "grid":
            return self._grid(embedding)
        push = np.empty_like(embedding)
        if by == "tree":
            tree = tree_of(embedding)

            def block(rows):
                return repel_by_tree(embedding, tree, self.angle, rows.start, rows.stop, push)
        else:
            precision = np.float64 if self.method == "exact" else np.float32
            columns = np.ascontiguousarray(embedding.T, dtype=precision)

            def block(rows):
                return repel_rows(columns, precision(1), rows.start, rows.stop, self.kernel, push)

        return sum(map_blocks(block, len(embedding), BLOCK_ROWS)), push

    def _way(self, embedding):
        n, n_dims = embedding.shape
        few = n <= (PLANE_PAIRS_UP_TO if n_dims == 2 else PAIRS_UP_TO)
        if self.method == "exact" or self.kernel == GAUSSIAN or (self.method == "auto" and few):
            return "pairs"
        if self.method == "barnes_hut" or n_dims != 2 or np.ptp(embedding, axis=0).max() > WIDEST:
            return "tree"
        return "grid"


def tree_of(embedding) -> Cells:
    """Return the cells of a tree around the points."""
    n, n_dims = embedding.shape
    capacity = (4 * n + 64) * (1 << n_dims) // 2
    cells = Cells(
        np.empty((capacity, n_dims)),
        np.empty(capacity, np.int64),
        np.empty(capacity),
        np.empty(capacity, np.int64),
    )
    used = build_tree(embedding, cells)
    return Cells(*(part[:used] for part in cells))
