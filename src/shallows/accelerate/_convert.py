"""Fitted models of ours as scikit-learn's own objects, and back."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from shallows.accelerate._patching import plain
from shallows.accelerate._table import Table, restored, values_of
from shallows.accelerate.tables import all_tables


def to_sklearn(model: Any) -> Any:
    """Return a fitted model of ours as an object of scikit-learn's own class.

    It predicts the same, and every tool that knows scikit-learn takes it. Arrays are shared, not
    copied.

    Parameters
    ----------
    model : estimator
        A fitted model of ours whose class has a counterpart.

    Returns
    -------
    theirs : estimator
        scikit-learn's.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.accelerate import to_sklearn
    >>> from shallows.tree import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> forest = to_sklearn(model)
    >>> type(forest).__module__, bool((forest.predict(X) == model.predict(X)).all())
    ('sklearn.ensemble._forest', True)
    """
    path = f"{type(model).__module__.rpartition('.')[0]}.{type(model).__name__}"
    table = _find("ours", path)
    check_is_fitted(model)
    why = table.differs(model) if table.differs else None
    if why:
        raise ValueError(f"to_sklearn: {table.name} of scikit-learn has no {why}.")
    kind = plain(table.theirs)
    names = set(kind().get_params(deep=False))
    given = {name: value for name, value in model.get_params(deep=False).items() if name in names}
    theirs = kind()
    for name, value in given.items():
        served = table.parameters.get(name)
        if served and served.handed_over:
            setattr(theirs, name, value)
    for name, value in values_of(table.attributes, model, theirs).items():
        setattr(theirs, name, value)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(theirs, name, getattr(model, name))
    return theirs


def from_sklearn(model: Any) -> Any:
    """Return a fitted model of scikit-learn's as an object of our class of the same name.

    Parameters
    ----------
    model : estimator
        A fitted model of scikit-learn's whose class has a counterpart here, with parameters that
        ours has.

    Returns
    -------
    ours : estimator
        Ours; it predicts the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from shallows.accelerate import from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = SVC().fit(X, y)
    >>> bool((from_sklearn(theirs).predict(X) == theirs.predict(X)).all())
    True
    """
    kinds = type(model).__mro__  # a patched class comes before the plain one
    fitting = (one for kind in kinds for one in all_tables() if kind is plain(one.theirs))
    table = next(fitting, None)
    if table is None or not (table.back or table.restore):
        raise TypeError(f"from_sklearn: there is no counterpart of {type(model).__name__}.")
    check_is_fitted(model)
    reason = table.unserved(model)
    if reason:
        raise ValueError(f"from_sklearn: {table.name} has no counterpart with {reason}.")
    return restored(table, model)


def _find(side: str, path: str) -> Table:
    for table in all_tables():
        if getattr(table, side) == path and (table.back or table.restore or not table.from_data):
            return table
    raise TypeError(f"to_sklearn: scikit-learn has no counterpart of {path.rpartition('.')[2]}.")
