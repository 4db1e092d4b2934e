"""The general scheme: the bound, its gap, and mixtures of any family."""

import numpy as np
import pytest
from scipy.special import logsumexp, rel_entr

from shallows.density import (
    Bernoulli,
    ExpectationMaximization,
    Exponential,
    Gaussian,
    GaussianMixture,
    MixtureModel,
    Poisson,
    free_energy,
)

RNG = np.random.default_rng(0)


def test_gap_of_the_bound_is_the_divergence_from_the_posterior():
    joint = RNG.normal(size=(30, 4)) * 3
    log_likelihood = logsumexp(joint, axis=1).sum()
    posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    assert free_energy(joint, posterior) == pytest.approx(log_likelihood, rel=1e-12)
    for _ in range(20):
        q = RNG.dirichlet(np.ones(4), size=30)
        gap = log_likelihood - free_energy(joint, q)
        assert gap == pytest.approx(rel_entr(q, posterior).sum(), rel=1e-10)
        assert gap >= 0
    crisp = np.eye(4)[joint.argmax(axis=1)]
    assert free_energy(joint, crisp) == pytest.approx(joint.max(axis=1).sum())
    weights = RNG.random(30)
    weighted = free_energy(joint, posterior, weights)
    assert weighted == pytest.approx(weights @ logsumexp(joint, axis=1))


@pytest.mark.parametrize(
    ("family", "draw"),
    [
        (Poisson(), lambda rng: rng.poisson([[2.0], [15.0]], size=(2, 200))),
        (Exponential(), lambda rng: rng.exponential([[1.0], [20.0]], size=(2, 200))),
        (Bernoulli(), lambda rng: rng.random((400, 6)) < 0.3),
        (Gaussian(reg_covar=1e-9), lambda rng: rng.normal([[0.0], [5.0]], size=(2, 200))),
    ],
)
def test_likelihood_never_falls_whatever_the_family(family, draw):
    X = np.asarray(draw(np.random.default_rng(1)), dtype=float)
    X = X.reshape(400, -1)
    model = ExpectationMaximization(
        MixtureModel(family, 3), tol=None, max_iter=40, random_state=0
    ).fit(X)
    assert np.diff(model.history_["loss"]).max() < 1e-10
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X) >= model.lower_bound_ - 1e-12


def test_two_rates_are_found():
    X = np.concatenate([RNG.poisson(2.0, 300), RNG.poisson(15.0, 100)])[:, None]
    model = ExpectationMaximization(MixtureModel(Poisson()), random_state=0).fit(X)
    shares, parts = model.parameters_
    order = np.argsort(shares)
    assert shares[order] == pytest.approx([0.25, 0.75], abs=0.03)
    assert [parts[j].rate_[0] for j in order] == pytest.approx([15, 2], rel=0.1)
    assert model.predict([[1], [20]]).tolist() == [order[1], order[0]]
    drawn, states = model.sample(4000, random_state=0)
    assert drawn.mean() == pytest.approx(X.mean(), abs=5 * X.std() / np.sqrt(4000))
    assert drawn[states == order[0]].mean() == pytest.approx(parts[order[0]].rate_[0], rel=0.1)


def test_gaussian_components_take_the_steps_of_the_mixture():
    X = np.concatenate([RNG.normal(m, 1.0, size=(60, 2)) for m in (0.0, 6.0)])
    model = ExpectationMaximization(MixtureModel(Gaussian()), tol=1e-10, random_state=0).fit(X)
    mixture = GaussianMixture(2, reg_covar=0.0, tol=1e-10, random_state=0, max_iter=500).fit(X)
    assert model.score(X) == pytest.approx(mixture.score(X), rel=1e-6)


def test_free_energy_refuses_other_shapes():
    with pytest.raises(ValueError, match="shape of log_joint"):
        free_energy(np.zeros((2, 2)), np.ones((2, 3)))
