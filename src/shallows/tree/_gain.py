"""What a question gains: impurity before it less impurity after."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import check_arguments
from shallows.tree._impurity import Impurity, impurity


def gain(parent, children, criterion: Impurity = "entropy", *, ratio: bool = False) -> float:
    r"""Return by how much a question lowers the impurity of a node.

    With :math:`n_l` of the n samples in branch l, the gain is
    :math:`i(v) - \sum_l (n_l / n)\, i(v_l)`. It is never negative, and at most i(v), which pure
    branches reach. A property with many attributes looks better than it is: the gain ratio divides
    by the entropy :math:`-\sum_l (n_l / n) \log_2 (n_l / n)` of the branches' sizes.

    Parameters
    ----------
    parent : array-like of shape (n_classes,)
        Samples, or weights, of each class in the node. Those that no branch has are taken for
        missing: the gain then is that of the others, times their share.
    children : array-like of shape (n_branches, n_classes)
        Those of each branch.
    criterion : {"entropy", "gini", "misclassification"}, default="entropy"
        Which impurity.
    ratio : bool, default=False
        Return the gain ratio; where all samples go to one branch it is undefined, and 0 is
        returned.

    Returns
    -------
    gain : float
        The gain, or the gain ratio.

    Examples
    --------
    >>> from shallows.tree import gain
    >>> gain([2, 1, 1], [[2, 0, 0], [0, 1, 1]])
    1.0
    >>> gain([2, 1, 1], [[2, 0, 0], [0, 1, 1]], ratio=True)
    1.0
    """
    check_arguments(gain, locals())
    parent, children = np.asarray(parent, float), np.atleast_2d(np.asarray(children, float))
    if children.shape[-1] != parent.shape[-1]:
        raise ValueError(
            f"gain: children must have {parent.shape[-1]} classes like their parent, "
            f"got {children.shape[-1]}."
        )
    known, total = children.sum(axis=0), parent.sum()
    if (known > parent * (1 + 1e-9)).any():
        raise ValueError("gain: the children hold more samples of a class than their parent.")
    if total == 0:
        return 0.0
    sizes = children.sum(axis=1)
    after = (sizes * impurity(children, criterion)).sum()
    gained = max(0.0, float((known.sum() * impurity(known, criterion) - after) / total))
    if not ratio:
        return gained
    parts = impurity(np.append(sizes, max(total - sizes.sum(), 0.0)))
    return gained / parts if parts > 0 else 0.0
