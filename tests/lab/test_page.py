import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from chromium import visit
from shallows._core.showing.pages import scripts
from shallows.lab import Claim, Result, line, scatter
from shallows.lab._page import MOST_ROWS, index, page

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"
CHROMIUM = "/usr/bin/chromium"


def make(**changes):
    rows = [{"x": x, "y": x * 0.5, "kind": "a"} for x in range(1, 6)]
    result = Result(
        name="demo",
        chapter="tests",
        title="Does it draw?",
        text="First `code`.\n\nSecond.",
        sources="a book",
        parameters={"n": 5, "fast": True},
        seed=7,
        tables={"rows": rows},
        figures=[line("x", "y").spec(rows), scatter("x", "y", shade="y").spec(rows)],
        claims=[
            Claim("it does", 1.0, True, expected=1.0, within=0.1, probability=0.01),
            Claim("it flies", float("nan"), False, at_least=2.0),
        ],
        notes=["The book is wrong."],
        seconds=0.25,
        versions={"python": "3"},
    )
    return replace(result, **changes)


def test_a_page_says_everything():
    text = page(make())
    for part in [
        "<h1>Does it draw?</h1>",
        "<p>First <code>code</code>.</p>\n<p>Second.</p>",
        "1 of 2 claims hold",
        "✓ holds",
        "✗ fails",
        "1 ± 0.1",
        "≥ 2",
        "chance of a false alarm 0.01",
        "The book is wrong.",
        "shallows run demo --n=5 --fast --seed=7",
        "Table “rows”, 5 rows",
        "0.25 s · python 3",
        "a book",
        "prefers-color-scheme: dark",
        "@media print",
    ]:
        assert part in text, part


def test_everything_is_escaped():
    rows = [{"x": 1, "y": 2, "kind": EVIL}]
    result = make(
        title=EVIL,
        text=f"{EVIL} `{EVIL}`",
        chapter=EVIL,
        sources=EVIL,
        parameters={"n": EVIL},
        tables={EVIL: rows},
        figures=[scatter("x", "y", color="kind", title=EVIL).spec(rows)],
        claims=[Claim(EVIL, EVIL, True)],
        notes=[EVIL],
        versions={EVIL: EVIL},
    )
    for text in (page(result).replace(scripts(), ""), index([result])):
        assert "<script>alert" not in text
        assert "<img" not in text
        assert text.count("</script>") == text.count("<script>") + text.count("<script ")


def test_nothing_is_fetched():
    text = page(make()).replace(scripts(), "")
    assert "default-src 'none'" in text
    assert not re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=", text)


def test_figures_on_one_page_do_not_share_names():
    text = page(make()).partition("<script>")[0]
    names = re.findall(r' id="([^"]+)"', text)
    assert names
    assert len(names) == len(set(names))


def test_long_tables_are_shortened():
    text = page(make(tables={"rows": [{"x": x} for x in range(MOST_ROWS + 1)]}))
    assert f"The first {MOST_ROWS} of {MOST_ROWS + 1} rows." in text
    assert f'<td class="number">{MOST_ROWS}</td>' not in text


def test_a_result_without_figures_has_noscripts():
    text = page(make(figures=[], tables={}))
    assert "<script" not in text
    assert len(text) < 20_000


def test_index_leads_to_every_page():
    other = make(name="other", chapter="more", claims=[Claim("fine", 1, True)], figures=[])
    text = index([make(), other])
    assert 'href="demo.html"' in text
    assert 'href="other.html"' in text
    assert "<h2>Tests</h2>" in text
    assert "<h2>More</h2>" in text
    assert "2 of 3 claims hold" in text
    assert "✗ 1 of 2 claims" in text
    assert "✓ 1 of 1 claims" in text
    assert text.count("<svg") == 1


@pytest.fixture
def open_page(tmp_path):
    if not shutil.which(CHROMIUM):
        pytest.skip(f"{CHROMIUM} is not installed")

    def dump(text):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        command = [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=10000",
            "--dump-dom",
            path.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return done.stdout

    return dump


@pytest.mark.slow
def test_charts_are_drawn_in_a_browser_without_network(open_page):
    dom = open_page(page(make()))
    assert dom.count('data-drawn="yes"') == 2
    assert 'data-drawn="no"' not in dom.partition("<script>")[0]
    charts = dom.partition("<script>")[0]
    assert charts.count('role="graphics-document"') == 2
    assert charts.count('class="marks"') == 2
    assert charts.count("currentColor") > 10


@pytest.mark.slow
def test_no_foreign_script_runs_in_a_browser(open_page):
    sign = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"
    rows = [{"x": 1, "y": 2, "kind": sign}]
    figure = scatter("x", "y", color="kind", title=sign).spec(rows)
    dom = open_page(page(make(title=sign, text=sign, tables={sign: rows}, figures=[figure])))
    assert "<title>taken</title>" not in dom
    assert 'data-drawn="yes"' in dom


@pytest.mark.slow
def test_figures_need_no_eval_and_strange_scripts_and_styles_are_refused(tmp_path):
    foreign = "<script>document.title = 'taken'</script><style>h1 { display: none }</style>"
    text = page(make()).replace("<h1>", f"{foreign}<h1>")
    assert "unsafe" not in text.replace(scripts(), "")
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    (tmp_path / "own.html").write_text(page(make()), encoding="utf-8")
    shown = "getComputedStyle(document.querySelector('h1')).display"
    for name, refused in (("page", 2), ("own", 0)):
        found = visit(
            (tmp_path / f"{name}.html").as_uri(),
            tmp_path / f"{name} profile",
            steps=[
                ("", "document.querySelectorAll('.chart[data-drawn=yes] svg.marks').length === 2")
            ],
            questions=["document.title", shown],
        )
        assert list(found.values.values()) == ["Does it draw? · shallows", "block"]
        assert len(found.messages) == refused
        assert all("Content Security Policy" in message for message in found.messages)
