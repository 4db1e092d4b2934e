import subprocess
import sys
import time

import pytest

from shallows import __version__
from shallows.cli import COMMANDS, main


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"shallows {__version__}\n"


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_names_the_commands(capsys, words):
    assert main(words) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "there is no command 'rnu'; did you mean run?"),
        (
            ["xyzzy"],
            "there is no command 'xyzzy'; choose from compare, explain, lab, list, predict, run, "
            "study, warm.",
        ),
        (["--versoin"], "there is no option '--versoin'; did you mean --version?"),
    ],
)
def test_unknown_words_get_one_sentence_and_exit_code_2(capsys, words, message):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"shallows: {message}\n"


def break_with(error, monkeypatch):
    def fail(words):
        raise error

    monkeypatch.setattr("shallows.cli._list.main", fail)
    return main(["list"])


def test_interruption_ends_with_130(capsys, monkeypatch):
    assert break_with(KeyboardInterrupt(), monkeypatch) == 130
    assert capsys.readouterr().err == "shallows: interrupted.\n"


def test_a_missing_extra_says_what_to_install(capsys, monkeypatch):
    error = ModuleNotFoundError("No module named 'jinja2'", name="jinja2")
    assert break_with(error, monkeypatch) == 1
    assert "pip install 'shallows[lab]'" in capsys.readouterr().err


def test_an_unexpected_error_is_one_line(capsys, monkeypatch):
    assert break_with(ZeroDivisionError("division\nby zero"), monkeypatch) == 1
    assert capsys.readouterr().err == "shallows: ZeroDivisionError: division by zero\n"


def test_the_traceback_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("SHALLOWS_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        break_with(ZeroDivisionError(), monkeypatch)


def run_process(*words, **options):
    command = [sys.executable, "-m", "shallows.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_help_answers_at_once():
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        run_process("--help", check=True)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.3


@pytest.mark.parametrize(
    ("words", "forbidden"),
    [(["--help"], {"numpy", "rich"}), (["list"], {"numpy", "sklearn", "numba", "scipy"})],
)
def test_light_commands_import_little(words, forbidden):
    code = (
        "import sys; from shallows.cli import main; "
        f"main({words!r}); print('LOADED', sorted({forbidden!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_exit_code_of_the_process():
    done = run_process("run", "angle_eror")
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr == "shallows: There is no experiment 'angle_eror'; did you mean angle_error?\n"
    )


def test_a_reader_who_leaves_early_is_no_error():
    command = f"{sys.executable} -m shallows.cli --help | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
