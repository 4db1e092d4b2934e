"""Experiments on the theory of learning."""
