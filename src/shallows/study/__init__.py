"""Workbench: from a data file to an honestly validated model and a report.

`import shallows.study` loads nothing; a name's module is imported when the name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shallows.study._assess import Assessment, TestSet
    from shallows.study._audit import audit
    from shallows.study._baselines import baselines
    from shallows.study._compare_studies import StudyComparison, compare_studies
    from shallows.study._errors import StudyError
    from shallows.study._finding import Finding
    from shallows.study._model_card import ModelCard, model_card
    from shallows.study._model_file import SavedModel, load_model
    from shallows.study._predict import Answers, RowExplanation, explain_row, predict
    from shallows.study._rank import Ranked
    from shallows.study._report import report
    from shallows.study._result import StudyResult, load_result
    from shallows.study._study import Study
    from shallows.study._survey import Survey, SurveyResult

__all__ = [
    "Answers",
    "Assessment",
    "Finding",
    "ModelCard",
    "Ranked",
    "RowExplanation",
    "SavedModel",
    "Study",
    "StudyComparison",
    "StudyError",
    "StudyResult",
    "Survey",
    "SurveyResult",
    "TestSet",
    "audit",
    "baselines",
    "compare_studies",
    "explain_row",
    "load_model",
    "load_result",
    "model_card",
    "predict",
    "report",
]

_HOMES = {
    "Answers": "_predict",
    "Assessment": "_assess",
    "Finding": "_audit",
    "ModelCard": "_model_card",
    "Ranked": "_rank",
    "RowExplanation": "_predict",
    "SavedModel": "_model_file",
    "Study": "_study",
    "StudyComparison": "_compare_studies",
    "StudyError": "_errors",
    "StudyResult": "_result",
    "Survey": "_survey",
    "SurveyResult": "_survey",
    "TestSet": "_assess",
    "audit": "_audit",
    "baselines": "_baselines",
    "compare_studies": "_compare_studies",
    "explain_row": "_predict",
    "load_model": "_model_file",
    "load_result": "_result",
    "model_card": "_model_card",
    "predict": "_predict",
    "report": "_report",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
