"""Experiments on prototypes and distances."""
