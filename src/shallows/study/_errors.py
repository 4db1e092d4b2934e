"""What can't be studied, said in one sentence."""

from __future__ import annotations


class StudyError(ValueError):
    """The data or the wishes do not fit; the message says what to change.

    Examples
    --------
    >>> from shallows.study import StudyError
    >>> issubclass(StudyError, ValueError)
    True
    """
