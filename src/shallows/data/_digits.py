"""Handwritten digits of the Multiple Features set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import fetch_openml

SHAPE = (16, 15)
PER_CLASS = 200
DARKEST = 6.0
FILE_NAMES = ("mfeat-pix", "mfeat-pix.txt", "mfeat-pix.txt.gz", "mfeat-pix.gz")
FOLDER_VARIABLE = "SHALLOWS_DATA"


class Digits(NamedTuple):
    """Images as rows of 240 grey values, white 0 to black 1, and the digits."""

    X: np.ndarray
    y: np.ndarray


def load_mfeat(path: str | os.PathLike | None = None) -> Digits:
    """Load 2000 images of handwritten digits, 16 rows of 15 pixels each.

    The pixel part of the set "Multiple Features" [1]_: 200 images per digit, in the order of the
    digits. The usual split trains on the first 100 of each digit. The file is searched at `path`,
    then in the folder named by the environment variable SHALLOWS_DATA. Otherwise it is fetched
    from OpenML and stored in scikit-learn's cache.

    For smaller images use :func:`sklearn.datasets.load_digits`.

    Parameters
    ----------
    path : str, path-like or None, default=None
        The file "mfeat-pix", plain or gzipped, or its folder.

    Returns
    -------
    X : ndarray of shape (2000, 240)
        Grey values from 0 (white) to 1 (black).
    y : ndarray of shape (2000,)
        Digits 0 to 9.

    References
    ----------
    .. [1] R. Duin, "Multiple Features", UCI Machine Learning Repository, 1998.

    Examples
    --------
    >>> from shallows.data import load_mfeat
    >>> X, y = load_mfeat("mfeat-pix.txt.gz")  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (2000, 240)
    """
    file = _find(path)
    if file is not None:
        grey = np.loadtxt(file)
    else:
        fetched = _fetch()
        # OpenML orders digits as 1, ..., 9, 10 for 0.
        order = np.argsort(fetched.target.astype(int) % 10, kind="stable")
        grey = np.asarray(fetched.data, dtype=np.float64)[order]
    expected = (10 * PER_CLASS, SHAPE[0] * SHAPE[1])
    if grey.shape != expected:
        raise ValueError(
            f"load_mfeat: {file or 'OpenML'} must have {expected[0]} rows of {expected[1]} "
            f"numbers, got {grey.shape}."
        )
    return Digits(grey / DARKEST, np.repeat(np.arange(10), PER_CLASS))


def _fetch():
    try:
        return fetch_openml("mfeat-pixel", version=1, as_frame=False, parser="liac-arff")
    except OSError as error:
        raise OSError(
            f"load_mfeat: the data could not be fetched from OpenML ({error}). Give the path of a "
            f"file {FILE_NAMES[0]}, or name its folder in the environment variable "
            f"{FOLDER_VARIABLE}."
        ) from error


def _find(path):
    """Return the local file, or None if no path is given."""
    folder = os.environ.get(FOLDER_VARIABLE) if path is None else path
    if not folder:
        return None
    place = Path(folder)
    if place.is_file():
        return place
    found = [place / name for name in FILE_NAMES if (place / name).is_file()]
    if found:
        return found[0]
    if path is None:
        return None
    raise FileNotFoundError(
        f"load_mfeat: no file {' or '.join(FILE_NAMES)} at {place}. "
        "Leave path out to fetch the data from OpenML."
    )
