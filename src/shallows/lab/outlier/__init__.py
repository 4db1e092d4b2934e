"""Experiments on outliers."""
