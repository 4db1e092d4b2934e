"""Claims about clusters and outliers at the bounds of their parameters, and what is beyond."""

import pytest

from shallows import lab


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("chaining", {"samples": 60, "bridge": 15}),
        ("chaining", {"samples": 60, "bridge": 100}),
        ("chaining", {"samples": 2000, "bridge": 15}),
        ("gamma_against_centre", {"n": 200, "k": 1, "share": 0.05}),
        ("gamma_against_centre", {"n": 200, "k": 20, "share": 0.05}),
        ("gamma_against_centre", {"n": 200, "k": 1, "share": 0.01}),
        ("gamma_against_centre", {"n": 2000, "k": 1, "share": 0.05}),
        ("iris_elbow", {"largest": 10, "restarts": 20}),
        ("iris_elbow", {"largest": 20, "restarts": 20}),
        ("kmeans_limits", {"samples": 60, "repeats": 5, "outlier": 50.0}),
        ("kmeans_run", {"samples": 60, "width": 0.1}),
        ("kmeans_run", {"samples": 60, "width": 0.6}),
        ("kmeans_run", {"samples": 3000, "width": 0.6}),
        ("chaining", {"samples": 2000, "seed": 5}),
        ("gamma_against_centre", {"n": 200, "k": 1, "share": 0.01, "seed": 5}),
    ],
)
def test_claims_hold_up_to_the_bounds(name, parameters):
    claims = lab.run(name, **parameters).claims
    assert not [f"{claim.text}: {claim.shown}" for claim in claims if not claim.holds]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("chaining", {"bridge": 5}),
        ("gamma_against_centre", {"k": 50}),
        ("gamma_against_centre", {"n": 100}),
        ("gamma_against_centre", {"share": 0.2}),
        ("iris_elbow", {"largest": 6}),
        ("kmeans_run", {"width": 3.0}),
        ("kmeans_run", {"starts": 5}),
    ],
)
def test_where_claims_break_is_out_of_bounds(name, parameters):
    with pytest.raises(ValueError, match=f"{name}: {next(iter(parameters))} must be"):
        lab.run(name, **parameters)


def test_the_curves_of_detectors_fill_the_square_and_differ():
    result = lab.run("gamma_against_centre", n=200)
    panels = {row["data"] for row in result.rows}
    assert len(panels) == 6
    for panel in panels:
        rows = [row for row in result.rows if row["data"] == panel]
        assert {row["detector"] for row in rows} >= {"gamma index", "z-scores", "chance"}
        found = [row["found"] for row in rows]
        assert (min(found), max(found)) == (0, 1)
    between = [row["found"] for row in result.rows if 0.05 < row["found"] < 0.95]
    assert len(between) > 200  # at 0 or 1 throughout, a curve shows nothing


def test_the_run_that_ends_worst_is_shown_beside_the_best():
    result = lab.run("kmeans_run", samples=60)
    assert [row["start"] for row in result.tables["steps"] if row["step"] == 1][-1] == "worst"
    ends = list(dict.fromkeys(row["end"] for row in result.rows))
    assert ends == ["the best of 100 ends", "the worst of 100 ends"]
