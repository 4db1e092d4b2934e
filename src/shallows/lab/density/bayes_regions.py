"""Experiment: the best decision between three classes of one feature."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from shallows._core.contract.params import Range
from shallows.data import three_classes
from shallows.density import BayesClassifier, Gaussian, Parzen
from shallows.lab import Run, experiment, line
from shallows.prototype import KNeighborsClassifier

SHARES, MEANS, WIDTHS = (0.5, 0.3, 0.2), (0.0, 0.5, 3.0), (2.0, 0.5, 0.7)


@experiment(
    chapter="density",
    sources="notes-004a Fig. 33, 110, 111, Tasks",
    quick={"samples": 300, "test": 20_000},
)
def bayes_regions(
    samples: Annotated[int, Range(100, 20_000)] = 1000,
    test: Annotated[int, Range(5000, 1_000_000)] = 100_000,
    *,
    run: Run,
) -> None:
    """Can any classifier beat the one that knows the densities?

    The optimal rule chooses the class with the largest prior times density; the integral of this
    maximum is its accuracy. A wide class wins on both sides of a narrow one, so its region is not
    connected. Classifiers trained on samples come close to the error of this rule but can't beat
    it, except by chance.

    Parameters
    ----------
    samples : int
        Samples that classifiers learn from.
    test : int
        Samples that judge them.
    """
    known = BayesClassifier(
        [norm(mean, width) for mean, width in zip(MEANS, WIDTHS, strict=True)], list(SHARES)
    )
    x = np.linspace(-6, 7, 521)
    for label, weighted in enumerate(_weighted_densities(x)):
        run.rows(x=x, weighted_density=weighted, class_=f"class {label}")
    run.figure(
        line(
            "x",
            "weighted_density",
            color="class_",
            title="Prior times density; the largest one decides",
            y_title="P(c) f(x)",
        )
    )
    edges, labels = known.regions(-15.0, 15.0)
    for low, high, label in zip(edges[:-1], edges[1:], labels, strict=True):
        run.row("regions", low=low, high=high, class_=f"class {label}")
    run.claim("pieces of the region of class 0", int((labels == 0).sum()), at_least=2)
    ties = np.sort(known.predict_proba(edges[1:-1, None]), axis=1)
    run.claim(
        "at a boundary two classes are equally probable (largest difference)",
        float((ties[:, -1] - ties[:, -2]).max()),
        at_most=1e-9,
    )
    least = known.error_rate().rate
    fine = np.linspace(-30, 30, 600_001)
    largest = _weighted_densities(fine).max(axis=0)
    run.claim(
        "error = 1 - integral of the largest P(c) f",
        least,
        1 - float(np.trapezoid(largest, fine)),
        within=1e-8,
    )

    X, y, rule = three_classes(samples, random_state=run.rng)
    X_test, y_test, _ = three_classes(test, random_state=run.rng)
    error = np.sqrt(least * (1 - least) / test)
    own = float((known.predict(X_test[:, None]) != y_test).mean())
    run.claim(
        "wrong decisions on the test samples", own, least, within=3 * error, probability=0.0027
    )
    agree = float((known.predict(X_test[:, None]) == rule(X_test)).mean())
    run.claim("agreement with the generator's own rule", agree, expected=1.0, within=0)
    for name, model in (
        ("Gaussian densities", BayesClassifier(Gaussian())),
        ("Parzen windows", BayesClassifier(Parzen(width="loo", random_state=0))),
        ("15 neighbours", KNeighborsClassifier(15)),
        ("logistic", LogisticRegression()),
        ("tree", DecisionTreeClassifier(max_depth=5, random_state=0)),
    ):
        decided = model.fit(X[:, None], y).predict(X_test[:, None])
        wrong = float((decided != y_test).mean())
        run.row("learners", learner=name, wrong=wrong, best_possible=least)
        run.claim(
            f"{name}: error less the least possible, in standard errors",
            (wrong - least) / float(error),
            at_least=-3.0,
            probability=0.0014,
        )


def _weighted_densities(x: np.ndarray) -> np.ndarray:
    parts = zip(SHARES, MEANS, WIDTHS, strict=True)
    return np.array([share * norm.pdf(x, mean, width) for share, mean, width in parts])
