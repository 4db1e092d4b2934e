"""The entries of a sparse matrix that belong to one node, by columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.compile import compiled


class Entries(NamedTuple):
    """Entries of the node at work, in arrays made once for many nodes.

    Those of column j are the `keys` from ``begins[place[j]]`` to ``ends[place[j]]``: the rank of a
    value above the number of its sample in the node. `columns` lists the columns that have a
    place; the place of others is -1, and so is the `number` of any sample between two listings.
    """

    place: np.ndarray
    columns: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    keys: np.ndarray
    number: np.ndarray


@compiled
def make_entries(asking, starts, samples, table, n_drawn):
    """Return room for the entries of any asking node."""
    if len(table.starts) == 0:
        none = np.empty(0, np.int64)
        return Entries(none, none, none, none, none, none)
    most = 0
    for node in range(len(asking)):
        if asking[node]:
            n_entries = 0
            for sample in samples[starts[node] : starts[node + 1]]:
                n_entries += table.starts[sample + 1] - table.starts[sample]
            most = max(most, n_entries)
    slots = max(min(n_drawn, len(table.counted)), most)
    return Entries(
        np.full(len(table.counted), -1),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
        np.empty(most, np.int64),
        np.full(len(table.starts) - 1, -1),
    )


@compiled
def list_entries(inside, table, drawn, entries):
    """List the entries of some columns, or of all where none is drawn; return how many columns."""
    in_rows, in_columns = 0, len(inside)
    for sample in inside:
        in_rows += table.starts[sample + 1] - table.starts[sample]
    for j in drawn:
        in_columns += table.column_starts[j + 1] - table.column_starts[j]
    if len(drawn) > 0 and in_columns < in_rows:
        return _list_columns(inside, table, drawn, entries)
    return _list_rows(inside, table, drawn, entries)


@compiled
def _list_columns(inside, table, drawn, entries):
    """Go through the drawn columns and keep the entries of samples inside."""
    place, columns, begins, ends, keys, number = entries
    for i in range(len(inside)):
        number[inside[i]] = i
    n_keys = 0
    for c in range(len(drawn)):
        place[drawn[c]], columns[c], begins[c] = c, drawn[c], n_keys
        for entry in range(table.column_starts[drawn[c]], table.column_starts[drawn[c] + 1]):
            i = number[table.column_rows[entry]]
            if i >= 0:
                keys[n_keys] = (np.int64(table.column_ranks[entry]) << 32) | i
                n_keys += 1
        ends[c] = n_keys
    for sample in inside:
        number[sample] = -1
    return len(drawn)


@compiled
def _list_rows(inside, table, drawn, entries):
    """Go through the samples inside, twice, and keep the entries of drawn columns, or all."""
    place, columns, begins, ends, keys, _ = entries
    for c in range(len(drawn)):
        place[drawn[c]], columns[c], ends[c] = c, drawn[c], 0
    n_columns = len(drawn)
    for sample in inside:
        for entry in range(table.starts[sample], table.starts[sample + 1]):
            j = table.columns[entry]
            if place[j] < 0:
                if len(drawn) > 0:
                    continue
                place[j], columns[n_columns], ends[n_columns] = n_columns, j, 0
                n_columns += 1
            ends[place[j]] += 1
    begin = 0
    for c in range(n_columns):
        begins[c], begin, ends[c] = begin, begin + ends[c], begin
    for i in range(len(inside)):
        for entry in range(table.starts[inside[i]], table.starts[inside[i] + 1]):
            c = place[table.columns[entry]]
            if c >= 0:
                keys[ends[c]] = (np.int64(table.ranks[entry]) << 32) | i
                ends[c] += 1
    return n_columns


@compiled
def forget_entries(entries, n_columns):
    """Take the places of the listed columns back."""
    for c in range(n_columns):
        entries.place[entries.columns[c]] = -1
