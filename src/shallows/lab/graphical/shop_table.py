"""Experiment: queries of a joint table."""

from __future__ import annotations

import numpy as np

from shallows.data import shop_table as read_shop_table
from shallows.graphical import JointTable, bayes_formula
from shallows.lab import Run, bars, experiment, heatmap


@experiment(chapter="graphical", sources="notes-004b H2, Table 172", quick={})
def shop_table(*, run: Run) -> None:
    """Who buys, given the age?

    A table of joint probabilities answers all queries: sums over rows or columns are the
    marginals, dividing by them gives conditional probabilities, and Bayes' formula turns
    probabilities given the gender into probabilities given the age.
    """
    values, axes, states = read_shop_table()
    table = JointTable(values, axes, states)
    gender, age = table.marginal("gender"), table.marginal("age")
    given_age = bayes_formula(gender.array, table.conditional("age", "gender"))
    for row, group in enumerate(states[0]):
        for column, bracket in enumerate(states[1]):
            run.row("joint", gender=group, age=bracket, probability=values[row, column])
            run.row(age=bracket, gender=group, probability=given_age[column, row])
        run.row(age="any", gender=group, probability=gender.array[row])
    run.figure(
        bars("age", "probability", color="gender", title="Probability of gender, given the age")
    )
    run.figure(heatmap("age", "gender", "probability", table="joint", title="Joint probabilities"))
    run.claim("sum of the table", values.sum(), expected=1, within=1e-12)
    for name, found, printed in (
        ("age", age, [0.01, 0.5, 0.4, 0.09]),
        ("gender", gender, [0.545, 0.345, 0.110]),
    ):
        gap = np.abs(found.array - printed).max()
        run.claim(f"marginal of {name}: largest gap to the printed one", gap, at_most=1e-12)
    second = np.abs(given_age[1] - [0.6, 0.3, 0.1]).max()
    run.claim("P(gender | a2): largest gap to .6 .3 .1", second, at_most=1e-12)
    direct = np.abs(given_age - table.conditional("gender", "age")).max()
    run.claim("Bayes' formula against dividing by columns: largest gap", direct, at_most=1e-12)
    run.claim(
        "age and gender are not independent: the test says so",
        table.independent("age", "gender"),
        expected=0,
        within=0,
    )
