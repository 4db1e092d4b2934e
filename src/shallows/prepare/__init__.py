"""Preparation of data: codes, boxes, image features, gaps, copies, outliers."""

from shallows.prepare._augment import add_noisy_copies, augment_images, augment_signals
from shallows.prepare._chained_imputer import ChainedImputer
from shallows.prepare._class_imputer import ClassImputer
from shallows.prepare._codes import BinaryEncoder, ThermometerEncoder
from shallows.prepare._deck_imputer import DeckImputer
from shallows.prepare._density_imputer import DensityImputer
from shallows.prepare._hypercube_tree import HypercubeTree
from shallows.prepare._image_features import PrototypeMatching, mean_brightness, radiality
from shallows.prepare._missing import drop_incomplete, mask_missing, missing_report
from shallows.prepare._outlier_remover import OutlierRemover
from shallows.prepare._semi_supervised import SemiSupervised
from shallows.prepare._targets import code_targets, decide

__all__ = [
    "BinaryEncoder",
    "ChainedImputer",
    "ClassImputer",
    "DeckImputer",
    "DensityImputer",
    "HypercubeTree",
    "OutlierRemover",
    "PrototypeMatching",
    "SemiSupervised",
    "ThermometerEncoder",
    "add_noisy_copies",
    "augment_images",
    "augment_signals",
    "code_targets",
    "decide",
    "drop_incomplete",
    "mask_missing",
    "mean_brightness",
    "missing_report",
    "radiality",
]
