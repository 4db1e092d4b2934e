"""Forward-backward and Viterbi recursions over many sequences in one array."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled


@compiled
def forward_backward(logs, starts, initial, moves, posterior, first, moved, totals):
    """Run both recursions with probabilities normalised at each step.

    Parameters
    ----------
    logs : ndarray of shape (n_steps, n_states)
        Log density of each step in each state; overwritten.
    starts : ndarray of shape (n_sequences + 1,)
        Start and end of each sequence.
    initial : ndarray of shape (n_states,)
        Probabilities of the first state.
    moves : ndarray of shape (n_states, n_states)
        Probabilities of the next state.
    posterior : ndarray of shape (n_steps, n_states)
        Receives the probability of each state given its sequence.
    first : ndarray of shape (n_states,)
        Receives the expected number of sequences that start in each state.
    moved : ndarray of shape (n_states, n_states)
        Receives the expected number of transitions.
    totals : ndarray of shape (n_sequences,)
        Receives the log-likelihood of each sequence; minus infinity if it is impossible.
    """
    n_states = len(initial)
    weight, scale = np.empty(n_states), np.empty(len(logs))
    first[:] = 0.0
    moved[:] = 0.0
    for s in range(len(starts) - 1):
        begin, end = starts[s], starts[s + 1]
        totals[s] = _forward(logs, begin, end, initial, moves, posterior, scale)
        if totals[s] == -np.inf:  # an impossible sequence counts nowhere
            continue
        # Backward recursion: beta_i(t) = sum_j a_ij b_j(t+1) beta_j(t+1) / scale(t+1).
        for t in range(end - 2, begin - 1, -1):
            for j in range(n_states):
                weight[j] = logs[t + 1, j] / scale[t + 1]
            for i in range(n_states):
                back = 0.0
                for j in range(n_states):
                    moved[i, j] += posterior[t, i] * weight[j]
                    back += moves[i, j] * weight[j]
                logs[t, i] *= back  # now the likelihood of this step times beta
                posterior[t, i] *= back

        # The first state's gamma.
        for i in range(n_states):
            first[i] += posterior[begin, i]
    # Expected transitions: sum over t of alpha_i a_ij b_j beta_j / scale, with a_ij factored out.
    for i in range(n_states):
        for j in range(n_states):
            moved[i, j] *= moves[i, j]


@compiled
def _forward(logs, begin, end, initial, moves, posterior, scale):
    """Filter one sequence; replace `logs` by likelihoods; return the log-likelihood."""
    n_states, total = len(initial), 0.0
    for t in range(begin, end):
        # Dividing by the largest likelihood avoids underflow.
        top = logs[t, 0]
        for j in range(1, n_states):
            top = max(top, logs[t, j])
        # alpha_j(t) = b_j(t) sum_i alpha_i(t-1) a_ij, normalised.
        norm = 0.0
        for j in range(n_states):
            if t == begin:
                chance = initial[j]
            else:
                chance = 0.0
                for i in range(n_states):
                    chance += posterior[t - 1, i] * moves[i, j]
            logs[t, j] = np.exp(logs[t, j] - top) if top > -np.inf else 0.0
            posterior[t, j] = chance * logs[t, j]
            norm += posterior[t, j]
        if not norm > 0.0:
            return -np.inf

        # Scale alpha_t to sum 1; the log-likelihood is the sum of the logs of the scales.
        for j in range(n_states):
            posterior[t, j] /= norm
        scale[t] = norm
        total += np.log(norm) + top
    return total


@compiled
def viterbi(logs, starts, log_initial, log_moves, path):
    """Write the most probable states of each sequence to `path`; return the sum of their logs."""
    n_states, total = len(log_initial), 0.0
    longest = 0
    for s in range(len(starts) - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    origin = np.empty((longest, n_states), np.int32)
    here, ahead = np.empty(n_states), np.empty(n_states)
    for s in range(len(starts) - 1):
        # delta_1(j) = log pi_j + log b_j(1)
        begin, end = starts[s], starts[s + 1]
        for j in range(n_states):
            here[j] = log_initial[j] + logs[begin, j]
        # delta_j(t) = max_i delta_i(t-1) + ln a_ij + ln b_j(t); remember the best predecessor.
        for t in range(begin + 1, end):
            for j in range(n_states):
                best, where = -np.inf, 0
                for i in range(n_states):
                    value = here[i] + log_moves[i, j]
                    if value > best:
                        best, where = value, i
                ahead[j] = best + logs[t, j]
                origin[t - begin, j] = where
            for j in range(n_states):
                here[j] = ahead[j]
        # Trace the best path backwards from its best last state.
        state = 0
        for j in range(1, n_states):
            if here[j] > here[state]:
                state = j
        total += here[state]
        path[end - 1] = state
        for t in range(end - 1, begin, -1):
            state = origin[t - begin, state]
            path[t - 1] = state
    return total
