"""Experiment: principal components of images of one digit."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from sklearn.datasets import load_digits

from shallows._core.contract.params import Range
from shallows.data import load_mfeat
from shallows.lab import Run, experiment, heatmap, line
from shallows.reduce import PCA, choose_components, eigenimages

SHOWN = 6


@experiment(chapter="reduce", sources="notes-004a 73, Fig. 20", quick={"images": 60})
def eigendigits(
    data: Literal["small", "mfeat"] = "small",
    digit: Annotated[int, Range(0, 9)] = 3,
    images: Annotated[int, Range(20, 170)] = 100,
    *,
    run: Run,
) -> None:
    """How many components do images of one digit need?

    Centred images span at most one dimension less than there are images. The variances of the
    components fall roughly exponentially, so a few components contain most of the variance; shown
    as images they are the variations of the digit.

    Parameters
    ----------
    data : str
        Images of 8 x 8 pixels that come with scikit-learn, or of 16 x 15 ("mfeat", read from
        the folder named by SHALLOWS_DATA, else fetched).
    digit : int
        Which digit.
    images : int
        How many images of it, the first ones.
    """
    X, y = load_digits(return_X_y=True) if data == "small" else load_mfeat()
    shape = (8, 8) if data == "small" else (16, 15)
    chosen = X[y == digit][:images]
    model = PCA().fit(chosen)
    variances = model.explained_variance_
    total = float(variances.sum())
    used = variances > 1e-12 * variances[0]
    for k in np.flatnonzero(used):
        left = float(variances[k + 1 :].sum()) / total
        run.row(component=k + 1, share=variances[k] / total, discarded=left)

    for place, picture in enumerate(eigenimages(model, shape)[:SHOWN], 1):
        rows, columns = np.indices(shape)
        run.rows(
            "pictures",
            component=f"component {place}",
            column=columns.ravel(),
            row=-rows.ravel(),
            grey=picture.ravel(),
        )
    run.figure(
        line(
            "component",
            ["share", "discarded"],
            title="Share of variance of each component, and of all after it",
            y_log=True,
        )
    )
    run.figure(
        heatmap(
            "column",
            "row",
            "grey",
            facet="component",
            title="Components as images",
            table="pictures",
        )
    )

    rank = int(np.linalg.matrix_rank(chosen - chosen.mean(axis=0)))
    run.claim(
        "components with variance are the rank of the centred images", used.sum(), rank, within=0
    )
    run.claim("and at most one fewer than images", used.sum(), at_most=images - 1)
    kept = choose_components(variances, "ratio", 0.1)
    run.claim(
        "the share discarded falls to a tenth within half of the components that vary",
        kept / used.sum(),
        at_most=0.5,
    )
    middle = slice(0, max(3, int(used.sum() * 0.6)))
    logs = np.log(variances[used][middle])
    fit = np.corrcoef(np.arange(len(logs)), logs)[0, 1]
    run.claim("log variances fall roughly along a line (correlation)", fit, at_most=-0.95)
    if data == "mfeat" and images == 100 and digit == 3:
        run.claim("the first 99 components carry all variance", used.sum(), 99, within=0)
        run.claim("discarded share 0.1 is reached at component", kept, 33, within=0)
        run.note(
            "The notes report 32 components for their own choice of images; with the first "
            f"100 the share discarded by 32 is {variances[32:].sum() / total:.4f}."
        )
