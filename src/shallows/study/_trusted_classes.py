"""The classes that a model file may have: exact names, nothing that merely begins like them.

The estimators of this library come from its registry. Every other class is on this list because a
test saves a model that needs it. scikit-learn's are named by the modules that define them, as their
objects are.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from shallows._core.contract.registry import entries

OURS = {
    "shallows._core.numerics.moments.Moments",
    "shallows._core.numerics.named_distance.NamedDistance",
    "shallows._core.numerics.neighbors.NeighborIndex",
    "shallows.descent._adaptive.SquareState",
    "shallows.kernel._resolve.Kernel",
    "shallows.network._convolution.Conv",
    "shallows.network._convolution.Pool",
    "shallows.network._max_norm.MaxNorm",
    "shallows.network._output_loss.Huber",
    "shallows.network._penalties.LpPenalty",
    "shallows.network._steps.Adam",
    "shallows.network._steps.SGD",
    "shallows.prepare._mixed_columns.MixedColumns",
    "shallows.prototype._metric_steps.Measure",
    "shallows.prototype._start.Spread",
    "shallows.study._balanced.Balanced",
    "shallows.study._blend.Blend",
    "shallows.study._over_windows.OverWindows",
    "shallows.study._prepare.LogTarget",
    "shallows.tree._boosting_fit.Boosted",
    "shallows.tree._histogram_tree.Trees",
    "shallows.tree._members.Member",
    "shallows.tree._tree.Tree",
}
SET_STATE = {"shallows._core.numerics.neighbors.NeighborIndex"}  # makes its search tree again
SCIKIT_LEARN = {
    "sklearn._loss._loss.CyHalfBinomialLoss",
    "sklearn._loss._loss.CyHalfMultinomialLoss",
    "sklearn._loss._loss.CyHalfPoissonLoss",
    "sklearn._loss._loss.CyHalfSquaredError",
    "sklearn._loss.link.IdentityLink",
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogLink",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.link.MultinomialLogit",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn._loss.loss.HalfMultinomialLoss",
    "sklearn._loss.loss.HalfPoissonLoss",
    "sklearn._loss.loss.HalfSquaredError",
    "sklearn.compose._column_transformer.ColumnTransformer",
    "sklearn.compose._target.TransformedTargetRegressor",
    "sklearn.decomposition._kernel_pca.KernelPCA",
    "sklearn.dummy.DummyClassifier",
    "sklearn.dummy.DummyRegressor",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingRegressor",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.ensemble._iforest.IsolationForest",
    "sklearn.impute._base.MissingIndicator",
    "sklearn.impute._base.SimpleImputer",
    "sklearn.linear_model._coordinate_descent.Lasso",
    "sklearn.linear_model._logistic.LogisticRegression",
    "sklearn.linear_model._ridge.Ridge",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing._data.KernelCenterer",
    "sklearn.preprocessing._data.QuantileTransformer",
    "sklearn.preprocessing._data.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder",
    "sklearn.preprocessing._encoders.OrdinalEncoder",
    "sklearn.preprocessing._function_transformer.FunctionTransformer",
    "sklearn.preprocessing._label.LabelEncoder",
}


def name_of(kind: type) -> str:
    """Return the full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


@cache
def trusted_names() -> frozenset[str]:
    """Return the full names of all classes that a model file may have."""
    own = {f"{each.module}.{each.name}" for each in entries() if each.kind == "estimator"}
    return frozenset(own | OURS | SCIKIT_LEARN)


@cache
def trusted_class(name: str) -> type:
    """Return the class of this full name; nothing is imported for a name that is not listed."""
    if name not in trusted_names():
        raise LookupError(name)
    module, _, last = name.rpartition(".")
    found = getattr(import_module(module), last, None)
    if not isinstance(found, type) or name_of(found) != name:
        raise LookupError(name)
    return found


def with_set_state(name: str) -> bool:
    """Tell whether objects of a class restore themselves."""
    return name in SET_STATE
