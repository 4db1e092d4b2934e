"""Experiments on graphical models."""
