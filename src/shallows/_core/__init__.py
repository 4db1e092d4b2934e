"""The ground every family stands on: contract, numerics, showing."""
