import pytest

from shallows._core.contract.registry import entries
from shallows.cli import main


def test_names_everything(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {entry.name} " in out for entry in entries())


def test_a_family_alone(capsys):
    assert main(["list", "prototype"]) == 0
    out = capsys.readouterr().out
    assert "GLVQ" in out
    assert "estimator" in out
    assert "angle_error" not in out


@pytest.mark.parametrize("family", ["lab", "theory"])
def test_experiments_are_found_by_lab_and_by_chapter(capsys, family):
    assert main(["list", family]) == 0
    out = capsys.readouterr().out
    assert "lab / theory" in out
    assert "How often do two linear classifiers disagree?" in out


def test_an_unknown_family_gets_the_closest(capsys):
    assert main(["list", "prototpye"]) == 2
    err = capsys.readouterr().err
    assert err == "shallows: there is no family 'prototpye'; did you mean prototype?\n"


def test_unknown_options_are_refused(capsys):
    assert main(["list", "--al"]) == 2
    assert "has no option '--al'" in capsys.readouterr().err
