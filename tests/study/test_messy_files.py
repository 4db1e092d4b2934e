"""Files as newcomers bring them, from the first command to predictions."""

import numpy as np
import pytest

from shallows.cli import main
from shallows.study import Study, load_model
from shallows.study._predict import predict
from shallows.study._report import report_html
from shallows.study._schema import Column, Schema

QUICK = ["--only", "least squares", "--repeats", "1"]


@pytest.fixture
def sold(tmp_path):
    """Dates with the month first, prices with signs, an answer with capitals."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + rng.integers(0, 360, 120)
    prices = rng.uniform(100, 5000, 120)
    lines = ["day,price,member,sold"]
    for day, price in zip(days.astype(object), prices, strict=True):
        member = ("Yes", "No", "Maybe")[rng.integers(3)]
        sold = "TRUE" if price + 1000 * (member == "Yes") > 2800 else "FALSE"
        lines.append(f'{day:%m/%d/%Y},"${price:,.2f}",{member},{sold}')
    path = tmp_path / "sold.csv"
    path.write_text("\n".join(lines))
    return path


def test_few_rows_are_read_as_training_was(sold, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["study", str(sold), "--target", "sold", *QUICK, "--out", str(out)]) == 0
    new = tmp_path / "new.csv"
    new.write_text('day,price,member\n01/02/2024,"$4,900",Yes\n03/04/2024,$100,No\n')
    saved = load_model(out / "model.shallows")
    assert saved.classes == ("FALSE", "TRUE")
    found = predict(saved, new, unknown="error")
    assert found.answers.tolist() == ["TRUE", "FALSE"]
    capsys.readouterr()
    assert main(["explain", str(out / "model.shallows"), str(new)]) == 0
    assert "price = 4900" in capsys.readouterr().out


def test_predictions_take_the_options_of_reading(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f}~{'město' if a > 0 else 'les'}".replace(".", ",") for a in rng.normal(size=80)]
    path = tmp_path / "d.csv"
    path.write_bytes("\n".join(["výška~kde", *rows]).encode("cp1250"))
    words = ["--delimiter", "~", "--encoding", "cp1250"]
    out = tmp_path / "out"
    assert main(["study", str(path), "--target", "kde", *QUICK, *words, "--out", str(out)]) == 0
    assert "--encoding cp1250" in (out / "results.json").read_text(encoding="utf-8")
    assert main(["study", "--resume", "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["predict", str(out / "model.shallows"), str(path), *words]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "kde"
    assert main(["predict", str(out / "model.shallows"), str(path)]) == 2
    assert main(["explain", str(out / "model.shallows"), str(path), "--row", "1", *words]) == 0


def test_a_mistyped_target_does_not_occupy_the_folder(sold, tmp_path, capsys):
    words = ["study", str(sold), *QUICK, "--out", str(tmp_path / "out"), "--target"]
    assert main([*words, "day"]) == 2
    assert main([*words, "sold"]) == 0


def test_hours_are_learned_from():
    rng = np.random.default_rng(0)
    minutes = rng.integers(0, 60 * 24 * 90, 400)
    when = np.datetime64("2024-01-01T00:00", "m") + minutes
    open_now = np.where((minutes % 1440 >= 540) & (minutes % 1440 < 1020), "open", "closed")
    result = Study({"when": when, "shop": open_now}, "shop", only=["decision tree"], repeats=1)
    assert result.run().assessment.score > 0.95
    schema = Schema((Column("when", "time", "date"),))
    cells = {"when": np.array(["2024-02-03T18:30", "NaT"], dtype="datetime64[us]")}
    assert [feature.name for feature in schema.features][-1] == "when (hour)"
    assert np.array_equal(schema.matrix(cells)[:, -1], [18.5, np.nan], equal_nan=True)


def test_what_few_locked_rows_can_not_show_alone_is_found_on_all_evidence():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(160, 2))
    y = np.where(rng.random(160) < 1 / (1 + np.exp(-1.1 * x[:, 0])), "p", "q")
    columns = {"a": x[:, 0], "b": x[:, 1], "y": y}
    found = [
        Study(columns, "y", only=["least squares"], repeats=1, test_size=0.1, seed=seed).run()
        for seed in range(6)
    ]
    learned = [each for each in found if each.learned]
    assert len(learned) >= 5
    assert not all(each.assessment.learned for each in learned)  # 16 rows alone say nothing
    for each in found:
        refused = "locked rows do not confirm it" in each.summary()
        verdict = each.assessment.verdict
        assert refused == (not each.learned and verdict.p_value < 0.025)


def test_scores_on_copies_are_told_apart():
    rng = np.random.default_rng(0)
    places = rng.integers(0, 60, 300)
    x, y = rng.normal(size=(60, 3))[places], rng.choice(["p", "q"], 60)[places]
    result = Study({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y}, "y", only=["k-NN"]).run()
    assert result.assessment.score > 0.9
    assert any("tells little" in note or "also training rows" in note for note in result.notes)


def test_an_alarm_stands_in_the_first_sentence():
    rng = np.random.default_rng(0)
    y = rng.choice(["p", "q"], 120)
    copy = np.where(y == "p", 1.0, 2.0) + 0.01 * rng.normal(size=120)
    result = Study(
        {"a": copy, "b": rng.normal(size=120), "y": y}, "y", only=["least squares"]
    ).run()
    start = "Unless the leak of which the audit warns spoils the test, on new data expect 100.0 %"
    assert result.summary().startswith(start)
    page = report_html(result)
    assert "Only if the leak of which the audit warns does no harm" in page and "✓ Yes" not in page
