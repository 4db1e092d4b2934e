"""What tests compare of the results of studies."""

import json


def without_times(result):
    """Return all that a result says but for how long it took."""
    values = json.loads(result.to_json())
    del values["seconds"]
    for row in (*values["ranking"], *values["tried"]):
        del row["seconds"]
    return values
