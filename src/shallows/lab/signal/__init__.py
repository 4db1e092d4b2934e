"""Experiments on signals and adaptive filters."""
