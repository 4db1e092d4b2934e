"""Experiment: how complex is k-NN, and when does it beat a straight border?"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.params import Range
from shallows.data import make_gaussian_mixtures
from shallows.lab import Run, experiment, line
from shallows.linear import LeastSquaresClassifier
from shallows.prototype import KNeighborsClassifier
from shallows.theory import knn_effective_parameters

NEIGHBOURS = (1, 5, 15, 45, 101, 151, 200)
# Mean test errors over ten draws, from the reading of the notes
PRINTED = {1: 0.240, 5: 0.210, 15: 0.205, 45: 0.212, 101: 0.225, 151: 0.261, 200: 0.500}
