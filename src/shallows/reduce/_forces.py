"""Forces between the points of a stochastic neighbour embedding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled

STUDENT, GAUSSIAN = 0, 1
CHUNK = 1024
DEEPEST = 48


class Cells(NamedTuple):
    """A tree of cells: mean and number of the points in each, its width and its first child.

    A leaf has the child -1.
    """

    centres: np.ndarray
    counts: np.ndarray
    widths: np.ndarray
    children: np.ndarray


@compiled
def attract_rows(joint, Y, first, last, kernel, with_log, force):
    """Write sum_j p_ij w_ij (y_i - y_j) for rows first..last into `force`.

    The factor w_ij is 1 / (1 + d^2) for the Student kernel, 1 for the Gaussian one. Returns
    sum p log(p / q') with the unnormalised q', or 0 unless `with_log`.
    """
    shares, ends, starts = joint
    n_dims = Y.shape[1]
    total = 0.0
    for i in range(first, last):
        # The usual case, two dimensions without the loss, keeps everything in scalars.
        if kernel == STUDENT and n_dims == 2 and not with_log:
            here_x, here_y = Y[i, 0], Y[i, 1]
            pull_x, pull_y = 0.0, 0.0
            for edge in range(starts[i], starts[i + 1]):
                j = ends[edge]
                gap_x, gap_y = here_x - Y[j, 0], here_y - Y[j, 1]
                pull = shares[edge] / (1.0 + gap_x * gap_x + gap_y * gap_y)
                pull_x += pull * gap_x
                pull_y += pull * gap_y
            force[i, 0] = pull_x
            force[i, 1] = pull_y
            continue

        # Any number of dimensions, with log p - log q' on the way.
        for m in range(n_dims):
            force[i, m] = 0.0
        # Attraction along the stored edges: p_ij w_ij (y_i - y_j).
        for edge in range(starts[i], starts[i + 1]):
            j = ends[edge]
            squared = 0.0
            for m in range(n_dims):
                squared += (Y[i, m] - Y[j, m]) ** 2
            p = shares[edge]
            pull = p / (1.0 + squared) if kernel == STUDENT else p
            for m in range(n_dims):
                force[i, m] += pull * (Y[i, m] - Y[j, m])
            if with_log and p > 0.0:
                closeness = np.log1p(squared) if kernel == STUDENT else squared
                total += p * (np.log(p) + closeness)
    return total


@compiled
def repel_rows(columns, one, first, last, kernel, force):
    """Write the sum over all points j of the push on rows first..last into `force`.

    The push is w^2 (y_i - y_j) with w = 1 / (1 + d^2), or w (y_i - y_j) with the Gaussian
    w = exp(-d^2). Returns the sum of w over pairs of different points. Columns holds one
    dimension per row; `one` is 1 in its type, which keeps single precision single. Rows are cut
    off before the loops, which then vectorise.
    """
    n_dims, n = columns.shape
    squares = np.empty(CHUNK, columns.dtype)
    total = 0.0
    for i in range(first, last):
        for m in range(n_dims):
            force[i, m] = 0.0
        for begin in range(0, n, CHUNK):
            count = min(CHUNK, n - begin)
            # The usual case, two dimensions, in one loop without an array of squares.
            if kernel == STUDENT and n_dims == 2:
                here_x, here_y = columns[0, i], columns[1, i]
                there_x, there_y = columns[0, begin:], columns[1, begin:]
                near, push_x, push_y = one - one, one - one, one - one
                for j in range(count):
                    gap_x = here_x - there_x[j]
                    gap_y = here_y - there_y[j]
                    w = one / (one + gap_x * gap_x + gap_y * gap_y)
                    near += w
                    w = w * w
                    push_x += w * gap_x
                    push_y += w * gap_y
                total += near
                force[i, 0] += push_x
                force[i, 1] += push_y
                continue
            # Any number of dimensions: first all squared distances, dimension by dimension.
            for j in range(count):
                squares[j] = one - one
            for m in range(n_dims):
                here, there = columns[m, i], columns[m, begin:]
                for j in range(count):
                    gap = here - there[j]
                    squares[j] += gap * gap
            # From squared distances to w (summed) and to the factor of the push.
            near = one - one
            if kernel == STUDENT:
                for j in range(count):
                    w = one / (one + squares[j])
                    near += w
                    squares[j] = w * w
            else:
                for j in range(count):
                    squares[j] = np.exp(-squares[j])
                    near += squares[j]
            total += near
            # Sum the push along each dimension.
            for m in range(n_dims):
                here, there, push = columns[m, i], columns[m, begin:], one - one
                for j in range(count):
                    push += squares[j] * (here - there[j])
                force[i, m] += push
    return total - (last - first)


@compiled
def build_tree(Y, cells):
    """Sort points into cells that are halved along each axis until they contain one point.

    Points closer than the cells go deep share a leaf. Returns how many cells were written.
    """
    centres, counts, _, children = cells
    n, n_dims = Y.shape
    branches = 1 << n_dims
    middle = np.empty(n_dims)
    low = np.empty(n_dims)

    # The root is a cube around all points.
    width = 0.0
    for m in range(n_dims):
        low[m] = Y[:, m].min()
        width = max(width, Y[:, m].max() - low[m])
    width = width * 1.001 + 1e-12
    used = add_cells(cells, 0, 1, width)
    for i in range(n):
        # Go down to a leaf; until the end `centres` are sums of points, not means.
        node = 0
        half = width / 2.0
        for m in range(n_dims):
            middle[m] = low[m] + half
        depth = 0
        descending = True
        while descending:
            full = counts[node] > 0 and children[node] < 0
            if full and depth < DEEPEST and used + branches <= counts.shape[0]:
                # A leaf that has a point gets branches, and hands the point to one of them.
                children[node] = used
                used = add_cells(cells, used, branches, half)
                side = children[node]
                for m in range(n_dims):
                    if centres[node, m] / counts[node] > middle[m]:
                        side += 1 << m
                counts[side] = counts[node]
                for m in range(n_dims):
                    centres[side, m] = centres[node, m]
            counts[node] += 1
            for m in range(n_dims):
                centres[node, m] += Y[i, m]
            if children[node] < 0:
                descending = False
            else:
                side = 0
                half /= 2.0
                for m in range(n_dims):
                    if Y[i, m] > middle[m]:
                        side |= 1 << m
                        middle[m] += half
                    else:
                        middle[m] -= half
                node = children[node] + side
                depth += 1
    for node in range(used):
        if counts[node] > 0:
            for m in range(n_dims):
                centres[node, m] /= counts[node]
    return used


@compiled
def add_cells(cells, used, more, width):
    """Write some empty leaves behind those in use; return how many are in use now."""
    centres, counts, widths, children = cells
    for cell in range(used, used + more):
        counts[cell] = 0
        widths[cell] = width
        children[cell] = -1
        for m in range(centres.shape[1]):
            centres[cell, m] = 0.0
    return used + more


@compiled
def repel_by_tree(Y, cells, angle, first, last, force):
    """Write the Student push on rows first..last; far cells count as one heavy point.

    A cell is far where its width is below `angle` times its distance. Returns the sum of w
    over pairs of different points.
    """
    centres, counts, widths, children = cells
    n_dims = Y.shape[1]
    branches = 1 << n_dims
    stack = np.empty(DEEPEST * branches + branches + 8, np.int64)
    gap = np.empty(n_dims)
    limit = angle * angle
    total = 0.0
    for i in range(first, last):
        for m in range(n_dims):
            force[i, m] = 0.0
        stack[0] = 0
        size = 1
        # Walk down the tree: a leaf or a far cell acts as one heavy point, others are opened.
        while size > 0:
            size -= 1
            node = stack[size]
            squared = 0.0
            for m in range(n_dims):
                gap[m] = Y[i, m] - centres[node, m]
                squared += gap[m] * gap[m]

            # A leaf or a far cell pushes as one heavy point; any other is opened.
            first_child = children[node]
            if first_child < 0 or widths[node] * widths[node] < limit * squared:
                # The push is count w^2 (y_i - centre), with w = 1 / (1 + d^2).
                w = 1.0 / (1.0 + squared)
                heavy = counts[node] * w
                total += heavy
                heavy *= w
                for m in range(n_dims):
                    force[i, m] += heavy * gap[m]
            else:
                for child in range(first_child, first_child + branches):
                    if counts[child] > 0:
                        stack[size] = child
                        size += 1
    return total - (last - first)


@compiled
def settle_new(conditional, index, Y, placed, steps):
    """Move each row of `placed` in place to where its neighbour probabilities fit best.

    Descends sum_j p_j log(p_j / q_j) with q_j proportional to 1 / (1 + |y - y_j|^2) over all
    fixed points; the step grows while the sum falls and shrinks where it rises.
    """
    n, n_dims = Y.shape
    best = np.empty(n_dims)
    slope = np.empty(n_dims)
    push = np.empty(n_dims)
    for row in range(placed.shape[0]):
        rate = 1.0
        lowest = np.inf
        for m in range(n_dims):
            best[m] = placed[row, m]
        for _ in range(steps):
            # Repulsion from all fixed points; `near` is the normaliser of q.
            push[:] = 0.0
            near = 0.0
            for j in range(n):
                squared = 0.0
                for m in range(n_dims):
                    squared += (placed[row, m] - Y[j, m]) ** 2
                w = 1.0 / (1.0 + squared)
                near += w
                for m in range(n_dims):
                    push[m] += w * w * (placed[row, m] - Y[j, m])

            # sum p log(p / q) up to a constant, and the pull of the neighbours.
            loss = np.log(near)
            # Attraction to the neighbours, and the loss log(near) + sum p_j log(1 + d_j^2).
            pull = np.zeros(n_dims)
            for k in range(index.shape[1]):
                j = index[row, k]
                squared = 0.0
                for m in range(n_dims):
                    squared += (placed[row, m] - Y[j, m]) ** 2
                loss += conditional[row, k] * np.log1p(squared)
                for m in range(n_dims):
                    gap = placed[row, m] - Y[j, m]
                    pull[m] += conditional[row, k] * gap / (1.0 + squared)
            # Accept a better position and speed up; otherwise go back and slow down.
            if loss < lowest:
                lowest = loss
                rate *= 1.5
                for m in range(n_dims):
                    best[m] = placed[row, m]
                    slope[m] = 2.0 * (pull[m] - push[m] / near)
            else:
                rate /= 3.0
            for m in range(n_dims):
                placed[row, m] = best[m] - rate * slope[m]
        for m in range(n_dims):
            placed[row, m] = best[m]
