"""Files are opened, other things that have a name are not."""

import os

import pytest

from dsa.errors import InputError
from dsa.system.regular_files import check_regular, open_regular
from tests.support.hostile_checks import no_hang  # noqa: F401


def test_a_file_is_opened_also_through_a_link(tmp_path):
    (tmp_path / "a").write_bytes(b"a\r\n")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("a", "link"):
        check_regular(tmp_path / name)
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"a\r\n"


def test_a_named_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        for refuse in (open_regular, check_regular):
            with pytest.raises(InputError, match=f"{name}: a named pipe"):
                refuse(tmp_path / name)


def test_a_refused_file_is_closed(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = os.listdir("/dev/fd")
    with pytest.raises(InputError):
        open_regular(tmp_path / "pipe")
    assert os.listdir("/dev/fd") == before


def test_a_device_is_refused():
    with pytest.raises(InputError, match="/dev/zero: a named pipe, a socket or a dev"):
        open_regular("/dev/zero")


def test_a_folder_and_nothing_are_told_as_open_tells_them(tmp_path):
    with pytest.raises(IsADirectoryError) as error:
        open_regular(tmp_path)
    assert str(error.value.filename) == str(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")
    check_regular(tmp_path)
    check_regular(tmp_path / "nothing")
