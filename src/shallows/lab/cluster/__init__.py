"""Experiments on clustering."""
