"""Experiments on kernel methods."""
