"""The best question of each node: a compiled search over columns of ranks.

For one column a node lists its samples as keys, the rank of a value above the place of the sample,
and leaves out those of the usual rank. Where values are few their samples are counted, otherwise
the keys are sorted and every cut between two ranks is scored.

All criteria are sums over branches of a purity in units of weight: for class weights `c` with
sum `w` it is sum c^2 / w (Gini), sum c log c - w log w (entropy) or max c (misclassification);
for sums `s` of targets the squared error gives sum s^2 / w, the form of Gini's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.compile import compiled, compiled_inside

GINI, ENTROPY, RATIO, ERROR, SQUARES = range(5)
LEAF, BELOW, EACH, EQUALS = range(4)  # a node asks: nothing, x <= t?, which x?, x = a?

# Columns of the integers and of the numbers that describe a question
FEATURE, QUESTION, CUT, LOW, HIGH, BRANCHES = range(6)
WEIGHT, SQUARE, GAIN = range(3)

ROUNDING = 1e-12  # of the weight: gains closer than this are equal, and the first is taken
SHORT = 48  # so many keys are sorted by insertion
LOW_HALF = (1 << 32) - 1


class Rules(NamedTuple):
    """What a question is judged by, and what its branches must have."""

    criterion: int
    multiway: bool
    min_leaf: int
    min_weight: float
    min_gain: float
    n_drawn: int


class Room(NamedTuple):
    """Arrays that the search writes to, made once for many nodes."""

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
def find_questions(
    asking, starts, samples, weights, labels, targets, numbers, sums, constant, table, rules,
    logs, features, rng,
):  # fmt: skip
    """Return the integers of each node's question, and write what it gains to `numbers`.

    Node k has the samples from ``starts[k]`` to ``starts[k + 1]``, with their `weights` and their
    `labels` or `targets`, and the `sums` of these. `constant` notes for each node the dense
    columns that are known to have one value there, and learns more of them; `features` is
    shuffled. `logs` holds x log2 x for whole weights, or nothing. LOW and HIGH tell the values on
    both sides of a cut: as ranks, but as samples of a dense column that is not counted.
    """
    integers = np.zeros((len(starts) - 1, 6), np.int64)
    room = _make_room(starts, sums.shape[1], table)
    entries = _make_entries(asking, starts, samples, table, rules.n_drawn)
    for node in range(len(starts) - 1):
        if not asking[node]:
            continue
        start, end = starts[node], starts[node + 1]
        _search(
            samples[start:end], weights[start:end], labels[start:end], targets[start:end],
            integers[node], numbers[node], sums[node], constant[node], entries, table, rules, logs,
            features, room, rng,
        )  # fmt: skip
    return integers


@compiled
def _make_room(starts, n_sums, table):
    largest, widest = 0, 1
    for node in range(len(starts) - 1):
        largest = max(largest, starts[node + 1] - starts[node])
    for j in range(len(table.counted)):
        if table.counted[j]:
            widest = max(widest, table.n_values[j])
    return Room(
        np.empty(largest, np.int64),
        np.empty(largest, np.int64),
        np.empty(2048, np.int64),
        np.empty(largest),
        np.empty(largest),
        np.empty((widest + 2, n_sums)),
        np.empty(widest + 2),
        np.empty(widest + 2, np.int64),
    )


@compiled
def _search(
    inside, heavy, labels, targets, integers, numbers, sums, constant, entries, table, rules, logs,
    features, room, rng,
):  # fmt: skip
    """Write the best question of a node, if there is any."""
    # Functions called for each feature get arrays: handing tuples of them over takes longer.
    keys, spare, digits = room.keys, room.spare, room.digits
    scores, weights_below = room.scores, room.weights_below
    branch_sums, branch_weights, counts = room.sums, room.weights, room.counts
    few, many, place, usual, counted = (
        table.few,
        table.many,
        table.place,
        table.usual,
        table.counted,
    )
    n_values, is_category = table.n_values, table.is_category
    is_sparse = len(table.starts) > 0
    n, n_features, weight = len(inside), len(features), numbers[WEIGHT]
    candidates, n_drawn, n_listed = features, rules.n_drawn, 0
    drawn = features[: n_drawn if n_drawn < n_features else 0]
    for k in range(len(drawn)):
        _draw(features, k, rng)
    if is_sparse:
        n_listed = _list_entries(inside, table, drawn, entries)
        if len(drawn) == 0:  # columns without entries have nothing to ask
            candidates = np.sort(entries.columns[:n_listed])
    best, best_gain, found = -np.inf, 0.0, False
    tie = ROUNDING if rules.criterion == RATIO else ROUNDING * weight
    for looked in range(len(candidates)):
        if looked >= n_drawn:
            if found:
                break
            _draw(features, looked, rng)
            if is_sparse and looked == n_drawn:
                _forget_entries(entries, n_listed)
                n_listed = _list_entries(inside, table, features[:0], entries)
        feature = candidates[looked]
        size = n_values[feature]
        if is_sparse:
            c = entries.place[feature]
            if c < 0 or entries.begins[c] == entries.ends[c]:
                continue  # all are zero
            n_keys = _copy_keys(keys, entries.keys, entries.begins[c], entries.ends[c])
        elif constant[feature]:
            continue
        elif place[feature] >= 0:
            n_keys = _gather_few(keys, few[place[feature]], inside)
        else:
            n_keys = _gather_many(keys, many[-1 - place[feature]], inside)
        question, cut, low, high, gain, ratio = BELOW, -1, -1, -1, -np.inf, 0.0
        if counted[feature]:
            values, known, known_weight = _tabulate(
                keys, n_keys, n, size, usual[feature], labels, targets, heavy, rules.criterion,
                sums, weight, branch_sums, branch_weights, counts,
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
            several, lower, upper, gain, ratio = _cut_keys(
                keys, n_keys, n, size, usual[feature], labels, targets, heavy, sums, weight, rules,
                logs, branch_sums, spare, digits, scores, weights_below,
            )  # fmt: skip
            cut, low, high = lower >> 32, lower >> 32, upper >> 32
            if cut >= 0 and not is_sparse:
                low, high = inside[lower & LOW_HALF], inside[upper & LOW_HALF]
        if not several:
            if not is_sparse:
                constant[feature] = True
            continue
        found = True
        score = ratio if rules.criterion == RATIO else gain
        if cut >= 0 and score > best + tie:
            best, best_gain = score, gain
            integers[FEATURE], integers[QUESTION], integers[CUT] = feature, question, cut
            integers[LOW], integers[HIGH] = low, high
            integers[BRANCHES] = table.n_values[feature] if question == EACH else 2
    _forget_entries(entries, n_listed)
    if best == -np.inf or best_gain < rules.min_gain - ROUNDING * weight:
        integers[QUESTION], integers[BRANCHES] = LEAF, 0
    else:
        numbers[GAIN] = best_gain


@compiled
def _draw(features, k, rng):
    """Put one of the features from k on at place k."""
    other = k + int(rng.random() * (len(features) - k))
    features[k], features[other] = features[other], features[k]


@compiled
def _make_entries(asking, starts, samples, table, n_drawn):
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
def _list_entries(inside, table, drawn, entries):
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
def _forget_entries(entries, n_columns):
    """Take the places of the listed columns back."""
    for c in range(n_columns):
        entries.place[entries.columns[c]] = -1


@compiled
def _copy_keys(keys, listed, begin, end):
    for i in range(end - begin):
        keys[i] = listed[begin + i]
    return end - begin


@compiled
def _gather_few(keys, ranks, inside):
    """Write the keys of a column of bytes, except for those of rank 0; return how many."""
    n_keys = 0
    for i in range(len(inside)):
        rank = np.int64(ranks[inside[i]])
        keys[n_keys] = (rank << 32) | i
        n_keys += rank != 0
    return n_keys


@compiled
def _gather_many(keys, ranks, inside):
    for i in range(len(inside)):
        keys[i] = (np.int64(ranks[inside[i]]) << 32) | i
    return len(inside)


@compiled_inside
def _cut_keys(
    keys, n_keys, n, missing, usual, labels, targets, weights, node_sums, node_weight, rules, logs,
    branch_sums, spare, digits, scores, weights_below,
):  # fmt: skip
    """Return whether there are two values, the keys on both sides of a cut, gain and ratio."""
    rest, gaps, lowest, highest = n - n_keys, 0, keys[0], keys[0]
    for i in range(1, n_keys):
        lowest, highest = min(lowest, keys[i]), max(highest, keys[i])
    lowest, highest = lowest >> 32, highest >> 32
    if lowest == highest and (rest == 0 or lowest == missing):
        return False, -1, -1, -np.inf, 0.0
    keys = _sort(keys, spare, digits, n_keys, lowest, highest)
    left, right, usual_sums, weight = branch_sums[0], branch_sums[1], branch_sums[2], node_weight
    for k in range(len(left)):
        left[k], right[k] = 0.0, node_sums[k]
    if highest == missing:
        while keys[n_keys - 1 - gaps] >> 32 == missing:
            gaps += 1
        weight -= _take(
            keys, n_keys - gaps, n_keys, labels, targets, weights, rules.criterion, right
        )
    known, usual_weight = n_keys - gaps, 0.0
    if rest == 0 and keys[0] >> 32 == keys[known - 1] >> 32:
        return False, -1, -1, -np.inf, 0.0
    before, middle = _purity(right, weight, rules.criterion, logs), known
    if rest > 0:  # the usual value gets one key for all of its samples
        for k in range(len(left)):
            usual_sums[k] = right[k]
        usual_weight = weight - _take(
            keys, np.int64(0), known, labels, targets, weights, rules.criterion, usual_sums
        )
        while middle > 0 and keys[middle - 1] >> 32 > usual:
            keys[middle] = keys[middle - 1]
            middle -= 1
        keys[middle] = usual << 32
        known += 1
    below = _score(
        keys, np.int64(0), min(middle, known - 1), labels, targets, weights, 0.0, weight,
        rules.criterion, logs, left, right, scores, weights_below,
    )  # fmt: skip
    if middle < known - 1:
        below += usual_weight
        for k in range(len(left)):
            left[k] += usual_sums[k]
            right[k] -= usual_sums[k]
        weights_below[middle] = below
        scores[middle] = _purity(left, below, rules.criterion, logs)
        scores[middle] += _purity(right, weight - below, rules.criterion, logs)
        _score(
            keys, middle + 1, known - 1, labels, targets, weights, below, weight, rules.criterion,
            logs, left, right, scores, weights_below,
        )  # fmt: skip
    best, place = -np.inf, -1
    for i in range(known - 1):
        if scores[i] > best + ROUNDING * weight and keys[i] >> 32 != keys[i + 1] >> 32:
            count, below = i + 1 if i < middle else i + rest, weights_below[i]
            if min(count, n - gaps - count) < rules.min_leaf or weight - below <= 0:
                continue
            if min(below, weight - below) >= rules.min_weight:
                best, place = scores[i], i
    if place < 0:
        return True, -1, -1, -np.inf, 0.0
    gain, ratio = best - before, 0.0
    if rules.criterion == RATIO:
        ratio = gain / _parts(node_weight, weight, weights_below[place])
    return True, keys[place], keys[place + 1], gain, ratio


@compiled_inside
def _sort(keys, spare, digits, n, low, high):
    """Return the keys sorted by rank: by insertion where they are few, else digit by digit."""
    if n <= SHORT:
        for i in range(1, n):
            key, j = keys[i], i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return keys
    width = 0
    while (high - low) >> width > 0:
        width += 1
    largest = 8 if n < 2048 else 11
    passes = (width + largest - 1) // largest
    width = (width + passes - 1) // passes
    mask = (1 << width) - 1
    for turn in range(passes):
        shift = turn * width
        for value in range(mask + 1):
            digits[value] = 0
        for i in range(n):
            digits[(((keys[i] >> 32) - low) >> shift) & mask] += 1
        place = 0
        for value in range(mask + 1):
            place, digits[value] = place + digits[value], place
        for i in range(n):
            value = (((keys[i] >> 32) - low) >> shift) & mask
            spare[digits[value]] = keys[i]
            digits[value] += 1
        keys, spare = spare, keys
    return keys


@compiled_inside
def _take(keys, first, last, labels, targets, weights, criterion, sums):
    """Take the samples of some keys out of the sums; return their weight."""
    weight = 0.0
    for p in range(first, last):
        i = keys[p] & LOW_HALF
        weight += weights[i]
        if criterion == SQUARES:
            for k in range(len(sums)):
                sums[k] -= weights[i] * targets[i, k]
        else:
            sums[labels[i]] -= weights[i]
    return weight


@compiled_inside
def _score(
    keys, first, last, labels, targets, weights, below, weight, criterion, logs, left, right,
    scores, weights_below,
):  # fmt: skip
    """Write for cuts after some keys the weight below and the purity of both sides.

    The sums of both sides are those before the first cut; returns the weight below the last. Each
    criterion has a loop of its own, with nothing but arithmetic inside: a call in the loop would
    take longer than the loop.
    """
    if criterion == GINI:
        squares_left, squares_right = 0.0, 0.0
        for k in range(len(left)):
            squares_left += left[k] * left[k]
            squares_right += right[k] * right[k]
        for p in range(first, last):
            i = keys[p] & LOW_HALF
            w, k = weights[i], labels[i]
            below += w
            squares_left += w * (2 * left[k] + w)
            squares_right += w * (w - 2 * right[k])
            left[k] += w
            right[k] -= w
            above, weights_below[p] = weight - below, below
            scores[p] = squares_left / below + squares_right / above if above > 0 else -np.inf
    elif criterion == SQUARES and len(left) == 1:
        sum_left, sum_right = left[0], right[0]
        for p in range(first, last):
            i = keys[p] & LOW_HALF
            below += weights[i]
            sum_left += weights[i] * targets[i, 0]
            sum_right -= weights[i] * targets[i, 0]
            above, weights_below[p] = weight - below, below
            both = sum_left * sum_left / below + sum_right * sum_right / above
            scores[p] = both if above > 0 else -np.inf
        left[0], right[0] = sum_left, sum_right
    elif criterion == SQUARES:
        for p in range(first, last):
            i = keys[p] & LOW_HALF
            w = weights[i]
            below += w
            squares_left, squares_right = 0.0, 0.0
            for k in range(len(left)):
                left[k] += w * targets[i, k]
                right[k] -= w * targets[i, k]
                squares_left += left[k] * left[k]
                squares_right += right[k] * right[k]
            above, weights_below[p] = weight - below, below
            scores[p] = squares_left / below + squares_right / above if above > 0 else -np.inf
    elif criterion == ERROR:
        most_left = _largest(left)
        for p in range(first, last):
            i = keys[p] & LOW_HALF
            w, k = weights[i], labels[i]
            below += w
            left[k] += w
            right[k] -= w
            most_left, most_right = max(most_left, left[k]), right[0]
            for c in range(1, len(right)):
                most_right = max(most_right, right[c])
            scores[p], weights_below[p] = most_left + most_right, below
    else:
        total = 0.0
        for k in range(len(left)):
            total += _log(left[k], logs) + _log(right[k], logs)
        for p in range(first, last):
            i = keys[p] & LOW_HALF
            w, k = weights[i], labels[i]
            below += w
            total -= _log(left[k], logs) + _log(right[k], logs)
            left[k] += w
            right[k] -= w
            total += _log(left[k], logs) + _log(right[k], logs)
            scores[p] = total - _log(below, logs) - _log(weight - below, logs)
            weights_below[p] = below
    return below


@compiled
def _tabulate(
    keys, n_keys, n, size, usual, labels, targets, weights, criterion, node_sums, node_weight,
    sums, totals, counts,
):  # fmt: skip
    """Set sums, weight and number of samples with each value; return values, known and weight.

    The usual value is what the others leave over. The sums of all known samples stand after those
    of the last value.
    """
    rest, values = n - n_keys, 0
    for value in range(size + 1):
        for k in range(len(node_sums)):
            sums[value, k] = 0.0
        totals[value], counts[value] = 0.0, 0
    for p in range(n_keys):
        value, i = keys[p] >> 32, keys[p] & LOW_HALF
        counts[value] += 1
        totals[value] += weights[i]
        if criterion == SQUARES:
            for k in range(len(node_sums)):
                sums[value, k] += weights[i] * targets[i, k]
        else:
            sums[value, labels[i]] += weights[i]
    if size == 0:
        return 0, 0, 0.0
    known, weight = n - counts[size], node_weight - totals[size]
    for k in range(len(node_sums)):
        sums[size, k] = node_sums[k] - sums[size, k]
    if rest > 0:
        counts[usual], totals[usual] = rest, weight
        for k in range(len(node_sums)):
            sums[usual, k] = sums[size, k]
        for value in range(size):
            if value != usual:
                totals[usual] -= totals[value]
                for k in range(len(node_sums)):
                    sums[usual, k] -= sums[value, k]
    for value in range(size):
        values += counts[value] > 0
    return values, known, weight


@compiled
def _cut_counts(size, n, weight, node_weight, rules, logs, sums, totals, counts):
    """Return the ranks on both sides of the best cut of a tabulated number, gain and ratio."""
    left, right = sums[size + 1], sums[size]
    for k in range(len(left)):
        left[k] = 0.0
    before = _purity(right, weight, rules.criterion, logs)
    best, best_below, cut, after, below, count = -np.inf, 0.0, -1, -1, 0.0, 0
    for value in range(size):
        if counts[value] == 0:
            continue
        if cut >= 0 and after < 0:
            after = value
        below += totals[value]
        count += counts[value]
        for k in range(len(left)):
            left[k] += sums[value, k]
            right[k] -= sums[value, k]
        above = weight - below
        if min(count, n - count) < rules.min_leaf or min(below, above) < rules.min_weight:
            continue
        if above > 0:
            score = _purity(left, below, rules.criterion, logs)
            score += _purity(right, above, rules.criterion, logs)
            if score > best + ROUNDING * weight:
                best, best_below, cut, after = score, below, value, -1
    if cut < 0:
        return -1, -1, -np.inf, 0.0
    gain, ratio = best - before, 0.0
    if rules.criterion == RATIO:
        ratio = gain / _parts(node_weight, weight, best_below)
    return cut, after, gain, ratio


@compiled
def _ask_category(size, n, weight, node_weight, rules, logs, sums, totals, counts):
    """Return the category to ask for (0 where each gets a branch), the gain and the gain ratio."""
    whole, criterion = sums[size], rules.criterion
    before = _purity(whole, weight, criterion, logs)
    parts = _part(node_weight - weight, node_weight)
    best, best_ratio, cut, together = -np.inf, 0.0, -1, 0.0
    for value in range(size):
        count, own = counts[value], totals[value]
        if count == 0:
            continue
        purity = _purity(sums[value], own, criterion, logs)
        if rules.multiway:
            if count < rules.min_leaf or own < rules.min_weight:
                return -1, -np.inf, 0.0
            together += purity
            parts += _part(own, node_weight)
            continue
        if min(count, n - count) < rules.min_leaf or min(own, weight - own) < rules.min_weight:
            continue
        if weight - own > 0:
            for k in range(len(whole)):
                sums[value, k] = whole[k] - sums[value, k]
            gain = purity + _purity(sums[value], weight - own, criterion, logs) - before
            if gain > best + ROUNDING * weight:
                best, cut = gain, value
                best_ratio = gain / _parts(node_weight, weight, own)
    if rules.multiway:
        return 0, together - before, (together - before) / parts
    return cut, best, best_ratio


@compiled_inside
def _purity(sums, weight, criterion, logs):
    """Return the purity of a set, in units of weight."""
    if criterion == ERROR:
        return _largest(sums)
    total = 0.0
    if criterion in (GINI, SQUARES):
        for k in range(len(sums)):
            total += sums[k] * sums[k]
        return total / weight
    for k in range(len(sums)):
        total += _log(sums[k], logs)
    return total - _log(weight, logs)


@compiled
def _largest(values):
    largest = values[0]
    for k in range(1, len(values)):
        largest = max(largest, values[k])
    return largest


@compiled
def _log(c, logs):
    """Return c log2 c, looked up where weights are whole."""
    if len(logs) > 0:
        return logs[int(c)]
    return c * np.log2(c) if c > 0 else 0.0


@compiled
def _parts(node_weight, weight, below):
    """Return the entropy, in units of weight, of both sides of a cut and the gaps."""
    sides = _part(below, node_weight) + _part(weight - below, node_weight)
    return sides + _part(node_weight - weight, node_weight)


@compiled
def _part(part, whole):
    return part * np.log2(whole / part) if part > 0 else 0.0
