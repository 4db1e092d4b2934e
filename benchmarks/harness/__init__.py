"""What a file of benchmark cases needs."""

from benchmarks.harness.cases import Comparison, Quality, case
from benchmarks.harness.sides import Run, RunApart

__all__ = ["Comparison", "Quality", "Run", "RunApart", "case"]
