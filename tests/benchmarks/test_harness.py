"""The harness on toy cases: what it reports, and that no failure ends a run."""

import inspect
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.harness import report, sides
from benchmarks.harness.cases import load_cases
from benchmarks.harness.page import latest, page
from benchmarks.harness.runner import Settings, is_worse, measure, processor_time
from rich.console import Console

import shallows

ROOT = Path(__file__).parents[2]
TOYS = Path(__file__).with_name("toy_cases.py")
FAMILIES = [
    path for path in sorted((ROOT / "benchmarks").glob("*.py")) if path.stem in shallows.FAMILIES
]
QUICK = Settings(threads=1, budget=0.0, rounds=3, timeout=20.0)


def measured(name, settings=QUICK, **size):
    return measure(TOYS, name, size or load_cases(TOYS)[name].sizes[0], settings)


def rendered(results):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(report.table("toys", results))
    return console.export_text()


def test_ratio_and_quality_of_both_sides():
    result = measured("sleepers")
    peer = result["sides"]["peer 0"]
    assert result["error"] is None
    assert len(peer["seconds"]) == 3
    assert min(peer["seconds"]) >= 0.02
    assert peer["first_call"] >= 0.02
    (verdict,) = result["comparisons"]
    assert verdict["ratio"] > 1 and not verdict["slower"]
    assert verdict["worse"] == ["value"]


def test_a_slower_side_is_marked():
    result = measured("sleepers", ours=0.02, peer=0.0)
    assert result["comparisons"][0]["slower"]
    assert "slower" in rendered([result])


def test_the_page_shows_what_is_slower_or_fails():
    results = [measured("sleepers", ours=0.02, peer=0.0), measured("failures")]
    document = {"family": "toys", **report.machine_facts(), "settings": {"threads": 1}}
    text = page(latest([{**document, "results": results}]))
    assert "slower in 1" in text and "## Toys" in text
    slow = next(line for line in text.splitlines() if line.startswith("| sleepers"))
    assert "**0.0" in slow and slow.count(" | ") == 6
    assert all(line.count(" | ") == 6 for line in text.splitlines() if line.startswith("| "))


def test_cases_that_are_not_measured_again_keep_their_lines():
    results = [measured("sleepers", ours=0.02, peer=0.0), measured("failures")]
    facts = {**report.machine_facts(), "settings": {"threads": 1}}
    old = {**facts, "family": "toys", "date": "2026-01-01", "since": "2026-01-01"}
    before = page([{**old, "results": results}, {**old, "family": "tools", "results": results}])
    assert page([], before) == before
    faster = measured("sleepers", ours=0.0, peer=0.02)
    new = {**facts, "family": "toys", "date": "2026-02-01", "since": "2026-02-01"}
    text = page([{**new, "results": [faster]}], before)
    assert "slower in 2" in before and "slower in 1" in text
    assert "2026-01-01 to 2026-02-01" in text
    kept = [line for line in before.splitlines() if line.startswith("| failures")]
    assert kept == [line for line in text.splitlines() if line.startswith("| failures")]
    tools, toys = (text.split(heading)[1] for heading in ("## Tools", "## Toys"))
    assert before.split("## Tools")[1].split("## Toys")[0] == tools.split("## Toys")[0]
    assert "ours=0.0 peer=0.02" in toys and "ours=0.02 peer=0.0" not in toys


def test_a_case_is_shown_as_it_was_measured_last():
    def run(date, **cases):
        results = [{"case": case, "value": value} for case, value in cases.items()]
        return {"family": "toys", "date": date, "results": results}

    [document] = latest([run("2026-02-01", b=3), run("2026-01-01", a=1, b=2)])
    assert [(each["case"], each["value"]) for each in document["results"]] == [("a", 1), ("b", 3)]
    assert (document["since"], document["date"]) == ("2026-01-01", "2026-02-01")


def test_rounds_fill_the_budget():
    result = measured("sleepers", Settings(threads=1, budget=0.3, rounds=3, timeout=20.0))
    assert 3 < len(result["sides"]["peer 0"]["seconds"]) <= 16


def test_peak_memory_belongs_to_the_call():
    result = measured("eater")
    assert 59e6 < result["sides"]["ours"]["peak_bytes"] < 66e6
    assert 0 <= result["sides"]["peer 0"]["peak_bytes"] < 5e6


def test_missing_peers_are_reported_and_the_others_measured():
    result = measured("missing")
    assert "No module named 'no_such_package'" in result["sides"]["no_such_package"]["error"]
    assert "no attribute 'NoSuchModel'" in result["sides"]["json"]["error"]
    assert [verdict["ratio"] is None for verdict in result["comparisons"]] == [False, True, True]
    assert "NotThere" in rendered([result])


def test_no_failure_of_a_side_ends_the_run():
    result = measured("failures", Settings(threads=1, budget=0.0, rounds=1, timeout=2.0))
    errors = [record.get("error") for record in result["sides"].values()]
    assert errors == [
        None,
        "ZeroDivisionError: division by zero",
        "crashed with SIGSEGV",
        "no answer within 2 s",
        "ended with exit code 3; its message is above",
    ]
    assert result["sides"]["ours"]["quality"] == {"value": 1.0}
    assert "SIGSEGV" in rendered([result])


@pytest.mark.parametrize(("name", "reason"), [("no data", "code 4"), ("same name", "code 1")])
def test_a_case_that_cannot_be_built_is_reported(name, reason):
    result = measured(name)
    assert reason in result["error"]
    assert reason in rendered([result])


def test_every_side_gets_the_same_threads():
    result = measured("threads")
    assert {record["quality"]["value"] for record in result["sides"].values()} == {1.0}


def test_a_peer_in_a_process_of_its_own():
    result = measured("apart")
    peer = result["sides"]["apart"]
    assert peer["quality"] == {"value": 15.0}
    assert len(peer["seconds"]) == 3
    assert peer["peak_bytes"] >= 0
    assert result["comparisons"][0]["worse"] == ["value"]


def test_own_processor_time_is_told_from_that_of_the_machine():
    before = processor_time()
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    busy, own, wall = processor_time() - before
    tick = 0.02
    assert 0.2 - tick <= own <= busy + tick
    assert own <= wall + tick


def test_an_environment_that_cannot_be_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(sides, "ENVIRONMENTS", tmp_path)
    with pytest.raises(sides.NotThere, match="no-such-folder"):
        sides.environment(["./no-such-folder"])
    assert not list(tmp_path.glob("*/installed.txt"))


@pytest.mark.parametrize(
    ("ours", "other", "better", "worse"),
    [
        (1.009, 1.0, "smaller", False),
        (1.011, 1.0, "smaller", True),
        (0.5, 1.0, "smaller", False),
        (0.991, 1.0, "larger", False),
        (0.989, 1.0, "larger", True),
        (-1.011, -1.0, "larger", True),
        (None, 1.0, "larger", True),
        (1.0, None, "smaller", False),
    ],
)
def test_worse_means_beyond_the_tolerance(ours, other, better, worse):
    assert is_worse(ours, other, {"better": better, "within": 0.01}) is worse


def test_files_are_complete_and_nothing_lies_beside_them(tmp_path):
    results = [measured("sleepers"), measured("not finite")]
    assert results[1]["comparisons"][0]["worse"] == ["value"]
    assert "not finite" in rendered(results)

    document = {**report.machine_facts(), "results": results}
    files = report.write(tmp_path, "toys", document)
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert json.loads((tmp_path / "toys.json").read_text()) == document
    assert {"numpy", "scipy", "scikit-learn", "numba"} <= document["versions"].keys()
    assert (tmp_path / "toys.png").read_bytes().startswith(b"\x89PNG")
    assert "https://cdn" not in (tmp_path / "toys.html").read_text()


def test_chart_has_a_point_per_ratio_and_a_line_at_one():
    ratios = [
        {"case": "A", "size": {"n": 10}, "comparisons": [verdict]}
        for verdict in [
            {"peer": "p", "ratio": 2.0, "slower": False, "worse": []},
            {"peer": "q", "ratio": 0.5, "slower": True, "worse": []},
            {"peer": "r", "ratio": None, "slower": False, "worse": []},
        ]
    ]
    line, points, _ = report.chart("toys", ratios).to_dict()["layer"]
    assert line["data"]["values"] == [{"ratio": 1}]
    assert [row["ratio"] for row in points["data"]["values"]] == [2.0, 0.5]
    assert [row["ours"] for row in points["data"]["values"]] == ["faster", "slower"]
    assert report.chart("toys", []) is None


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: path.stem)
def test_every_size_fits_its_case(path):
    cases = load_cases(path)
    assert cases
    for case in cases.values():
        for size in case.sizes:
            inspect.signature(case.build).bind(**size)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["nonsense"], "no family 'nonsense'"), (["reduce", "--case", "Nonsense"], "no case")],
)
def test_command_line_names_what_there_is(arguments, message):
    command = [sys.executable, ROOT / "benchmarks" / "run.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr
    assert "PCA" in done.stderr or "reduce" in done.stderr
