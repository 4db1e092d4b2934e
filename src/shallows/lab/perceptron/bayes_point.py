"""Experiment: the centre of the version space against theory."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.perceptron import AdaTron, BayesPoint, Perceptron
from shallows.theory import (
    counting_error,
    generalization_error,
    learning_curve_bayes,
    learning_curve_gibbs,
    learning_curve_max_stability,
)

THEORY = {
    "centre": learning_curve_bayes,
    "AdaTron": learning_curve_max_stability,
    "random": learning_curve_gibbs,
}
LARGE_ALPHA = {"centre": 0.442, "AdaTron": 0.500, "random": 0.625}  # times 1 / alpha


@experiment(
    chapter="perceptron",
    sources="notes-000a M53, M57-M59, Eqs. 3.54, 3.55",
    quick={"n": 20, "repetitions": 6, "members": 200, "largest": 4.0},
)
def bayes_point(
    n: Annotated[int, Range(10, 100)] = 50,
    repetitions: Annotated[int, Range(4, 200)] = 20,
    members: Annotated[int, Range(100, 5000)] = 400,
    largest: Annotated[float, Range(2, 10)] = 8.0,
    *,
    run: Run,
) -> None:
    """Is the centre of the version space the best student?

    A teacher labels random inputs. All students that agree with the examples form the version
    space. The centre of mass errs less than a random member on average; its error is the smallest
    possible. The student of maximum stability is next, then Rosenblatt's. All are better than the
    average over all labelings that the examples allow. The theory for infinitely many dimensions
    is accurate for a few dozen.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    repetitions : int
        Teachers with examples, for each number of examples.
    members : int
        Students drawn from every version space.
    largest : float
        Largest number of examples per dimension.
    """
    alphas = np.linspace(largest / 8, largest, 8)
    worst_r_hat, beaten = 0.0, 0
    for alpha in run.progress(alphas):
        errors: dict[str, list[float]] = {name: [] for name in (*THEORY, "Rosenblatt")}
        for _ in range(repetitions):
            teacher = run.rng.standard_normal(n)
            X = run.rng.standard_normal((round(alpha * n), n))
            y = np.sign(X @ teacher)
            y[0], X[0] = -y[1], -X[0] * y[1] * y[0]  # both labels occur
            model = BayesPoint(
                fit_intercept=False, n_samples=members, random_state=int(run.rng.integers(2**31))
            ).fit(X, y)
            students = model.members_[0, :, :-1]
            plain = Perceptron(fit_intercept=False, tol=None, max_iter=100_000, random_state=0)
            errors["centre"].append(float(generalization_error(model.coef_[0], teacher)))
            errors["random"].append(float(generalization_error(students, teacher).mean()))
            stable = AdaTron(None, threshold="none", tol=1e-3, max_iter=20_000, random_state=0)
            most_stable = stable.fit(X, y).coef_[0]
            errors["AdaTron"].append(float(generalization_error(most_stable, teacher)))
            rosenblatt = plain.fit(X, y).coef_[0]
            errors["Rosenblatt"].append(float(generalization_error(rosenblatt, teacher)))
            worst_r_hat = max(worst_r_hat, model.r_hat_)
            beaten += errors["centre"][-1] < errors["random"][-1]
        for student, values in errors.items():
            run.row(
                student=student,
                alpha=alpha,
                error=np.mean(values),
                standard_error=np.std(values, ddof=1) / np.sqrt(repetitions),
                theory=float(THEORY[student](alpha)) if student in THEORY else np.nan,
                counting=float(counting_error(round(alpha * n), n)),
            )
    run.figure(
        line(
            "alpha",
            "error",
            theory="theory",
            error="standard_error",
            color="student",
            title="Generalisation error of four students of the same teacher",
            x_title="examples per dimension, P / N",
            y_title="generalisation error",
        )
    )
    table = run.columns()
    own = {name: table["student"] == name for name in (*THEORY, "Rosenblatt")}
    for name in THEORY:
        measured, theory_ = table["error"][own[name]], table["theory"][own[name]]
        spread = table["standard_error"][own[name]]
        excess = np.max((np.abs(measured - theory_) - theory_ * 2 / n) / spread)
        run.claim(
            f"{name}: deviation from theory beyond 2/N of it, in standard errors, largest",
            excess,
            at_most=5,
            probability=0.01,
        )
    total = repetitions * len(alphas)
    run.claim(
        "share of teachers for which the centre beats the average member",
        beaten / total,
        at_least=0.9,
        probability=1e-3,
    )
    means = {name: table["error"][rows].mean() for name, rows in own.items()}
    for better, worse, chance in (
        ("centre", "AdaTron", 0.01),
        ("AdaTron", "Rosenblatt", 0.1),  # a small lead, of the notes' order of students
        ("centre", "random", 0.001),
    ):
        run.claim(
            f"{better} errs less than {worse}, mean over the curve",
            means[worse] - means[better],
            at_least=0,
            probability=chance,
        )
    few = table["alpha"] <= 2
    run.claim(
        "up to two examples per dimension all err less than the counting curve, smallest lead",
        (table["counting"] - table["error"])[few].min(),
        at_least=0,
        probability=0.01,
    )
    for name, constant in LARGE_ALPHA.items():
        run.claim(
            f"{name}, theory for very many examples: error times examples per dimension",
            1e4 * float(THEORY[name](1e4)),
            expected=constant,
            within=1e-3,
        )
        last = own[name] & (table["alpha"] == alphas[-1])
        error, spread = (float(table[key][last][0]) for key in ("error", "standard_error"))
        run.claim(
            f"{name}, {largest:g} examples per dimension: error times these, over theory's",
            error / float(THEORY[name](largest)),
            expected=1,
            within=2 / n + 5 * spread / float(THEORY[name](largest)),
            probability=1e-3,
        )
    lead = table["error"][own["Rosenblatt"]].mean() / table["error"][own["centre"]].mean()
    run.claim("mean error of Rosenblatt's student over the centre's", lead, at_least=1.05)
    run.claim("chains: largest r_hat", worst_r_hat, at_most=1.3)
