"""scikit-learn's own classes on our kernels, and fitted models as scikit-learn's and back."""

from shallows.accelerate._convert import from_sklearn, to_sklearn
from shallows.accelerate._patching import patch, patched, unpatch
from shallows.accelerate._report import Line, Report, report

__all__ = ["Line", "Report", "from_sklearn", "patch", "patched", "report", "to_sklearn", "unpatch"]


def load_ipython_extension(shell):
    """Patch scikit-learn in a notebook, after ``%load_ext shallows.accelerate``."""
    patch()


def unload_ipython_extension(shell):
    """Restore scikit-learn in a notebook, after ``%unload_ext shallows.accelerate``."""
    unpatch()
