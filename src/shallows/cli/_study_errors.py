"""What a user of studies and saved models did wrong, said in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shallows.cli._errors import UsageError

if TYPE_CHECKING:
    from shallows.study import SavedModel


@contextmanager
def user_errors(kind: type[ValueError] = ValueError) -> Iterator[None]:
    """Turn what data, options and files bring about into a usage error."""
    try:
        yield
    except OSError as error:
        named = error.filename is not None and error.strerror
        raise UsageError(f"{error.filename}: {error.strerror}." if named else str(error)) from None
    except kind as error:
        raise UsageError(str(error)) from None


@contextmanager
def fitting_software(saved: SavedModel) -> Iterator[None]:
    """Blame other versions where a model fails that other versions have saved."""
    from shallows.study._model_file import other_versions

    try:
        yield
    except (AttributeError, TypeError, ImportError) as error:
        changed = other_versions(saved)
        if not changed:
            raise
        raise UsageError(
            f"The model does not work with the installed software ({error}); it was saved by "
            f"{changed}."
        ) from None
