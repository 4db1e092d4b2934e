"""Experiment: convolution and pooling of a small image."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.signal import correlate2d

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, heatmap
from shallows.network import Conv, ConvNet, convolve, pool


@experiment(chapter="network", sources="notes-000b Fig. 5.12, 5.13, M42, M43", quick={"side": 3})
def conv_pool_shapes(
    side: Annotated[int, Range(3, 30)] = 3,
    *,
    run: Run,
) -> None:
    """What do convolution and pooling do to the size of an image?

    A filter of 3 x 3 weights is applied at every pixel; zeros around the image preserve its size.
    The filter is not flipped, so what networks call convolution is a cross-correlation. Pooling
    keeps one value of each patch of 2 x 2 pixels; with patches one pixel apart, 3 x 3 pixels
    become 2 x 2. The number of filter weights does not depend on the image size.

    Parameters
    ----------
    side : int
        Pixels per side.
    """
    image, kernel = run.rng.standard_normal((side, side)), run.rng.standard_normal((3, 3))
    found = convolve(image[None, :, :, None], kernel[:, :, None, None])[0, :, :, 0]
    stages = {"image": image, "convolved": found}
    for kind in ("max", "mean"):
        stages[f"{kind} pooled"] = pool(found[None, :, :, None], kind, 2, stride=1)[0, :, :, 0]
    for stage, values in run.progress(stages.items()):
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                run.row(stage=stage, row=i, column=j, value=float(values[i, j]))
    run.figure(
        heatmap("column", "row", "value", facet="stage", diverging=True, title="Through a layer")
    )
    exact = correlate2d(image, kernel, mode="same")
    run.claim(
        "convolution equals the cross-correlation",
        float(np.abs(found - exact).max()),
        expected=0,
        within=1e-12,
    )
    flipped = correlate2d(image, kernel[::-1, ::-1], mode="same")
    run.claim(
        "and not the flipped one (difference)", float(np.abs(found - flipped).max()), at_least=1e-3
    )
    run.claim("zero padding keeps the number of rows", found.shape[0], expected=side, within=0)
    for kind, value in (("max", np.max), ("mean", np.mean)):
        pooled = stages[f"{kind} pooled"]
        run.claim(f"{kind} pooling leaves rows", pooled.shape[0], expected=side - 1, within=0)
        run.claim(
            f"first {kind} pooled value",
            float(pooled[0, 0]),
            expected=float(value(found[:2, :2])),
            within=1e-12,
        )
    counts = []
    for pixels in (5, 9):
        data, labels = run.rng.standard_normal((4, pixels**2)), np.array([0, 1, 0, 1])
        model = ConvNet((Conv(4, 3),), max_iter=1, tol=None, random_state=0).fit(data, labels)
        counts.append(model.kernels_[0].size + model.kernel_biases_[0].size)
    run.claim(
        "filter weights, whatever the size of the image",
        counts[0] - counts[1],
        expected=0,
        within=0,
    )
