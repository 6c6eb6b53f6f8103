import errno
import os

import pytest

from dsa.errors import InputError
from dsa.system.atomic_files import (
    create_folder,
    find_temporary_files,
    write_atomically,
)


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    write_atomically(path, "old")

    def fail(temporary):
        temporary.write_text("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        write_atomically(path, fail)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_the_error_of_a_full_disk_names_the_file(tmp_path):
    def fill(temporary):  # the error of a failed write contains no file name
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError) as error:
        write_atomically(tmp_path / "a.txt", fill)
    assert error.value.filename == str(tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_simultaneous_writers_use_separate_temporary_files(tmp_path):
    path, names = tmp_path / "a.txt", []

    def write_during_another_write(temporary):
        names.append(temporary)
        write_atomically(path, lambda other: names.append(other))
        temporary.write_text("outer")

    write_atomically(path, write_during_another_write)
    assert path.read_text() == "outer" and len(set(names)) == 2
    assert all(name.suffix == ".txt" and name.parent == tmp_path for name in names)


def test_a_link_with_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    tokens = iter(["00000000", "00000001"])
    monkeypatch.setattr("secrets.token_hex", lambda count: next(tokens))
    os.symlink(victim, tmp_path / "tmp.00000000.a.txt")
    write_atomically(tmp_path / "a.txt", "new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_named_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = (tmp_path / "pipe").lstat()
    with pytest.raises(InputError, match="pipe: expected a file. Received: "):
        write_atomically(tmp_path / "pipe", "new")
    assert os.path.samestat((tmp_path / "pipe").lstat(), before)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("exists", [True, False])
def test_the_target_of_a_link_is_replaced(tmp_path, exists):
    (tmp_path / "scratch").mkdir()
    target = tmp_path / "scratch/weights"
    if exists:
        target.write_text("old")
    (tmp_path / "link").symlink_to(target)
    write_atomically(tmp_path / "link", "new")
    assert target.read_text() == "new" and (tmp_path / "link").is_symlink()
    assert [file.name for file in (tmp_path / "scratch").iterdir()] == ["weights"]


def test_temporary_files_of_killed_writers_are_listed(tmp_path):
    temporary = tmp_path / "tmp.0123abcd.a.txt"
    nested = tmp_path / "tmp.0123abcd.tmp.4567abcd.a.txt"
    for name in (
        temporary.name,
        nested.name,
        "tmp.a.txt",
        "tmp.0123abcd.b.txt",
        "tmp.precious.a.txt",
    ):
        (tmp_path / name).write_text("x")
    assert find_temporary_files(tmp_path / "a.txt") == [temporary, nested]


def test_a_folder_appears_only_when_it_is_complete(tmp_path):
    with pytest.raises(OSError, match="no space"), create_folder(tmp_path / "a") as new:
        new.mkdir()
        (new / "half.txt").touch()
        raise OSError("no space left")
    assert not list(tmp_path.iterdir())
    with create_folder(tmp_path / "a") as new:
        new.mkdir()
        (new / "complete.txt").touch()
        assert not (tmp_path / "a").exists()
    assert [file.name for file in tmp_path.rglob("*")] == ["a", "complete.txt"]
