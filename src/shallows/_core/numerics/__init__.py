"""Numerical work that families share: distances, neighbours, k-means, linear algebra, threads."""
