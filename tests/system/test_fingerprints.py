import hashlib
import os

import pytest

from dsa.system import fingerprints
from dsa.system.fingerprints import fingerprint


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
    monkeypatch.setattr(fingerprints.hashlib, "file_digest", None)
    assert fingerprint(file) == sha256(b"one")


@pytest.mark.parametrize(("content", "seconds"), [(b"more", 1_000), (b"two", 1_001)])
def test_another_size_or_time_is_hashed_again(file, content, seconds):
    fingerprint(file)
    write(file, content, seconds)
    assert fingerprint(file) == sha256(content)


def test_a_file_that_has_just_changed_is_not_trusted(file):
    file.write_bytes(b"one")
    fingerprint(file)
    stat = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert fingerprint(file) == sha256(b"two")


@pytest.mark.parametrize("record", ["", "{}", "[1]", '{"size": 3, "modified": "x"}'])
def test_a_damaged_record_is_made_again(file, record):
    fingerprint(file)
    (kept,) = (file.parent / "cache" / "fingerprints").iterdir()
    kept.write_text(record)
    assert fingerprint(file) == sha256(b"one")
    assert sha256(b"one") in kept.read_text()


def test_a_cache_that_cannot_be_written_is_no_error(file, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(file / "below a file"))
    assert fingerprint(file) == sha256(b"one")
