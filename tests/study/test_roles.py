import numpy as np
import pytest

from shallows.study import StudyError
from shallows.study._facts import read_data
from shallows.study._roles import infer_schema
from shallows.study._schema import Schema


def roles_of(columns, target=None, **options):
    table = read_data(columns, None, 0, {})
    schema = infer_schema(table, target, **options)
    return {column.name: column.role for column in schema.columns}, schema


def columns(**more):
    rng = np.random.default_rng(1)
    n = 60
    base = {
        "weight": rng.normal(size=n),
        "count": rng.integers(0, 5, n),
        "member": rng.random(n) < 0.5,
        "kind": rng.choice(["a", "b", "c"], n),
        "grade": rng.choice(["low", "medium", "high"], n),
        "when": np.datetime64("2024-03-01") + np.arange(n).astype("timedelta64[D]"),
        "row": np.arange(n),
        "customer_id": rng.permutation(10 * n)[:n],
        "name": np.array([f"n{i}" for i in range(n)]),
        "remark": np.array([f"this is remark number {i}" for i in range(n)]),
        "unit": np.full(n, "kg"),
        "nothing": np.full(n, np.nan),
        "y": rng.choice(["p", "q"], n),
    }
    return base | more


def test_roles_are_found():
    found, _ = roles_of(columns(), "y")
    assert found == {
        "weight": "number",
        "count": "number",
        "member": "number",
        "kind": "category",
        "grade": "ordinal",
        "when": "date",
        "row": "id",
        "customer_id": "id",
        "name": "id",
        "remark": "text",
        "unit": "constant",
        "nothing": "constant",
        "y": "target",
    }


def test_what_is_told_counts_more():
    found, schema = roles_of(
        columns(),
        "y",
        drop=["weight"],
        roles={"count": "category", "grade": "ordinal:high<medium<low", "row": "number"},
        group="customer_id",
    )
    assert found["weight"] == "dropped" and found["count"] == "category"
    assert found["row"] == "number" and found["customer_id"] == "group"
    levels = {column.name: column.levels for column in schema.columns}
    assert levels["grade"] == ("high", "medium", "low")
    assert levels["count"] == ("0", "1", "2", "3", "4")


def test_matrix_holds_codes_days_and_gaps():
    data = {
        "grade": np.array(["low", "high", None, "medium"] * 6, dtype=object),
        "when": np.array(["2024-02-29", "1970-01-01", "NaT", "2023-12-31"] * 6, dtype="M8[D]"),
        "y": np.array(["p", "q"] * 12),
    }
    _, schema = roles_of(data, "y")
    X = schema.matrix(data)
    assert [f.name for f in schema.features] == [
        "grade",
        "when (day)",
        "when (month)",
        "when (weekday)",
    ]
    np.testing.assert_array_equal(X[:4, 0], [0, 2, np.nan, 1])
    # 29 February 2024 was a Thursday, 1 January 1970, too; 31 December 2023 a Sunday
    np.testing.assert_array_equal(X[:4, 2], [1, 0, np.nan, 11])
    np.testing.assert_array_equal(X[:4, 3], [3, 3, np.nan, 6])
    assert X[0, 1] == (np.datetime64("2024-02-29") - np.datetime64("1970-01-01")).astype(int)


def test_schema_survives_a_trip_through_plain_values():
    _, schema = roles_of(columns(), "y")
    assert Schema.from_list(schema.to_list()) == schema


def test_new_data_must_fit():
    data = columns()
    _, schema = roles_of(data, "y")
    table = read_data(data, None, 0, {})
    schema.check(table.types, table.missing, table.n_rows)
    schema.check({k: v for k, v in table.types.items() if k not in ("y", "remark")}, {}, 60)
    schema.check(table.types | {"weight": "integer", "kind": "empty"}, {}, 60)
    with pytest.raises(StudyError, match="lack column 'weight'"):
        schema.check({k: v for k, v in table.types.items() if k != "weight"}, {}, 60)
    with pytest.raises(StudyError, match="have column 'surprise', which the model does not know"):
        schema.check(table.types | {"surprise": "number"}, {}, 60)
    with pytest.raises(StudyError, match=r"'weight' was number .* here it is text"):
        schema.check(table.types | {"weight": "text"}, {}, 60)


def test_unknown_categories():
    data = columns()
    _, schema = roles_of(data, "y")
    new = {k: v[:3] for k, v in data.items()} | {"kind": np.array(["a", "z", "b"])}
    place = [feature.name for feature in schema.features].index("kind")
    np.testing.assert_array_equal(schema.matrix(new)[:, place], [0, np.nan, 1])
    with pytest.raises(StudyError, match="'kind' holds 'z', which the training data did not"):
        schema.matrix(new, unknown="error")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, "no column 'z'; there are 'weight'"),
        ({"target": "y", "group": "y"}, "'y' can't be both target and group"),
        ({"target": "y", "roles": {"kind": "number"}}, "'kind' can't be a number: it holds text"),
        ({"target": "y", "roles": {"kind": "date"}}, "can't be a date"),
        ({"target": "y", "roles": {"kind": "colour"}}, "must be one of number, category"),
        ({"target": "y", "roles": {"grade": "ordinal:low<high"}}, "leaves out 'medium'"),
    ],
)
def test_wishes_that_do_not_fit(options, message):
    with pytest.raises(StudyError, match=message):
        roles_of(columns(), **options)
    with pytest.raises(StudyError, match="no column to learn from"):
        roles_of({"unit": np.full(30, "kg"), "y": np.array(["p", "q"] * 15)}, "y")
