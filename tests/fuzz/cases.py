"""One case: an estimator, and one strange thing that it meets. What came out is judged here."""

from __future__ import annotations

import re
import traceback
import warnings
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from fuzz.data import KINDS, TARGETS, WEIGHTS, CalledError, Data, sane
from fuzz.nonsense import VALUES, values_for
from instances import INSTANCES
from shallows._core.contract.registry import estimators

ANSWERS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
# An estimator may be asked for infinity: the logarithm of a probability that is zero.
LOGARITHMS = {"score_samples", "decision_function"}
FROM_A_CHECK = (ValueError, TypeError, NotFittedError, FloatingPointError)
DATA_NAMES = {"X", "y", "sample_weight"}
CHECKS = re.compile(r"/(shallows|sklearn/utils|sklearn/base)[/.]")


class Outcome(NamedTuple):
    """How a case ended: "fine", "refused", or a failure; with what was said and where."""

    verdict: str
    said: str = ""
    where: str = ""


# All are imported once, before a process is forked for them.
CLASSES = {cls.__name__: cls for cls in estimators()}


def all_cases(seed: int = 0, part: float = 1.0) -> list[str]:
    """Return the names of all cases, or of a part of them drawn by the seed, in a drawn order."""
    names = [case for name in CLASSES for case in cases_of(name)]
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(names))[: max(1, round(part * len(names)))]
    return [names[place] for place in chosen]


def cases_of(name: str) -> Iterator[str]:
    """Yield the names of the cases of an estimator, such as "KMeans/data/huge"."""
    model = make(name)
    for kind in KINDS:
        if kind in TARGETS and not takes_target(model):
            continue
        if kind in WEIGHTS and not has_fit_parameter(model, "sample_weight"):
            continue
        yield f"{name}/data/{kind}"
    for parameter in sorted(model.get_params(deep=False)):
        for value in values_for(parameter):
            yield f"{name}/{parameter}/{value}"


def make(name: str) -> BaseEstimator:
    """Return the first small instance of an estimator, seeded."""
    model = CLASSES[name](**INSTANCES.get(name, [{}])[0])
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    return model


def takes_target(model: BaseEstimator) -> bool:
    """Tell whether an estimator learns from a target."""
    return is_regressor(model) or get_tags(model).target_tags.required


def suitable(name: str) -> Data:
    """Return sane data of the kind that an estimator is for."""
    data = sane(np.random.default_rng(1))
    counts = np.floor(np.abs(data.X))
    own = {
        "Bernoulli": (data.X > 1).astype(int),
        "Binomial": np.minimum(counts, 1),
        "Exponential": np.abs(data.X),
        "Poisson": counts,
        "Multinomial": np.random.default_rng(1).multinomial(9, np.full(4, 0.25), size=len(counts)),
        "SiteProfile": np.array(list("ACGT"))[counts.astype(int) % 4],
    }
    return data._replace(X=own[name]) if name in own else data


def fit(model: BaseEstimator, data: Data) -> BaseEstimator:
    """Fit a model to the target that it takes."""
    given = [data.X]
    if takes_target(model):
        given.append(data.target if is_regressor(model) else data.labels)
    options = {} if data.weights is None else {"sample_weight": data.weights}
    return model.fit(*given, **options)


@cache
def fitted(name: str) -> BaseEstimator:
    """Return a model that is fitted to sane data; new rows do not change it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(make(name), suitable(name))


def run(case: str) -> Outcome:
    """Run a case and judge how it ended."""
    name, parameter, what = case.split("/")
    if parameter != "data":
        return judged(name, lambda: with_parameter(name, parameter, VALUES[what]))
    rng = np.random.default_rng(zlib.crc32(case.encode()))
    data = KINDS[what](sane(rng), rng)
    outcome = judged(name, lambda: answers(fit(make(name), data), data.X))
    if what in TARGETS or what in WEIGHTS or outcome.verdict not in ("fine", "refused"):
        return outcome
    rng = np.random.default_rng(zlib.crc32(case.encode()))
    again = KINDS[what](sane(rng), rng)
    new = judged(name, lambda: answers(fitted(name), again.X))
    return new if new.verdict not in ("fine", "refused") else outcome


def with_parameter(name: str, parameter: str, value: Any) -> dict[str, Any]:
    """Fit with one strange parameter, and answer for the same rows."""
    data = suitable(name)
    model = clone(make(name)).set_params(**{parameter: value})
    return answers(fit(model, data), data.X)


def answers(model: BaseEstimator, X: Any) -> dict[str, Any]:
    """Return what a model answers for rows."""
    return {name: getattr(model, name)(X) for name in ANSWERS if hasattr(model, name)}


def judged(name: str, action: Any) -> Outcome:
    """Run something and judge its end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = action()
        except CalledError:
            return Outcome("refused", "the user's own function")
        except Exception as error:
            return judge_error(name, error)
    warned = any(not issubclass(note.category, RuntimeWarning) for note in caught)
    bad = [method for method, values in found.items() if not is_finite(method, values)]
    if bad and not warned:
        return Outcome("non-finite", f"{bad[0]} answers NaN or infinity without a warning")
    return Outcome("fine")


def judge_error(name: str, error: Exception) -> Outcome:
    """Tell an error of a check, which names the estimator or what is wrong, from all others."""
    frames = traceback.extract_tb(error.__traceback__)
    said = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    ours = [frame for frame in frames if "/shallows/" in frame.filename] or list(frames)
    where = f"{ours[-1].filename.rpartition('/src/')[2]}:{ours[-1].lineno}"
    checked = CHECKS.search(frames[-1].filename)
    if type(error) in FROM_A_CHECK and checked and names_something(name, str(error)):
        return Outcome("refused", said, where)
    return Outcome("deep", said, where)


def names_something(name: str, message: str) -> bool:
    """Tell whether a message names the estimator, one that it holds, a parameter, or the data."""
    model = make(name)
    names = {name, *model.get_params(), *DATA_NAMES}
    names |= {type(value).__name__ for value in model.get_params().values()}
    words = set(re.findall(r"\w+", message))
    return bool(words & names)


def is_finite(method: str, values: Any) -> bool:
    """Tell whether all numbers of an answer are finite, or minus infinity where it may be."""
    if isinstance(values, list | tuple):
        return all(is_finite(method, part) for part in values)
    values = values.data if issparse(values) else np.asarray(values)
    if values.dtype.kind not in "fc":
        return True
    if method in LOGARITHMS:
        return not np.isnan(values).any()
    return bool(np.isfinite(values).all())
