"""Experiments on densities."""
