"""The ground every family stands on: parameters, data, randomness, loops, distances, streams."""
