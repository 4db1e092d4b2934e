"""Hidden Markov models against sums over all paths of states."""

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.exceptions import ConvergenceWarning

from shallows.graphical import BayesianNetwork, HiddenMarkovModel, JoinTree
from shallows.graphical._chain_steps import forward_backward, viterbi

pytestmark = pytest.mark.kernel


def random_chain(rng, n_states):
    return rng.dirichlet(np.ones(n_states)), rng.dirichlet(np.ones(n_states), n_states)


def all_paths(logs, initial, moves):
    """Return every path with its probability."""
    paths = list(itertools.product(range(len(initial)), repeat=len(logs)))
    chances = []
    for path in paths:
        chance = initial[path[0]] * np.exp(logs[0, path[0]])
        for t in range(1, len(path)):
            chance *= moves[path[t - 1], path[t]] * np.exp(logs[t, path[t]])
        chances.append(chance)
    return np.array(paths), np.array(chances)


@pytest.mark.parametrize("n_states", [1, 2, 3])
@pytest.mark.parametrize("lengths", [(1,), (5,), (3, 1, 4)])
def test_recursions_equal_sums_over_paths(n_states, lengths):
    rng = np.random.default_rng(n_states)
    initial, moves = random_chain(rng, n_states)
    logs = rng.normal(scale=3, size=(sum(lengths), n_states))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    posterior, path = np.empty(logs.shape), np.empty(len(logs), dtype=np.intp)
    first, moved = np.empty(n_states), np.empty((n_states, n_states))
    totals = np.empty(len(lengths))
    forward_backward(logs.copy(), starts, initial, moves, posterior, first, moved, totals)
    best = viterbi(logs, starts, np.log(initial), np.log(moves), path)
    want_first, want_moved, want_best = np.zeros(n_states), np.zeros((n_states, n_states)), 0.0
    for s, (begin, end) in enumerate(itertools.pairwise(starts)):
        paths, chances = all_paths(logs[begin:end], initial, moves)
        assert np.isclose(totals[s], np.log(chances.sum()))
        share = chances / chances.sum()
        for t in range(end - begin):
            here = np.bincount(paths[:, t], share, n_states)
            assert np.allclose(posterior[begin + t], here)
            if t == 0:
                want_first += here
            else:
                np.add.at(want_moved, (paths[:, t - 1], paths[:, t]), share)
        assert (path[begin:end] == paths[chances.argmax()]).all()
        want_best += np.log(chances.max())
    assert np.allclose(first, want_first)
    assert np.allclose(moved, want_moved)
    assert np.isclose(best, want_best)


def test_long_sequences_do_not_underflow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 1)) * 1e3
    model = HiddenMarkovModel(2, random_state=0, max_iter=3, tol=None).fit(X)
    assert np.isfinite(model.score(X))
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)


def sticky(n=600, seed=0, n_features=2):
    rng = np.random.default_rng(seed)
    states = np.repeat(rng.permutation(np.arange(n // 20) % 3), 20)
    means = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])[:, :n_features]
    return means[states] + rng.normal(size=(len(states), n_features)), states


@pytest.mark.parametrize("covariance_type", ["diag", "full"])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_likelihood_never_falls(covariance_type, gaps, alpha):
    X, _ = sticky()
    rng = np.random.default_rng(1)
    X[rng.random(X.shape) < gaps] = np.nan
    model = HiddenMarkovModel(
        3, covariance_type=covariance_type, alpha=alpha, max_iter=30, tol=None, random_state=0
    ).fit([X[:250], X[250:251], X[251:]])
    assert np.diff(model.history_["loss"]).max() <= 1e-12
    assert np.allclose(model.transmat_.sum(axis=1), 1)


@pytest.mark.parametrize("covariance_type", ["diag", "full"])
def test_emissions_are_gaussian_also_with_gaps(covariance_type):
    X, _ = sticky(60)
    model = HiddenMarkovModel(
        2, covariance_type=covariance_type, max_iter=4, tol=None, random_state=0
    ).fit(X)
    X[3, 0] = X[5, 1] = np.nan
    X[7] = np.nan
    found = model._chain()[2].logs(X)
    for state in range(2):
        mean, covariance = model.means_[state], model.covariances_[state]
        covariance = np.diag(covariance) if covariance_type == "diag" else covariance
        for t in (0, 1, 2):
            assert np.isclose(found[t, state], multivariate_normal(mean, covariance).logpdf(X[t]))
        for t, seen in ((3, 1), (5, 0)):
            scale = np.sqrt(covariance[seen, seen])
            assert np.isclose(found[t, state], norm(mean[seen], scale).logpdf(X[t, seen]))
        assert found[7, state] == 0


def test_one_step_equals_naive_baum_welch():
    X, _ = sticky(60, n_features=1)
    X[10] = np.nan
    model = HiddenMarkovModel(2, max_iter=1, tol=None, random_state=0)
    model.fit(X)
    before = HiddenMarkovModel(2, max_iter=2, tol=None, random_state=0).fit(X)
    # from the parameters after one step, count by hand
    share = model.predict_proba(X)
    value = np.where(np.isnan(X), model.means_.T, X)
    square = np.where(np.isnan(X), model.means_.T**2 + model.covariances_.T, X**2)
    means = (share * value).sum(axis=0) / share.sum(axis=0)
    variances = (share * square).sum(axis=0) / share.sum(axis=0) - means**2
    assert np.allclose(before.means_[:, 0], means)
    assert np.allclose(before.covariances_[:, 0], variances)
    assert np.allclose(before.startprob_, share[0])


def test_states_are_found_again():
    X, states = sticky(3000)
    model = HiddenMarkovModel(3, random_state=0).fit(X)
    order = np.array([np.bincount(states[model.predict(X) == k]).argmax() for k in range(3)])
    assert np.mean(order[model.predict(X)] == states) > 0.99
    assert model.transmat_.diagonal().min() > 0.9
    means = model.means_[np.argsort(order)]
    assert np.allclose(means, [[0, 0], [5, 0], [0, 5]], atol=0.15)


def test_known_states_name_the_others():
    X, states = sticky(900)
    told = np.where(np.arange(900) % 45 == 0, states, -1)
    model = HiddenMarkovModel(3, random_state=0).fit(X, states=told)
    assert np.mean(model.predict(X) == states) > 0.99
    whole = HiddenMarkovModel(3, max_iter=2, tol=None).fit(X, states=states)
    for state in range(3):
        assert np.allclose(whole.means_[state], X[states == state].mean(axis=0))
    moves = np.zeros((3, 3))
    np.add.at(moves, (states[:-1], states[1:]), 1)
    assert np.allclose(whole.transmat_, moves / moves.sum(axis=1, keepdims=True))
    parts = HiddenMarkovModel(3, max_iter=2, tol=None).fit(
        [X[:400], X[400:]], states=[states[:400], states[400:]]
    )
    assert np.allclose(parts.means_, whole.means_)


def test_symbols_against_a_bayesian_network():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 1))
    model = HiddenMarkovModel(2, emission="categorical", random_state=0, max_iter=20, tol=None)
    model.fit(X)
    assert np.diff(model.history_["loss"]).max() <= 1e-12
    parents, tables, evidence = {}, {}, {}
    for t in range(6):
        parents[f"z{t}"] = (f"z{t - 1}",) if t else ()
        tables[f"z{t}"] = model.transmat_ if t else model.startprob_
        parents[f"x{t}"], tables[f"x{t}"] = (f"z{t}",), model.emissionprob_
        evidence[f"x{t}"] = int(X[t, 0])
    network = BayesianNetwork(parents, tables)
    tree = JoinTree(network).condition(evidence)
    assert np.isclose(tree.log_evidence, model.log_likelihood(X[:6])[0])
    smoothed = [tree.marginals()[f"z{t}"] for t in range(6)]
    assert np.allclose(model.predict_proba(X[:6]), smoothed)
    best = network.most_probable(evidence)
    assert model.predict(X[:6]).tolist() == [best[f"z{t}"] for t in range(6)]


def test_missing_symbols_are_summed_out():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (80, 1)).astype(float)
    model = HiddenMarkovModel(2, emission="categorical", random_state=0, max_iter=5, tol=None)
    model.fit(X)
    gap = X[:5].copy()
    gap[2] = np.nan
    both = [np.where(np.isnan(gap), symbol, gap) for symbol in (0.0, 1.0)]
    assert np.isclose(
        np.exp(model.log_likelihood(gap)[0]), np.exp(model.log_likelihood(both)).sum()
    )
    X[::7] = np.nan
    again = HiddenMarkovModel(2, emission="categorical", random_state=0, max_iter=20, tol=None)
    assert np.diff(again.fit(X).history_["loss"]).max() <= 1e-12


def test_samples_follow_the_model():
    X, _ = sticky()
    model = HiddenMarkovModel(3, covariance_type="full", random_state=0).fit(X)
    drawn, states = model.sample(5000, random_state=0)
    moves = np.zeros((3, 3))
    np.add.at(moves, (states[:-1], states[1:]), 1)
    assert np.allclose(moves / moves.sum(axis=1, keepdims=True), model.transmat_, atol=0.05)
    for state in range(3):
        assert np.allclose(drawn[states == state].mean(axis=0), model.means_[state], atol=0.2)
    symbols = HiddenMarkovModel(2, emission="categorical", random_state=0, max_iter=5, tol=None)
    shown, hidden = symbols.fit([[0], [1], [2], [0], [1]] * 10).sample(4000, random_state=1)
    for state in set(hidden.tolist()):
        share = np.bincount(shown[hidden == state, 0].astype(int), minlength=3)
        assert np.allclose(share / share.sum(), symbols.emissionprob_[state], atol=0.1)


def test_left_to_right_models_stay_so():
    X = np.concatenate([np.full((30, 1), level) for level in (0.0, 4.0, 8.0)])
    X = X + np.random.default_rng(0).normal(size=X.shape)
    moves = [[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]]
    model = HiddenMarkovModel(3, startprob_init=[1, 0, 0], transmat_init=moves, random_state=0)
    known = np.full(90, -1)
    known[[0, 45, 89]] = [0, 1, 2]
    model.fit(X, states=known)
    assert (model.transmat_[np.array(moves) == 0] == 0).all()
    assert (np.diff(model.predict(X)) >= 0).all()
    with pytest.raises(ValueError, match="sequence 0 is impossible"):
        HiddenMarkovModel(3, startprob_init=[1, 0, 0], transmat_init=moves, random_state=0).fit(
            X, states=known[::-1]
        )


def test_more_starts_are_never_worse():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (120, 1))
    options = {"emission": "categorical", "max_iter": 40, "tol": None, "random_state": 0}
    one, many = (HiddenMarkovModel(3, n_init=n, **options).fit(X) for n in (1, 4))
    assert many.history_["loss"][-1] <= one.history_["loss"][-1]
    assert many.score(X) >= one.score(X) - 1e-9


def test_lists_in_lists_out():
    X, _ = sticky(60)
    model = HiddenMarkovModel(2, random_state=0, max_iter=3, tol=None).fit([X[:20], X[20:]])
    parts = model.predict_proba([X[:20], X[20:]])
    assert [part.shape for part in parts] == [(20, 2), (40, 2)]
    assert np.allclose(parts[1], model.predict_proba(X[20:]))
    assert [len(part) for part in model.predict([X[:20], X[20:]])] == [20, 40]
    assert model.log_likelihood([X[:20], X[20:]]).shape == (2,)


@pytest.mark.parametrize(
    ("options", "X", "states", "message"),
    [
        ({"emission": "categorical"}, [[0.5], [1.0]], None, "whole numbers from 0"),
        ({"emission": "categorical"}, [[0, 1], [1, 1]], None, r"2 feature\(s\)"),
        ({"startprob_init": [0.5, 0.6]}, [[0.0], [1.0]], None, "startprob_init must be"),
        ({"transmat_init": [0.5, 0.5]}, [[0.0], [1.0]], None, "transmat_init must be"),
        ({}, [[0.0], [1.0]], [0], "lengths"),
        ({}, [[0.0], [1.0]], [0, 2], "from 0 to 1"),
        ({}, [[0.0], [1.0]], [0.0, 1.0], "whole numbers"),
        ({"n_components": 5}, [[0.0], [1.0]], None, "need as many steps"),
        ({}, [[np.nan], [np.nan], [np.nan]], None, "no value that is not missing"),
        ({"n_init": 0}, [[0.0], [1.0]], None, "n_init must be"),
    ],
)
def test_bad_input(options, X, states, message):
    with pytest.raises(ValueError, match=message):
        HiddenMarkovModel(**{"max_iter": 2, "tol": None, **options}).fit(np.array(X), states=states)


def test_new_symbols_and_impossible_sequences_are_named():
    model = HiddenMarkovModel(1, emission="categorical", max_iter=2, tol=None)
    model.fit([[0], [2], [0]])
    with pytest.raises(ValueError, match="whole numbers from 0 below 3"):
        model.predict([[3]])
    assert model.log_likelihood([[1]])[0] == -np.inf
    with pytest.raises(ValueError, match="sequence 0 is impossible"):
        model.predict_proba([[1], [0]])
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        HiddenMarkovModel(2, max_iter=2, tol=0.0, random_state=0).fit(sticky(60)[0])
