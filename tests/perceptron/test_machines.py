"""Committee and parity machines, growth, grandmother units, association layer, Boolean units."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.svm import SVC

from shallows.perceptron import (
    AssociationPerceptron,
    CommitteeMachine,
    ParityMachine,
    Perceptron,
    ThresholdUnit,
    TilingParityMachine,
    boolean_network,
    conjunction_unit,
    gate,
    grandmother_unit,
    machine_output,
)
from shallows.perceptron._threshold_machine import least_action_epoch
from shallows.perceptron._tiling import pocket_epoch

XOR_X, XOR_Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def random_problem(P, N, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((P, N)), rng.integers(0, 2, P)


def test_output_is_the_forward_pass_of_a_two_layer_net():
    rng = np.random.default_rng(0)
    X, W, theta = rng.standard_normal((50, 4)), rng.standard_normal((5, 4)), rng.standard_normal(5)
    hidden = np.sign(W @ X.T - theta[:, None])
    np.testing.assert_array_equal(machine_output(X, W, theta), np.sign(np.ones(5) @ hidden))
    np.testing.assert_array_equal(machine_output(X, W, theta, "parity"), hidden.prod(axis=0))
    both = machine_output(X, W, theta, lambda states: states[:, 0] * states[:, 1])
    np.testing.assert_array_equal(both, hidden[0] * hidden[1])
    np.testing.assert_array_equal(machine_output(X, W[:1], theta[:1]), hidden[0])


def test_flipping_any_unit_flips_the_parity():
    rng = np.random.default_rng(1)
    X, W, theta = rng.standard_normal((30, 3)), rng.standard_normal((4, 3)), rng.standard_normal(4)
    before = machine_output(X, W, theta, "parity")
    for k in range(4):
        flip = np.where(np.arange(4) == k, -1, 1)
        after = machine_output(X, W * flip[:, None], theta * flip, "parity")
        np.testing.assert_array_equal(after, -before)


def test_even_committees_are_refused():
    with pytest.raises(ValueError, match="odd number of units"):
        machine_output(XOR_X, np.ones((2, 2)), [0, 0])
    with pytest.raises(ValueError, match="CommitteeMachine: a majority needs an odd"):
        CommitteeMachine(4).fit(XOR_X, XOR_Y)


@pytest.mark.parametrize("model", [CommitteeMachine(3), ParityMachine(2), ParityMachine(4)])
def test_machines_learn_xor(model):
    model.set_params(tol=None, random_state=0).fit(XOR_X, XOR_Y)
    np.testing.assert_array_equal(model.predict(XOR_X), XOR_Y)
    assert model.history_["loss"][-1] == 0


@pytest.mark.parametrize(
    ("machine", "output"), [(CommitteeMachine, "majority"), (ParityMachine, "parity")]
)
def test_predictions_are_the_machine_output(machine, output):
    X, y = random_problem(60, 5)
    model = machine(3, max_iter=20, tol=None, random_state=0).fit(X, y)
    units = model.weights_[0]
    signs = machine_output(X, units[:, :-1], -units[:, -1], output)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(signs > 0).astype(int)])
    share = np.mean(model.predict(X) != y)
    assert model.history_["loss"][-1] == pytest.approx(share)
    assert (np.diff(model.history_["loss"]) <= 0).all()


def test_parity_decision_is_the_distance_to_the_nearest_border():
    X, y = random_problem(40, 2)
    model = ParityMachine(3, max_iter=5, tol=None, random_state=0).fit(X, y)
    units = model.weights_[0]
    lengths = np.abs(X @ units[:, :-1].T + units[:, -1]) / np.linalg.norm(units[:, :-1], axis=1)
    np.testing.assert_allclose(np.abs(model.decision_function(X)), lengths.min(axis=1))


def test_more_units_store_more():
    X, y = random_problem(60, 10, seed=2)
    errors = [
        CommitteeMachine(k, max_iter=300, tol=None, random_state=0).fit(X, y).history_["loss"][-1]
        for k in (1, 3, 9)
    ]
    assert errors[0] > errors[1] > errors[2] - 1e-12
    assert errors[2] == 0


def naive_least_action(X, target, order, weights, eta, parity):
    for i in order:
        fields = weights @ X[i]
        states = np.where(fields > 0, 1, -1)
        if parity:
            chosen = [] if states.prod() == target[i] else [np.argmin(np.abs(fields))]
        else:
            wrong = np.flatnonzero(states != target[i])
            missing = max(0, (len(fields) + 1) // 2 - np.sum(states == target[i]))
            chosen = wrong[np.argsort(np.abs(fields[wrong]), kind="stable")][:missing]
        for k in chosen:
            weights[k] += -states[k] * eta * X[i]
    return weights


@pytest.mark.kernel
@pytest.mark.parametrize("parity", [True, False])
@pytest.mark.parametrize("units", [1, 3, 5])
def test_least_action_is_the_naive_one(parity, units):
    rng = np.random.default_rng(units)
    X, target = rng.standard_normal((25, 4)), rng.choice([-1.0, 1.0], 25)
    weights, order = rng.standard_normal((units, 4)), rng.permutation(25)
    expected = naive_least_action(X, target, order, weights.copy(), 0.3, parity)
    least_action_epoch(X, target, order, weights, 0.3, parity)
    np.testing.assert_allclose(weights, expected)


def test_one_unit_is_a_perceptron():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = X @ [1, -2, 0.5] > 0.1
    for machine in (CommitteeMachine(1), ParityMachine(1)):
        assert machine.set_params(tol=None, random_state=0).fit(X, y).score(X, y) == 1
    assert Perceptron(tol=None, random_state=0).fit(X, y).score(X, y) == 1


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), P=st.integers(2, 60), N=st.integers(2, 8))
def test_growth_learns_every_labeling_with_at_most_as_many_units_as_examples(seed, P, N):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((P, N))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.append(rng.integers(0, 2, P - 2), [0, 1])
    model = TilingParityMachine(epochs_per_unit=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    errors = model.n_errors_[0]
    assert errors[-1] == 0
    assert (np.diff(errors) < 0).all()
    assert len(model.machines_[0]) == len(errors) <= P


def test_growth_by_grandmothers_alone(monkeypatch):
    """A pocket that never helps leaves the fallback to do all the work."""
    monkeypatch.setattr(
        "shallows.perceptron._tiling.pocket_epoch", lambda X, labels, order, w, best, fewest: fewest
    )
    X, y = random_problem(30, 4)
    model = TilingParityMachine(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    minority = min(y.sum(), 30 - y.sum())
    assert len(model.machines_[0]) == 1 + minority
    np.testing.assert_array_equal(model.n_errors_[0], np.arange(minority, -1, -1))


def test_growth_with_unequal_lengths_duplicates_and_a_limit():
    X, y = random_problem(50, 3, seed=5)
    X = np.vstack([X, X[:5]]) * 7 + 100
    y = np.append(y, y[:5])
    assert TilingParityMachine(random_state=0).fit(X, y).score(X, y) == 1
    small = TilingParityMachine(2, random_state=0).fit(X, y)
    assert len(small.machines_[0]) == 2
    assert small.n_errors_[0][-1] == np.sum(small.predict(X) != y)
    y[52] = 1 - y[52]
    with pytest.raises(ValueError, match="examples 2 and 52 are equal and have different class"):
        TilingParityMachine().fit(X, y)


@pytest.mark.parametrize("unit", ["pocket", "adatron"])
@pytest.mark.parametrize("far", [1e3, 1e4])
def test_an_outlier_does_not_make_distinct_examples_equal(unit, far):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    X[0] *= far
    model = TilingParityMachine(unit=unit, epochs_per_unit=20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)


def test_examples_that_double_precision_can_not_tell_apart_are_named():
    X = np.array([[0.0, 0.0], [1e-9, 0.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    with pytest.raises(ValueError, match=r"^TilingParityMachine: .* 1 are too close|0 are too"):
        TilingParityMachine(random_state=0, epochs_per_unit=1).fit(X, [0, 1, 0, 0, 0, 0])


def test_a_grandmother_knows_all_equal_examples(monkeypatch):
    monkeypatch.setattr(
        "shallows.perceptron._tiling.pocket_epoch", lambda X, labels, order, w, best, fewest: fewest
    )
    X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0, 1], [2, 2]])
    y = np.array([0, 0, 1, 0, 1, 0])
    model = TilingParityMachine(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.n_errors_ == [[2, 0]]


@pytest.mark.parametrize("unit", ["pocket", "adatron"])
def test_growth_is_recorded_unit_by_unit(unit):
    X, y = random_problem(40, 3, seed=4)
    y[:10] = 2
    seen = []

    class Watch:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context, **data): ...
        def on_fit_task_end(self, estimator, context, **data):
            if context.task_name == "epoch":
                seen.append([len(machine) for machine in estimator.machines_])

    model = TilingParityMachine(unit=unit, epochs_per_unit=20, random_state=0)
    model.set_callbacks(Watch()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.n_iter_ == max(map(len, model.machines_)) == len(seen)
    assert seen[-1] == [len(machine) for machine in model.machines_]
    assert seen[0] == [1, 1, 1]
    for machine, errors in zip(model.machines_, model.n_errors_, strict=True):
        assert len(machine) == len(errors)
        assert (np.diff(errors) < 0).all()
    filled = [errors + [0] * (model.n_iter_ - len(errors)) for errors in model.n_errors_]
    np.testing.assert_allclose(model.history_["loss"], np.mean(filled, axis=0) / 40)


def test_a_unit_of_wide_margin_is_that_of_a_soft_support_vector_machine():
    X, y = random_problem(40, 3, seed=6)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = TilingParityMachine(1, unit="adatron", epochs_per_unit=1000, random_state=0).fit(X, y)
    price = 10 / np.mean(((X - X.mean(axis=0)) ** 2).sum(axis=1))
    peer = SVC(kernel="linear", C=price, tol=1e-6).fit(X, y)
    unit = model.machines_[0][0]
    np.testing.assert_allclose(unit[:-1], peer.coef_[0], rtol=0.1, atol=0.1)


def test_examples_on_a_border_keep_their_side():
    square = 2 * XOR_X - 1  # units found here pass through examples
    for seed in range(10):
        model = TilingParityMachine(random_state=seed).fit(square, XOR_Y)
        np.testing.assert_array_equal(model.predict(square), XOR_Y)


def test_growth_cannot_predict_random_labels():
    rng = np.random.default_rng(0)
    X, y = random_problem(60, 10)
    model = TilingParityMachine(random_state=0).fit(X, y)
    new, labels = rng.standard_normal((2000, 10)), rng.integers(0, 2, 2000)
    assert binomtest(int(np.sum(model.predict(new) != labels)), 2000).pvalue > 1e-4


@pytest.mark.kernel
def test_pocket_never_gets_worse_and_counts_right():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((30, 3)), np.ones(30)])
    labels = rng.choice([-1.0, 1.0], 30)
    w, best, fewest = np.zeros(4), np.zeros(4), 31
    for _ in range(20):
        count = pocket_epoch(X, labels, rng.permutation(30), w, best, fewest)
        assert count <= fewest
        fewest = count
        assert fewest == np.sum(np.where(X @ best > 0, 1, -1) != labels)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), P=st.integers(2, 30), N=st.integers(2, 6))
def test_grandmother_knows_one_example(seed, P, N):
    X = np.random.default_rng(seed).standard_normal((P, N))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    w, theta = grandmother_unit(X, seed % P)
    expected = np.ones(P)
    expected[seed % P] = -1
    np.testing.assert_array_equal(np.sign(X @ w - theta), expected)


def test_grandmother_refuses():
    with pytest.raises(ValueError, match="equal lengths"):
        grandmother_unit([[1, 0], [0, 2]], 0)
    with pytest.raises(ValueError, match="examples 0 and 2 are equal"):
        grandmother_unit([[1, 0], [0, 1], [1, 0]], 0)
    with pytest.raises(ValueError, match="must name one"):
        grandmother_unit([[1, 0]], 3)
    close = np.array([[np.cos(a), np.sin(a)] for a in (0.0, 1e-8, 1.0)])
    with pytest.raises(ValueError, match="examples 0 and 1 are too close"):
        grandmother_unit(close, 0)


def test_association_layer_makes_random_labels_separable():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (100, 20)), rng.integers(0, 2, 100)
    plain = Perceptron(max_iter=200, tol=None, random_state=0).fit(X, y)
    assert plain.score(X, y) < 1
    model = AssociationPerceptron(200, fan_in=10, random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    assert (np.count_nonzero(model.wiring_, axis=0) == 10).all()
    assert model.history_["updates"][-1] == 0


@pytest.mark.parametrize("coding", ["0/1", "-1/+1"])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("and", lambda a, b: a and b),
        ("or", lambda a, b: a or b),
        ("nand", lambda a, b: not (a and b)),
        ("nor", lambda a, b: not (a or b)),
    ],
)
def test_gates(name, function, coding):
    truth = [function(a, b) for a, b in product((False, True), repeat=2)]
    X = XOR_X if coding == "0/1" else 2 * XOR_X - 1
    np.testing.assert_array_equal(gate(name, coding).fires(X), truth)


def test_gate_in_print_and_refused():
    assert gate("and", "-1/+1").bias == -0.8
    assert gate("or", "-1/+1").bias == 0.3
    assert gate("or", "0/1").bias == -0.3
    wrong = ThresholdUnit([0.5, 0.5], -0.3).fires(2 * XOR_X - 1)
    assert wrong.tolist() != [False, True, True, True]
    with pytest.raises(ValueError, match="xor is not linearly separable"):
        gate("xor")
    with pytest.raises(ValueError, match="name must be one of"):
        gate("maybe")


@given(literals=st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=6))
def test_conjunctions(literals):
    rows = np.array(list(product((0, 1), repeat=len(literals))))
    wanted = np.array(literals)
    holds = [(row[wanted == 1] == 1).all() and (row[wanted == -1] == 0).all() for row in rows]
    np.testing.assert_array_equal(conjunction_unit(literals).fires(rows), holds)


def test_conjunction_thresholds_in_print():
    assert conjunction_unit([1, 1]).bias == -1.5
    assert conjunction_unit([1, 1, 0, 1]).bias == -2.5
    with pytest.raises(ValueError, match="-1, 0 or 1"):
        conjunction_unit([2])


def test_networks_compute_every_function_of_two_inputs():
    for table in product((0, 1), repeat=4):
        assert tuple(boolean_network(table).predict(XOR_X)) == table


@given(table=st.lists(st.integers(0, 1), min_size=16, max_size=16))
def test_networks_compute_functions_of_four_inputs(table):
    rows = list(product((0, 1), repeat=4))
    network = boolean_network(table)
    assert network.predict(rows).tolist() == table
    assert len(network.hidden_weights) == sum(table)


def test_broken_truth_tables_are_refused():
    with pytest.raises(ValueError, match=r"must hold 2\*\*n values"):
        boolean_network([0, 1, 1])
