"""Tables from data: counts, smoothing, missing entries, hidden variables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.naive_bayes import CategoricalNB

from shallows.data import sprinkler
from shallows.graphical import BayesianNetwork

COUNTS = [(7, 0), (2, 18), (1, 9), (2, 198)]


def counted():
    rows = [
        (a, b, c)
        for (a, b), pair in zip(itertools.product((0, 1), repeat=2), COUNTS, strict=True)
        for c, times in enumerate(pair)
        for _ in range(times)
    ]
    return np.array(rows)


def drawn(n, seed=0):
    source = sprinkler()
    model = BayesianNetwork(source.parents, source.tables, states=source.states)
    return pd.DataFrame(model.sample(n, random_state=seed), columns=list(source.parents)), source


def test_rows_of_the_printed_counts():
    model = BayesianNetwork([(0, 2), (1, 2)]).fit(counted())
    expected = [(1.0, 0.0), (0.1, 0.9), (0.1, 0.9), (0.01, 0.99)]
    assert np.allclose(model.tables_[2].reshape(4, 2), expected, atol=1e-15)
    smooth = BayesianNetwork([(0, 2), (1, 2)], alpha=0.5).fit(counted())
    counts = np.array(COUNTS)
    wanted = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 1)
    assert np.allclose(smooth.tables_[2].reshape(4, 2), wanted, atol=1e-15)
    assert model.n_iter_ == 1


def test_weights_count_rows():
    rows, times = np.unique(counted(), axis=0, return_counts=True)
    edges = [(0, 1), (1, 2)]
    weighted = BayesianNetwork(edges).fit(rows, sample_weight=times)
    whole = BayesianNetwork(edges).fit(counted())
    assert all(np.allclose(weighted.tables_[v], whole.tables_[v]) for v in range(3))


def test_frequencies_are_the_maximum_likelihood():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 3))
    model = BayesianNetwork([(0, 1), (1, 2)]).fit(X)
    best = model.score(X)
    for _ in range(20):
        other = BayesianNetwork([(0, 1), (1, 2)]).fit(X)
        for name, table in other.tables_.items():
            mixed = 0.95 * table + 0.05 * rng.dirichlet([1, 1], table.shape[:-1])
            other.tables_[name] = mixed
        assert other.score(X) < best


def test_naive_bayes_is_a_network():
    data, _ = drawn(300)
    X = np.column_stack([pd.factorize(data[name], sort=True)[0] for name in data])
    edges = [(4, column) for column in range(4)]
    model = BayesianNetwork(edges, alpha=1.0).fit(X)
    peer = CategoricalNB(alpha=1.0).fit(X[:, :4], X[:, 4])
    prior = (peer.class_count_ + 1) / (len(X) + 2)  # the peer does not smooth the classes
    peer = CategoricalNB(alpha=1.0, class_prior=prior).fit(X[:, :4], X[:, 4])
    assert np.allclose(model.predict_proba(X), peer.predict_proba(X[:, :4]))
    assert (model.predict(X) == peer.predict(X[:, :4])).all()


def test_frames_with_words():
    data, source = drawn(2000)
    model = BayesianNetwork(source.parents).fit(data)
    assert model.states_["season"] == ("autumn", "spring", "summer", "winter")
    assert model.predict(data.drop(columns="rain").head(), "rain").dtype.kind == "U"
    shown = model.predict_proba(data.head(4), "season")
    for row, found in zip(data.head(4).to_dict("records"), shown, strict=True):
        known = {name: value for name, value in row.items() if name != "season"}
        assert np.allclose(found, model.query("season", known).array, atol=1e-12)
    with pytest.raises(ValueError, match="Feature names"):
        model.predict(data[["rain", "wet"]], "season")


def test_unseen_and_missing_values_are_summed_out():
    data, source = drawn(500)
    model = BayesianNetwork(source.parents, alpha=1.0).fit(data)
    odd = data.head(3).copy()
    odd.loc[0, "rain"], odd.loc[1, "rain"] = "hail", None
    odd.loc[2, "rain"] = float("nan")
    for row, found in zip(
        odd.to_dict("records"), model.predict_proba(odd, "sprinkler"), strict=True
    ):
        known = {k: v for k, v in row.items() if k not in ("rain", "sprinkler")}
        assert np.allclose(found, model.query("sprinkler", known).array, atol=1e-12)
    logs = model.score_samples(odd)
    assert logs[0] == -np.inf
    known = {name: value for name, value in odd.loc[1].items() if name != "rain"}
    assert np.isclose(np.exp(logs[1]), model.probability(known))


def test_impossible_rows_are_named():
    X = np.array([[0, 0, 0], [1, 1, 1]])
    model = BayesianNetwork([(0, 1), (1, 2), (0, 2)]).fit(X)
    with pytest.raises(ValueError, match="row 1 of X has probability 0"):
        model.predict([[0, 0, 0], [0, 1, 0]])
    assert model.score_samples([[0, 1, 0]])[0] == -np.inf


def naive_em(X, edges, sizes, tables, steps):
    """Fill each row by all completions of its gaps (-1), and count."""
    parents = {v: [a for a, b in edges if b == v] for v in range(len(sizes))}
    likelihoods = []
    for _ in range(steps):
        counts = {v: np.zeros(np.shape(tables[v])) for v in parents}
        total = 0.0
        for row in X:
            options = [
                range(size) if value < 0 else [value]
                for value, size in zip(row, sizes, strict=True)
            ]
            cases = list(itertools.product(*options))
            chances = [
                np.prod([tables[v][tuple(case[p] for p in parents[v])][case[v]] for v in parents])
                for case in cases
            ]
            total += np.log(np.sum(chances))
            for case, chance in zip(cases, chances, strict=True):
                for v in parents:
                    counts[v][(*(case[p] for p in parents[v]), case[v])] += chance / np.sum(chances)
        likelihoods.append(total / len(X))
        tables = {v: counts[v] / counts[v].sum(axis=-1, keepdims=True) for v in parents}
    return tables, likelihoods


def test_em_equals_naive_completion():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (30, 3))
    X[:, 2] = X[:, 0] | X[:, 1]
    gaps = X.astype(float)
    gaps[rng.random(X.shape) < 0.2] = np.nan
    edges = [(0, 2), (1, 2), (3, 0)]
    sizes = [2, 2, 2, 2]
    start = {
        0: rng.dirichlet([1, 1], 2),
        1: rng.dirichlet([1, 1]),
        2: rng.dirichlet([1, 1], (2, 2)),
        3: rng.dirichlet([1, 1]),
    }
    model = BayesianNetwork(edges, start, max_iter=6, tol=None, hidden={3: 2}).fit(gaps)
    full = np.column_stack([np.where(np.isnan(gaps), -1, gaps).astype(int), -np.ones(30, int)])
    tables, likelihoods = naive_em(full, edges, sizes, start, 6)
    assert np.allclose(model.history_["loss"], -np.array(likelihoods), atol=1e-12)
    for variable, table in tables.items():
        assert np.allclose(model.tables_[variable], table, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.7]))
def test_penalised_likelihood_never_falls(seed, alpha):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    edges = [("h", 0), ("h", 1), ("h", 2), (2, 3)]
    model = BayesianNetwork(
        edges, hidden={"h": 2}, alpha=alpha, max_iter=25, tol=None, random_state=seed
    ).fit(X)
    assert model.n_iter_ == 25
    assert np.diff(model.history_["loss"]).max() <= 1e-12


def test_a_hidden_cause_is_found():
    rng = np.random.default_rng(0)
    cause = rng.random(3000) < 0.4
    X = np.where(rng.random((3000, 5)) < 0.15, ~cause[:, None], cause[:, None]).astype(int)
    edges = [("cause", column) for column in range(5)]
    model = BayesianNetwork(
        edges, hidden={"cause": ("no", "yes")}, n_init=3, random_state=0, tol=1e-7, max_iter=500
    ).fit(X)
    found = model.predict(X, "cause") == "yes"
    assert max(np.mean(found == cause), np.mean(found != cause)) > 0.95
    assert np.allclose(np.sort(model.tables_["cause"]), [0.4, 0.6], atol=0.04)


def test_more_starts_are_never_worse():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (200, 4))
    edges = [("h", column) for column in range(4)]
    losses = [
        BayesianNetwork(edges, hidden={"h": 3}, n_init=n, random_state=0, max_iter=30, tol=None)
        .fit(X)
        .history_["loss"][-1]
        for n in (1, 4)
    ]
    assert losses[1] <= losses[0]


def test_bad_data():
    X = np.array([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="'why' has no values"):
        BayesianNetwork([("why", 0)]).fit(X)
    with pytest.raises(ValueError, match="column 0 has 1"):
        BayesianNetwork(states={0: (0, 5)}).fit(X)
    with pytest.raises(ValueError, match="shape"):
        BayesianNetwork([("h", 0)], {"h": [0.5, 0.3, 0.2]}, hidden={"h": 2}).fit(X)
    with pytest.raises(ValueError, match="make the data impossible"):
        BayesianNetwork([("h", 0)], {0: [[1.0, 0.0]] * 2}, hidden={"h": 2}).fit(X)
    with pytest.raises(ValueError, match="alpha must be"):
        BayesianNetwork(alpha=-1.0).fit(X)
    with pytest.raises(NotFittedError):
        BayesianNetwork(None, {0: [0.5, 0.5]}).predict(X)
    rng = np.random.default_rng(0)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        BayesianNetwork([("h", 0), ("h", 1)], hidden={"h": 2}, max_iter=2, tol=0.0).fit(
            rng.integers(0, 2, (50, 2))
        )
