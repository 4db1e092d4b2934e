"""Experiments on sampling."""
