"""Perceptrons: threshold units that learn from single examples."""

from shallows.perceptron._perceptron import Perceptron

__all__ = ["Perceptron"]
