"""Experiments on layered networks."""
