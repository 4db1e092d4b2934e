"""Greedy top-down growth of a decision tree: compiled, on columns of ranks.

Nodes are divided in the order of their numbers, level by level. With a limit on the number of
leaves the question that gains most is asked first, wherever it is.

For one column a node lists its samples as keys, the rank of a value above the place of the sample,
and leaves out those of the usual rank. Where values are few their samples are counted, otherwise
the keys are sorted and every cut between two ranks is scored.

All criteria are sums over branches of a purity in units of weight: for class weights `c` with
sum `w` it is sum c^2 / w (Gini), sum c log c - w log w (entropy) or max c (misclassification);
for sums `s` of targets the squared error gives sum s^2 / w, the form of Gini's.

It is one file since compiled functions call only those of their own. From top to bottom: the
growth of a tree, the search for questions, the division of nodes, the listing of sparse entries,
the cut of a column with many values, and that of one with few.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled, compiled_in_place, compiled_inside
from shallows.tree._questions import (
    BELOW,
    BRANCHES,
    CUT,
    DEPTH,
    EACH,
    EQUALS,
    ERROR,
    FEATURE,
    FIRST,
    GAIN,
    GINI,
    HEAVIEST,
    HIGH,
    LEAF,
    LOW,
    QUESTION,
    RATIO,
    ROUNDING,
    SHARE,
    SIZE,
    SQUARE,
    SQUARES,
    START,
    WEIGHT,
)

SHORT = 48  # so many keys are sorted by insertion
LOW_HALF = (1 << 32) - 1
ROWS = 256  # room for nodes to begin with
LEFT, RIGHT, USUAL = np.arange(3)  # rows of sums while a column is cut


class Room(NamedTuple):
    """Arrays that the work at one node writes to, made once for all."""

    labels: np.ndarray
    targets: np.ndarray
    keys: np.ndarray
    spare: np.ndarray
    digits: np.ndarray
    scores: np.ndarray
    weights_below: np.ndarray
    sums: np.ndarray
    weights: np.ndarray
    counts: np.ndarray


class Entries(NamedTuple):
    """Entries of a sparse matrix that belong to the node at work, by columns.

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
def grow_nodes(samples, weights, labels, targets, n_sums, table, listed, rules, logs, rng):
    """Return integers, numbers and sums of all nodes, with a row for each.

    The tree is for the `labels` of all samples or for their `targets`; it grows on some `samples`
    with their `weights`. The sums are weights of classes or sums of targets. `logs` holds x log2 x
    for whole weights, or nothing. Without labels there are no logs; `listed` is what a sparse
    matrix lists. What is None is not compiled for.

    A node has the samples from START to START + SIZE, of which its branches take the place. They
    stand side by side from number FIRST on; HEAVIEST tells which has most weight, SHARE the part
    of the parent's weight without gaps that came to a node. LOW and HIGH tell the values on both
    sides of a cut: as ranks, but as samples of a dense column that is not counted.
    """
    features = np.arange(len(table.n_values))
    integers, numbers = np.zeros((ROWS, 11), np.int64), np.zeros((ROWS, 4))
    sums = np.zeros((ROWS, n_sums))
    constant = np.zeros((ROWS, len(features) // 64 + 1 if listed is None else 0), np.int64)
    room = _make_room(len(samples), labels, targets, n_sums, table)
    entries = None if listed is None else _make_entries(samples, listed, rules.n_drawn, table)
    samples, weights, used = samples.copy(), weights.copy(), len(samples)
    waiting = [(0.0, 0, 0)]
    waiting.pop()
    integers[0, SIZE] = used
    new, n_nodes, n_leaves = np.int64(0), np.int64(1), np.int64(1)  # a literal compiles all twice
    while new < n_nodes:
        _find_questions(
            new, n_nodes, samples, weights, labels, targets, integers, numbers, sums, constant,
            entries, table, listed, rules, logs, features, room, rng,
        )  # fmt: skip
        first, last, n_branches = new, n_nodes, 0
        if rules.max_leaves > 0:
            for node in range(new, n_nodes):
                if integers[node, BRANCHES] > 0:
                    heapq.heappush(waiting, (-numbers[node, GAIN], -new, node))
            first = _take_best(waiting, integers, numbers, rules.max_leaves - n_leaves)
            last = first + 1 if first >= 0 else first
        for node in range(first, last):
            n_branches += integers[node, BRANCHES]
        new, n_nodes, n_leaves = n_nodes, n_nodes + n_branches, n_leaves + n_branches - 1
        integers, numbers = _longer(integers, n_nodes), _longer(numbers, n_nodes)
        sums, constant = _longer(sums, n_nodes), _longer(constant, n_nodes)
        samples, weights, used = _divide(
            first, last, new, samples, weights, used, integers, numbers, constant, table, listed,
            rules.light, room,
        )  # fmt: skip
    return integers[:n_nodes], numbers[:n_nodes], sums[:n_nodes]


@compiled
def _make_room(n, labels, targets, n_sums, table):
    widest, own_labels, own_targets = 1, None, None
    if labels is not None:
        own_labels = np.empty(n, np.int32)
    if targets is not None:
        own_targets = np.empty((n, n_sums))
    for j in range(len(table.counted)):
        if table.counted[j]:
            widest = max(widest, table.n_values[j])
    return Room(
        own_labels,
        own_targets,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(2048, np.int64),
        np.empty(n),
        np.empty(n),
        np.empty((widest + 2, n_sums)),
        np.empty(widest + 2),
        np.empty(widest + 2, np.int64),
    )


@compiled
def _longer(rows, n):
    """Return rows as they are if there are n, otherwise twice as many, the new ones zero."""
    if len(rows) >= n:
        return rows
    longer = np.zeros((2 * n, rows.shape[1]), rows.dtype)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            longer[i, j] = rows[i, j]
    return longer


@compiled
def _take_best(waiting, integers, numbers, more):
    """Return the node that gains most of those with at most so many more leaves, or -1.

    Of equal gains the latest comes first. Others become leaves.
    """
    while len(waiting) > 0:
        _, _, node = heapq.heappop(waiting)
        if integers[node, BRANCHES] - 1 <= more:
            return node
        integers[node, QUESTION], integers[node, BRANCHES] = LEAF, 0
        numbers[node, GAIN] = 0.0
    return -1


@compiled_in_place
def _find_questions(
    new, n_nodes, samples, weights, labels, targets, integers, numbers, sums, constant, entries,
    table, listed, rules, logs, features, room, rng,
):  # fmt: skip
    """Write what the nodes from `new` on sum to, and the best question of each that has any.

    `constant` notes for each node, in bits, the dense columns that are known to have one value
    there, and learns more of them; `features` is shuffled.
    """
    # Arrays are named outside of the loops, and what the loops call is compiled into them: each
    # time that an array gets a name its references are counted, which takes as long as the work.
    own_labels, own_targets, keys, spare, digits, scores, weights_below = room[:7]
    branch_sums, branch_weights, counts = room[7:]
    few, many, place, usual, counted, n_values, is_category = table
    n_features = len(features)
    for node in range(new, n_nodes):
        start, n = integers[node, START], integers[node, SIZE]
        inside, heavy = samples[start : start + n], weights[start : start + n]
        mixed = False
        if labels is not None:
            mixed = _measure_labels(inside, heavy, labels, own_labels, numbers, sums, node)
        if targets is not None:
            mixed = _measure_targets(inside, heavy, targets, own_targets, numbers, sums, node)
        weight = numbers[node, WEIGHT]
        if not mixed or n < rules.min_size or weight < rules.least_weight:
            continue
        if integers[node, DEPTH] >= rules.max_depth:
            continue
        candidates, n_drawn, n_listed = features, rules.n_drawn, 0
        drawn = features[: n_drawn if n_drawn < n_features else 0]
        for k in range(len(drawn)):
            _draw(features, k, rng)
        if listed is not None:
            n_listed = _list_entries(inside, listed, drawn, entries)
            if len(drawn) == 0:  # columns without entries have nothing to ask
                candidates = np.sort(entries.columns[:n_listed])
        best, best_gain, found = -np.inf, 0.0, False
        tie = ROUNDING if rules.criterion == RATIO else ROUNDING * weight
        for looked in range(len(candidates)):
            if looked >= n_drawn:
                if found:
                    break
                _draw(features, looked, rng)
                if listed is not None and looked == n_drawn:
                    _forget_entries(entries, n_listed)
                    n_listed = _list_entries(inside, listed, features[:0], entries)
            feature = candidates[looked]
            size = n_values[feature]
            if listed is not None:
                c = entries.place[feature]
                if c < 0 or entries.begins[c] == entries.ends[c]:
                    continue  # all are zero
                n_keys = _copy_keys(keys, entries.keys, entries.begins[c], entries.ends[c])
            elif constant[node, feature >> 6] & (1 << (feature & 63)):
                continue
            elif place[feature] >= 0:
                n_keys = _gather_few(keys, few, place[feature], inside)
            else:
                n_keys = _gather_many(keys, many, -1 - place[feature], inside)
            question, cut, low, high, gain, ratio = BELOW, -1, -1, -1, -np.inf, 0.0
            if size == 0:
                several = False
            elif counted[feature]:
                values, known, known_weight = _tabulate(
                    keys, n_keys, n, size, usual[feature], own_labels, own_targets, heavy, sums,
                    node, weight, branch_sums, branch_weights, counts,
                )  # fmt: skip
                several = values > 1
                if several and is_category[feature]:
                    question = EACH if rules.multiway else EQUALS
                    cut, gain, ratio = _ask_category(
                        size, known, known_weight, weight, rules, logs, branch_sums, branch_weights,
                        counts,
                    )  # fmt: skip
                elif several:
                    cut, high, gain, ratio = _cut_counts(
                        size, known, known_weight, weight, rules, logs, branch_sums, branch_weights,
                        counts,
                    )  # fmt: skip
                    low = cut
            else:
                gaps, lowest, highest = _extremes(keys, n_keys, size)
                several = n_keys > gaps and (n_keys < n or lowest < highest)
                if several:
                    if n_keys <= SHORT:
                        _sort_few(keys, n_keys)
                    else:
                        _sort(keys, spare, digits, n_keys, lowest, size if gaps > 0 else highest)
                    before, known, known_weight, middle = _score_cuts(
                        keys, n_keys - gaps, gaps, n, usual[feature], own_labels, own_targets,
                        heavy, sums, node, weight, rules.criterion, logs, branch_sums, scores,
                        weights_below,
                    )  # fmt: skip
                    p, best_below = _best_cut(
                        keys, known, n - gaps, middle, n - n_keys, known_weight, rules, scores,
                        weights_below,
                    )  # fmt: skip
                    gain = scores[p] - before if p >= 0 else -np.inf
                    if rules.criterion == RATIO and p >= 0:
                        ratio = gain / _parts(weight, known_weight, best_below)
                    if p >= 0:
                        cut, low, high = keys[p] >> 32, keys[p] >> 32, keys[p + 1] >> 32
                        if listed is None:
                            low, high = inside[keys[p] & LOW_HALF], inside[keys[p + 1] & LOW_HALF]
            if not several:
                if listed is None:
                    constant[node, feature >> 6] |= 1 << (feature & 63)
                continue
            found = True
            score = ratio if rules.criterion == RATIO else gain
            if cut >= 0 and score > best + tie:
                best, best_gain = score, gain
                integers[node, FEATURE], integers[node, QUESTION] = feature, question
                integers[node, CUT] = cut
                integers[node, LOW], integers[node, HIGH] = low, high
                integers[node, BRANCHES] = n_values[feature] if question == EACH else 2
        if listed is not None:
            _forget_entries(entries, n_listed)
        if best == -np.inf or best_gain < rules.min_gain - ROUNDING * weight:
            integers[node, QUESTION], integers[node, BRANCHES] = LEAF, 0
        else:
            numbers[node, GAIN] = best_gain


@compiled_inside
def _draw(features, k, rng):
    """Put one of the features from k on at place k."""
    other = k + int(rng.random() * (len(features) - k))
    features[k], features[other] = features[other], features[k]


@compiled_inside
def _measure_labels(inside, heavy, labels, own_labels, numbers, sums, node):
    """List the labels of a node's samples and sum up their weights; return whether they differ."""
    total, largest = 0.0, 0.0
    for i in range(len(inside)):
        own_labels[i] = labels[inside[i]]
        total += heavy[i]
        sums[node, own_labels[i]] += heavy[i]
    for k in range(sums.shape[1]):
        largest = max(largest, sums[node, k])
    numbers[node, WEIGHT] = total
    return largest < (1 - ROUNDING) * total


@compiled_inside
def _measure_targets(inside, heavy, targets, own_targets, numbers, sums, node):
    """List the targets of a node's samples and sum them up; return whether they differ."""
    mixed, total, square = False, 0.0, 0.0
    for i in range(len(inside)):
        w = heavy[i]
        total += w
        for k in range(sums.shape[1]):
            t = targets[inside[i], k]
            own_targets[i, k] = t
            sums[node, k] += w * t
            square += w * t * t
            mixed |= t != own_targets[0, k]
    numbers[node, WEIGHT], numbers[node, SQUARE] = total, square
    return mixed


@compiled
def _divide(
    first, last, new, samples, weights, used, integers, numbers, constant, table, listed, light,
    room,
):  # fmt: skip
    """Hand the samples of some nodes to their branches, which are numbered from `new` on.

    A sample goes down its branch. One with a gap goes down all branches that have samples, with
    their shares of its weight, or, if it weighs less than `light`, down the heaviest. The branches
    take the place of their node among the samples or, if they have more, stand after all that are
    `used`. Returns samples, weights and how many are used.
    """
    few, many, place, n_values = table.few, table.many, table.place, table.n_values
    went, own_samples, own_weights, n_old = room.keys, room.spare, room.scores, new
    for node in range(first, last):
        if integers[node, BRANCHES] == 0:
            continue
        end = new + integers[node, BRANCHES]
        start, size = integers[node, START], integers[node, SIZE]
        feature, question, cut = (
            integers[node, FEATURE],
            integers[node, QUESTION],
            integers[node, CUT],
        )
        if listed is not None:
            _look_up(went, listed, feature, table.usual[feature], samples, start, size)
        elif place[feature] >= 0:
            _copy_ranks(went, few, place[feature], samples, start, size)
        else:
            _copy_ranks(went, many, -1 - place[feature], samples, start, size)
        n_gaps = 0
        for i in range(size):
            rank = went[i]
            if rank == n_values[feature]:
                went[i] = -1
                n_gaps += 1
                continue
            branch = new + rank
            if question == BELOW:
                branch = new + (rank > cut)
            elif question == EQUALS:
                branch = new + (rank != cut)
            went[i] = branch
            integers[branch, SIZE] += 1
            numbers[branch, SHARE] += weights[start + i]
        known, heaviest = 0.0, new
        for branch in range(new, end):
            known += numbers[branch, SHARE]
            heaviest = branch if numbers[branch, SHARE] > numbers[heaviest, SHARE] else heaviest
        for branch in range(new, end):
            numbers[branch, SHARE] /= known
            integers[branch, DEPTH] = integers[node, DEPTH] + 1
            for word in range(constant.shape[1]):
                constant[branch, word] = constant[node, word]
        total = size
        for i in range(size if n_gaps > 0 else 0):
            if went[i] < 0:
                if weights[start + i] < light:
                    went[i] = heaviest
                    integers[heaviest, SIZE] += 1
                    continue
                total -= 1
                for branch in range(new, end):
                    if numbers[branch, SHARE] > 0:
                        integers[branch, SIZE] += 1
                        total += 1
        if total > size and used + total > len(samples):
            samples, weights, used = _compact(samples, weights, integers, n_old, new, total)
            start = integers[node, START]
        for i in range(size):
            own_samples[i], own_weights[i] = samples[start + i], weights[start + i]
        if total > size:
            start, used = used, used + total
        for branch in range(new, end):
            integers[branch, START] = start
            start += integers[branch, SIZE]
            integers[branch, SIZE] = 0
        for i in range(size):
            divided = went[i] < 0
            low, high = (new, end) if divided else (went[i], went[i] + 1)
            for branch in range(low, high):
                share = numbers[branch, SHARE] if divided else 1.0
                if share > 0:
                    at = integers[branch, START] + integers[branch, SIZE]
                    samples[at], weights[at] = own_samples[i], own_weights[i] * share
                    integers[branch, SIZE] += 1
        integers[node, FIRST], integers[node, HEAVIEST] = new, heaviest - new
        new = end
    return samples, weights, used


@compiled
def _compact(samples, weights, integers, n_old, n_nodes, more):
    """Return longer lists with the samples of nodes that are yet to be divided, and how many.

    These are old nodes with a question and without branches, and all new ones, which have not
    been looked at.
    """
    kept = np.empty(n_nodes, np.bool_)
    needed, used = more, 0
    for node in range(n_nodes):
        asks = integers[node, BRANCHES] > 0 and integers[node, FIRST] == 0
        kept[node] = node >= n_old or asks
        needed += integers[node, SIZE] if kept[node] else 0
    room = max(2 * needed, len(samples))
    new_samples, new_weights = np.empty(room, samples.dtype), np.empty(room)
    for node in range(n_nodes):
        if kept[node]:
            start, integers[node, START] = integers[node, START], used
            for i in range(start, start + integers[node, SIZE]):
                new_samples[used], new_weights[used] = samples[i], weights[i]
                used += 1
    return new_samples, new_weights, used


@compiled_inside
def _copy_ranks(ranks, table, column, samples, start, size):
    """Write the ranks of some samples in a dense column."""
    for i in range(size):
        ranks[i] = table[column, samples[start + i]]


@compiled
def _look_up(found, listed, feature, usual, samples, start, size):
    """Write the ranks of some samples in a sparse column: by halves from what their rows list."""
    starts, columns, ranks = listed.starts, listed.columns, listed.ranks
    for i in range(size):
        sample = samples[start + i]
        low, high = starts[sample], starts[sample + 1]
        while low < high:
            middle = (low + high) // 2
            if columns[middle] < feature:
                low = middle + 1
            else:
                high = middle
        is_listed = low < starts[sample + 1] and columns[low] == feature
        found[i] = ranks[low] if is_listed else usual


@compiled
def _make_entries(samples, listed, n_drawn, table):
    """Return room for the entries of all samples."""
    starts, most = listed.starts, 0
    for sample in samples:
        most += starts[sample + 1] - starts[sample]
    slots = max(min(n_drawn, len(table.counted)), most)
    return Entries(
        np.full(len(table.counted), -1),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
        np.empty(most, np.int64),
        np.full(len(starts) - 1, -1),
    )


@compiled
def _list_entries(inside, listed, drawn, entries):
    """List the entries of some columns, or of all where none is drawn; return how many columns."""
    starts, column_starts = listed.starts, listed.column_starts
    in_rows, in_columns = 0, len(inside)
    for sample in inside:
        in_rows += starts[sample + 1] - starts[sample]
    for j in drawn:
        in_columns += column_starts[j + 1] - column_starts[j]
    if len(drawn) > 0 and in_columns < in_rows:
        return _list_columns(inside, listed, drawn, entries)
    return _list_rows(inside, listed, drawn, entries)


@compiled
def _list_columns(inside, listed, drawn, entries):
    """Go through the drawn columns and keep the entries of samples inside."""
    starts, rows, ranks = listed[3:]
    place, columns, begins, ends, keys, number = entries
    for i in range(len(inside)):
        number[inside[i]] = i
    n_keys = 0
    for c in range(len(drawn)):
        place[drawn[c]], columns[c], begins[c] = c, drawn[c], n_keys
        for entry in range(starts[drawn[c]], starts[drawn[c] + 1]):
            i = number[rows[entry]]
            if i >= 0:
                keys[n_keys] = (np.int64(ranks[entry]) << 32) | i
                n_keys += 1
        ends[c] = n_keys
    for sample in inside:
        number[sample] = -1
    return len(drawn)


@compiled
def _list_rows(inside, listed, drawn, entries):
    """Go through the samples inside, twice, and keep the entries of drawn columns, or all."""
    starts, columns_of, ranks = listed[:3]
    place, columns, begins, ends, keys, _ = entries
    for c in range(len(drawn)):
        place[drawn[c]], columns[c], ends[c] = c, drawn[c], 0
    n_columns = len(drawn)
    for sample in inside:
        for entry in range(starts[sample], starts[sample + 1]):
            j = columns_of[entry]
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
        for entry in range(starts[inside[i]], starts[inside[i] + 1]):
            c = place[columns_of[entry]]
            if c >= 0:
                keys[ends[c]] = (np.int64(ranks[entry]) << 32) | i
                ends[c] += 1
    return n_columns


@compiled
def _forget_entries(entries, n_columns):
    """Take the places of the listed columns back."""
    place, columns = entries.place, entries.columns
    for c in range(n_columns):
        place[columns[c]] = -1


@compiled_inside
def _copy_keys(keys, listed, begin, end):
    for i in range(end - begin):
        keys[i] = listed[begin + i]
    return end - begin


@compiled_inside
def _gather_few(keys, ranks, column, inside):
    """Write the keys of a column of bytes, except for those of rank 0; return how many."""
    n_keys = 0
    for i in range(len(inside)):
        rank = np.int64(ranks[column, inside[i]])
        keys[n_keys] = (rank << 32) | i
        n_keys += rank != 0
    return n_keys


@compiled_inside
def _gather_many(keys, ranks, column, inside):
    for i in range(len(inside)):
        keys[i] = (np.int64(ranks[column, inside[i]]) << 32) | i
    return len(inside)


@compiled_inside
def _extremes(keys, n, missing):
    """Return the number of gaps among the keys, and the lowest and highest of the other ranks."""
    gaps, lowest, highest = 0, missing, np.int64(-1)
    for i in range(n):
        rank = keys[i] >> 32
        gaps += rank == missing
        lowest = min(lowest, rank)
        highest = max(highest, -1 if rank == missing else rank)
    return gaps, lowest, highest


@compiled_inside
def _score_cuts(
    keys, known, gaps, n, usual, labels, targets, weights, node_sums, node, weight, criterion, logs,
    sums, scores, weights_below,
):  # fmt: skip
    """Score the cuts after all sorted keys but the last; those of gaps stand behind them.

    Samples without key have the usual value, for which one key is put in its place. Returns the
    purity before a cut, the number of keys without gaps and their weight, and that place.
    """
    rest, usual_weight = n - known - gaps, 0.0
    for k in range(sums.shape[1]):
        sums[LEFT, k], sums[RIGHT, k] = 0.0, node_sums[node, k]
    weight -= _take(keys, known, known + gaps, labels, targets, weights, sums, RIGHT)
    before, middle = _purity(sums, RIGHT, weight, criterion, logs), known
    if rest > 0:
        for k in range(sums.shape[1]):
            sums[USUAL, k] = sums[RIGHT, k]
        usual_weight = weight - _take(
            keys, np.int64(0), known, labels, targets, weights, sums, USUAL
        )
        while middle > 0 and keys[middle - 1] >> 32 > usual:
            keys[middle] = keys[middle - 1]
            middle -= 1
        keys[middle] = usual << 32
        known += 1
    first, last, below = np.int64(0), min(middle, known - 1), 0.0
    while first < known - 1:  # the cuts below the usual value, then those above
        if labels is not None:
            if criterion == GINI:
                below = _score_gini(
                    keys, first, last, labels, weights, below, weight, sums, scores, weights_below
                )
            elif criterion == ERROR:
                below = _score_errors(
                    keys, first, last, labels, weights, below, sums, scores, weights_below
                )
            else:
                below = _score_entropy(
                    keys, first, last, labels, weights, below, weight, logs, sums, scores,
                    weights_below,
                )  # fmt: skip
        if targets is not None:
            if sums.shape[1] == 1:
                below = _score_target(
                    keys, first, last, targets, weights, below, weight, sums, scores, weights_below
                )
            else:
                below = _score_targets(
                    keys, first, last, targets, weights, below, weight, sums, scores, weights_below
                )
        if last < known - 1:
            below += usual_weight
            for k in range(sums.shape[1]):
                sums[LEFT, k] += sums[USUAL, k]
                sums[RIGHT, k] -= sums[USUAL, k]
            weights_below[middle] = below
            scores[middle] = _purity(sums, LEFT, below, criterion, logs)
            scores[middle] += _purity(sums, RIGHT, weight - below, criterion, logs)
        first, last = last + 1, known - 1
    return before, known, weight, middle


@compiled_inside
def _best_cut(keys, known, n, middle, rest, weight, rules, scores, weights_below):
    """Return after which of the sorted keys to cut, -1 for nowhere, and the weight below.

    The key at `middle` stands for `rest` samples, if there are any, the others for one each.
    """
    best, best_below, place = -np.inf, 0.0, -1
    for i in range(known - 1):
        if scores[i] > best + ROUNDING * weight and keys[i] >> 32 != keys[i + 1] >> 32:
            count, below = i + 1 if i < middle else i + rest, weights_below[i]
            if min(count, n - count) < rules.min_leaf or weight - below <= 0:
                continue
            if min(below, weight - below) >= rules.min_weight:
                best, best_below, place = scores[i], below, i
    return place, best_below


@compiled_inside
def _sort_few(keys, n):
    """Sort the keys by insertion."""
    for i in range(1, n):
        key, j = keys[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@compiled_inside
def _sort(keys, spare, digits, n, low, high):
    """Sort the keys by rank, digit by digit."""
    width = 0
    while (high - low) >> width > 0:
        width += 1
    largest = 8 if n < 2048 else 11
    passes = (width + largest - 1) // largest
    width = (width + passes - 1) // max(passes, 1)
    for turn in range(passes):
        if turn % 2 == 0:
            _sort_by_digit(keys, spare, digits, n, low, turn * width, (1 << width) - 1)
        else:
            _sort_by_digit(spare, keys, digits, n, low, turn * width, (1 << width) - 1)
        for i in range(n if turn == passes - 1 and turn % 2 == 0 else 0):
            keys[i] = spare[i]


@compiled_inside
def _sort_by_digit(keys, ordered, digits, n, low, shift, mask):
    """Write the keys in the order of one digit of their ranks."""
    for value in range(mask + 1):
        digits[value] = 0
    for i in range(n):
        digits[(((keys[i] >> 32) - low) >> shift) & mask] += 1
    place = 0
    for value in range(mask + 1):
        place, digits[value] = place + digits[value], place
    for i in range(n):
        value = (((keys[i] >> 32) - low) >> shift) & mask
        ordered[digits[value]] = keys[i]
        digits[value] += 1


@compiled_inside
def _take(keys, first, last, labels, targets, weights, sums, row):
    """Take the samples of some keys out of a row of sums; return their weight."""
    weight = 0.0
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        weight += weights[i]
        if labels is not None:
            sums[row, labels[i]] -= weights[i]
        if targets is not None:
            for k in range(sums.shape[1]):
                sums[row, k] -= weights[i] * targets[i, k]
    return weight


@compiled_inside
def _score_gini(
    keys, first, last, labels, weights, below, weight, sums, scores, weights_below
):  # fmt: skip
    """Write for cuts after some keys the weight below and the purity of both sides.

    The sums of both sides, and the weight `below`, are those before the first cut; returns the
    weight below the last. Each criterion has a loop of its own, with nothing but arithmetic
    inside: a call in the loop would take longer than the loop.
    """
    squares_left, squares_right = 0.0, 0.0
    for k in range(sums.shape[1]):
        squares_left += sums[LEFT, k] * sums[LEFT, k]
        squares_right += sums[RIGHT, k] * sums[RIGHT, k]
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        w, k = weights[i], labels[i]
        below += w
        squares_left += w * (2 * sums[LEFT, k] + w)
        squares_right += w * (w - 2 * sums[RIGHT, k])
        sums[LEFT, k] += w
        sums[RIGHT, k] -= w
        above, weights_below[p] = weight - below, below
        scores[p] = squares_left / below + squares_right / above if above > 0 else -np.inf
    return below


@compiled_inside
def _score_target(
    keys, first, last, targets, weights, below, weight, sums, scores, weights_below
):  # fmt: skip
    """Score cuts like `_score_gini`, by the squared error of one target."""
    left, right = sums[LEFT, 0], sums[RIGHT, 0]
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        below += weights[i]
        left += weights[i] * targets[i, 0]
        right -= weights[i] * targets[i, 0]
        above, weights_below[p] = weight - below, below
        both = left * left / below + right * right / above
        scores[p] = both if above > 0 else -np.inf
    sums[LEFT, 0], sums[RIGHT, 0] = left, right
    return below


@compiled_inside
def _score_targets(
    keys, first, last, targets, weights, below, weight, sums, scores, weights_below
):  # fmt: skip
    """Score cuts like `_score_gini`, by the squared error of several targets."""
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        w = weights[i]
        below += w
        squares_left, squares_right = 0.0, 0.0
        for k in range(sums.shape[1]):
            sums[LEFT, k] += w * targets[i, k]
            sums[RIGHT, k] -= w * targets[i, k]
            squares_left += sums[LEFT, k] * sums[LEFT, k]
            squares_right += sums[RIGHT, k] * sums[RIGHT, k]
        above, weights_below[p] = weight - below, below
        scores[p] = squares_left / below + squares_right / above if above > 0 else -np.inf
    return below


@compiled_inside
def _score_errors(keys, first, last, labels, weights, below, sums, scores, weights_below):
    """Score cuts like `_score_gini`, by the weight that the majorities of both sides have."""
    most_left = sums[LEFT, 0]
    for k in range(1, sums.shape[1]):
        most_left = max(most_left, sums[LEFT, k])
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        w, k = weights[i], labels[i]
        below += w
        sums[LEFT, k] += w
        sums[RIGHT, k] -= w
        most_left, most_right = max(most_left, sums[LEFT, k]), sums[RIGHT, 0]
        for c in range(1, sums.shape[1]):
            most_right = max(most_right, sums[RIGHT, c])
        scores[p], weights_below[p] = most_left + most_right, below
    return below


@compiled_inside
def _score_entropy(
    keys, first, last, labels, weights, below, weight, logs, sums, scores, weights_below
):  # fmt: skip
    """Score cuts like `_score_gini`, by entropy."""
    total = 0.0
    for k in range(sums.shape[1]):
        total += _log(sums[LEFT, k], logs) + _log(sums[RIGHT, k], logs)
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        w, k = weights[i], labels[i]
        below += w
        total -= _log(sums[LEFT, k], logs) + _log(sums[RIGHT, k], logs)
        sums[LEFT, k] += w
        sums[RIGHT, k] -= w
        total += _log(sums[LEFT, k], logs) + _log(sums[RIGHT, k], logs)
        scores[p] = total - _log(below, logs) - _log(weight - below, logs)
        weights_below[p] = below
    return below


@compiled_inside
def _tabulate(
    keys, n_keys, n, size, usual, labels, targets, weights, node_sums, node, node_weight, sums,
    totals, counts,
):  # fmt: skip
    """Set sums, weight and number of samples with each value; return values, known and weight.

    The usual value is what the others leave over. The sums of all known samples stand after those
    of the last value.
    """
    rest, values = n - n_keys, 0
    for value in range(size + 1):
        for k in range(sums.shape[1]):
            sums[value, k] = 0.0
        totals[value], counts[value] = 0.0, 0
    for p in range(n_keys):
        value, i = keys[p] >> 32, keys[p] & LOW_HALF
        counts[value] += 1
        totals[value] += weights[i]
        if labels is not None:
            sums[value, labels[i]] += weights[i]
        if targets is not None:
            for k in range(sums.shape[1]):
                sums[value, k] += weights[i] * targets[i, k]
    known, weight = n - counts[size], node_weight - totals[size]
    for k in range(sums.shape[1]):
        sums[size, k] = node_sums[node, k] - sums[size, k]
    if rest > 0:
        counts[usual], totals[usual] = rest, weight
        for k in range(sums.shape[1]):
            sums[usual, k] = sums[size, k]
        for value in range(size):
            if value != usual:
                totals[usual] -= totals[value]
                for k in range(sums.shape[1]):
                    sums[usual, k] -= sums[value, k]
    for value in range(size):
        values += counts[value] > 0
    return values, known, weight


@compiled_inside
def _cut_counts(size, n, weight, node_weight, rules, logs, sums, totals, counts):
    """Return the ranks on both sides of the best cut of a tabulated number, gain and ratio."""
    left, right, n_sums = size + 1, size, sums.shape[1]
    for k in range(n_sums):
        sums[left, k] = 0.0
    before = _purity(sums, right, weight, rules.criterion, logs)
    best, best_below, cut, after, below, count = -np.inf, 0.0, -1, -1, 0.0, 0
    for value in range(size):
        if counts[value] == 0:
            continue
        if cut >= 0 and after < 0:
            after = value
        below += totals[value]
        count += counts[value]
        for k in range(n_sums):
            sums[left, k] += sums[value, k]
            sums[right, k] -= sums[value, k]
        above = weight - below
        if min(count, n - count) < rules.min_leaf or min(below, above) < rules.min_weight:
            continue
        if above > 0:
            score = _purity(sums, left, below, rules.criterion, logs)
            score += _purity(sums, right, above, rules.criterion, logs)
            if score > best + ROUNDING * weight:
                best, best_below, cut, after = score, below, value, -1
    if cut < 0:
        return -1, -1, -np.inf, 0.0
    gain, ratio = best - before, 0.0
    if rules.criterion == RATIO:
        ratio = gain / _parts(node_weight, weight, best_below)
    return cut, after, gain, ratio


@compiled_inside
def _ask_category(size, n, weight, node_weight, rules, logs, sums, totals, counts):
    """Return the category to ask for (0 where each gets a branch), the gain and the gain ratio."""
    criterion = rules.criterion
    before = _purity(sums, size, weight, criterion, logs)
    parts = _part(node_weight - weight, node_weight)
    best, best_ratio, cut, together = -np.inf, 0.0, -1, 0.0
    for value in range(size):
        count, own = counts[value], totals[value]
        if count == 0:
            continue
        purity = _purity(sums, value, own, criterion, logs)
        if rules.multiway:
            if count < rules.min_leaf or own < rules.min_weight:
                return -1, -np.inf, 0.0
            together += purity
            parts += _part(own, node_weight)
            continue
        if min(count, n - count) < rules.min_leaf or min(own, weight - own) < rules.min_weight:
            continue
        if weight - own > 0:
            for k in range(sums.shape[1]):
                sums[value, k] = sums[size, k] - sums[value, k]
            gain = purity + _purity(sums, value, weight - own, criterion, logs) - before
            if gain > best + ROUNDING * weight:
                best, cut = gain, value
                best_ratio = gain / _parts(node_weight, weight, own)
    if rules.multiway:
        return 0, together - before, (together - before) / parts
    return cut, best, best_ratio


@compiled_inside
def _purity(sums, row, weight, criterion, logs):
    """Return the purity of a set with one row of the sums, in units of weight."""
    squares = criterion in (GINI, SQUARES)
    rest = 0.0 if squares or criterion == ERROR else _log(weight, logs)
    total = -np.inf if criterion == ERROR else 0.0
    for k in range(sums.shape[1]):
        c = sums[row, k]
        if squares:
            total += c * c
        elif criterion == ERROR:
            total = max(total, c)
        else:
            total += _log(c, logs)
    return total / weight if squares else total - rest


@compiled_inside
def _log(c, logs):
    """Return c log2 c, looked up where weights are whole; targets have none."""
    if logs is None:
        return 0.0
    if len(logs) > 0:
        return logs[int(c)]
    return c * np.log2(c) if c > 0 else 0.0


@compiled_inside
def _parts(node_weight, weight, below):
    """Return the entropy, in units of weight, of both sides of a cut and the gaps."""
    sides = _part(below, node_weight) + _part(weight - below, node_weight)
    return sides + _part(node_weight - weight, node_weight)


@compiled_inside
def _part(part, whole):
    return part * np.log2(whole / part) if part > 0 else 0.0
