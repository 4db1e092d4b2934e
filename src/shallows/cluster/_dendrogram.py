"""Drawings of trees of merges."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, Unpack

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.showing.figures import Drawing, Figure
from shallows._core.showing.figures.chart import WIDTH, Options, assemble, axis

COLUMNS = ("x", "x2", "height", "height2")
LETTER_WIDTH, LINE_HEIGHT, LONGEST_NAME = 8, 16, 300  # of the names of leaves, in pixels


class Dendrogram(NamedTuple):
    """A tree of merges laid out in the plane.

    Parameters
    ----------
    x, height : ndarray of shape (n_merges, 4)
        The four points of the bracket that each merge is.
    leaves : list of str
        Names of what stands at x = 0, 1, 2 and so on.
    """

    x: np.ndarray
    height: np.ndarray
    leaves: list[str]

    def segments(self) -> dict[str, np.ndarray]:
        """Return the straight lines that make up the brackets.

        Returns
        -------
        columns : dict of str to ndarray
            Start in "x" and "height", end in "x2" and "height2".
        """
        ends = self.x[:, :3], self.x[:, 1:], self.height[:, :3], self.height[:, 1:]
        return {name: part.ravel() for name, part in zip(COLUMNS, ends, strict=True)}

    def chart(self, title: str = "", y_title: str = "height") -> Drawing:
        """Return a drawing, which shows itself in a notebook.

        Parameters
        ----------
        title : str, default=""
            Words above it.
        y_title : str, default="height"
            Words along the vertical axis.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        columns = self.segments()
        rows = [
            dict(zip(columns, map(float, values), strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
        figure = dendrogram_figure(self.leaves, title=title, y_title=y_title)
        return figure.spec(rows)


def dendrogram(
    tree, labels: Iterable[Any] | None = None, *, max_leaves: PositiveInt = 60
) -> Dendrogram:
    """Lay out a tree of merges.

    Parameters
    ----------
    tree : array-like of shape (n_merges, 4), fitted estimator or StepwiseMerges
        A linkage matrix in SciPy's format, or an object with one in `linkage_matrix_` or `tree`.
    labels : array-like of str or None, default=None
        Names of the samples; with None their numbers.
    max_leaves : int, default=60
        Of a larger tree only the last merges are drawn; a leaf is then a cluster, named
        by the number of its samples in brackets.

    Returns
    -------
    dendrogram : Dendrogram
        Lines and names, and `chart` to draw them.

    Examples
    --------
    >>> from shallows.cluster import dendrogram, linkage
    >>> drawn = dendrogram(linkage([[0.0], [1.0], [5.0]], "single"), ["a", "b", "c"])
    >>> drawn.leaves, drawn.height.max(axis=1)
    (['c', 'a', 'b'], array([1., 4.]))
    """
    check_arguments(dendrogram, locals())
    tree = _matrix(tree)
    n = len(tree) + 1
    labels = None if labels is None else list(labels)
    if labels is not None and len(labels) != n:
        raise ValueError(f"dendrogram: labels must be {n}, one per leaf, got {len(labels)}.")
    first = max(0, n - max_leaves)  # merges before this one are left out
    drawn = range(first, n - 1)
    place, leaves = _leaf_places(tree, first, labels)
    level = dict.fromkeys(place, 0.0)
    x, height = np.empty((len(drawn), 4)), np.empty((len(drawn), 4))
    for row, merge in enumerate(drawn):
        a, b = (int(child) for child in tree[merge, :2])
        if place[a] > place[b]:
            a, b = b, a
        top = tree[merge, 2]
        x[row] = place[a], place[a], place[b], place[b]
        height[row] = level[a], top, top, level[b]
        place[n + merge], level[n + merge] = (place[a] + place[b]) / 2, top
    return Dendrogram(x, height, leaves)


def dendrogram_figure(leaves: list[str], **options: Unpack[Options]) -> Figure:
    """Return the figure that draws the segments of a dendrogram with these leaves.

    Names that are too long for their places stand upright, and the figure is as wide as they need.
    """
    up = axis("height", options, "y")
    up["scale"] = {"zero": True}

    # Names that are too long to lie side by side stand upright.
    names = [str(leaf) for leaf in leaves]
    longest = LETTER_WIDTH * max(map(len, names), default=0)
    upright = longest > WIDTH / max(len(names), 1)
    turned = {"labelAlign": "right", "labelBaseline": "middle"} if upright else {}
    across = {
        "field": "x",
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [-0.5, len(leaves) - 0.5], "nice": False, "zero": False},
        "axis": {
            "values": list(range(len(leaves))),
            "tickCount": len(leaves),
            "labelExpr": json.dumps(names) + "[datum.value]",
            "labelAngle": -90 if upright else 0,
            "labelOverlap": False,
            "labelLimit": LONGEST_NAME,
            "labelPadding": 5,
            **turned,
            "grid": False,
            "ticks": False,
        },
    }
    encoding = {"x": across, "x2": {"field": "x2"}, "y": up, "y2": {"field": "height2"}}
    mark = {"type": "rule", "strokeWidth": 1.6, "strokeCap": "round"}
    figure = assemble(list(COLUMNS), [{"mark": mark, "encoding": encoding}], options)
    figure.layout["width"] = max(WIDTH, LINE_HEIGHT * len(names))
    return figure


def _matrix(tree):
    if hasattr(tree, "fit"):
        check_is_fitted(tree)
        if not hasattr(tree, "linkage_matrix_"):
            raise TypeError(
                "dendrogram: tree must be a linkage matrix or an estimator that has one in "
                f"linkage_matrix_, such as AgglomerativeClustering, got {tree!r}."
            )
        tree = tree.linkage_matrix_
    tree = getattr(tree, "tree", tree)
    if np.shape(tree) == (0, 4):
        raise ValueError(
            "dendrogram: tree must have at least one merge, got that of a single cluster. Ask the "
            "clustering for two or more."
        )
    tree = check_array(tree, dtype=np.float64, input_name="tree", estimator="dendrogram")
    if tree.shape[1] != 4 or not _is_tree(tree[:, :2]):
        raise ValueError(
            f"dendrogram: tree must be a linkage matrix with 4 columns, whose merges name samples "
            f"and earlier merges, each once, got shape {tree.shape}. Make one with "
            "shallows.cluster.linkage."
        )
    return tree


def _is_tree(children):
    """Tell whether each merge takes two samples or earlier merges that no other one takes."""
    known = len(children) + 1 + np.arange(len(children))  # how many there are before each merge
    whole = (children == np.floor(children)).all() and children.min() >= 0
    return whole and (children < known[:, None]).all() and len(np.unique(children)) == children.size


def _leaf_places(tree, first, labels):
    """Return places of leaves from left to right such that no lines cross, and their names."""
    n = len(tree) + 1
    place, leaves, stack = {}, [], [2 * n - 2]
    while stack:
        node = stack.pop()
        if node >= n + first:
            stack += [int(tree[node - n, 1]), int(tree[node - n, 0])]
            continue
        place[node] = float(len(leaves))
        if node >= n:
            leaves.append(f"({int(tree[node - n, 3])})")
        else:
            leaves.append(str(node) if labels is None else str(labels[node]))
    return place, leaves
