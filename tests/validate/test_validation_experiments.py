"""Experiments on validation hold for other seeds, and fail where the theory is broken."""

import pytest

from shallows import lab

NAMES = [
    "cubic_bias_variance",
    "double_descent",
    "hundred_sets",
    "nested_versus_flat",
    "repeated_folds",
    "selection_bias",
    "sine_orders",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_claims_hold_for_other_seeds(name, seed):
    experiment = lab.find(name)
    result = experiment.run({**experiment.quick, "seed": seed})
    assert not [claim.text for claim in result.claims if not claim.holds]


def test_claims_fail_where_the_numbers_are_not_as_stated(monkeypatch):
    wrong = {1: 0.366, 3: 1.7, 7: 38.0}
    module = "shallows.lab.validate.cubic_bias_variance.VARIANCE_AT_EDGE"
    monkeypatch.setattr(module, wrong)
    experiment = lab.find("cubic_bias_variance")
    failing = [claim.text for claim in experiment.run(experiment.quick).claims if not claim.holds]
    assert failing == [
        "degree 3: variance at x = 1.1 over noise variance",
        "degree 7: variance at x = 1.1 over noise variance",
    ]
