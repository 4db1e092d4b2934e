"""Outliers: rows that are unlike the others."""

from shallows.outlier._contamination_roc import ContaminationRoc, contamination_roc
from shallows.outlier._delta_index import DeltaIndex
from shallows.outlier._distance_to_center import DistanceToCenter
from shallows.outlier._flag import flag
from shallows.outlier._gamma_index import GammaIndex
from shallows.outlier._kappa_index import KappaIndex
from shallows.outlier._z_score_index import ZScoreIndex

__all__ = [
    "ContaminationRoc",
    "DeltaIndex",
    "DistanceToCenter",
    "GammaIndex",
    "KappaIndex",
    "ZScoreIndex",
    "contamination_roc",
    "flag",
]
