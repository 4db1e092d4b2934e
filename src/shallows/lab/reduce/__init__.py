"""Experiments on dimension reduction."""
