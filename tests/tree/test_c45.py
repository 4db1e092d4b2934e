"""C4.5 against the numbers of Quinlan's book of 1993."""

import numpy as np
import pandas as pd
import pytest

from shallows.tree import DecisionTreeClassifier, c45
from shallows.tree._stopping import prune_by_pessimism

GOLF = """sunny 75 70 true Play
sunny 80 90 true Don't
sunny 85 85 false Don't
sunny 72 95 false Don't
sunny 69 70 false Play
? 72 90 true Play
overcast 83 78 false Play
overcast 64 65 true Play
overcast 81 75 false Play
rain 71 80 true Don't
rain 65 70 true Don't
rain 75 80 false Play
rain 68 80 false Play
rain 70 96 false Play"""


def golf():
    rows = [line.split() for line in GOLF.splitlines()]
    frame = pd.DataFrame([row[:4] for row in rows], columns=["outlook", "temp", "hum", "windy"])
    frame["outlook"] = frame["outlook"].replace({"?": None}).astype(object)
    frame[["temp", "hum"]] = frame[["temp", "hum"]].astype(float)
    return frame, [row[4] for row in rows]


def test_golf_with_an_unknown_outlook():
    """Section 3.3: 5.4 cases are sunny, of which 2.0 with low humidity play, 3.4 / 0.4 do not."""
    X, y = golf()
    model = c45(stop=None).fit(X, y)
    day = pd.DataFrame([["sunny", 70.0, np.nan, "false"]], columns=X.columns)
    assert model.predict(day)[0] == "Don't"
    # "Play: 44%, Don't Play: 56%"
    assert model.predict_proba(day)[0] == pytest.approx([0.56, 0.44], abs=0.005)
    sizes = model.tree_.weighted_n_node_samples[model.tree_.depth == 1]
    assert sorted(sizes) == pytest.approx([3.2, 5.4, 5.4], abs=0.05)
    leaves = np.sort(model.tree_.weighted_n_node_samples[model.tree_.is_leaf])
    assert leaves == pytest.approx([2.0, 2.4, 3.0, 3.2, 3.4], abs=0.05)


def test_the_first_gain_of_golf_is_quinlans():
    """Section 3.3: gain 0.199 bits, split information 1.809, gain ratio 0.110."""
    X, y = golf()
    model = DecisionTreeClassifier("entropy", max_depth=1).fit(X[["outlook"]], y)
    assert model.tree_.gain[0] == pytest.approx(0.199, abs=0.001)
    shares = np.array([5, 3, 5, 1]) / 14
    assert -(shares * np.log2(shares)).sum() == pytest.approx(1.809, abs=0.001)


def test_an_informative_attribute_wins_over_a_lopsided_one():
    """The gain ratio of 3 against 197 is large, but its gain is below the average."""
    y = np.repeat([0, 1], 100)
    rare = np.zeros(200)
    rare[:3] = 1  # ratio 0.135, that of the informative one is 0.119
    informative = y.copy()
    informative[:30], informative[100:130] = 1, 0
    X = np.column_stack([rare, informative])
    model = c45(categorical_features=[0, 1], max_depth=1, stop=None).fit(X, y)
    assert model.tree_.feature[0] == 1


def test_pessimistic_pruning_of_the_books_example():
    """Section 4.2: 6, 9 and 1 cases without errors expect 3.273, a leaf of 16 with one 2.512."""
    x = np.repeat([0, 1, 2], [6, 9, 1])[:, None]
    y = np.repeat([0, 0, 1], [6, 9, 1])
    grown = DecisionTreeClassifier("entropy", categorical_features=[0]).fit(x, y).tree_
    assert grown.n_leaves == 3
    assert prune_by_pessimism(grown, 0.25).n_leaves == 1
    # With ten cases in the last branch the leaf would err ten times.
    x, y = np.repeat([0, 1, 2], [6, 9, 10])[:, None], np.repeat([0, 0, 1], [6, 9, 10])
    grown = DecisionTreeClassifier("entropy", categorical_features=[0]).fit(x, y).tree_
    assert prune_by_pessimism(grown, 0.25).n_leaves == 3


def test_pruning_of_noise_leaves_little():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 6)), rng.integers(2, size=300)
    full, cut = (c45(stop=stop).fit(X, y).get_n_leaves() for stop in (None, "pessimistic"))
    assert cut < full
