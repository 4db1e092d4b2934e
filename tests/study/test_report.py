import re
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_blobs

from shallows._core.pages import scripts
from shallows.study import Study, Survey
from shallows.study._report import report_html, report_markdown
from shallows.study._survey_report import survey_html

CHROMIUM = "/usr/bin/chromium"
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=200) > 0, EVIL, "plain")
    columns = {"a": x[:, 0], EVIL: x[:, 1], "c": x[:, 2], "y": y}
    return Study(columns, "y", only=["logistic regression", "GMLVQ"], repeats=1).run()


def test_a_report_says_everything(result):
    text = report_html(result).replace(str(scripts()), "")
    for part in (
        "Can “y” be predicted?",
        "Yes, better than by always giving the same answer",
        "On new data expect",
        "Methods compared",
        "logistic regression",
        "The choice on the locked rows",
        "times the locked rows were used",
        "recall",
        "What matters",
        "Prototypes of GMLVQ",
        "Repeat and use",
        "shallows study --repeats 1 --only",
        "@media print",
        "prefers-color-scheme: dark",
    ):
        assert part in text, part
    assert "<img" not in text
    assert "default-src 'none'" in text
    assert not re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=", text)


def test_figures_stand_where_the_script_draws_them(result):
    from shallows.study._charts import figures_of

    text = report_html(result).partition("<script>")[0]
    titles = [spec["title"]["text"] for specs in figures_of(result).values() for spec in specs]
    starts = [title.split("'")[0].replace("?", "") for title in titles if EVIL not in title]
    places = [text.index(start) for start in starts]
    assert places == sorted(places)


def test_markdown_holds_the_numbers(result):
    text = report_markdown(result)
    assert result.summary() in text
    assert f"| {result.chosen.name} |" in text


def test_noise_is_reported_as_nothing():
    rng = np.random.default_rng(5)
    columns = {f"x{i}": rng.normal(size=120) for i in range(4)}
    found = Study({**columns, "y": rng.choice(["a", "b"], 120)}, "y", only=["least squares"]).run()
    text = report_html(found)
    assert "Nothing was found" in text
    assert "Which columns matter" not in text


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
            "--enable-logging=stderr",
            "--v=0",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--log-net-log={tmp_path / 'net.json'}",
            "--virtual-time-budget=15000",
            "--dump-dom",
            path.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
        messages = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return done.stdout.partition("<script>")[0], messages

    return dump


def regression():
    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True), y=data.target)
    return report_html(Study(columns, "y", only=["ridge"], repeats=1).run())


def survey():
    X, _ = make_blobs(200, centers=3, cluster_std=0.5, random_state=1)
    return survey_html(Survey({"a": X[:, 0], "b": X[:, 1]}).run())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes", "numbers", "survey"])
def test_reports_open_in_a_browser_without_errors_or_network(open_page, result, kind):
    text = {"classes": lambda: report_html(result), "numbers": regression, "survey": survey}[kind]()
    charts = text.partition("<script>")[0].count('class="chart"')
    dom, messages = open_page(text)
    assert charts >= 3
    assert dom.count('data-drawn="yes"') == charts
    assert 'data-drawn="no"' not in dom
    assert messages == []
