"""Classical machine learning and neural networks behind one estimator interface."""

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

FAMILIES = (
    "attractor",
    "cluster",
    "data",
    "density",
    "graphical",
    "kernel",
    "linear",
    "network",
    "neuron",
    "outlier",
    "perceptron",
    "prepare",
    "prototype",
    "reduce",
    "sampling",
    "signal",
    "theory",
    "tree",
    "validate",
)
WORKBENCHES = ("accelerate", "lab", "study")

__all__ = ["FAMILIES", "WORKBENCHES", "__version__", *FAMILIES, *WORKBENCHES]


def __getattr__(name: str) -> ModuleType:
    if name in FAMILIES or name in WORKBENCHES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
