"""Experiments on model neurons."""
