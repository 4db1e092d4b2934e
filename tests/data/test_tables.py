"""Printed tables, networks and the simulated family tree."""

from collections import Counter
from itertools import product
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import expm

from shallows import data
from shallows.data import _digits
from shallows.data._phylogeny import mutation_rates

MFEAT = Path(__file__).parents[3] / "shared" / "data" / "mfeat-pix.txt.gz"


def test_hubble_slope_and_line():
    d, v, names = data.hubble()
    assert len(d) == len(v) == len(set(names)) == 24
    assert v @ d / (d @ d) == pytest.approx(423.9, abs=0.05)
    assert np.polyfit(d, v, 1) == pytest.approx([454.16, -40.78], abs=0.01)


def test_old_faithful_has_the_published_moments():
    duration, waiting = data.old_faithful()
    assert len(duration) == 272
    assert duration.mean() == pytest.approx(3.487783, abs=1e-6)
    assert duration.std(ddof=1) == pytest.approx(1.141371, abs=1e-6)
    assert waiting.mean() == pytest.approx(70.89706, abs=1e-5)
    assert waiting.std(ddof=1) == pytest.approx(13.59497, abs=1e-5)
    assert np.corrcoef(duration, waiting)[0, 1] == pytest.approx(0.9008112, abs=1e-7)


def test_globin_column_counts():
    columns = ["".join(sorted(Counter(column).elements())) for column in data.globin().T]
    assert columns == ["AAAGKTW", "HHHHHHL", "AAAGGGG", "AEGKKNV"]


def entropy(labels):
    return stats.entropy(list(Counter(labels).values()), base=2)


def test_fruit_rows_have_the_computed_entropy_and_gain():
    X, y, names = data.fruit_table()
    assert names[0] == "Color" and (X == "?").sum() == 3
    X, y = X[:4], y[:4]
    assert entropy(y) == pytest.approx(1.5)
    left = sum((X[:, 0] == c).mean() * entropy(y[X[:, 0] == c]) for c in ("green", "red"))
    assert entropy(y) - left == pytest.approx(1.0)
    assert (X[2] == X[3]).all() and y[2] != y[3]


def test_fruit_simulator_keeps_shares():
    X, y, _ = data.fruit_table(3000, missing=0.1, odd=0.0, random_state=0)
    assert stats.binomtest(int((X == "?").sum()), X.size, 0.1).pvalue > 1e-4
    assert set(X[y == "Banana"][:, 4]) <= {"thin", "?"}
    assert (data.fruit_table(50, missing=0.0, random_state=0).X != "?").all()


def test_truth_tables():
    X, y = data.truth_table("and", 3)
    assert np.array_equal(X[6], [1, 1, 0]) and y.tolist() == [0] * 7 + [1]
    for name, expected in {
        "or": [0, 1, 1, 1],
        "nand": [1, 1, 1, 0],
        "nor": [1, 0, 0, 0],
        "xor": [0, 1, 1, 0],
    }.items():
        assert data.truth_table(name).y.tolist() == expected
        signed = data.truth_table(name, coding="pm1")
        assert np.array_equal(signed.y, 2 * np.array(expected) - 1)
        assert set(signed.X.ravel()) == {-1, 1}
    assert data.truth_table("majority", 3).y.tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    with pytest.raises(ValueError, match="at most 20"):
        data.truth_table("and", 21)


def test_seven_rows_leave_one_conjunction_of_512_functions():
    X, y = data.truth_table("seven")
    assert 2 ** (16 - len(np.unique(X, axis=0))) == 512
    consistent = [
        literals
        for literals in product((None, 0, 1), repeat=4)
        if all(
            label == all(lit is None or x == lit for x, lit in zip(row, literals, strict=True))
            for row, label in zip(X, y, strict=True)
        )
    ]
    assert consistent == [(None, 0, None, 1)]


def test_integer_toy_agrees_with_three_rules():
    x, y = data.integer_toy()
    is_b = y == "B"
    prime = np.array([all(n % k for k in range(2, n)) for n in x])
    assert np.array_equal(is_b, x % 2 == 1)
    assert np.array_equal(is_b, x >= 11)
    assert np.array_equal(is_b, prime)


def marginal(network, name):
    """Sum the joint table over all other variables."""
    order = list(network.parents)
    total = np.zeros(len(network.states[name]))
    for values in product(*(range(len(network.states[v])) for v in order)):
        at = dict(zip(order, values, strict=True))
        chance = 1.0
        for v in order:
            chance *= network.tables[v][tuple(at[p] for p in network.parents[v]) + (at[v],)]
        total[at[name]] += chance
    return total


def test_networks_are_distributions_with_known_marginals():
    for network in (data.sprinkler(), data.huang_darwiche()):
        for name, table in network.tables.items():
            assert np.allclose(table.sum(axis=-1), 1)
            sizes = [len(network.states[v]) for v in (*network.parents[name], name)]
            assert table.shape == tuple(sizes)
    free = sum(t.size // t.shape[-1] * (t.shape[-1] - 1) for t in data.sprinkler().tables.values())
    assert free == 17
    wet = data.sprinkler().tables["wet"]
    assert np.allclose(wet[1, 1], [0.01, 0.99]) and np.allclose(wet[0, 0], [1, 0])
    network = data.huang_darwiche()
    known = {"A": 0.5, "B": 0.45, "C": 0.45, "D": 0.68, "E": 0.465, "F": 0.176306, "H": 0.8231}
    for name, value in known.items():
        assert marginal(network, name)[1] == pytest.approx(value, abs=1e-12)


def test_shop_table_is_a_distribution():
    table = data.shop_table().table
    assert table.sum() == pytest.approx(1)
    assert np.allclose(table.sum(axis=1), [0.545, 0.345, 0.11])
    assert np.allclose(table[:, 1] / table[:, 1].sum(), [0.6, 0.3, 0.1])


def test_clock_tree_is_a_binary_tree_of_the_asked_height():
    parents, heights = data.random_clock_tree(20, height=3.0, random_state=0).to_parents()
    assert (heights[:20] == 0).all() and heights[-1] == pytest.approx(3.0)
    assert parents[-1] == -1 and Counter(parents[:-1].tolist()) == dict.fromkeys(range(20, 39), 2)
    assert (heights[parents[:-1]] > heights[:-1]).all()


def test_mutation_matrix_is_a_markov_semigroup_that_keeps_frequencies():
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    rates = mutation_rates(1.5, 3.0, shares)
    first, second = expm(rates * 0.2), expm(rates * 0.5)
    assert np.allclose(first.sum(axis=1), 1) and np.allclose(shares @ first, shares)
    assert np.allclose(first @ second, expm(rates * 0.7))
    assert rates[0, 2] == pytest.approx(1.5 * 3.0 * 0.3)
    assert rates[0, 1] == pytest.approx(1.5 * 0.2)


def test_sequences_differ_as_the_clock_says():
    """Jukes-Cantor: with kappa 1 and equal frequencies, p = 3/4 (1 - exp(-2 rate height))."""
    tree = data.random_clock_tree(2, height=0.5, random_state=0)
    found = data.simulate_sequences(tree, 20_000, rate=0.8, kappa=1.0, random_state=1)
    p = 0.75 * (1 - np.exp(-2 * 0.8 * 0.5))
    assert stats.binomtest(int((found[0] != found[1]).sum()), 20_000, p).pvalue > 1e-4
    shares = (0.1, 0.2, 0.3, 0.4)
    many = data.simulate_sequences(tree, 20_000, frequencies=shares, random_state=1)[0]
    counts = [(many == letter).sum() for letter in "ACGT"]
    assert stats.chisquare(counts, np.array(shares) * 20_000).pvalue > 1e-4
    with pytest.raises(ValueError, match="4 positive numbers"):
        data.simulate_sequences(tree, 5, frequencies=(1, 0, 0, 0))


@pytest.mark.skipif(not MFEAT.exists(), reason="the digits are not shipped")
def test_mfeat_digits_from_a_local_file(monkeypatch):
    X, y = data.load_mfeat(MFEAT)
    assert X.shape == (2000, 240) and X.min() == 0 and X.max() == 1
    assert np.bincount(y).tolist() == [200] * 10
    threes = X[y == 3][:100]
    variances = np.linalg.svd(threes - threes.mean(axis=0), compute_uv=False) ** 2
    assert (variances > 1e-9).sum() == 99
    assert np.searchsorted(variances.cumsum() / variances.sum(), 0.9) + 1 == 33
    monkeypatch.setenv("SHALLOWS_DATA", str(MFEAT.parent))
    assert np.array_equal(data.load_mfeat().X, X)


def test_mfeat_digits_from_openml_come_in_class_order(monkeypatch):
    class Fetched:
        target = np.array([str(d) for d in [*range(1, 10), 10]] * 200)
        data = np.repeat(target.astype(float)[:, None] % 7, 240, axis=1)

    asked = []
    monkeypatch.delenv("SHALLOWS_DATA", raising=False)
    monkeypatch.setattr(_digits, "fetch_openml", lambda *a, **k: asked.append(a) or Fetched)
    X, y = data.load_mfeat()
    assert asked == [("mfeat-pixel",)]
    assert np.array_equal(X[:, 0] * 6, np.where(y == 0, 10, y) % 7)


def test_mfeat_that_cannot_be_fetched_says_where_to_put_it(monkeypatch):
    def fail(*_, **__):
        raise URLError("no such host")

    monkeypatch.delenv("SHALLOWS_DATA", raising=False)
    monkeypatch.setattr("shallows.data._digits.fetch_openml", fail)
    with pytest.raises(OSError, match=r"load_mfeat: .*no such host.* variable SHALLOWS_DATA\.$"):
        data.load_mfeat()


def test_mfeat_errors_name_the_place(tmp_path):
    with pytest.raises(FileNotFoundError, match="Leave path out"):
        data.load_mfeat(tmp_path)
    (tmp_path / "mfeat-pix").write_text("1 2\n3 4\n")
    with pytest.raises(ValueError, match="2000 rows of 240"):
        data.load_mfeat(tmp_path)
