import csv
import gzip
import io
import json
import re
import time

import pytest

from lab.odd_experiments import ENTRIES, coin
from lab.serving import is_alive, serving, wait_for
from shallows.lab import Result
from shallows.lab._application import MOST_BYTES
from shallows.lab._runs import Runs


def test_the_start_page_leads_to_every_experiment(lab):
    answer = lab.get("/")
    assert answer.status == 200
    for name in ("coin", "endless", "hungry", "stopping", "vanishing"):
        assert f'href="/experiments/{name}"' in answer.text
        assert lab.get(f"/experiments/{name}").status == 200
    assert "Does it hold &lt;always&gt;?" in answer.text
    assert answer.text.count("hidden>") == 1


@pytest.mark.parametrize(
    ("query", "found"),
    [("zebra", 1), ("HOLD+zebra", 1), ("does", 5), ("zebra+stop", 0), ("%22%3Cb", 0)],
)
def test_search_works_without_scripts(lab, query, found):
    text = lab.get(f"/?q={query}").text
    cards = re.findall(r'<div class="card"[^>]*>', text)
    assert sum(" hidden" not in card for card in cards) == found
    assert ('<p id="nothing">' in text) == (found == 0)
    assert "<b" not in text.partition("<body>")[2].replace("<body", "")


def test_nothing_comes_from_elsewhere(lab):
    text = lab.get("/").text + lab.get("/experiments/coin").text
    assert re.findall(r"https?://[^\s\"']+", text) == []


def test_the_form_shows_defaults_bounds_and_what_is_typed(lab):
    text = lab.get("/experiments/coin?n=17&kind=loaded&fast=no").text
    assert 'name="n" value="17"' in text
    assert "int in [1, 500], default 5" in text
    assert "<option selected>loaded</option>" in text
    assert 'type="checkbox" name="fast" value="yes" aria' in text
    assert 'name="share" value="0.5"' in text
    assert "How many." in text
    assert "Sources: a book" in text
    assert "<p>With <code>n</code> tosses and a word that no title has: zebra.</p>" in text
    assert 'href="/experiments/coin?n=2"' in text
    assert "checked" in lab.get("/experiments/coin").text


def test_a_run_from_form_to_result(lab):
    place = lab.start("coin", n="7", seed="3", fast="no")
    text = lab.end(place)
    here = coin(n=7, seed=3, fast=False)
    for part in [
        "1 of 1 claims hold",
        "≤ 100",
        "few rows",
        f'class="chart" data-address="{place}/figures/0.json"',
        here.command,
        "Table “rows”, 7 rows",
        'name="n" value="7"',
        "change and run again",
    ]:
        assert part in text, part
    assert re.search(r"claims hold, in \d+\.\d\d s", text)
    assert lab.get(place).text == text
    start, form = lab.get("/").text, lab.get("/experiments/coin").text
    assert re.search(rf'href="{place}"><span class="verdict good">✓ 1 of 1 claims', start)
    assert "1 of 1 claims hold in what has been run so far" in start
    assert f'href="{place}"' in form
    assert f'<a href="{place}">coin</a> (' not in start
    assert '› <a href="/experiments/coin">coin</a>' in text


def test_results_can_be_downloaded(lab):
    place = lab.start("coin", n="3")
    lab.end(place)
    answer = lab.get(f"{place}/result.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="coin.json"'
    assert Result.from_json(answer.text).tables == coin(n=3).tables
    answer = lab.get(f"{place}/tables/rows")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="coin_rows.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert rows == [{"x": str(x), "y": str(x), "word": "a,b"} for x in range(3)]
    (row,) = csv.DictReader(io.StringIO(lab.get(f"{place}/tables/other%20table").text))
    assert row == {"kind": "fair", "limit": "", "fast": "True"}
    assert f'href="{place}/tables/other%20table"' in lab.get(place).text
    assert lab.get(f"{place}/tables/none").status == 404


def test_figures_can_be_downloaded(lab):
    place = lab.start("coin", n="3")
    lab.end(place)
    spec = lab.get(f"{place}/figures/0.json")
    assert "immutable" in spec.headers["Cache-Control"]
    assert json.loads(spec.text) == coin(n=3).figures[0]
    assert lab.get(f"{place}/figures/0.svg").text.startswith("<svg")
    answer = lab.send("GET", f"{place}/figures/0.png", binary=True)
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.body.startswith(b"\x89PNG")
    assert f'href="{place}/figures/0.svg" download="coin-1.svg"' in lab.get(place).text
    for wrong in ("1.json", "-1.json", "0.gif", "0"):
        assert lab.get(f"{place}/figures/{wrong}").status == 404


def test_pages_are_sent_once_and_compressed(lab):
    place = lab.start("coin", n="4")
    lab.end(place)
    for path in ("/", "/experiments/coin", place, "/search.json"):
        first = lab.send("GET", path, binary=True, Accept_Encoding="gzip")
        assert first.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(first.body).decode() == lab.get(path).text
        again = lab.get(path, If_None_Match=first.headers["ETag"])
        assert (again.status, again.text) == (304, "")
    before = lab.get("/").headers["ETag"]
    lab.end(lab.start("coin", n="101"))
    assert lab.get("/").headers["ETag"] != before


def test_a_short_run_leads_straight_to_its_result(lab):
    lab.end(lab.start("coin"))
    seconds = []
    for n in range(10, 15):
        start = time.perf_counter()
        place = lab.start("coin", n=str(n))
        assert "1 of 1 claims hold" in lab.get(place).text
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.3


def test_a_failing_claim_is_shown_as_such(lab):
    place = lab.start("coin", n="101")
    assert "✗ fails" in lab.end(place)
    assert f'href="{place}"><span class="verdict bad">✗ 0 of 1 claims' in lab.get("/").text


def test_bad_values_lead_back_to_the_form_with_all_that_was_typed(lab):
    answer = lab.post("/experiments/coin", {"n": "<501>", "share": "2", "kind": "loaded"})
    assert answer.status == 303
    place = answer.headers["Location"]
    for _ in range(2):
        text = lab.get(place).text
        assert "coin: n must be int in [1, 500], got &#39;&lt;501&gt;&#39;." in text
        assert "coin: share must be float in [0, 1], got 2.0." in text
        assert 'name="n" value="&lt;501&gt;"' in text
        assert 'name="share" value="2"' in text
        assert "<option selected>loaded</option>" in text
        assert text.count('aria-invalid="true"') == 2
    assert 'role="alert">coin has no parameter &#39;m&#39;' in lab.get("/experiments/coin?m=1").text


def test_a_failure_is_told_in_words(lab):
    text = lab.end(lab.start("stopping"))
    assert "The run stopped after" in text
    assert "ZeroDivisionError: unlucky &lt;b&gt;day&lt;/b&gt;" in text
    assert "odd_experiments.py" in text
    assert "Run again" in text
    assert "stopped by an error" in lab.get("/").text


def test_a_run_is_followed_and_cancelled(lab):
    place = lab.start("endless")
    wait_for(lambda: "0 of 3 done" in lab.progress(place)["html"])
    assert lab.progress(place)["state"] == "running"
    text = lab.get(place).text
    assert '<progress aria-label="outer" max="3" value="0">' in text
    assert '<noscript><meta http-equiv="refresh"' in text
    assert f'action="{place}/cancel"' in text
    assert lab.get(f"{place}/result.json").status == 404
    answer = lab.post(f"{place}/cancel")
    assert (answer.status, answer.headers["Location"]) == (303, place)
    assert not lab.progress(place)["active"]
    text = lab.get(place).text
    assert "The run was cancelled after" in text
    assert 'http-equiv="refresh"' not in text


def test_a_full_line_is_told_and_nothing_typed_is_lost():
    with serving(Runs(at_once=1, most_waiting=1)) as lab:
        first = lab.start("endless")
        wait_for(lambda: lab.progress(first)["state"] == "running")
        second = lab.start("coin")
        assert "Waiting for its turn." in lab.get(second).text
        start = re.sub(r"\s+", " ", lab.get("/").text)
        assert f'<a href="{first}">endless</a> (running), <a href="{second}">coin</a>' in start
        answer = lab.post("/experiments/coin", {"n": "77"})
        assert answer.status == 503
        assert "No more than 1 runs may wait, and as many do" in answer.text
        assert 'name="n" value="77"' in answer.text
        lab.post(f"{second}/cancel")
        assert "cancelled before it began" in lab.get(second).text
        assert lab.post("/experiments/coin", {"n": "77"}).status == 303


def test_closing_the_server_ends_its_runs():
    runs = Runs(at_once=1)
    with serving(runs) as lab:
        lab.start("endless")
        worker = next(iter(wait_for(lambda: runs._at_work).values()))
        assert is_alive(worker.pid)
    assert runs._at_work == {}
    assert not is_alive(worker.pid)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/experiments/nothing", "There is no experiment &#39;nothing&#39;."),
        ("/experiments/separable_fraction", "There is no experiment"),
        ("/runs/123456789abc", "This run is not known, or no longer: the last 20 are kept"),
        ("/runs/123456789abc/progress", "This run is not known"),
        ("/elsewhere", "There is nothing at /elsewhere."),
        ("/../../etc/passwd", "There is nothing at"),
    ],
)
def test_what_is_not_there_is_said_to_be_so(lab, path, message):
    answer = lab.get(path)
    assert answer.status == 404
    assert message in answer.text


def test_only_posts_start_and_cancel(lab):
    place = lab.start("coin")
    assert lab.get(f"{place}/cancel").status == 405
    assert lab.send("DELETE", place).status == 405


def test_foreign_hosts_and_pages_are_refused(lab):
    answer = lab.get("/", Host="evil.com")
    assert answer.status == 403
    assert answer.text.startswith("The lab answers to 127.0.0.1 and localhost, not to 'evil.com'")
    before = lab.get("/experiments/coin").text.count("/runs/")
    answer = lab.post("/experiments/coin", Origin="http://evil.com")
    assert answer.status == 403
    assert "Only the lab's own pages may start and cancel runs" in answer.text
    assert lab.get("/experiments/coin").text.count("/runs/") == before
    assert lab.post("/experiments/coin", Origin=lab.address).status == 303


def test_headers_keep_other_pages_out(lab):
    for answer in (lab.get("/"), lab.get("/elsewhere"), lab.get("/", Host="evil.com")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_assets_are_compressed_and_never_change(lab):
    text = lab.get("/").text
    places = re.findall(r'(?:href|src)="(/assets/[^"]+)"', text)
    assert [place.rpartition("/")[2] for place in places] == ["style.css", "lab.css", "lab.js"]
    for place in [*places, places[0].replace("style.css", "vega.js")]:
        plain = lab.get(place)
        assert plain.status == 200
        assert "immutable" in plain.headers["Cache-Control"]
        assert plain.headers["Content-Type"].startswith("text/")
        packed = lab.send("GET", place, binary=True, Accept_Encoding="gzip")
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body).decode() == plain.text
    assert lab.get(places[0].replace("/assets/", "/assets/0")).status == 404
    assert lab.get(places[0].replace("style.css", "../lab.css")).status == 404
    assert lab.get("/").headers["Cache-Control"] == "no-cache"


def test_bodies_are_limited(lab):
    answer = lab.post("/experiments/coin", {"n": "1" * MOST_BYTES})
    assert answer.status == 413
    assert f"A form may have {MOST_BYTES} bytes" in answer.text
    chunks = iter([b"n=" + b"1" * 6000, b"1" * 6000])
    assert lab.send("POST", "/experiments/coin", chunks).status == 413
    assert lab.post("/experiments/coin", {f"a{i}": "" for i in range(101)}).status == 400
    assert lab.send("POST", "/experiments/coin", b"n=%ff").status == 400
    assert lab.send("POST", "/experiments/coin", b"n=\xff").status == 400


def test_an_experiment_that_does_not_load_is_a_page_not_a_traceback():
    broken = ENTRIES["coin"]._replace(name="broken", module="lab.no_such_module")
    with serving(Runs(at_once=1), [broken, ENTRIES["coin"]]) as lab:
        answer = lab.get("/experiments/broken")
        assert answer.status == 500
        assert "/experiments/broken failed: ModuleNotFoundError: No module named" in answer.text
        assert lab.get("/experiments/coin").status == 200
