"""Which features a node looks at: some drawn at random.

Each node has a seed of its own, so that what it draws depends on nothing but its place in the
tree.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

WORD = (1 << 32) - 1
MIXER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio


@compiled
def draw_features(states, n_features, drawn):
    """Write for each node, in a row of `drawn`, features drawn without replacement."""
    features, n_drawn = np.arange(n_features), drawn.shape[1]
    for k in range(len(states)):
        state = states[k]
        for looked in range(n_drawn):
            # Marsaglia's xorshift with 32 bits, "Xorshift RNGs", 2003
            state = state ^ ((state << 13) & WORD)
            state = state ^ (state >> 17)
            state = state ^ ((state << 5) & WORD)
            other = looked + (state * (n_features - looked) >> 32)
            drawn[k, looked] = features[other]
            features[other] = features[looked]
            features[looked] = drawn[k, looked]
        # The features go back to their places, for the next node; others have not been moved.
        for looked in range(n_drawn):
            features[drawn[k, looked]] = drawn[k, looked]
        for looked in range(n_drawn):
            features[looked] = looked


def turns_of(seeds, features) -> np.ndarray:
    """Return numbers in whose order nodes come to features that they have not drawn."""
    mixed = (seeds ^ (features.astype(np.uint64) * MIXER)) * MIXER
    mixed ^= mixed >> np.uint64(29)
    return (mixed * MIXER) >> np.uint64(1)
