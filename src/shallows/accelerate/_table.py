"""The form of a table: how a class of scikit-learn is served by one of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

Origin = str | Callable[..., Any]
NOTHING = object()  # what a function returns for an attribute that is not set


class Served(NamedTuple):
    """Which values of a parameter are served, and whether ours has the parameter, too.

    `values` are single values and types; none means every value.
    """

    values: tuple[Any, ...]
    handed_over: bool

    def __contains__(self, value: Any) -> bool:
        return not self.values or any(_is(value, each) for each in self.values)


def _is(value: Any, allowed: Any) -> bool:
    if isinstance(allowed, type):
        return isinstance(value, allowed) and (allowed is bool or not isinstance(value, bool))
    return value is allowed or (type(value) is type(allowed) and bool(value == allowed))


def same(*values: Any) -> Served:
    """Return what hands a parameter over under its own name."""
    return Served(values, True)


def free(*values: Any) -> Served:
    """Return what ours needs no parameter for."""
    return Served(values, False)


@dataclass(frozen=True, eq=False)
class Table:
    """How a class of scikit-learn is served by one of ours.

    Parameters
    ----------
    theirs, ours : str
        Public paths of the two classes.
    parameters : mapping of str to Served
        What is served of each parameter; one that is not named must have its default.
    attributes : mapping of str to str or callable
        Where each fitted attribute of scikit-learn's object comes from: an attribute of ours, or
        a function of our model and theirs.
    back : mapping of str to str or callable
        The same for a model of ours made from a fitted one of theirs: an attribute of theirs, or a
        function of it.
    asked : mapping of str to str
        Methods of the fitted model that ours answers, and the names that they have there.
    fits : bool
        Whether `fit` is served; otherwise scikit-learn's own runs.
    then : mapping of str to str or callable
        Methods that fit and answer at once: what to return of the model fitted by ours, a method,
        an attribute, or a function of the model and X.
    targets : {"none", "labels", "column", "numbers"}
        What `y` must be; "numbers" may be of several columns.
    weights : bool
        Whether `sample_weight` is served.
    dtype : type
        Type of number that scikit-learn turns X into; None keeps float32 and float64.
    from_data : callable
        Maps our model, theirs, X and y to attributes that need the data.
    warnings : mapping of str to str
        Words of a warning of ours, and what scikit-learn says there, with parameters in braces;
        nothing if empty.
    settings : callable
        Maps a model of theirs, and whether it is to be fitted, to further parameters of ours.
    restore : callable
        Makes a fitted model of ours from this table and one of theirs, instead of `back`.
    differs : callable
        Maps a fitted model of ours to a reason why none of scikit-learn's predicts the same, or
        None.
    refuse : callable
        Maps a model of theirs, X and y to a reason why it is not served, or None.
    """

    theirs: str
    ours: str
    parameters: Mapping[str, Served]
    attributes: Mapping[str, Origin] = field(default_factory=dict)
    back: Mapping[str, Origin] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)
    fits: bool = True
    then: Mapping[str, Origin] = field(default_factory=dict)
    targets: str = "none"
    weights: bool = False
    dtype: type | None = None
    from_data: Callable[[Any, Any, Any, Any], dict[str, Any]] | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)
    settings: Callable[[Any, bool], dict[str, Any]] | None = None
    restore: Callable[[Table, Any], Any] | None = None
    differs: Callable[[Any], str | None] | None = None
    refuse: Callable[[Any, Any, Any], str | None] | None = None

    @property
    def name(self) -> str:
        """The class's name."""
        return self.theirs.rpartition(".")[2]

    @property
    def patches(self) -> bool:
        """Whether any call is served; otherwise fitted models are only converted."""
        return self.fits or bool(self.asked)

    @cached_property
    def our_class(self) -> type:
        """Our class."""
        return load(self.ours)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Defaults of scikit-learn's parameters."""
        from shallows.accelerate._patching import plain  # noqa: PLC0415  imports this module

        return {
            name: parameter.default
            for name, parameter in signature(plain(self.theirs)).parameters.items()
        }

    def unserved(self, model: Any) -> str | None:
        """Return the first parameter of a model of theirs that is not served."""
        for name, default in self.defaults.items():
            value, served = getattr(model, name), self.parameters.get(name)
            if served is None and value is default:
                continue
            if (value not in served) if served else not _is(value, default):
                return f"{name}={value!r:.40}"
        return None

    def new(self, model: Any, fitting: bool = True) -> Any:
        """Return a model of ours with the parameters of one of theirs."""
        given = {
            name: getattr(model, name) for name, how in self.parameters.items() if how.handed_over
        }
        if self.settings:
            given |= self.settings(model, fitting)
        return self.our_class(**given)


def restored(table: Table, theirs: Any) -> Any:
    """Return a model of ours with the attributes of a fitted one of theirs."""
    if table.restore:
        ours = table.restore(table, theirs)
    else:
        ours = table.new(theirs, fitting=False)
        for name, value in values_of(table.back, theirs).items():
            setattr(ours, name, value)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(theirs, name):
            setattr(ours, name, getattr(theirs, name))
    return ours


def load(path: str) -> Any:
    """Return what a public path names."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def values_of(origins: Mapping[str, Origin], source: Any, *more: Any) -> dict[str, Any]:
    """Return the values of attributes from their origins."""
    found = {
        name: getattr(source, origin) if isinstance(origin, str) else origin(source, *more)
        for name, origin in origins.items()
    }
    return {name: value for name, value in found.items() if value is not NOTHING}
