"""A few aligned columns of globin proteins."""

from __future__ import annotations

import numpy as np

ALIGNMENT = ("GHGK", "AHGK", "KHGV", "THAN", "WHAE", "AHAG", "ALGA")


def globin() -> np.ndarray:
    """Return four aligned sites of seven globin sequences.

    Each column requires an estimate of 20 probabilities from 7 letters: the standard example for
    pseudo-counts [1]_.

    Returns
    -------
    letters : ndarray of shape (7, 4)
        One-letter codes of amino acids.

    References
    ----------
    .. [1] R. Durbin, S. Eddy, A. Krogh and G. Mitchison, "Biological Sequence Analysis", 1998.

    Examples
    --------
    >>> from shallows.data import globin
    >>> "".join(globin()[:, 3])
    'KKVNEGA'
    """
    return np.array([list(sequence) for sequence in ALIGNMENT])
