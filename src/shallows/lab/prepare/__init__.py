"""Experiments on the preparation of data."""
