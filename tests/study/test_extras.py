"""Where a library is missing, the message names the extra that brings it."""

import csv
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from shallows._core.contract.extras import EXTRAS

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "without_libraries.py"
DISTRIBUTIONS = {"imblearn": "imbalanced-learn", "vl_convert": "vl-convert-python"}
BROUGHT_BY = {"markupsafe": "jinja2"}
STUDY = ["study", "d.csv", "--target", "y", "--only", "least squares", "--repeats", "1"]
# Who needs what: the missing packages, a command or a line of Python, and the extra to install.
CASES = [
    (["jinja2"], [*STUDY, "--out", "a"], "study"),
    (["vl_convert"], [*STUDY, "--out", "b"], "study"),
    (["markupsafe"], [*STUDY, "--out", "c"], "study"),
    (["jinja2"], ["study", "d.csv", "--out", "e"], "study"),
    (["duckdb"], STUDY, "study"),
    (["duckdb"], ["study", "d.csv"], "study"),
    (["openpyxl"], ["study", "d.xlsx", "--target", "y"], "study"),
    (["jinja2"], "shallows.study.report(None, 'r.md')", "study"),
    (["duckdb"], "shallows.data.read_table('d.csv')", "study"),
    (
        ["distributed"],
        "shallows.study.Study({'x': [0, 1, 5, 2.5] * 25, 'y': [0, 1, 1, 0] * 25}, 'y', cluster='tcp://h:1').run()",
        "cluster",
    ),
    (["starlette"], ["lab", "--port", "0"], "lab"),
    (["uvicorn"], ["lab", "--port", "0"], "lab"),
    (["jinja2"], ["lab", "--port", "0"], "lab"),
    (["jinja2"], ["run", "angle_error", "--quick", "--out", "f"], "lab"),
    (["vl_convert"], ["run", "angle_error", "--quick", "--out", "g"], "lab"),
    (["imblearn"], ["run", "balancing", "--quick"], "lab"),
    (["vl_convert"], "shallows.lab.figure_svg({})", "lab"),
    (["vl_convert"], "shallows.lab.figure_png({})", "lab"),
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each case says, in processes that branch off from one that has imported little."""
    folder = tmp_path_factory.mktemp("extras")
    rng = np.random.default_rng(0)
    with (folder / "d.csv").open("w", newline="") as file:
        rows = [[f"{x:.3f}", "ab"[int(x > 0)]] for x in rng.normal(size=60)]
        csv.writer(file).writerows([["x", "y"], *rows])
    (folder / "d.xlsx").write_bytes(b"PK")
    cases = [*([packages, action] for packages, action, _ in CASES), [list(EXTRAS), "every name"]]
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("place", range(len(CASES)), ids=[str(case[:2]) for case in CASES])
def test_the_extra_of_the_caller_is_named(place, said):
    packages, _, extra = CASES[place]
    assert f"install it with: pip install 'shallows[{extra}]'" in said[place]
    assert packages[0] in said[place] and said[place].count("\n") <= 1


def test_every_public_name_can_be_got_without_any_extra(said):
    assert said[-1] == "got"


def test_each_library_is_brought_by_the_extras_that_are_named():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for package, names in EXTRAS.items():
        wanted = BROUGHT_BY.get(package, DISTRIBUTIONS.get(package, package))
        for name in names:
            assert any(line.startswith((f"{wanted}>", f"{wanted}[")) for line in extras[name])
    cases = {(packages[0], extra) for packages, _, extra in CASES}
    assert {(package, name) for package, names in EXTRAS.items() for name in names} - cases <= {
        ("dask", "cluster"),  # whoever has a Dask array has Dask
        ("markupsafe", "lab"),  # comes with jinja2
        ("pandas", "lab"),  # whoever asks for it says to install pandas
    }
