"""Tests of opening regular files and of cached digests."""

import hashlib
import os

import pytest

from dsa.errors import InputError
from dsa.system import reading
from dsa.system.reading import (
    check_regular,
    compute_sha256,
    fingerprint,
    open_regular,
)
from tests.support.hostile_checks import time_limit  # noqa: F401


def test_a_file_is_opened_through_a_link(tmp_path):
    (tmp_path / "a").write_bytes(b"a\r\n")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("a", "link"):
        check_regular(tmp_path / name)
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"a\r\n"


def test_a_named_pipe_is_an_error_without_blocking(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        for read in (open_regular, check_regular, compute_sha256):
            with pytest.raises(
                InputError, match=f"{name}: expected a file. Received: a named pipe"
            ):
                read(tmp_path / name)


def test_a_file_that_is_not_regular_is_closed(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = os.listdir("/dev/fd")
    with pytest.raises(InputError):
        open_regular(tmp_path / "pipe")
    assert os.listdir("/dev/fd") == before


def test_a_device_is_an_error():
    with pytest.raises(
        InputError,
        match="/dev/zero: expected a file. Received: a named pipe, a socket or a dev",
    ):
        open_regular("/dev/zero")


def test_a_folder_and_a_missing_file_raise_the_errors_of_open(tmp_path):
    with pytest.raises(IsADirectoryError) as error:
        open_regular(tmp_path)
    assert str(error.value.filename) == str(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")
    check_regular(tmp_path)
    check_regular(tmp_path / "nothing")


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "corpus"
    write(path, b"one")
    return path


def write(path, content, seconds=1_000):
    path.write_bytes(content)
    os.utime(path, (seconds, seconds))


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def test_a_file_is_hashed_once(file, monkeypatch):
    assert fingerprint(file) == sha256(b"one")
    monkeypatch.setattr(reading.hashlib, "file_digest", None)
    assert fingerprint(file) == sha256(b"one")


@pytest.mark.parametrize(("content", "seconds"), [(b"more", 1_000), (b"two", 1_001)])
def test_a_file_with_another_size_or_time_is_hashed_again(file, content, seconds):
    fingerprint(file)
    write(file, content, seconds)
    assert fingerprint(file) == sha256(content)


def test_the_digest_of_a_recently_changed_file_is_not_cached(file):
    file.write_bytes(b"one")
    fingerprint(file)
    stat = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert fingerprint(file) == sha256(b"two")


@pytest.mark.parametrize("record", ["", "{}", "[1]", '{"size": 3, "modified": "x"}'])
def test_a_damaged_cache_entry_is_replaced(file, record):
    fingerprint(file)
    (entry,) = (file.parent / "cache" / "fingerprints").iterdir()
    entry.write_text(record)
    assert fingerprint(file) == sha256(b"one")
    assert sha256(b"one") in entry.read_text()


def test_a_read_only_cache_is_not_an_error(file, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(file / "below a file"))
    assert fingerprint(file) == sha256(b"one")
