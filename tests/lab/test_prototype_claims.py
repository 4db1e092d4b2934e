"""Claims about prototypes at the bounds of their parameters, and what is beyond."""

import numpy as np
import pytest

from shallows import lab


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decision_regions", {"samples": 100, "overlap": 0.6, "cells": 20}),
        ("decision_regions", {"samples": 100, "overlap": 0.1, "cells": 20}),
        ("lvq_stability", {"epochs": 30, "samples": 300, "starts": 80}),
        ("nearest_neighbour_rate", {"n": 2000, "test_points": 2000}),
        ("nearest_neighbour_rate", {"n": 2000, "test_points": 200_000}),
        ("neural_gas_kmeans", {"groups": 30, "samples": 200, "starts": 20, "epochs": 40}),
        ("som_iris", {"rows": 6, "columns": 6, "epochs": 10}),
        ("som_iris", {"rows": 30, "columns": 30, "epochs": 10}),
    ],
)
def test_claims_hold_up_to_the_bounds(name, parameters):
    claims = lab.run(name, **parameters).claims
    assert not [f"{claim.text}: {claim.shown}" for claim in claims if not claim.holds]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decision_regions", {"overlap": 1.0}),
        ("lvq_stability", {"epochs": 20}),
        ("nearest_neighbour_rate", {"n": 1000}),
        ("neural_gas_kmeans", {"groups": 50}),
    ],
)
def test_where_claims_break_is_out_of_bounds(name, parameters):
    with pytest.raises(ValueError, match=f"{name}: {next(iter(parameters))} must be"):
        lab.run(name, **parameters)


@pytest.mark.parametrize("test_points", [2000, 100_000])
def test_errors_of_one_neighbour_spread_as_their_standard_errors_say(test_points):
    runs = [
        lab.run("nearest_neighbour_rate", n=2000, test_points=test_points, seed=seed).rows
        for seed in range(20)
    ]
    rows = [row for run in runs for row in run]
    z = [(row["one_neighbour"] - row["limit"]) / row["standard_error"] for row in rows]
    assert abs(np.mean(z)) < 0.4
    assert 0.75 < np.std(z) < 1.25


def test_claims_fail_for_a_rule_other_than_one_neighbour(monkeypatch):
    from shallows.prototype import KNeighborsClassifier

    monkeypatch.setattr(
        "shallows.lab.prototype.nearest_neighbour_rate.KNeighborsClassifier",
        lambda k: KNeighborsClassifier(3),
    )
    result = lab.run("nearest_neighbour_rate", n=2000, test_points=2000)
    assert [claim.holds for claim in result.claims] == [False, True, True]


@pytest.mark.parametrize("seed", [15, 21])  # a quarter of eight runs find the group
def test_few_sets_with_the_far_group_found_by_chance_do_not_refute(seed):
    result = lab.run("vq_toys", samples=60, epochs=10, repeats=8, seed=seed)
    assert not [claim.text for claim in result.claims if not claim.holds]


def test_a_far_group_that_is_found_as_a_rule_refutes(monkeypatch):
    monkeypatch.setattr("shallows.lab.prototype.vq_toys._own_prototype", lambda labels, y: True)
    claims = lab.run("vq_toys", samples=60, epochs=10, repeats=8).claims
    assert [claim.text[:3] for claim in claims if not claim.holds] == ["(d)"]


def test_one_group_has_no_agreement_to_be_drawn():
    rows = lab.run("vq_toys", samples=60, epochs=10, repeats=8).rows
    assert {row["set"] for row in rows} == {"two", "stripes", "stripes, z-scored", "far"}
