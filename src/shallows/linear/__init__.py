"""Linear models: least squares, penalties, Bayes, and classification by regression."""

from shallows.linear._all_vs_all import AllVsAll
from shallows.linear._basis_expansion import BasisExpansion
from shallows.linear._bayesian_linear import BayesianLinear
from shallows.linear._bayesian_ridge import BayesianRidge
from shallows.linear._coefficient_table import CoefficientTable, coefficient_table
from shallows.linear._delta_rule import DeltaRule
from shallows.linear._least_squares_classifier import LeastSquaresClassifier
from shallows.linear._linear_regression import LinearRegression
from shallows.linear._masked_classes import masked_classes
from shallows.linear._minkowski_regression import MinkowskiRegression
from shallows.linear._one_vs_all import OneVsAll
from shallows.linear._pca_linear_classifier import PCALinearClassifier
from shallows.linear._polynomial_regression import PolynomialRegression, roughness_matrix
from shallows.linear._projections import centering_matrix, hat_matrix
from shallows.linear._ridge import Ridge
from shallows.linear._ridge_cv import RidgeCV
from shallows.linear._ridge_path import RidgePath, ridge_path
from shallows.linear._risk_minimizer import RiskMinimizer
from shallows.linear._sigmoid_unit import SigmoidUnit
from shallows.linear._simple_regression import simple_regression
from shallows.linear._total_least_squares import TotalLeastSquares

__all__ = [
    "AllVsAll",
    "BasisExpansion",
    "BayesianLinear",
    "BayesianRidge",
    "CoefficientTable",
    "DeltaRule",
    "LeastSquaresClassifier",
    "LinearRegression",
    "MinkowskiRegression",
    "OneVsAll",
    "PCALinearClassifier",
    "PolynomialRegression",
    "Ridge",
    "RidgeCV",
    "RidgePath",
    "RiskMinimizer",
    "SigmoidUnit",
    "TotalLeastSquares",
    "centering_matrix",
    "coefficient_table",
    "hat_matrix",
    "masked_classes",
    "ridge_path",
    "roughness_matrix",
    "simple_regression",
]
