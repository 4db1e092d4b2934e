"""Decides where a call runs, and runs it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from math import exp, log
from threading import current_thread, main_thread
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from shallows.accelerate import _patching
from shallows.accelerate._expected import PAYS, expected
from shallows.accelerate._report import HERE, THERE, note
from shallows.accelerate._table import Table, restored, values_of

LEAST = log(PAYS)
AGAIN = " again"  # a question to a model whose counterpart is there already
_restored: WeakKeyDictionary[Any, tuple[dict[str, Any], Any]] = WeakKeyDictionary()
kinds: dict[Table, type] = {}  # the subclass made for each table


class NotServed(Exception):
    """Ours does not do this call; the text says why."""


def methods(table: Table, own: type) -> dict[str, Any]:
    """Return the methods of a patched class."""
    found = {name: _method(table, own, name, _answer) for name in table.asked}
    if table.fits:
        found["fit"] = _method(table, own, "fit", _fit)
    found |= {name: _method(table, own, name, _fit_and_answer) for name in table.then}
    return found


def _method(table: Table, own: type, name: str, run: Callable[..., Any]) -> Any:
    """Return a method that runs ours where it is expected to be quicker."""
    call, theirs = f"{table.name}.{name}", getattr(own, name)

    @wraps(theirs)
    def method(self: Any, *given: Any, **named: Any) -> Any:
        start = perf_counter()
        gain, why = _gain(table, self, call, given, named)
        if not why:
            try:
                answer = run(table, self, name, *given, **named)
                seconds = perf_counter() - start
                note(call, HERE, "", seconds, seconds * (exp(gain) - 1))
                return answer
            except NotServed as reason:
                why = str(reason)
            except Exception as error:  # scikit-learn judges bad input in its own words
                why = f"{type(error).__name__}: {error}"[:80]
        start = perf_counter()
        try:
            return theirs(self, *given, **named)
        finally:
            note(call, THERE, why, perf_counter() - start)

    return method


def _gain(table, model, call, given, named) -> tuple[float, str]:
    """Return the logarithm of the expected ratio, and why the call is not served."""
    X = given[0] if given else named.get("X")
    shape = getattr(X, "shape", None)
    if shape is None or len(shape) != 2:
        return 0.0, f"X is a {type(X).__name__}"
    again = AGAIN if model in _restored else ""
    gain = expected(call + again, shape)
    if gain is None or gain < LEAST:
        return 0.0, "it was not measured" if gain is None else "its size"
    if not _patching.is_patched():
        return gain, "unpatched"
    if type(model) is not kinds[table]:
        return gain, "a subclass"
    if getattr(model, "_skl_callbacks", None):
        return gain, "callbacks"
    return gain, table.unserved(model) or ""


def _fit(table: Table, model: Any, name: str, X: Any, y: Any = None, **named: Any) -> Any:
    """Fit a model of ours and give scikit-learn's its attributes."""
    if table.refuse:
        why = table.refuse(model, X, y)
        if why:
            raise NotServed(why)
    weights = named.get("sample_weight")
    if named.keys() - {"sample_weight"} or (weights is not None and not table.weights):
        raise NotServed(f"{', '.join(named)}")
    model._validate_params()
    rows = _rows(table, X)
    y = _targets(table, y, rows.shape[0])
    validate_data(model, X, skip_check_array=True)
    ours = table.new(model)
    if getattr(ours, "random_state", 0) is None:
        ours.random_state = check_random_state(None)  # np.random.seed decides, as there
    with _listening() as caught:
        given = (rows,) if table.targets == "none" else (rows, y)
        if weights is not None:
            ours.fit(*given, sample_weight=weights)
        else:
            ours.fit(*given)
    _tell(table, model, caught)
    fitted = values_of(table.attributes, ours, model)
    if table.from_data:
        fitted |= table.from_data(ours, model, rows, y)
    for attribute, value in fitted.items():
        setattr(model, attribute, value)
    if table.asked:
        _keep(model, ours)
    return model


def _fit_and_answer(table: Table, model: Any, name: str, X: Any, *given: Any, **named: Any) -> Any:
    _fit(table, model, name, X, *given, **named)
    origin = table.then[name]
    if callable(origin):
        return origin(model, X)
    found = getattr(model, origin)
    return found(X) if callable(found) else found


def _answer(table: Table, model: Any, name: str, X: Any, *given: Any, **named: Any) -> Any:
    """Let a model of ours with the attributes of scikit-learn's answer."""
    rows = _rows(table, X)
    if table.dtype is np.float32:  # it rounds X, but answers in double precision
        rows = rows.astype(np.float64)
    validate_data(model, X, reset=False, skip_check_array=True)
    ours = _counterpart(table, model)
    with _listening() as caught:
        answer = getattr(ours, table.asked[name])(rows, *given, **named)
    _tell(table, model, caught)
    return answer


def _counterpart(table: Table, model: Any) -> Any:
    """Return a fitted model as ours, the one made before while all its attributes are the same."""
    now = vars(model)
    before, ours = _restored.get(model, ({}, None))
    if len(before) == len(now) and all(before.get(name) is now[name] for name in now):
        return ours
    ours = restored(table, model)
    _keep(model, ours)
    return ours


def _keep(model: Any, ours: Any) -> None:
    """Keep the counterpart of a fitted model; it is asked about arrays, so without names."""
    vars(ours).pop("feature_names_in_", None)
    _restored[model] = dict(vars(model)), ours


def _rows(table: Table, X: Any) -> Any:
    """Return the values of a matrix that ours takes."""
    if type(X) is np.ndarray:
        values = X
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):
        values = np.asarray(X)
    else:
        raise NotServed(f"X is a {type(X).__name__}")
    if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8 or values.dtype == np.float16:
        raise NotServed(f"X has dtype {values.dtype}")
    with np.errstate(all="ignore"):
        if not np.isfinite(values.sum()):
            raise NotServed("X has values that are not finite")
    whole = np.float64 if values.dtype.kind in "iu" else values.dtype
    return values.astype(table.dtype or whole, copy=False)


def _targets(table: Table, y: Any, n_rows: int) -> Any:
    """Return targets that ours takes."""
    if table.targets == "none":
        return y
    if y is None or type(y).__module__.partition(".")[0] == "scipy":
        raise NotServed("its y")
    values = np.asarray(y)
    shape = (n_rows, *values.shape[1:]) if table.targets == "numbers" else (n_rows,)
    if values.shape != shape or values.ndim > 2 or values.dtype.kind == "O":
        raise NotServed("its y")
    return values


@contextmanager
def _listening() -> Iterator[list[warnings.WarningMessage]]:
    """Collect our warnings; in a second thread, where Python cannot, they are given as they are."""
    if current_thread() is not main_thread():
        yield []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _tell(table: Table, model: Any, caught: list[warnings.WarningMessage]) -> None:
    """Say what scikit-learn says instead of our warnings; without a counterpart it runs itself."""
    said = []
    for each in caught:
        text = str(each.message)
        for begin, theirs in table.warnings.items():
            if begin in text:
                said.append((theirs.format(**model.get_params(deep=False)), each.category))
                break
        else:
            raise NotServed(f"a warning: {text:.60}")
    for text, category in dict.fromkeys(said):
        if text:
            warnings.warn(text, category, stacklevel=5)
