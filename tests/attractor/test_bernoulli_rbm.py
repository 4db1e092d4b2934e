"""The restricted Boltzmann machine against sums over all states."""

from itertools import product

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logsumexp

from shallows.attractor import BernoulliRBM

BARS = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 25, dtype=float)


def states(n):
    return np.array(list(product([0.0, 1.0], repeat=n)))


def energies(model, v, h):
    """Return the energy of every pair of visible and hidden states, from the formula."""
    coupled = -v @ model.components_.T @ h.T
    return coupled - (v @ model.intercept_visible_)[:, None] - h @ model.intercept_hidden_


def fitted():
    return BernoulliRBM(4, n_iter=300, random_state=0).fit(BARS)


def test_hidden_units_are_means_over_their_states():
    model, hidden = fitted(), states(4)
    chances = np.exp(-energies(model, BARS[:2], hidden))
    chances /= chances.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.transform(BARS[:2]), chances @ hidden, rtol=1e-9)


def test_the_data_become_the_likeliest_states():
    model, visible = fitted(), states(4)
    logs = logsumexp(-energies(model, visible, states(4)), axis=1)
    chances = np.exp(logs - logsumexp(logs))
    known = [i for i, row in enumerate(visible) if row.tolist() in BARS[:2].tolist()]
    assert set(np.argsort(-chances)[:2]) == set(known)
    assert chances[known].sum() > 0.5


def test_the_pseudo_likelihood_is_that_of_each_feature_given_the_others():
    model = BernoulliRBM(3, n_iter=5, random_state=0).fit(BARS)
    for row in BARS[:2]:
        changed = np.abs(row - np.eye(4))
        pairs = logsumexp(-energies(model, np.vstack([row, changed]), states(3)), axis=1)
        wanted = np.sum(pairs[0] - np.logaddexp(pairs[0], pairs[1:]))
        np.testing.assert_allclose(model.score_samples(row[None]), wanted, rtol=1e-9)
    estimate = -np.mean(
        BernoulliRBM(3, n_iter=200, random_state=0).fit(BARS).history_["loss"][-50:]
    )
    exact = BernoulliRBM(3, n_iter=200, random_state=0).fit(BARS).score_samples(BARS).mean()
    assert abs(estimate - exact) < 0.2 * abs(exact) + 0.1


def test_sparse_samples_give_the_same_and_parts_learn():
    dense, sparse = (
        BernoulliRBM(3, n_iter=4, random_state=0).fit(X).components_
        for X in (BARS, csr_array(BARS))
    )
    np.testing.assert_allclose(dense, sparse, rtol=1e-9)
    model = BernoulliRBM(2, learning_rate=0.2, random_state=0)
    before = model.partial_fit(BARS).score_samples(BARS).mean()
    for _ in range(300):
        model.partial_fit(BARS)
    assert model.score_samples(BARS).mean() > before
    assert set(np.unique(model.gibbs(BARS))) <= {False, True}
