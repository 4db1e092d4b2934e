"""Data files as people have them."""

import datetime
import gzip
import sys

import numpy as np
import pytest

duckdb = pytest.importorskip("duckdb")

from shallows.data import read_table  # noqa: E402


@pytest.fixture
def write(tmp_path):
    def make(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return make


def columns(table):
    return {name: values.tolist() for name, values in table.columns.items()}


def test_types_gaps_and_order(write):
    table = read_table(
        write(
            "id,age,height,member,born,seen,name,code,nothing\n"
            "1,30,1.5,yes,1990-01-31,2024-01-01 10:00:00,Ann,007,NA\n"
            "2,NA,?,no,NaN,2024-01-02T11:30:00,  Bob ,010,null\n"
            "3,41,2e0,Yes,1991-12-01,2024-01-03,?,123,\n"
        )
    )
    assert table.types == {
        "id": "integer",
        "age": "integer",
        "height": "number",
        "member": "boolean",
        "born": "date",
        "seen": "time",
        "name": "text",
        "code": "text",
        "nothing": "empty",
    }
    assert list(table.missing.values()) == [0, 1, 1, 0, 1, 0, 1, 0, 3]
    assert table.n_rows == table.n_rows_in_file == 3
    assert table.columns["id"].dtype == np.int64
    assert np.array_equal(table.columns["age"], [30, np.nan, 41], equal_nan=True)
    assert np.array_equal(table.columns["height"], [1.5, np.nan, 2.0], equal_nan=True)
    assert table.columns["member"].tolist() == [True, False, True]
    assert table.columns["born"].tolist() == [
        datetime.date(1990, 1, 31),
        None,
        datetime.date(1991, 12, 1),
    ]
    assert table.columns["seen"][1] == np.datetime64("2024-01-02T11:30:00")
    assert table.columns["name"].tolist() == ["Ann", "Bob", None]
    assert table.columns["code"].tolist() == ["007", "010", "123"]
    assert np.isnan(table.columns["nothing"]).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
        ("a;b\n1,5;2\n3;4,25\n", {"a": [1.5, 3.0], "b": [2.0, 4.25]}),
        ("a\tb\n1\tx y\n3\tz\n", {"a": [1, 3], "b": ["x y", "z"]}),
        ("a|b\n1|2\n3|4\n", {"a": [1, 3], "b": [2, 4]}),
        ("a,b\r\n1,2\r\n\r\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}),
        ("a,b\r\n1,2\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}),
        ("# made by hand\n# today\na,b\n1,2\n", {"a": [1], "b": [2]}),
        ("1,2\n3,4\n", {"column_1": [1, 3], "column_2": [2, 4]}),
        ("only\n1\n2\n", {"only": [1, 2]}),
        ('a,b\n"x, ""y""",1\n"two\nlines",2\n', {"a": ['x, "y"', "two\nlines"], "b": [1, 2]}),
        ("\ufeffa,b\n1,2\n", {"a": [1], "b": [2]}),
        ("a,b\n1,2", {"a": [1], "b": [2]}),
    ],
)
def test_dialects(write, text, expected):
    assert columns(read_table(write(text))) == expected


def test_names_are_unique_and_not_empty(write):
    table = read_table(write("a,b,a,,A,  x   y \n1,2,3,4,5,6\n"))
    assert list(table.columns) == ["a", "b", "a_2", "column_4", "A_3", "x y"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "utf-8-sig"])
def test_encodings_are_found(write, encoding):
    table = read_table(write("Größe;Ort\n1,5;München\n2,5;Köln\n", encoding=encoding))
    assert columns(table) == {"Größe": [1.5, 2.5], "Ort": ["München", "Köln"]}


def test_encoding_can_be_named(write):
    path = write("město\nPlzeň\n", encoding="cp1250")
    assert columns(read_table(path, encoding="cp1250")) == {"město": ["Plzeň"]}
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        read_table(path, encoding="klingon")
    with pytest.raises(ValueError, match="is not encoded in utf-8"):
        read_table(path, encoding="utf-8")


def test_large_integers_stay_exact(write):
    big, huge = 2**60 + 1, 10**30 + 1
    table = read_table(write(f"a,b,c\n{big},{huge},{big}\n2,3,NA\n"))
    assert columns(table) == {"a": [big, 2], "b": [huge, 3], "c": [big, None]}
    assert table.columns["a"].dtype == np.int64 and table.columns["b"].dtype == object


def test_a_late_value_decides_the_type(write):
    rows = "\n".join(str(i) for i in range(30_000))
    table = read_table(write(f"a\n{rows}\nx\n"))
    assert table.types == {"a": "text"} and table.columns["a"][-1] == "x"


def test_dates_are_dates_only_where_day_and_month_are_clear(write):
    table = read_table(
        write(
            "a,b,c,d\n31.12.2024,01/02/2024,13/02/2024,02/13/2024\n1.1.2025,02/03/2024,01/03/2024,03/01/2024\n"
        )
    )
    assert table.types == {"a": "date", "b": "text", "c": "date", "d": "date"}
    assert str(table.columns["c"][0]) == str(table.columns["d"][0]) == "2024-02-13"
    assert str(table.columns["a"][0]) == "2024-12-31"


def test_decimal_sign_can_be_named(write):
    path = write("a;b\n1,5;1.5\n")
    assert read_table(path).types == {"a": "number", "b": "number"}
    assert read_table(path, decimal=".").types == {"a": "text", "b": "number"}
    assert read_table(path, decimal=",").types == {"a": "number", "b": "text"}


def test_header_delimiter_and_markers_can_be_named(write):
    path = write("1990,2000\n1,-\n", name="years.txt")
    table = read_table(path, header=True, missing=("-",))
    assert table.types == {"1990": "integer", "2000": "empty"}
    assert list(read_table(path, delimiter="-", header=False).columns) == ["column_1"]


def test_booleans_with_gaps_and_zero_one(write):
    table = read_table(write("a,b\ntrue,0\n?,1\nFALSE,1\n"))
    assert table.types == {"a": "boolean", "b": "integer"}
    assert table.columns["a"].tolist() == [True, None, False]


def test_gzip_parquet_and_json(tmp_path):
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress("a;b\n1,5;Ü\n".encode("latin-1")))
    assert columns(read_table(packed)) == {"a": [1.5], "b": ["Ü"]}
    lines = tmp_path / "t.jsonl"
    lines.write_text('{"a": 1, "b": "x"}\n{"a": null, "b": "?", "c": [1, 2]}\n')
    table = read_table(lines)
    assert table.types == {"a": "integer", "b": "text", "c": "text"}
    assert table.missing == {"a": 1, "b": 1, "c": 1}
    array = tmp_path / "t.json"
    array.write_text('[{"a": 1.5, "d": "2024-01-01"}, {"a": 2, "d": "2024-01-02"}]')
    assert read_table(array).types == {"a": "number", "d": "date"}
    parquet = tmp_path / "t.parquet"
    duckdb.sql(
        "SELECT 9007199254740993::BIGINT AS a, 1.5::DECIMAL(9,2) AS b, true AS c, "
        "DATE '2024-01-01' AS d, 'x' AS \"E\", TIMESTAMP '2024-01-01 10:00' AS f"
    ).write_parquet(str(parquet))
    table = read_table(parquet)
    assert list(table.types.values()) == ["integer", "number", "boolean", "date", "text", "time"]
    assert table.columns["a"][0] == 9007199254740993
    assert table.columns["f"][0] == np.datetime64("2024-01-01T10:00")


def test_sample_of_a_large_file_keeps_the_order(write):
    path = write("i,j\n" + "".join(f"{i},{-i}\n" for i in range(5000)))
    table = read_table(path, max_rows=100)
    assert (table.n_rows, table.n_rows_in_file) == (100, 5000)
    rows = table.columns["i"]
    assert (np.diff(rows) > 0).all() and np.array_equal(rows, -table.columns["j"])
    assert rows.min() < 1000 and rows.max() > 4000
    assert np.array_equal(read_table(path, max_rows=100).columns["i"], rows)
    assert not np.array_equal(read_table(path, max_rows=100, random_state=1).columns["i"], rows)
    assert read_table(path, max_rows=9000).n_rows == 5000


@pytest.mark.parametrize("max_rows", [None, 250_000, 400_000])
def test_cells_of_a_row_stay_together_in_a_large_file(write, max_rows):
    """Tables of several row groups are read by several threads."""
    path = write("number,word\n" + "".join(f"{i},w{i}\n" for i in range(300_000)))
    table = read_table(path, max_rows=max_rows)
    numbers = table.columns["number"]
    assert np.all(np.diff(numbers) > 0)
    assert table.columns["word"].tolist() == [f"w{i}" for i in numbers]


@pytest.mark.parametrize("name", ["data[1].csv", "it's.csv", "what?.csv", "a*b.csv"])
def test_odd_file_names(write, name):
    write("a\n9\n", name="data1.csv")
    assert columns(read_table(write("a\n1\n", name=name))) == {"a": [1]}


def test_ragged_rows_name_the_line(write):
    with pytest.raises(ValueError, match=r"line 3 has 2 cells instead of 3 \(delimiter ','\)"):
        read_table(write("a,b,c\n1,2,3\n1,2\n4,5,6\n"))
    with pytest.raises(ValueError, match="line 2 has more cells than 2"):
        read_table(write("a;b\n1;2;3;4\n1;2\n1;2\n"))
    with pytest.raises(ValueError, match=r"opens in line 2 is never closed"):
        read_table(write('a,b\n"x,2\n1,3\n'))


def test_errors_say_what_is_wrong(write, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match=r"is empty"):
        read_table(write(""))
    with pytest.raises(ValueError, match=r"is empty"):
        read_table(write("\n\n"))
    with pytest.raises(ValueError, match="column names but no rows"):
        read_table(write("a,b\n"))
    with pytest.raises(ValueError, match=r"must end in one of \.csv, .*got '\.xls'"):
        read_table(write("x", name="book.xls"))
    with pytest.raises(ValueError, match="is not an Excel file"):
        read_table(write("x", name="book.xlsx"))
    binary = tmp_path / "picture.csv"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match="contains binary data"):
        read_table(binary)
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        read_table(write("a,b,A\n1,2,3\n"), repeated_names="refuse")
    wide = write(",".join(f"c{i}" for i in range(20_001)) + "\n")
    with pytest.raises(ValueError, match="20,001 columns; at most 20,000"):
        read_table(wide)
    with pytest.raises(ValueError, match="got 'no ending'"):
        read_table(write("x", name="book"))
    with pytest.raises(ValueError, match="line 2 is not JSON"):
        read_table(write('{"a": 1}\n{"a": }\n', name="t.jsonl"))
    with pytest.raises(ValueError, match="can't be read"):
        read_table(write("not parquet at all", name="t.parquet"))
    with pytest.raises(ValueError, match="max_rows must be int in"):
        read_table(write("a\n1\n"), max_rows=0)


def test_without_duckdb_the_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"shallows\[study\]"):
        read_table(write("a\n1\n"))


def test_the_first_sheet_of_an_excel_file_is_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["day", "x", "name"], [datetime.datetime(2024, 5, 1), 1.5, "a,b"], [None] * 3):
        book.active.append(row)
    book.active.append([datetime.datetime(2024, 5, 2), None, "c"])
    book.create_sheet().append(["other"])
    book.save(tmp_path / "book.xlsx")
    table = read_table(tmp_path / "book.xlsx")
    assert table.types == {"day": "date", "x": "number", "name": "text"}
    assert table.columns["name"].tolist() == ["a,b", "c"]
    assert table.missing == {"day": 0, "x": 1, "name": 0}


def test_numbers_in_their_sunday_clothes(write):
    table = read_table(
        write(
            "price,share,count,age,mass\n"
            '"$1,234.50",12 %,"1,234",unknown,1 250\n'
            '-$3,7.5%,999,30,"12\u00a0000.5"\n'
            '$0.99,1%,"12,345",-,3\n'
        )
    )
    assert list(table.types.values()) == ["number", "number", "integer", "integer", "number"]
    assert table.columns["price"].tolist() == [1234.5, -3, 0.99]
    assert table.columns["share"].tolist() == [12, 7.5, 1]
    assert table.columns["count"].tolist() == [1234, 999, 12345]
    assert table.columns["age"].tolist()[1:2] == [30] and table.missing["age"] == 2
    assert table.columns["mass"].tolist() == [1250, 12000.5, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n5 %,$1\n5,€1\n", {"a": ["5 %", "5"], "b": ["$1", "€1"]}),  # of several units
        ("a,b\nyes,x\nunknown,-\n", {"a": ["yes", "unknown"], "b": ["x", "-"]}),
        ('a,b\n"1,234",1.5\n', {"a": [1234], "b": [1.5]}),
        ('a,b\n"1,5",2\n"2,25",2\n', {"a": [1.5, 2.25], "b": [2, 2]}),
        ("a;b\n1,234;x\n", {"a": [1.234], "b": ["x"]}),
        ("a;b\n1,234;0.5\n", {"a": [1234], "b": [0.5]}),
        ("a;b\n1.234;0,5\n999;2\n", {"a": [1234, 999], "b": [0.5, 2]}),
        ("a;b\n€ 1.234,50;1.5\n€ 3;2\n", {"a": [1234.5, 3], "b": [1.5, 2]}),
    ],
)
def test_points_and_commas_are_understood_from_the_file(write, text, expected):
    assert columns(read_table(write(text))) == expected


def test_days_and_clocks_in_many_styles(write):
    table = read_table(
        write(
            "a,b,c,d,e\n"
            "2024-05-03T10:15:00Z,3.5.2024 10:15,3 May 2024,5/13/2024 3:05 PM,unknown\n"
            '2024-05-03T10:15:00+02:00,3.5.2024 10:15:00,4 May 2024,5/1/2024,"May 03, 2024"\n'
        )
    )
    assert list(table.types.values()) == ["time", "time", "date", "time", "date"]
    for name in "ab":
        assert (table.columns[name] == np.datetime64("2024-05-03T10:15")).all()
    assert table.columns["c"].tolist() == [datetime.date(2024, 5, 3), datetime.date(2024, 5, 4)]
    assert table.columns["d"][0] == np.datetime64("2024-05-13T15:05")
    assert np.isnat(table.columns["e"][0]) and table.missing["e"] == 1


def test_new_rows_are_read_in_the_forms_of_others(write):
    first = 'a,b,c\n01/13/2024,Yes,"1,5"\n02/03/2024,maybe,"2,25"\n'
    forms = read_table(write(first)).forms
    path = write('a,b,c\n01/02/2024,Yes,"1,234"\n', name="new.csv")
    assert list(read_table(path).types.values()) == ["text", "boolean", "integer"]
    table = read_table(path, forms=forms)
    assert list(table.types.values()) == ["date", "text", "number"]
    assert str(table.columns["a"][0]) == "2024-01-02"
    assert table.columns["b"][0] == "Yes" and table.columns["c"][0] == 1.234
    other = write("a,b,c\n2024-01-02,Yes,x\n", name="other.csv")
    assert list(read_table(other, forms=forms).types.values()) == ["date", "text", "text"]


def test_the_words_of_booleans_are_known(write):
    table = read_table(write("a,b\nTRUE,1\nFALSE,2\n?,3\n"))
    assert table.words == {"a": ("FALSE", "TRUE")}


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("csv", {"sheet": "s"}),
        ("xlsx", {"delimiter": ";"}),
        ("xlsx", {"encoding": "latin-1"}),
        ("parquet", {"delimiter": ";"}),
        ("parquet", {"sheet": "s"}),
        ("jsonl", {"decimal": ","}),
        ("json", {"header": False}),
    ],
)
def test_what_a_format_does_not_have_is_refused(ending, said, write):
    (name,) = said
    with pytest.raises(ValueError, match=rf"a\.{ending}: {name} applies only to \..* files"):
        read_table(write("a;b\n1;2\n", f"a.{ending}"), **said)


def test_the_sheet_with_a_table_is_found(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "book.xlsx"
    book.active.append(["Exported in May"])
    for title, rows in {"data": [["a", "b"], [1, 2]], "more": [["c"], [3]]}.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    assert columns(read_table(path)) == {"a": [1], "b": [2]}
    assert columns(read_table(path, sheet="more")) == {"c": [3]}
    with pytest.raises(ValueError, match=r"no sheet 'x'; there are 'Sheet', 'data', 'more'\."):
        read_table(path, sheet="x")


def test_a_column_of_json_with_several_types(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1.5, "b": "x"}\n{"a": "NA", "b": 2}\n{"a": "2", "b": [1]}\n')
    table = read_table(path)
    assert table.types == {"a": "number", "b": "text"}
    assert np.array_equal(table.columns["a"], [1.5, np.nan, 2], equal_nan=True)
    assert table.columns["b"].tolist() == ["x", "2", "[1]"]
