"""A model in a file of our own: data that is checked before anything is made of it.

The file is text, then bytes::

    {"format": "shallows model", "version": 3, "text": 812, "bytes": 1904, "sha256": "..."}
    ["list", 0.5, 2]
    ["object", "shallows.linear._ridge.Ridge", [7]]
    ... one node in each line, the last is the whole content ...
    the numbers of all arrays, one after the other

Formats that we don't use, and why: a pickle runs what it names. A container that resolves names
with `getattr` trusts all that a trusted module imports. A zip archive of `.npy` files needs limits
for ratios, duplicate names and overlapping entries, and the header of a `.npy` file is parsed as
Python. Here nothing is compressed and no byte is read twice, so that a file can take only a small
multiple of its own size; the first line gives the length and digest of the rest, so that a cut or
damaged file is seen before its first node; and the nodes (see `_model_nodes`) can make only plain
values, arrays and objects of listed classes.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from shallows.study._errors import StudyError
from shallows.study._facts import versions
from shallows.study._model_nodes import NodeReader, NodeWriter, UnfitError
from shallows.study._schema import Schema

FILE = "model.shallows"
FORMAT = "shallows model"
VERSION = 3  # 1 and 2 were archives of skops
MOST_HEADER = 1000
MOST_LINE = 2**26
BLOCK = 2**20


@dataclass(frozen=True)
class SavedModel:
    """A fitted model with all that new data need.

    Parameters
    ----------
    model : estimator
        The fitted pipeline; its columns are those of `schema.features`, its classes are codes.
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

    def predict(self, data: Any, *, unknown: str = "missing") -> NDArray[Any]:
        """Predict rows from the columns that the study was given.

        Parameters
        ----------
        data : data frame, mapping, array, Table or path
            The new rows. A frame has the columns of training, in any order; those that the study
            left out and the target need not be there. An array has all columns of training but
            the target, in their order.
        unknown : {"missing", "error"}
            What to do with categories that training did not have.

        Returns
        -------
        answers : ndarray of shape (n_rows,)
            Names of classes, or numbers.
        """
        from shallows.study._predict import predict

        return predict(self, data, unknown=unknown).answers

    def predict_proba(self, data: Any, *, unknown: str = "missing") -> NDArray[np.float64]:
        """Return the probability of each class, in the order of `classes`.

        Parameters
        ----------
        data : data frame, mapping, array, Table or path
            The new rows, as `predict` takes them.
        unknown : {"missing", "error"}
            What to do with categories that training did not have.

        Returns
        -------
        chances : ndarray of shape (n_rows, n_classes)
            Probabilities; each row sums to one.
        """
        from shallows.study._predict import predict

        found = predict(self, data, proba=True, unknown=unknown).chances
        assert found is not None
        return found


def save_model(saved: SavedModel, path: Path) -> Path:
    """Write a model file aside and give it its name when it is whole."""
    content = {
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
        with aside.open("xb") as file:
            write_content(content, file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException as error:
        aside.unlink(missing_ok=True)
        if isinstance(error, UnfitError):
            raise StudyError(f"The model can't be saved: {error}.") from None
        raise
    return path


def write_content(content: Any, file: BinaryIO) -> None:
    """Write a value in the format of model files."""
    writer = NodeWriter()
    writer.add(content)
    lines = [json.dumps(node, separators=(",", ":")).encode() + b"\n" for node in writer.nodes]
    pieces = [piece.view(np.uint8).data for piece in writer.pieces]
    parts: list[bytes | memoryview] = [*lines, *pieces]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "text": sum(map(len, lines)),
        "bytes": sum(map(len, pieces)),
        "sha256": digest.hexdigest(),
    }
    file.write(json.dumps(header).encode() + b"\n")
    for part in parts:
        file.write(part)


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model file; classes that are not on the list of this library are refused.

    Parameters
    ----------
    path : str or path-like
        A file that a study wrote, or the folder with it.

    Returns
    -------
    saved : SavedModel
        The model and what it needs.

    Examples
    --------
    >>> from shallows.study import load_model
    >>> load_model("nowhere.shallows")
    Traceback (most recent call last):
    shallows.study._errors.StudyError: There is no file nowhere.shallows.
    """
    path = model_file(path)
    try:
        with path.open("rb") as file:
            return _saved_model(read_content(file))
    except OSError as error:
        raise StudyError(f"{path} can't be read ({error.strerror}).") from None
    except UnfitError as error:
        raise StudyError(f"{path} is not a model file that a study wrote: {error}.") from None


def model_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that is meant by the path of a model file or of a study's folder."""
    file = Path(path)
    if file.is_dir():
        if not (file / FILE).exists():
            raise StudyError(f"{file} is a folder; there is no {FILE} in it.")
        return file / FILE
    if not file.is_file():
        near = file.with_suffix(Path(FILE).suffix)
        hint = f"; name {near}" if near != file and near.is_file() else ""
        raise StudyError(f"There is no file {file}{hint}.")
    return file


def read_content(file: BinaryIO) -> Any:
    """Read what `write_content` wrote, or raise UnfitError with the reason."""
    header = _read_header(file)
    begin = file.tell()
    if header["text"] + header["bytes"] != file.seek(0, os.SEEK_END) - begin:
        raise UnfitError("it is cut off, or longer than it says")
    file.seek(begin)
    digest = hashlib.sha256()
    while block := file.read(BLOCK):
        digest.update(block)
    if digest.hexdigest() != header.get("sha256"):
        raise UnfitError("it is damaged, since its digest is another")
    try:
        return _read_nodes(file, begin, header)
    except UnfitError:
        raise
    except (RecursionError, MemoryError) as error:
        raise UnfitError(f"it takes too much memory ({type(error).__name__})") from None
    except Exception as error:  # what a constructor or a `__setstate__` says to strange attributes
        raise UnfitError(f"{type(error).__name__}: {error}"[:200]) from None


def _read_header(file: BinaryIO) -> dict[str, Any]:
    """Return the first line, after its format and version are checked."""
    line = file.readline(MOST_HEADER)
    if line.startswith(b"PK"):
        raise UnfitError(
            "it is an archive, as earlier versions wrote; `shallows study --out FOLDER --resume` "
            f"writes a {FILE} from the study's journal without trying the methods again"
        )
    try:
        header = json.loads(line.decode("ascii"))
        found = header["format"], header["version"]
    except (ValueError, RecursionError, TypeError, LookupError):
        raise UnfitError(f"name a {FILE}") from None
    if found[0] != FORMAT:
        raise UnfitError(f"name a {FILE}")
    if found[1] != VERSION:
        raise UnfitError(
            f"it is in version {str(found[1])[:20]} of the format and this software reads "
            f"version {VERSION}; use the version of shallows that wrote it, or run the study again"
        )
    if any(type(header.get(name)) is not int or header[name] < 0 for name in ("text", "bytes")):
        raise UnfitError("its first line lacks lengths")
    return dict(header)


def _read_nodes(file: BinaryIO, begin: int, header: dict[str, Any]) -> Any:
    """Read one node after the other, each with its numbers from the block behind the nodes."""
    place, end = begin, begin + header["text"]
    block = end

    def take(array: NDArray[Any]) -> None:
        nonlocal block
        if array.nbytes:
            file.seek(block)
            block += file.readinto(array.view(np.uint8).data)  # type: ignore[attr-defined]

    reader, found = NodeReader(take, header["bytes"]), None
    while place < end:
        file.seek(place)
        line = file.readline(min(MOST_LINE, end - place))
        if not line.endswith(b"\n"):
            raise UnfitError("a node is too long or has no end")
        place += len(line)
        found = reader.read(json.loads(line.decode("ascii"), parse_constant=_refuse))
    if reader.bytes_left:
        raise UnfitError("it has bytes that belong to no array")
    return found


def _refuse(constant: str) -> NoReturn:
    raise UnfitError(f"{constant} is no number of JSON")


def _saved_model(content: Any) -> SavedModel:
    """Return the model in a file's content, after the type of each part is checked."""
    kinds = {
        "model": object,
        "columns": list,
        "target": str,
        "classes": list,
        "name": str,
        "summary": str,
        "background": np.ndarray,
        "versions": dict,
        "missing": list,
    }
    if type(content) is not dict or content.keys() != kinds.keys():
        raise UnfitError("its content is not that of a model")
    for name, kind in kinds.items():
        if not isinstance(content[name], kind):
            raise UnfitError(f"its {name} is no {kind.__name__}")
    words = (*content["classes"], *content["missing"], *content["versions"].values())
    if not all(type(word) is str for word in words):
        raise UnfitError("a class, a marker of gaps or a version is no text")
    if not callable(getattr(content["model"], "predict", None)):
        raise UnfitError("its model can't predict")
    schema = _schema(content["columns"])
    background = content["background"]
    if background.dtype != np.float64 or background.shape[1:] != (len(schema.features),):
        raise UnfitError("its background rows don't fit its columns")
    return SavedModel(
        content["model"],
        schema,
        content["target"],
        tuple(content["classes"]),
        content["name"],
        content["summary"],
        background,
        content["versions"],
        tuple(content["missing"]),
    )


def _schema(columns: list[Any]) -> Schema:
    try:
        schema = Schema.from_list(columns)
    except (KeyError, TypeError, ValueError):
        raise UnfitError("its columns are not described") from None
    for column in schema.columns:
        if not all(type(word) is str for part in vars(column).values() for word in _words(part)):
            raise UnfitError("a column is not described in words")
    return schema


def _words(part: Any) -> tuple[Any, ...]:
    return part if isinstance(part, tuple) else (part,)


def other_versions(saved: SavedModel) -> str:
    """Say which software has changed since a model was saved; empty if none has."""
    here = versions()
    changed = [name for name, number in saved.versions.items() if here.get(name) != number]
    return ", ".join(f"{name} {saved.versions[name]} (here {here.get(name)})" for name in changed)
