"""Dirichlet prior, pseudo-counts and site profiles."""

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.stats import dirichlet, dirichlet_multinomial

from shallows.data import globin
from shallows.density import Dirichlet, Multinomial, SiteProfile, pseudo_counts

RNG = np.random.default_rng(0)


def test_density_integrates_to_one_and_equals_scipy():
    law = Dirichlet([2.0, 3.0, 1.5])
    total, _ = dblquad(
        lambda y, x: float(np.exp(law.score_samples([[x, y, 1 - x - y]]))[0]),
        0,
        1,
        0,
        lambda x: 1 - x,
        epsabs=1e-7,
    )
    assert total == pytest.approx(1, abs=1e-6)
    theta = law.sample(2000, random_state=0)
    np.testing.assert_allclose(law.score_samples(theta), dirichlet([2.0, 3.0, 1.5]).logpdf(theta.T))
    assert theta.mean(axis=0) == pytest.approx(law.expectation(), abs=0.03)
    assert theta.var(axis=0) == pytest.approx(law.variance(), abs=0.01)


def test_posterior_is_prior_times_likelihood():
    """Conjugacy, with the normaliser from the evidence."""
    prior, counts = Dirichlet([1.0, 0.5, 3.0]), np.array([4, 0, 2])
    posterior = prior.update(counts)
    np.testing.assert_array_equal(posterior.alpha, [5.0, 0.5, 5.0])
    theta = prior.sample(50, random_state=1)
    likelihood = np.array([Multinomial(p).score_samples(counts[None])[0] for p in theta])
    np.testing.assert_allclose(
        posterior.score_samples(theta),
        prior.score_samples(theta) + likelihood - prior.log_evidence(counts),
    )
    assert prior.log_evidence(counts) == pytest.approx(
        dirichlet_multinomial(prior.alpha, 6).logpmf(counts)
    )
    in_two = prior.update([1, 0, 1]).update([3, 0, 1])
    np.testing.assert_array_equal(in_two.alpha, posterior.alpha)


def test_pseudo_counts_are_the_posterior_mean():
    counts = np.array([3, 1, 0])
    numerator = quad(lambda q: q * q**3 * (1 - q), 0, 1)[0]
    assert pseudo_counts([3, 1])[0] == pytest.approx(
        numerator / quad(lambda q: q**3 * (1 - q), 0, 1)[0]
    )
    np.testing.assert_allclose(
        pseudo_counts(counts, 0.5), Dirichlet([0.5] * 3).update(counts).expectation()
    )
    np.testing.assert_allclose(pseudo_counts(counts, 0.0), counts / 4)
    np.testing.assert_allclose(pseudo_counts(counts, 1e9), 1 / 3, atol=1e-8)
    assert (pseudo_counts(counts, 1e-9) > 0).all()


def test_globin_last_column():
    site = SiteProfile(alpha=1.0).fit(globin()).probabilities_[3]
    by_letter = dict(zip("ACDEFGHIKLMNPQRSTVWY", site, strict=True))
    assert by_letter["K"] == pytest.approx(3 / 27)
    assert all(by_letter[letter] == pytest.approx(2 / 27) for letter in "VNEGA")
    assert sum(value == pytest.approx(1 / 27) for value in by_letter.values()) == 14


def test_profile_is_the_product_over_sites():
    profile = SiteProfile("AB", alpha=0.5).fit(["AB", "AA", "BA"], sample_weight=[1, 2, 1])
    np.testing.assert_allclose(profile.probabilities_, [[3.5 / 5, 1.5 / 5], [3.5 / 5, 1.5 / 5]])
    assert profile.score_samples(["AB"])[0] == pytest.approx(np.log(0.7 * 0.3))
    drawn = profile.sample(4000, random_state=0)
    assert (drawn == "A").mean() == pytest.approx(0.7, abs=5 * 0.46 / np.sqrt(8000))
    everything = profile.score_samples(["AA", "AB", "BA", "BB"])
    assert np.exp(everything).sum() == pytest.approx(1)


def test_one_unseen_letter_is_fatal_only_without_pseudo_counts():
    members = globin()
    rejected = [
        SiteProfile(alpha=alpha)
        .fit(np.delete(members, i, axis=0))
        .score_samples(members[i : i + 1])
        for alpha in (0.0, 1.0)
        for i in range(7)
    ]
    assert np.isneginf(rejected[:7]).sum() == 6
    assert np.isfinite(rejected[7:]).all()


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="alpha must hold at least two positive"):
        Dirichlet([1.0, 0.0])
    with pytest.raises(ValueError, match="counts must be 2 numbers"):
        Dirichlet([1.0, 1.0]).update([1, 2, 3])
    with pytest.raises(ValueError, match="Raise alpha"):
        pseudo_counts([0, 0], 0.0)
    with pytest.raises(ValueError, match="alpha must be one number or one per outcome"):
        pseudo_counts([1, 2], [-1.0, 1.0])
    with pytest.raises(ValueError, match="letters of the alphabet 'AB'"):
        SiteProfile("AB").fit(["AC"])
    with pytest.raises(ValueError, match="equal lengths"):
        SiteProfile("AB").fit(["AB", "A"])
    with pytest.raises(ValueError, match="must have 2 letters"):
        SiteProfile("AB").fit(["AB"]).score_samples(["ABA"])
