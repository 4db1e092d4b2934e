"""Experiments on perceptrons: at the ends of their ranges, and claims that can fail."""

import numpy as np
import pytest
from scipy.stats import kstest

from shallows import lab
from shallows.lab.perceptron._labels import both_labels
from shallows.lab.theory._ball import nearest_to_centre
from shallows.perceptron import AdaTron


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("support_vectors", {"n": 2, "p": 400}),
        ("support_vectors", {"n": 2, "p": 10, "seed": 3}),
        ("noisy_labels", {"p": 20, "n": 50, "epochs": 60}),
        ("noisy_labels", {"p": 20, "n": 5, "flip": 0.05, "epochs": 60}),
        ("minover_adatron", {"n": 5, "p": 300, "epochs": 200}),
        ("four_solvers", {"n": 5, "p": 100, "repetitions": 6, "steps": 1000}),
    ],
)
def test_claims_hold_at_the_ends_of_the_ranges(name, parameters):
    result = lab.run(name, **parameters)
    assert not [f"{claim.text}: {claim.shown}" for claim in result.claims if not claim.holds]


def test_an_adatron_that_never_gets_there_is_not_quick(monkeypatch):
    def lame(*args, **options):
        return AdaTron(*args, **{**options, "tol": None, "max_iter": 1})

    monkeypatch.setattr("shallows.lab.perceptron.minover_adatron.AdaTron", lame)
    failing = [
        c.text for c in lab.run("minover_adatron", n=10, p=20, epochs=200).claims if not c.holds
    ]
    assert "sweeps of AdaTron to MinOver's last stability" in failing


@pytest.mark.parametrize("name", ["four_solvers", "learning_curves", "soft_margin_noise"])
def test_better_does_not_mean_hardly_worse(name):
    experiment = lab.find(name)
    claims = experiment.run(experiment.quick).claims
    better = [c for c in claims if "errs less" in c.text or "generalises better" in c.text]
    assert better
    assert all(claim.at_least >= 0 for claim in better)


def test_both_labels_leave_the_planes_through_the_origin_as_they_are():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(5, 3)), rng.normal(size=3)
    y = np.ones(5)
    for rows in (1, 2, 5):
        turned, labels = both_labels(X[:rows], y[:rows])
        assert set(labels) == {-1.0, 1.0}
        assert set(labels * (turned @ w)) == set(y[:rows] * (X[:rows] @ w))
    mixed = np.array([1.0, -1, 1, 1, 1])
    np.testing.assert_array_equal(both_labels(X, mixed)[0], X)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_points_in_a_ball_are_uniform(d):
    """The nearest of n is beyond r with probability (1 - r^d)^n."""
    found = nearest_to_centre(2000, 20, d, np.random.default_rng(d))
    assert kstest(found, lambda r: 1 - (1 - np.clip(r, 0, 1) ** d) ** 20).pvalue > 1e-3
