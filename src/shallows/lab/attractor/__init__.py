"""Experiments on attractor networks."""
