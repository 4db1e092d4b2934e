"""Attribute tables: gaps, contradictions and repeats, each by hand."""

import numpy as np
import pandas as pd
import pytest

from shallows.data import fruit_table
from shallows.tree import AttributeTable


def test_the_printed_table():
    X, y, names = fruit_table()
    table = AttributeTable(X, y, names=names)
    assert table.contradictions() == [[2, 3]]
    assert table.is_missing.sum(axis=0).tolist() == [0, 1, 2, 0, 0]
    assert table.attributes["Weight"] == ["heavy", "light", "medium"]
    assert table.frame.isna().to_numpy().sum() == 3
    assert "2 rows contradict others" in table.report()
    assert "Taste: 1 attributes (sweet), 2 missing" in table.report()


def test_contradictions_and_repeats_equal_pairwise_comparison():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 3)), rng.integers(2, size=60)
    table = AttributeTable(X, y)
    contrary, repeated = set(), set()
    for i in range(60):
        for j in range(60):
            if i != j and (X[i] == X[j]).all():
                (repeated if y[i] == y[j] else contrary).add(i)
    assert {row for rows in table.repeats() for row in rows} == repeated
    groups = table.contradictions()
    assert contrary <= {row for rows in groups for row in rows}
    assert all(len(set(y[rows])) > 1 for rows in groups)


def test_labels_may_be_a_column_and_gaps_of_any_kind():
    frame = pd.DataFrame({"a": [1.0, np.nan, 1.0], "b": ["x", None, "x"], "y": [0, 1, 1]})
    table = AttributeTable(frame, "y")
    assert list(table.attributes) == ["a", "b"]
    assert table.is_missing.sum() == 2
    assert table.contradictions() == [[0, 2]]
    assert list(frame.columns) == ["a", "b", "y"]


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match="no column 'z'"):
        AttributeTable(pd.DataFrame({"a": [1]}), "z")
    with pytest.raises(ValueError, match="one per row"):
        AttributeTable([["a"], ["b"]], ["x"])
    with pytest.raises(ValueError, match="one per property"):
        AttributeTable([["a"]], names=["a", "b"])
    with pytest.raises(ValueError, match="need labels"):
        AttributeTable([["a"]]).contradictions()
