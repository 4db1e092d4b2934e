"""Every experiment, at the small size that it names itself."""

import pytest

from shallows import lab
from shallows.lab._catalogue import experiments
from shallows.lab._page import page

ENTRIES = {entry.name: entry for entry in experiments()}


def test_names_are_unique():
    assert len(ENTRIES) == len(experiments())


@pytest.mark.parametrize("name", ENTRIES)
def test_claims_hold_at_small_size(name):
    experiment = lab.find(name)
    result = experiment.run(experiment.quick)
    assert result.claims, "an experiment states at least one claim"
    assert not [f"{claim.text}: {claim.shown}" for claim in result.claims if not claim.holds]
    assert result.rows or result.tables
    assert result.figures
    assert lab.Result.from_json(result.to_json()).to_json() == result.to_json()
    assert result.title in page(result).replace("&#39;", "'")


@pytest.mark.parametrize("name", ENTRIES)
def test_declaration_is_complete(name):
    experiment = lab.find(name)
    assert experiment.chapter == ENTRIES[name].module.split(".")[-2]
    assert experiment.sources
    assert experiment.title.endswith("?"), "the title is a question"
    assert experiment.text
    assert all(item.help for item in experiment.parameters.values())


@pytest.mark.parametrize("name", ["angle_error", "gradient_regimes"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_claims_hold_for_other_seeds(name, seed):
    experiment = lab.find(name)
    assert experiment.run({**experiment.quick, "seed": seed}).holds


@pytest.mark.parametrize("n", [2, 100])
@pytest.mark.parametrize("condition", [1.5, 1000.0])
@pytest.mark.parametrize("steps", [4, 40])
def test_gradient_regimes_hold_up_to_their_bounds(n, condition, steps):
    assert lab.run("gradient_regimes", n=n, condition=condition, steps=steps).holds


def test_claims_fail_where_the_step_sizes_are_not_as_stated(monkeypatch):
    wrong = {"smooth": 1.5, "alternating": 0.5, "divergent": 0.1}
    monkeypatch.setattr("shallows.lab.theory.gradient_regimes.REGIMES", wrong)
    failing = [claim.text for claim in lab.run("gradient_regimes").claims if not claim.holds]
    assert failing == [
        "eta < 1/rho_max: the stiffest part keeps its sign",
        "1/rho_max < eta < 2/rho_max: sign changes in every step",
        "eta = 2.1/rho_max: the stiffest part grows by 1.1 a step",
    ]


def test_unknown_names_get_the_closest():
    with pytest.raises(ValueError, match="no experiment 'angle_eror'; did you mean angle_error"):
        lab.find("angle_eror")
    with pytest.raises(ValueError, match="`shallows list lab` names them all"):
        lab.find("zzzzz")


def test_check_all_runs_every_experiment(monkeypatch):
    chosen = experiments()[:2]
    monkeypatch.setattr("shallows.lab._catalogue.experiments", lambda: chosen)
    results = lab.check_all(quick=True)
    assert [result.name for result in results] == [entry.name for entry in chosen]
    assert all(
        result.parameters.items() >= lab.find(result.name).quick.items() for result in results
    )
