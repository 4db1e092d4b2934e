"""What a fitted tree tells, whatever its leaves answer."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new
from shallows._core.contract.params import PositiveInt
from shallows._core.showing.figures import Drawing
from shallows.tree._columns import encode_columns
from shallows.tree._drawing import draw
from shallows.tree._text import explain_rows, write_text
from shallows.tree._tree import Tree


class GrownTree:
    """Methods of estimators with a `tree_`."""

    tree_: Tree
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    criterion: str
    splitter: str

    def apply(self, X):
        """Return the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; where a value is missing the heaviest branch is followed.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
            Numbers of nodes of `tree_`.
        """
        return self.tree_.leaves_of(self._checked(X))

    def decision_path(self, X):
        """Tell which nodes each row comes by on its way to the leaf.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; where a value is missing the heaviest branch is followed.

        Returns
        -------
        indicator : CSR array of shape (n_samples, n_nodes)
            1 where a row comes by a node of `tree_`.
        """
        return self.tree_.paths_of(self._checked(X))

    def explain(self, X) -> list[str]:
        """Say for each row by which answers it comes to its leaf.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        sentences : list of str
            One per row.
        """
        return explain_rows(self, self.apply(X))

    def export_text(self, *, decimals: PositiveInt = 2) -> str:
        """Write the tree as indented text.

        Parameters
        ----------
        decimals : int, default=2
            Decimals of thresholds.

        Returns
        -------
        text : str
            One line per branch; leaves name their class or mean, and their weight.
        """
        check_is_fitted(self)
        return write_text(self, decimals)

    def chart(self, *, max_depth: PositiveInt | None = 4, title: str = "") -> Drawing:
        """Draw the tree.

        Parameters
        ----------
        max_depth : int or None, default=4
            Levels of questions to draw.
        title : str, default=""
            Words above the drawing.

        Returns
        -------
        drawing : Drawing
            Shows itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        check_is_fitted(self)
        return draw(self, max_depth, title)

    def get_depth(self) -> int:
        """Return the most questions on a path.

        Returns
        -------
        depth : int
            0 for a single leaf.
        """
        check_is_fitted(self)
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        leaves : int
            At least 1.
        """
        check_is_fitted(self)
        return int(self.tree_.is_leaf.sum())

    @property
    def feature_importances_(self):
        """Share of each feature in the decrease of impurity."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def _checked(self, X):
        return check_new(self, encode_columns(self, X), sparse=True, allow_nan=True)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.criterion != "absolute_error"
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
