"""What a study leaves behind: plain values from which the report is made."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from shallows._core.showing.files import write_text
from shallows.study._assess import Assessment
from shallows.study._errors import StudyError
from shallows.study._facts import versions
from shallows.study._finding import Finding
from shallows.study._journal import FILE as JOURNAL
from shallows.study._measures import MEASURES, Measure, shorten
from shallows.study._rank import Ranked
from shallows.study._schema import FEATURE_ROLES, listed
from shallows.study._verdict import ALPHA, Verdict

FILE = "results.json"
WANTED = f"name the folder that `shallows study --out` wrote, or the {FILE} in it"
FEW_ROWS = 10  # of a class, below which the locked rows can hardly show anything


@dataclass(frozen=True)
class StudyResult:
    """The outcome of a supervised study.

    Parameters
    ----------
    data : dict
        Name, number of rows and columns with their roles.
    audit : tuple of Finding
        What was found before anything was learned.
    task, measure, why_measure : str
        What was asked, what was maximised and why.
    n_train, n_test : int
        Rows for selection and rows locked away.
    ranking : tuple of Ranked
        Methods from best to worst in cross-validation.
    assessment : Assessment
        What the locked rows say about the choice.
    tried : tuple of dict
        Every evaluation: method, setting, rung, scores, seconds, reason of failure.
    explanation : dict
        Curves and tables of the report.
    nested : dict
        The nested estimate, if asked for.
    notes : tuple of str
        What a reader must know beside the numbers.
    answers : dict
        Test rows with truth, prediction and groups, the probabilities where the measure needs them,
        and a digest of each column in these rows.
    command : str
        What repeats the study.
    versions : dict
        Of the software.
    seconds : float
        Time that the evaluations took.
    model : SavedModel
        The chosen model, fitted to the training rows, with its `predict` for new ones; not part of
        the file.

    Examples
    --------
    >>> from shallows.study import StudyResult
    >>> "ranking" in StudyResult.__dataclass_fields__
    True
    """

    data: dict[str, Any]
    audit: tuple[Finding, ...]
    task: str
    measure: str
    why_measure: str
    classes: tuple[str, ...]
    n_train: int
    n_test: int
    ranking: tuple[Ranked, ...]
    assessment: Assessment
    tried: tuple[dict[str, Any], ...]
    explanation: dict[str, Any]
    nested: dict[str, Any]
    notes: tuple[str, ...]
    answers: dict[str, Any]
    command: str
    versions: dict[str, str]
    seconds: float
    model: Any = field(default=None, compare=False, repr=False)

    @property
    def chosen(self) -> Ranked:
        """The saved method: the strongest, or the simplest not worse where that was asked for."""
        return next(ranked for ranked in self.ranking if ranked.chosen)

    @property
    def best(self) -> Ranked:
        """The strongest method: the one with the smallest loss in cross-validation."""
        return next(ranked for ranked in self.ranking if ranked.strongest)

    @property
    def simplest(self) -> Ranked:
        """The simplest method that is not worse than the strongest."""
        return next(ranked for ranked in self.ranking if ranked.simplest)

    @property
    def optimism(self) -> float:
        """What cross-validation promised beyond what the locked rows show."""
        return self.chosen.mean - self.assessment.score

    @property
    def learned(self) -> bool:
        """Whether all evidence together shows more than always giving the same answer."""
        found = self.assessment.verdict
        return found is not None and found.level != "nothing" and self.chosen.complexity > 0

    @property
    def is_weak(self) -> bool:
        """Whether something was found, and it is little."""
        found = self.assessment.verdict
        return self.learned and found is not None and found.level == "weak"

    @property
    def alarms(self) -> str:
        """The kinds of findings that may make the test too easy, in words; empty without any."""
        kinds = dict.fromkeys(each.kind for each in self.audit if each.severity == "alarm")
        words = [f"the {kind}" for kind in kinds]
        return " or ".join(words) + " of which the audit warns" if words else ""

    @property
    def n_columns(self) -> int:
        """How many columns of the file are learned from."""
        return sum(column["role"] in FEATURE_ROLES for column in self.data["columns"])

    @property
    def kind(self) -> Measure:
        """The measure with its ways to compute and to say it."""
        return MEASURES[self.measure]

    def summary(self) -> str:
        """Say in plain words what was found.

        Returns
        -------
        text : str
            A few sentences.
        """
        say, found, target = self.kind.say, self.assessment, self.data["target"]
        title = self.kind.title
        if not self.learned:
            claim = (
                f"Nothing was found: neither cross-validation nor the locked rows show that "
                f"{target!r} can be predicted from the other columns. {self._evidence_in_words()} "
                f"The choice, {self.chosen.name}, reaches {say(found.score)} {title} on the locked "
                f"rows; always giving the same answer reaches {say(found.baseline)}."
            )
            verdict = found.verdict
            if verdict is not None and verdict.p_value < ALPHA:
                claim += (
                    " Cross-validation alone can hardly be chance, and the locked rows do not "
                    "confirm it; with more rows the answer may differ."
                )
            if found.n_decisive:
                claim += f" That says little: {self._few_in_words()}"
            return claim + self._rarest_in_words()
        doubt = f"Unless {self.alarms} spoils the test, on" if self.alarms else "On"
        constant = f"always giving the same answer reaches {say(found.baseline)}."
        if found.n_decisive:
            text = (
                f"{doubt} new data the score may differ much from the {say(found.score)} {title} "
                f"of the locked rows: {self._few_in_words()} On the same rows {constant} "
            )
        else:
            text = (
                f"{doubt} new data expect {say(found.score)} {title}, {self.interval}; {constant} "
            )
        text += f"{self._evidence_in_words()} "
        if self.is_weak:
            text += "That is weak, and yet more than chance. "
        text += self._two_answers()
        text += f" Cross-validation had promised {say(self.chosen.mean)}"
        text += f", so its optimism was {self.say_difference(self.optimism)}."
        return text + self._rarest_in_words()

    def _two_answers(self) -> str:
        """Name the strongest method and the simplest that is not worse, with its price."""
        best, simplest = self.best, self.simplest
        if best.name == simplest.name:
            return f"The strongest model is {best.name}, and no simpler one is as good."
        price = self.kind.sign * (simplest.mean - best.mean)
        text = (
            f"The strongest model is {best.name}; the simplest not worse is {simplest.name}, "
            f"at {self.say_difference(price)} of {self.kind.title} in cross-validation."
        )
        return text + (f" Saved is {self.chosen.name}." if self.chosen is not best else "")

    def _evidence_in_words(self) -> str:
        """Say how well answers rank the rows, and what share of the loss they save."""
        found = self.assessment.verdict
        if found is None:
            return ""
        return (
            f"Over cross-validation and the locked rows the {found.ranking_name} is "
            f"{found.ranking:.2f} ({found.low:.2f} to {found.high:.2f}; "
            f"{found.no_ranking:g} by chance)."
        )

    @property
    def interval(self) -> str:
        """The interval of the score in words, or that there is none."""
        found, say = self.assessment, self.kind.say
        if found.n_decisive:
            return "no interval, since a few rows decide it"
        ends = (found.low, found.high)[:: self.kind.sign]  # of an error the smaller one first
        return f"{100 * found.level:.0f} % interval {say(ends[0])} to {say(ends[1])}"

    def _few_in_words(self) -> str:
        """Say which rows decide the score, and what to do about it."""
        found = self.assessment
        kind = "absolute errors" if self.measure == "mae" else "squares"
        rows = "1 row" if found.n_decisive == 1 else f"{found.n_decisive:,} rows"
        verb = "makes" if found.n_decisive == 1 else "make"
        ways = [] if self.measure == "mae" else ["--measure mae"]
        if np.min(self.answers["truth"]) > 0:
            ways.append("the logarithm as the target")
        advice = f"; with {' or '.join(ways)} they weigh less." if ways else "."
        return (
            f"{rows} of {found.n_test:,} {verb} {100 * found.decisive_share:.0f} % of its sum of "
            f"{kind}, so there is no interval to be trusted{advice}"
        )

    def _rarest_in_words(self) -> str:
        """Say what balanced decisions are, and what they do for the rarest class."""
        if self.measure != "balanced_accuracy":
            return ""
        there = [row for row in self.explanation["details"]["classes"] if row["rows"]]
        rarest = min(there, key=lambda row: row["rows"])
        name, rows, recall = repr(rarest["class"]), rarest["rows"], rarest["recall"]
        text = " Rare classes count as much as frequent ones, and decisions are made accordingly"
        if not self.learned:
            few = f"; only {rows} of the locked rows are of {name}, too few to show much."
            return text + (few if rows < FEW_ROWS else ".")
        text += f": {100 * recall:.0f} % of the {rows} locked rows of {name} are found (recall)"
        if recall == 0:
            return text + "."
        right = f"{100 * rarest['precision']:.1f} % of the rows that get it (precision)"
        return text + f", and {name} is right in {right}."

    def say_difference(self, value: float) -> str:
        """Return a difference of scores as people read it."""
        # adding 0.0 turns -0.0 into 0.0
        if self.kind.is_share:
            return f"{round(100 * value, 1) + 0.0:+,.1f} points"
        return shorten(value, 3, sign="+")

    def to_json(self) -> str:
        """Return everything but the model as JSON text."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        del values["model"]
        for name in ("audit", "ranking"):
            values[name] = [asdict(each) for each in values[name]]
        values["assessment"] = asdict(self.assessment)
        extra = {"optimism": self.optimism, "learned": self.learned, "summary": self.summary()}
        return json.dumps(plain({**extra, **values}), indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> StudyResult:
        """Return what `to_json` wrote, without the model."""
        values = json.loads(text)
        for name in ("optimism", "learned", "summary"):
            values.pop(name, None)
        values["audit"] = tuple(
            Finding(**{**each, "columns": tuple(each["columns"])}) for each in values["audit"]
        )
        values["ranking"] = tuple(Ranked(**each) for each in values["ranking"])
        assessed = values["assessment"]
        verdict = None if assessed["verdict"] is None else Verdict(**assessed["verdict"])
        values["assessment"] = Assessment(**{**assessed, "verdict": verdict})
        for name in ("classes", "tried", "notes"):
            values[name] = tuple(values[name])
        return cls(**values)


def save_result(result: StudyResult, folder: Path) -> Path:
    """Write the numbers of a study."""
    return write_text(folder / FILE, result.to_json())


def load_result(folder: str | os.PathLike[str]) -> StudyResult:
    """Read the numbers of a study from its folder.

    Parameters
    ----------
    folder : str or path-like
        What a study got as `out`, or the results.json in it.

    Returns
    -------
    result : StudyResult
        Everything that was found, without the model.

    Examples
    --------
    >>> from shallows.study import load_result
    >>> load_result("nowhere")
    Traceback (most recent call last):
    shallows.study._errors.StudyError: There is no folder nowhere; name the folder that ...
    """
    path = _results_file(Path(folder))
    try:
        text = path.read_text(encoding="utf-8")
        values = json.loads(text)
    except ValueError:
        raise StudyError(f"{path} is no study, since it holds no JSON; {WANTED}.") from None
    if isinstance(values, dict) and "clusters" in values:
        raise StudyError(
            f"{folder} is a survey, which predicts nothing; run `shallows study` with --target and "
            "another folder as --out."
        )
    if not isinstance(values, dict) or "ranking" not in values:
        raise StudyError(f"{path} is no study, since it holds no ranking of methods; {WANTED}.")
    try:
        return StudyResult.from_json(text)
    except (TypeError, KeyError, AttributeError):
        known = values.get("versions")
        writer = known.get("shallows") if isinstance(known, dict) else "unknown"
        raise StudyError(
            f"{path} was written by another version of shallows ({writer}, here "
            f"{versions()['shallows']}) or was changed since; run the study again with another "
            "folder as --out."
        ) from None


def _results_file(given: Path) -> Path:
    """Return the file with the numbers of a study, or say what was named instead of one."""
    if not given.exists():
        raise StudyError(f"There is no folder {given}; {WANTED}.")
    if not given.is_dir():
        if given.name != FILE and (given.parent / FILE).exists():
            raise StudyError(f"{given} is one file of a study; name its folder, {given.parent}.")
        return given
    if (given / FILE).exists():
        return given / FILE
    if (given / JOURNAL).exists():
        raise StudyError(
            f"{given} holds a study that has not ended; finish it with `shallows study --out "
            f"{given} --resume`."
        )
    inside = sorted(str(path.parent) for path in given.glob(f"*/{FILE}"))
    hint = f"there are studies in {listed(inside)}" if inside else WANTED
    raise StudyError(f"{given} is not the folder of a study, since it has no {FILE}; {hint}.")


def plain(value: Any) -> Any:
    """Return a value made of what JSON knows; what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
