"""What a fitted forest tells, whatever its trees answer."""

from __future__ import annotations

import numpy as np
from scipy.sparse import hstack
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new
from shallows.tree._columns import encode_columns
from shallows.tree._forest import as_estimators
from shallows.tree._tree import Tree


class GrownForest:
    """Methods of estimators with `trees_`, each of which is one of kind `_member`."""

    trees_: list[Tree]
    n_features_in_: int
    n_outputs_: int
    _member: type
    criterion: str
    splitter: str = "best"

    def apply(self, X):
        """Return the leaf that each row comes to in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; where a value is missing the heaviest branch is followed.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
            Numbers of nodes.
        """
        X = self._checked(X)
        return np.column_stack([tree.leaves_of(X) for tree in self.trees_])

    def decision_path(self, X):
        """Tell which nodes each row comes by in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; where a value is missing the heaviest branch is followed.

        Returns
        -------
        indicator : CSR array of shape (n_samples, n_nodes)
            1 where a row comes by a node; the nodes of all trees side by side.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[i]`` up to ``n_nodes_ptr[i + 1]`` are those of tree i.
        """
        X = self._checked(X)
        paths = [tree.paths_of(X) for tree in self.trees_]
        bounds = np.cumsum([0] + [path.shape[1] for path in paths])
        return hstack(paths, format="csr"), bounds

    @property
    def feature_importances_(self):
        """Share of each feature in the decrease of impurity, mean over the trees."""
        check_is_fitted(self)
        mean = np.mean([tree.compute_feature_importances() for tree in self.trees_], axis=0)
        return mean / mean.sum() if mean.sum() > 0 else mean

    @property
    def estimators_(self) -> list:
        """The trees as estimators, to draw, explain or prune one."""
        check_is_fitted(self)
        return as_estimators(self, self._member)

    @property
    def estimator_(self):
        """One tree that is not fitted, with the parameters of the forest."""
        check_is_fitted(self)
        return clone(self.estimators_[0])

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, place):
        return self.estimators_[place]

    def __iter__(self):
        return iter(self.estimators_)

    def _checked(self, X):
        return check_new(self, encode_columns(self, X), sparse=True, allow_nan=True)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.criterion != "absolute_error"
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
