"""scikit-learn's own tests, run on our classes of the same name."""
