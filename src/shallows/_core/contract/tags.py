"""The tags of an estimator that another estimator was given."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags, TargetTags, get_tags


def inner_tags(estimator: Any) -> Tags:
    """Return the tags of the inner estimator, or plain ones for what is none.

    A model shows itself and answers `is_classifier` before `fit` refuses a wrong parameter.
    """
    if hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type):
        return get_tags(estimator)
    return Tags(None, TargetTags(required=True))
