import os
import stat

import pytest

from shallows._core.showing.files import write_text


def test_writes_utf8_and_makes_folders(tmp_path):
    path = write_text(tmp_path / "a" / "b.txt", "für\r\n≥ 1\n")
    assert path.read_bytes() == "für\r\n≥ 1\n".encode()


def test_replaces_an_older_file(tmp_path):
    path = tmp_path / "page.html"
    write_text(path, "old")
    write_text(path, "new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_keeps_the_old_file_and_leaves_nothing_aside(tmp_path, monkeypatch, step):
    path = tmp_path / "page.html"
    write_text(path, "old")

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(f"os.{step}", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_text_that_cannot_be_encoded_keeps_the_old_file(tmp_path):
    path = tmp_path / "page.html"
    write_text(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "new \udcff")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_writes_through_a_link(tmp_path):
    target, link = tmp_path / "real.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_rights_follow_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        path = write_text(tmp_path / "page.html", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
