"""A model in a file: the pipeline, what its columns are, and nothing that runs foreign code."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.study._errors import StudyError
from shallows.study._facts import versions
from shallows.study._schema import Schema

VERSION = 2  # of 1, columns of times had no hour
# Beside the types of this library: what scikit-learn's models are made of, beyond what skops
# knows to be harmless. A partial holds a function that must be in this list itself.
HARMLESS = {
    "functools.partial",
    "numpy.dtype",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.utils.validation.check_array",
}


@dataclass(frozen=True)
class SavedModel:
    """A fitted model with all that new data need.

    Parameters
    ----------
    model : estimator
        The fitted pipeline; classes are codes.
    schema : Schema
        Columns that it was trained on.
    target : str
        What it predicts.
    classes : tuple of str
        Names of the class codes; empty for numbers.
    name, summary : str
        The method, and what the study said about it.
    background : ndarray
        Some training rows, against which single predictions are explained.
    versions : dict of str to str
        Software that wrote the file.
    missing : tuple of str
        What stands for a gap in new rows, as it did in training.

    Examples
    --------
    >>> from shallows.study import SavedModel
    >>> "schema" in SavedModel.__dataclass_fields__
    True
    """

    model: Any
    schema: Schema
    target: str
    classes: tuple[str, ...]
    name: str
    summary: str
    background: NDArray[np.float64]
    versions: dict[str, str] = field(default_factory=versions)
    missing: tuple[str, ...] = ()


def save_model(saved: SavedModel, path: Path) -> Path:
    """Write a model file aside and give it its name when it is whole."""
    import skops.io

    content = {
        "format": VERSION,
        "model": saved.model,
        "columns": saved.schema.to_list(),
        "target": saved.target,
        "classes": list(saved.classes),
        "name": saved.name,
        "summary": saved.summary,
        "background": saved.background,
        "versions": saved.versions,
        "missing": list(saved.missing),
    }
    aside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        skops.io.dump(content, aside)
        with aside.open("rb+") as file:
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return path


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model file; types from elsewhere than this library and scikit-learn are refused.

    Parameters
    ----------
    path : str or path-like
        A file that a study wrote.

    Returns
    -------
    saved : SavedModel
        The model and what it needs.

    Examples
    --------
    >>> from shallows.study import load_model
    >>> load_model("nowhere.skops")
    Traceback (most recent call last):
    shallows.study._errors.StudyError: There is no file nowhere.skops.
    """
    import skops.io

    file = Path(path)
    if file.is_dir():
        there = (file / "model.skops").exists()
        hint = "name the model.skops in it" if there else "there is no model.skops in it"
        raise StudyError(f"{file} is a folder; {hint}.")
    if not file.is_file():
        raise StudyError(f"There is no file {file}.")
    try:
        strange = skops.io.get_untrusted_types(file=file)
        foreign = [n for n in strange if n not in HARMLESS and not n.startswith("shallows.")]
    except Exception as error:
        raise StudyError(
            f"{file} is not a model file that a study wrote, or not whole; name a model.skops."
        ) from error
    if foreign:
        raise StudyError(
            f"{file} holds objects of unknown origin ({', '.join(foreign[:3])}) and is not loaded."
        )
    try:
        content = skops.io.load(file, trusted=strange)
        if content["format"] != VERSION:
            raise StudyError(
                f"{file} is written in format {content['format']}, this version reads {VERSION}; "
                "use the version of shallows that wrote it, or run the study again."
            )
        return SavedModel(
            content["model"],
            Schema.from_list(content["columns"]),
            content["target"],
            tuple(content["classes"]),
            content["name"],
            content["summary"],
            content["background"],
            content.get("versions", {}),
            tuple(content.get("missing", ())),
        )
    except (KeyError, TypeError) as error:
        raise StudyError(f"{file} is not a model file of a study ({error}).") from None
    except (AttributeError, ImportError) as error:
        raise StudyError(f"{file} does not fit the installed software ({error}).") from None


def other_versions(saved: SavedModel) -> str:
    """Say which software has changed since a model was saved; empty if none has."""
    here = versions()
    changed = [name for name, number in saved.versions.items() if here.get(name) != number]
    return ", ".join(f"{name} {saved.versions[name]} (here {here.get(name)})" for name in changed)
