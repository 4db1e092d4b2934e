"""Validation: measures, tests and intervals, splitting, selection, assessment and diagnosis."""

from shallows.validate._adjust import adjust_p_values
from shallows.validate._bayes_t import BayesianComparison, compare_bayes
from shallows.validate._bias_variance import (
    BiasVariance,
    bias_variance,
    smoother_bias_variance,
    smoother_matrix,
)
from shallows.validate._bootstrap import Bootstrap
from shallows.validate._bootstrap_error import BootstrapError, bootstrap_error
from shallows.validate._bootstrap_interval import bootstrap_interval
from shallows.validate._calibration import CalibrationTable, calibration_table
from shallows.validate._check_splits import check_splits
from shallows.validate._class_rates import ClassRates, class_rates, macro_f1
from shallows.validate._coarse_to_fine import SearchPath, coarse_to_fine
from shallows.validate._compare import compare
from shallows.validate._compare_ranks import RankComparison, compare_ranks
from shallows.validate._comparison import Comparison
from shallows.validate._complexity_curve import ComplexityCurve, complexity_curve
from shallows.validate._costs import cost_decision, cost_matrix_loss, cost_threshold
from shallows.validate._delong import AucEstimate, delong
from shallows.validate._double_descent import DoubleDescent, double_descent_curve
from shallows.validate._early_stopping import EpochCurve, early_stopping_path
from shallows.validate._information import aic, bic
from shallows.validate._interval import Interval, error_bar
from shallows.validate._leaks import Leaks, find_duplicates, find_leaks
from shallows.validate._learning_curve import PowerLaw, extrapolate_learning_curve
from shallows.validate._leave_one_per_class import LeaveOnePerClass
from shallows.validate._nested import NestedScores, OuterFold, nested_cross_validate
from shallows.validate._one_standard_error import one_standard_error
from shallows.validate._optimism import selection_optimism
from shallows.validate._overfits import overfits
from shallows.validate._precision_recall import PrecisionRecall, precision_recall
from shallows.validate._r_score import r_score
from shallows.validate._rank_chart import critical_difference_chart
from shallows.validate._ranked import RankedPredictions, ranked_predictions
from shallows.validate._risk import (
    Risk,
    empirical_risk,
    optimal_regressor,
    risk,
    risk_by_quadrature,
)
from shallows.validate._roc_band import RocBand, roc_band
from shallows.validate._rote import RoteLearner
from shallows.validate._select_and_assess import (
    Assessment,
    RepeatedAssessmentWarning,
    select_and_assess,
)
from shallows.validate._thresholds import WorkingPoint, best_threshold, threshold_for

__all__ = [
    "Assessment",
    "AucEstimate",
    "BayesianComparison",
    "BiasVariance",
    "Bootstrap",
    "BootstrapError",
    "CalibrationTable",
    "ClassRates",
    "Comparison",
    "ComplexityCurve",
    "DoubleDescent",
    "EpochCurve",
    "Interval",
    "Leaks",
    "LeaveOnePerClass",
    "NestedScores",
    "OuterFold",
    "PowerLaw",
    "PrecisionRecall",
    "RankComparison",
    "RankedPredictions",
    "RepeatedAssessmentWarning",
    "Risk",
    "RocBand",
    "RoteLearner",
    "SearchPath",
    "WorkingPoint",
    "adjust_p_values",
    "aic",
    "best_threshold",
    "bias_variance",
    "bic",
    "bootstrap_error",
    "bootstrap_interval",
    "calibration_table",
    "check_splits",
    "class_rates",
    "coarse_to_fine",
    "compare",
    "compare_bayes",
    "compare_ranks",
    "complexity_curve",
    "cost_decision",
    "cost_matrix_loss",
    "cost_threshold",
    "critical_difference_chart",
    "delong",
    "double_descent_curve",
    "early_stopping_path",
    "empirical_risk",
    "error_bar",
    "extrapolate_learning_curve",
    "find_duplicates",
    "find_leaks",
    "macro_f1",
    "nested_cross_validate",
    "one_standard_error",
    "optimal_regressor",
    "overfits",
    "precision_recall",
    "r_score",
    "ranked_predictions",
    "risk",
    "risk_by_quadrature",
    "roc_band",
    "select_and_assess",
    "selection_optimism",
    "smoother_bias_variance",
    "smoother_matrix",
    "threshold_for",
]
