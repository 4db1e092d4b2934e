"""Experiments on decision trees and forests."""
