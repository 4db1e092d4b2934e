"""Greedy top-down growth of a decision tree, on columns of ranks.

Every column is given as ranks: the place of a value among the sorted distinct values of its
column, or the number of a category; a missing value has the rank after the last. A tree then
only compares small integers, whatever the data were, and a node sorts them in linear time.

All criteria are sums over branches of a purity in units of weight: for class weights `c` with
sum `w` it is sum c^2 / w (Gini), sum c log c - w log w (entropy) or max c (misclassification);
for sums `s` of targets the squared error gives sum s^2 / w, the form of Gini's.
"""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled

GINI, ENTROPY, RATIO, ERROR, SQUARES = range(5)
LEAF, BELOW, EACH, EQUALS = range(4)  # a node asks: nothing, x <= t?, which x?, x = a?

# Columns of the integers and of the numbers that describe a node
FEATURE, QUESTION, CUT, NEXT, FIRST, BRANCHES, HEAVIEST, COUNT, DEPTH = range(9)
START, END, WAITING = range(9, 12)
WEIGHT, PURITY, SQUARE, GAIN, SHARE = range(5)

ROUNDING = 1e-12  # of the weight: gains closer than this are equal, and the first is taken
FEW = 48  # keys up to this number are sorted by insertion, values up to it are counted
LOW_HALF = (1 << 32) - 1


@compiled
def grow(
    ranks, n_values, is_category, labels, targets, samples, weights, n_sums, criterion, multiway,
    light, limits, least_weight, min_weight, min_gain, n_drawn, logs, rng,
):  # fmt: skip
    """Return how many nodes, their integers, numbers, and class weights or sums of targets.

    `ranks` is of shape (n_features, n_samples); `samples` are the rows to learn from, with
    `weights`. `limits` are the largest depth, the smallest node to split, the smallest branch,
    and the largest number of leaves (0 for any). The least weight of a node to split is
    `least_weight`, of a branch `min_weight`, of a part of a sample to divide `light`. A node
    looks at `n_drawn` features. `logs` holds x log2 x for whole weights, or nothing. Branches
    of a node stand side by side.
    """
    max_leaves = limits[3]
    top = len(samples)
    samples, weights = samples.copy(), weights.copy()
    spare_samples, spare_weights = np.empty_like(samples), np.empty_like(weights)
    features, scratch = np.arange(len(n_values)), _scratch(n_values, is_category, top, n_sums)
    integers, numbers, sums = (
        np.zeros((16, 12), np.int64),
        np.zeros((16, 5)),
        np.zeros((16, n_sums)),
    )
    # which features are known to be constant, in each waiting node and in the node at work
    constant, own = np.zeros((16, len(n_values)), np.bool_), np.zeros(len(n_values), np.bool_)
    inherited = np.zeros(len(n_values), np.bool_)
    integers[0, END] = top
    waiting, n_nodes, n_leaves, children = 0, 0, 1, 1
    while children > 0:
        for node in range(n_nodes + children - 1, n_nodes - 1, -1):
            if integers[node, END] == integers[node, START]:
                continue  # no sample: a leaf that answers as its parent does
            for j in range(len(own)):
                own[j] = inherited[j]
            own_labels, own_targets = _measure(
                node, integers, numbers, sums, samples, weights, labels, targets, criterion, logs
            )
            _choose(
                node, integers, numbers, sums, samples, weights, own_labels, own_targets, ranks,
                n_values, is_category, criterion, multiway, limits, min_weight, min_gain, n_drawn,
                features, own, logs, scratch, rng, least_weight,
            )  # fmt: skip
            if integers[node, BRANCHES] > 0:
                integers[waiting, WAITING] = node
                for j in range(len(own)):
                    constant[waiting, j] = own[j]
                waiting += 1
        n_nodes += children
        children, node = 0, -1
        while waiting > 0 and children == 0:
            if max_leaves > 0:
                _largest_gain_last(integers, numbers, constant, waiting)
            waiting -= 1
            node = integers[waiting, WAITING]
            for j in range(len(own)):
                inherited[j] = constant[waiting, j]
            children = integers[node, BRANCHES]
            if max_leaves > 0 and n_leaves + children - 1 > max_leaves:
                _close(node, integers, numbers)
                children = 0
        if children == 0:
            break
        n_leaves += children - 1
        while n_nodes + children > len(integers):
            integers, numbers, sums = _taller(integers), _taller(numbers), _taller(sums)
        while waiting + children > len(constant):
            constant = _taller(constant)
        for child in range(n_nodes, n_nodes + children):
            for k in range(n_sums):
                sums[child, k] = sums[node, k]
        total = _count_branches(
            node, n_nodes, integers, numbers, samples, weights, ranks, n_values, light
        )
        start, end = integers[node, START], integers[node, END]
        place = start if total <= end - start or end == top else top
        top = max(top, place + total)
        while top > len(samples):
            samples, weights = _longer(samples), _longer(weights)
        if total > len(spare_samples):
            spare_samples, spare_weights = np.empty_like(samples), np.empty_like(weights)
        _divide(
            node, place, integers, numbers, samples, weights, spare_samples, spare_weights, ranks,
            n_values, light,
        )  # fmt: skip
    return n_nodes, integers, numbers, sums


@compiled
def _scratch(n_values, is_category, n, n_sums):
    """Return room for keys, digits, scores, and for sums, weights and counts of branches."""
    widest = FEW + 2
    for j in range(len(n_values)):
        if is_category[j]:
            widest = max(widest, n_values[j] + 1)
    keys, spare, digits = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(2048, np.int64)
    of_branches = np.empty((widest, n_sums)), np.empty(widest), np.empty(widest, np.int64)
    return (keys, spare, digits, np.empty(n), *of_branches)


# Loops in place of slices and of NumPy's reductions: each of those would take longer to compile
# than all of growth.


@compiled
def _taller(array):
    larger = np.zeros((2 * array.shape[0], array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            larger[i, j] = array[i, j]
    return larger


@compiled
def _longer(array):
    larger = np.zeros(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@compiled
def _measure(node, integers, numbers, sums, samples, weights, labels, targets, criterion, logs):
    """Set the sums, weight and purity of a node; return labels or targets of its samples."""
    start, end = integers[node, START], integers[node, END]
    n, n_sums = end - start, sums.shape[1]
    own_labels = np.empty(n if criterion != SQUARES else 0, labels.dtype)
    own_targets = np.empty((n if criterion == SQUARES else 0, n_sums))
    weight, square = 0.0, 0.0
    for k in range(n_sums):
        sums[node, k] = 0.0
    for i in range(n):
        w = weights[start + i]
        weight += w
        if criterion != SQUARES:
            own_labels[i] = labels[samples[start + i]]
            sums[node, own_labels[i]] += w
            continue
        for k in range(n_sums):
            own_targets[i, k] = targets[samples[start + i], k]
            sums[node, k] += w * own_targets[i, k]
            square += w * own_targets[i, k] ** 2
    integers[node, COUNT] = n
    numbers[node, WEIGHT], numbers[node, SQUARE] = weight, square
    numbers[node, PURITY] = _purity(sums[node], weight, criterion, logs)
    return own_labels, own_targets


@compiled
def _choose(
    node, integers, numbers, sums, samples, weights, labels, targets, ranks, n_values, is_category,
    criterion, multiway, limits, min_weight, min_gain, n_drawn, features, constant, logs, scratch,
    rng, least_weight,
):  # fmt: skip
    """Find the best question of a node, or leave it a leaf.

    Shuffles `features`, and notes in `constant` those that have one value here.
    """
    start, end = integers[node, START], integers[node, END]
    max_depth, min_split, min_leaf, _ = limits
    if end - start < min_split or end - start < 2 * min_leaf or integers[node, DEPTH] >= max_depth:
        return
    if numbers[node, WEIGHT] < least_weight:
        return
    if criterion == SQUARES:
        pure = _all_equal(targets)
    else:
        pure = _largest(sums[node]) >= (1 - ROUNDING) * numbers[node, WEIGHT]
    if pure:
        return
    inside, heavy = samples[start:end], weights[start:end]
    keys, spare, digits, scores, branch_sums, branch_weights, counts = scratch
    best, found = -np.inf, False
    tie = ROUNDING if criterion == RATIO else ROUNDING * numbers[node, WEIGHT]
    for looked in range(len(features)):
        if looked >= n_drawn and found:
            break
        if n_drawn < len(features):
            other = looked + int(rng.random() * (len(features) - looked))
            features[looked], features[other] = features[other], features[looked]
        feature = features[looked]
        if constant[feature]:
            continue
        if is_category[feature] or n_values[feature] <= FEW:
            known, values, weight = _tabulate(
                ranks[feature], inside, n_values[feature], labels, targets, heavy, criterion,
                sums[node], numbers[node, WEIGHT], branch_sums, branch_weights, counts,
            )  # fmt: skip
            if values < 2:
                constant[feature] = True
                continue
            if is_category[feature]:
                cut, gain, ratio = _split_categories(
                    n_values[feature], known, weight, numbers[node, WEIGHT], criterion, multiway,
                    min_leaf, min_weight, logs, branch_sums, branch_weights, counts,
                )  # fmt: skip
                after, question = cut, EACH if multiway else EQUALS
            else:
                cut, after, gain, ratio = _split_few(
                    n_values[feature], known, weight, numbers[node, WEIGHT], criterion, min_leaf,
                    min_weight, logs, branch_sums, branch_weights, counts,
                )  # fmt: skip
                question = BELOW
        else:
            known, low, high = _gather(keys, ranks[feature], inside, n_values[feature])
            if low >= high:
                constant[feature] = True
                continue
            ordered = _sort(keys, spare, digits, known, low, high)
            place, gain, ratio = _split_numbers(
                ordered, known, labels, targets, heavy, numbers[node, WEIGHT], sums[node],
                criterion, min_leaf, min_weight, logs, branch_sums, scores,
            )  # fmt: skip
            cut, after, question = -1, -1, BELOW
            if place >= 0:
                cut, after = ordered[place] >> 32, ordered[place + 1] >> 32
        found = True
        score = ratio if criterion == RATIO else gain
        if cut >= 0 and score > best + tie:
            best = score
            numbers[node, GAIN] = gain
            integers[node, FEATURE], integers[node, QUESTION] = feature, question
            integers[node, CUT], integers[node, NEXT] = cut, after
            integers[node, BRANCHES] = n_values[feature] if question == EACH else 2
    if best == -np.inf or numbers[node, GAIN] < min_gain - ROUNDING * numbers[node, WEIGHT]:
        _close(node, integers, numbers)


@compiled
def _close(node, integers, numbers):
    """Make a node a leaf."""
    integers[node, QUESTION], integers[node, BRANCHES] = LEAF, 0
    numbers[node, GAIN] = 0.0


@compiled
def _all_equal(targets):
    for i in range(1, len(targets)):
        for k in range(targets.shape[1]):
            if targets[i, k] != targets[0, k]:
                return False
    return True


@compiled
def _gather(keys, ranks, inside, missing):
    """Write each known rank above the place of its sample; return their number and range."""
    known, low, high = 0, np.int64(missing), np.int64(-1)
    for i in range(len(inside)):
        rank = np.int64(ranks[inside[i]])
        if rank == missing:
            continue
        low, high = min(low, rank), max(high, rank)
        keys[known] = (rank << 32) | i
        known += 1
    return known, low, high


@compiled
def _sort(keys, spare, digits, n, low, high):
    """Return the keys sorted by rank: by insertion where they are few, else digit by digit."""
    if n <= FEW:
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


@compiled
def _split_numbers(
    keys, n, labels, targets, weights, node_weight, node_sums, criterion, min_leaf, min_weight,
    logs, branch_sums, scores,
):  # fmt: skip
    """Return the place after which to cut the sorted keys, the gain and the gain ratio."""
    left, right = branch_sums[0], branch_sums[1]
    for k in range(len(node_sums)):
        left[k], right[k] = 0.0, node_sums[k]
    weight = node_weight
    if n < len(weights):
        weight = _sum_up(keys, n, labels, targets, weights, criterion, right)
    before = _purity(right, weight, criterion, logs)
    if criterion == GINI:
        _score_gini(keys, n, labels, weights, left, right, weight, scores)
    elif criterion == SQUARES:
        _score_squares(keys, n, targets, weights, left, right, weight, scores)
    elif criterion == ERROR:
        _score_errors(keys, n, labels, weights, left, right, scores)
    elif len(logs) > 0:
        _score_whole_entropy(keys, n, labels, weights, left, right, weight, logs, scores)
    else:
        _score_entropy(keys, n, labels, weights, left, right, weight, scores)
    if min_weight > 0:
        _refuse_light(keys, n, weights, weight, min_weight, scores)
    best, place, tie = -np.inf, -1, ROUNDING * weight
    for i in range(min_leaf - 1, n - min_leaf):
        if scores[i] > best + tie and keys[i] >> 32 != keys[i + 1] >> 32:
            best, place = scores[i], i
    gain, ratio = best - before, 0.0
    if criterion == RATIO and place >= 0:
        below = 0.0
        for i in range(place + 1):
            below += weights[keys[i] & LOW_HALF]
        parts = _log(node_weight) - _log(node_weight - weight)
        ratio = gain / (parts - _log(below) - _log(weight - below))
    return place, gain, ratio


@compiled
def _refuse_light(keys, n, weights, weight, min_weight, scores):
    """Rule out cuts with a branch below the least weight."""
    below = 0.0
    for i in range(n - 1):
        below += weights[keys[i] & LOW_HALF]
        if below < min_weight or weight - below < min_weight:
            scores[i] = -np.inf


@compiled
def _sum_up(keys, n, labels, targets, weights, criterion, sums):
    """Set the sums over the keys; return their weight."""
    weight = 0.0
    for k in range(len(sums)):
        sums[k] = 0.0
    for i in range(n):
        p = keys[i] & LOW_HALF
        weight += weights[p]
        if criterion == SQUARES:
            for k in range(len(sums)):
                sums[k] += weights[p] * targets[p, k]
        else:
            sums[labels[p]] += weights[p]
    return weight


# Each criterion has a loop of its own, with nothing but arithmetic inside: a call in the loop
# would take longer than the loop. `scores[i]` is the purity of both sides of a cut after key i;
# `left` starts with zeros, `right` with all sums.


@compiled
def _score_gini(keys, n, labels, weights, left, right, weight, scores):
    squares_left, squares_right, below = 0.0, 0.0, 0.0
    for k in range(len(right)):
        squares_right += right[k] * right[k]
    for i in range(n - 1):
        p = keys[i] & LOW_HALF
        w, k = weights[p], labels[p]
        below += w
        squares_left += w * (2 * left[k] + w)
        squares_right += w * (w - 2 * right[k])
        left[k] += w
        right[k] -= w
        above = weight - below
        scores[i] = squares_left / below + squares_right / above if above > 0 else -np.inf


@compiled
def _score_squares(keys, n, targets, weights, left, right, weight, scores):
    below = 0.0
    for i in range(n - 1):
        p = keys[i] & LOW_HALF
        w = weights[p]
        below += w
        squares_left, squares_right = 0.0, 0.0
        for k in range(len(left)):
            left[k] += w * targets[p, k]
            right[k] -= w * targets[p, k]
            squares_left += left[k] * left[k]
            squares_right += right[k] * right[k]
        above = weight - below
        scores[i] = squares_left / below + squares_right / above if above > 0 else -np.inf


@compiled
def _score_errors(keys, n, labels, weights, left, right, scores):
    most_left = 0.0
    for i in range(n - 1):
        p = keys[i] & LOW_HALF
        k = labels[p]
        left[k] += weights[p]
        right[k] -= weights[p]
        most_left, most_right = max(most_left, left[k]), 0.0
        for c in range(len(right)):
            most_right = max(most_right, right[c])
        scores[i] = most_left + most_right


@compiled
def _score_whole_entropy(keys, n, labels, weights, left, right, weight, logs, scores):
    """Score by entropy where all weights are whole numbers."""
    total, below, all_weight = 0.0, 0, int(weight)
    for k in range(len(right)):
        total += logs[int(right[k])]
    for i in range(n - 1):
        p = keys[i] & LOW_HALF
        w, k = int(weights[p]), labels[p]
        below += w
        old_left, old_right = int(left[k]), int(right[k])
        total += logs[old_left + w] - logs[old_left] + logs[old_right - w] - logs[old_right]
        left[k] += w
        right[k] -= w
        scores[i] = total - logs[below] - logs[all_weight - below]


@compiled
def _score_entropy(keys, n, labels, weights, left, right, weight, scores):
    below = 0.0
    for i in range(n - 1):
        p = keys[i] & LOW_HALF
        k = labels[p]
        below += weights[p]
        left[k] += weights[p]
        right[k] -= weights[p]
        above, total = weight - below, 0.0
        for c in range(len(left)):
            if left[c] > 0:
                total += left[c] * np.log2(left[c] / below)
            if right[c] > 0 and above > 0:
                total += right[c] * np.log2(right[c] / above)
        scores[i] = total if above > 0 else -np.inf


@compiled
def _tabulate(
    ranks, inside, size, labels, targets, weights, criterion, node_sums, node_weight, branch_sums,
    branch_weights, counts,
):  # fmt: skip
    """Set sums, weight and number of samples with each value; return known, values and weight.

    The lowest value, often the most frequent one, is what the others leave over. The sums of all
    samples stand after those of the last value.
    """
    n_sums = branch_sums.shape[1]
    for value in range(size + 1):
        for k in range(n_sums):
            branch_sums[value, k] = 0.0
        branch_weights[value], counts[value] = 0.0, 0
    for i in range(len(inside)):
        value = ranks[inside[i]]
        if value == 0:
            continue
        counts[value] += 1
        branch_weights[value] += weights[i]
        if criterion == SQUARES:
            for k in range(n_sums):
                branch_sums[value, k] += weights[i] * targets[i, k]
        else:
            branch_sums[value, labels[i]] += weights[i]
    known, values, weight = len(inside) - counts[size], 0, node_weight - branch_weights[size]
    if size == 0 or known == 0:
        return 0, 0, 0.0
    for k in range(n_sums):
        branch_sums[size, k] = node_sums[k] - branch_sums[size, k]
        branch_sums[0, k] = branch_sums[size, k]
    counts[0], branch_weights[0] = known, weight
    for value in range(1, size):
        counts[0] -= counts[value]
        branch_weights[0] -= branch_weights[value]
        for k in range(n_sums):
            branch_sums[0, k] -= branch_sums[value, k]
    for value in range(size):
        values += counts[value] > 0
    return known, values, weight


@compiled
def _split_few(
    size, n, weight, node_weight, criterion, min_leaf, min_weight, logs, branch_sums,
    branch_weights, counts,
):  # fmt: skip
    """Return the ranks on both sides of the best cut of a tabulated number, gain and ratio."""
    n_sums, left, right = branch_sums.shape[1], branch_sums[size + 1], branch_sums[size]
    for k in range(n_sums):
        left[k] = 0.0
    before = _purity(right, weight, criterion, logs)
    best, best_below, cut, after, below, seen = -np.inf, 0.0, -1, -1, 0.0, 0
    for value in range(size):
        if counts[value] == 0:
            continue
        if cut >= 0 and after < 0:
            after = value
        below += branch_weights[value]
        seen += counts[value]
        for k in range(n_sums):
            left[k] += branch_sums[value, k]
            right[k] -= branch_sums[value, k]
        above = weight - below
        if seen < min_leaf or n - seen < min_leaf or n == seen or above <= 0:
            continue
        if below < min_weight or above < min_weight:
            continue
        score = _purity(left, below, criterion, logs) + _purity(right, above, criterion, logs)
        if score > best + ROUNDING * weight:
            best, best_below, cut, after = score, below, value, -1
    if cut < 0:
        return -1, -1, -np.inf, 0.0
    parts = _log(node_weight) - _log(node_weight - weight)
    parts -= _log(best_below) + _log(weight - best_below)
    return cut, after, best - before, (best - before) / parts


@compiled
def _split_categories(
    size, n, weight, node_weight, criterion, multiway, min_leaf, min_weight, logs, branch_sums,
    branch_weights, counts,
):  # fmt: skip
    """Return the category to ask for (0 where each gets a branch), the gain and the gain ratio."""
    n_sums, whole = branch_sums.shape[1], branch_sums[size]
    before = _purity(whole, weight, criterion, logs)
    parts = _log(node_weight) - _log(node_weight - weight)
    best, best_ratio, cut, together = -np.inf, 0.0, -1, 0.0
    for value in range(size):
        if counts[value] == 0:
            continue
        own = _purity(branch_sums[value], branch_weights[value], criterion, logs)
        if multiway:
            if counts[value] < min_leaf or branch_weights[value] < min_weight:
                return -1, -np.inf, 0.0
            together += own
            parts -= _log(branch_weights[value])
            continue
        rest = weight - branch_weights[value]
        if counts[value] < min_leaf or n - counts[value] < min_leaf or rest <= 0:
            continue
        if branch_weights[value] < min_weight or rest < min_weight:
            continue
        for k in range(n_sums):
            branch_sums[value, k] = whole[k] - branch_sums[value, k]
        gain = own + _purity(branch_sums[value], rest, criterion, logs) - before
        if gain > best + ROUNDING * weight:
            best, cut = gain, value
            best_ratio = gain / (parts - _log(branch_weights[value]) - _log(rest))
    if multiway:
        return 0, together - before, (together - before) / parts
    return cut, best, best_ratio


@compiled
def _purity(sums, weight, criterion, logs):
    """Return the purity of a set, in units of weight."""
    if criterion == ERROR:
        return _largest(sums)
    total = 0.0
    for k in range(len(sums)):
        total += _term(sums[k], criterion, logs)
    if criterion in (ENTROPY, RATIO):
        return total - _term(weight, criterion, logs)
    return total / weight


@compiled
def _largest(values):
    largest = values[0]
    for k in range(1, len(values)):
        largest = max(largest, values[k])
    return largest


@compiled
def _term(c, criterion, logs):
    if criterion in (GINI, SQUARES):
        return c * c
    if len(logs) > 0:
        return logs[int(c)]
    return _log(c)


@compiled
def _log(c):
    return c * np.log2(c) if c > 0 else 0.0


@compiled
def _largest_gain_last(integers, numbers, constant, waiting):
    last = waiting - 1
    for i in range(last):
        one, other = integers[i, WAITING], integers[last, WAITING]
        if numbers[one, GAIN] > numbers[other, GAIN]:
            integers[i, WAITING], integers[last, WAITING] = other, one
            for j in range(constant.shape[1]):
                constant[i, j], constant[last, j] = constant[last, j], constant[i, j]


@compiled
def _branch(rank, question, cut):
    if question == BELOW:
        return 0 if rank <= cut else 1
    if question == EQUALS:
        return 0 if rank == cut else 1
    return rank


@compiled
def _count_branches(node, first, integers, numbers, samples, weights, ranks, n_values, light):
    """Describe the branches of a node from `first` on; return their number of samples."""
    feature, question, cut = integers[node, FEATURE], integers[node, QUESTION], integers[node, CUT]
    branches, missing = integers[node, BRANCHES], n_values[feature]
    known, heaviest = 0.0, 0
    for i in range(integers[node, START], integers[node, END]):
        rank = ranks[feature, samples[i]]
        if rank != missing:
            child = first + _branch(rank, question, cut)
            integers[child, COUNT] += 1
            numbers[child, SHARE] += weights[i]
            known += weights[i]
    for branch in range(1, branches):
        if numbers[first + branch, SHARE] > numbers[first + heaviest, SHARE]:
            heaviest = branch
    integers[node, FIRST], integers[node, HEAVIEST] = first, heaviest
    for child in range(first, first + branches):
        numbers[child, SHARE] /= known
        integers[child, DEPTH] = integers[node, DEPTH] + 1
    total = 0
    for i in range(integers[node, START], integers[node, END]):
        if ranks[feature, samples[i]] != missing:
            total += 1
        elif weights[i] < light:
            integers[first + heaviest, COUNT] += 1
            total += 1
        else:
            for child in range(first, first + branches):
                if numbers[child, SHARE] > 0:
                    integers[child, COUNT] += 1
                    total += 1
    return total


@compiled
def _divide(
    node, place, integers, numbers, samples, weights, spare_samples, spare_weights, ranks, n_values,
    light,
):  # fmt: skip
    """Write the samples of every branch from `place` on, in their order."""
    feature, question, cut = integers[node, FEATURE], integers[node, QUESTION], integers[node, CUT]
    first, last = integers[node, FIRST], integers[node, FIRST] + integers[node, BRANCHES]
    missing, total = n_values[feature], 0
    for child in range(first, last):
        integers[child, START], integers[child, END] = total, total
        total += integers[child, COUNT]
    for i in range(integers[node, START], integers[node, END]):
        rank = ranks[feature, samples[i]]
        if rank == missing and weights[i] >= light:
            for child in range(first, last):
                if numbers[child, SHARE] > 0:
                    spare_samples[integers[child, END]] = samples[i]
                    spare_weights[integers[child, END]] = weights[i] * numbers[child, SHARE]
                    integers[child, END] += 1
            continue
        child = first + integers[node, HEAVIEST]
        if rank != missing:
            child = first + _branch(rank, question, cut)
        spare_samples[integers[child, END]] = samples[i]
        spare_weights[integers[child, END]] = weights[i]
        integers[child, END] += 1
    for child in range(first, last):
        integers[child, START] += place
        integers[child, END] += place
    for i in range(total):
        samples[place + i], weights[place + i] = spare_samples[i], spare_weights[i]
