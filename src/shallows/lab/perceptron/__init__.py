"""Experiments on perceptrons."""
