"""How many components a mixture should have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.density._gaussian_mixture import GaussianMixture


@dataclass(frozen=True)
class ComponentCurve:
    """Held-out likelihood and information criteria for each number of components.

    Parameters
    ----------
    n_components : tuple of int
        Numbers tried.
    held_out : tuple of float
        Mean log-likelihood of samples that were held out, over the folds.
    standard_error : tuple of float
        Its standard error over the folds.
    bic, aic : tuple of float
        Information criteria of the fit to all samples; less is better.

    Examples
    --------
    >>> from shallows.density import ComponentCurve
    >>> ComponentCurve((1, 2), (-3.0, -2.0), (0.1, 0.1), (9.0, 8.0), (7.0, 6.0)).best
    2
    """

    n_components: tuple[int, ...]
    held_out: tuple[float, ...]
    standard_error: tuple[float, ...]
    bic: tuple[float, ...]
    aic: tuple[float, ...]

    @property
    def best(self) -> int:
        """The number with the largest held-out likelihood."""
        return self.n_components[int(np.argmax(self.held_out))]

    @property
    def best_bic(self) -> int:
        """The number with the least BIC."""
        return self.n_components[int(np.argmin(self.bic))]


def choose_components(
    X,
    n_components=range(1, 11),
    *,
    mixture: GaussianMixture | None = None,
    folds: PositiveInt = 5,
    random_state: RandomState = None,
):
    """Judge numbers of components by the likelihood of samples that were held out.

    Mixtures with more components include those with fewer, so the likelihood of the training
    samples only grows; that of other samples falls once components follow chance.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples.
    n_components : iterable of int, default=range(1, 11)
        Numbers to try.
    mixture : GaussianMixture or None, default=None
        Mixture whose other parameters are used; None is a full one with three starts.
    folds : int, default=5
        Parts of the data; each is held out once.
    random_state : int, RandomState, Generator or None, default=None
        Seeds folds and starts.

    Returns
    -------
    curve : ComponentCurve
        Held-out likelihood and criteria for each number; ``curve.best`` is the choice.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import choose_components
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 0.5, size=(100, 2)) for m in (-4.0, 0.0, 4.0)])
    >>> choose_components(X, range(1, 6), random_state=0).best_bic
    3
    """
    check_arguments(choose_components, locals())
    X = np.asarray(X)
    rng = as_generator(random_state)
    base = GaussianMixture(n_init=3, tol=1e-4, max_iter=300) if mixture is None else mixture
    splits = list(KFold(folds, shuffle=True, random_state=int(rng.integers(2**31))).split(X))
    rows = []
    for number in n_components:
        model = clone(base).set_params(n_components=int(number))
        # Held-out likelihood by cross-validation, then both criteria on all data.
        scores = []
        for train, test in splits:
            model.set_params(random_state=rng.spawn(1)[0])
            scores.append(clone(model).fit(X[train]).score(X[test]))
        model.set_params(random_state=rng.spawn(1)[0])
        whole = clone(model).fit(X)
        error = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
        rows.append((int(number), float(np.mean(scores)), error, whole.bic(X), whole.aic(X)))
    return ComponentCurve(*map(tuple, zip(*rows, strict=True)))
