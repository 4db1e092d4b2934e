"""Hostile data and parameters for every estimator: `make fuzz`."""
