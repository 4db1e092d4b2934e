"""Experiments on validation: measures, comparison, selection and diagnosis."""
