import json
import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from dsa.errors import InputError
from dsa.system import folder_lock
from dsa.system.folder_lock import EVALUATION, LOCK_FILE, TRAINING, lock_folder

HOLDER = """
import signal, sys, time
from dsa.system.folder_lock import lock_folder
signal.signal(signal.SIGINT, signal.default_int_handler)
with lock_folder(sys.argv[1], sys.argv[2]):
    print("locked", flush=True)
    time.sleep(float(sys.argv[3]))
"""


def hold(folder, work, seconds=60):
    """Starts a process that holds the lock of a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), work, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout.readline() == "locked\n"
    return process


def end(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_error_of_a_second_writer_names_the_first_writer(tmp_path):
    process = hold(tmp_path, TRAINING)
    for work in (TRAINING, EVALUATION):
        with pytest.raises(InputError) as error, lock_folder(tmp_path, work):
            pass
        message = str(error.value)
        assert f"process {process.pid} on {socket.gethostname()} is" in message
        assert "training, since" in message and "\n" not in message
    end(process)


def test_a_killed_process_releases_the_lock(tmp_path):
    end(hold(tmp_path, TRAINING))
    assert (tmp_path / LOCK_FILE).exists()
    with lock_folder(tmp_path, TRAINING):
        assert json.loads((tmp_path / LOCK_FILE).read_text())["process"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_a_training_waits_for_a_short_evaluation(tmp_path):
    process = hold(tmp_path, EVALUATION, 0.3)
    with lock_folder(tmp_path, TRAINING):
        assert process.wait(10) == 0
    process.stdout.close()


def test_a_training_waits_only_for_a_limited_time(tmp_path, monkeypatch):
    monkeypatch.setattr(folder_lock, "TIMEOUT", 0.2)
    process = hold(tmp_path, EVALUATION)
    with pytest.raises(InputError, match="evaluation"), lock_folder(tmp_path, TRAINING):
        pass
    end(process)


def test_the_lock_is_reentrant_for_its_thread_only(tmp_path):
    errors = []

    def enter():
        try:
            with lock_folder(tmp_path, EVALUATION):
                pass
        except InputError as error:
            errors.append(str(error))

    with lock_folder(tmp_path, TRAINING):
        with lock_folder(tmp_path / ".." / tmp_path.name, EVALUATION):
            pass
        assert (
            tmp_path / LOCK_FILE
        ).exists()  # the inner context has not released the lock
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert len(errors) == 1 and f"process {os.getpid()}" in errors[0]


def test_a_link_or_a_pipe_instead_of_the_lock_is_an_error(tmp_path):
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_text("precious")
    folder.mkdir()
    (folder / LOCK_FILE).symlink_to(victim)
    with pytest.raises(InputError, match="a link"), lock_folder(folder, TRAINING):
        pass
    assert victim.read_text() == "precious"
    (folder / LOCK_FILE).unlink()
    os.mkfifo(folder / LOCK_FILE)
    with (
        pytest.raises(InputError, match="expected a file"),
        lock_folder(folder, TRAINING),
    ):
        pass


@pytest.mark.parametrize("content", ["", "{", "[]", '{"work": 1}', None])
def test_the_error_for_a_damaged_lock_file_is_one_line(tmp_path, content, monkeypatch):
    monkeypatch.setattr(folder_lock, "TIMEOUT", 0.1)
    process = hold(tmp_path, TRAINING)
    odd = dict.fromkeys(("work", "process", "host", "since"), "a\nb\x1b[2J")
    (tmp_path / LOCK_FILE).write_text(json.dumps(odd) if content is None else content)
    with pytest.raises(InputError) as error, lock_folder(tmp_path, TRAINING):
        pass
    assert str(error.value) == f"{tmp_path}: another process is writing to it"
    end(process)


WRITER = """
import os, sys, time
from dsa.errors import InputError
from dsa.system.folder_lock import lock_folder

folder, rounds = sys.argv[1], int(sys.argv[2])
inside, shared = os.path.join(folder, "inside"), os.path.join(folder, "shared")
for number in range(rounds):
    with lock_folder(folder, "evaluation"):
        os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails if it exists
        with open(shared) as file:
            count = int(file.read())
        with open(shared, "w") as file:
            file.write(str(count + 1))
        os.unlink(inside)
"""


def test_at_most_one_of_many_writers_holds_the_lock(tmp_path):
    rounds, writers = 40, 4
    (tmp_path / "shared").write_text("0")
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(rounds)])
        for _ in range(writers)
    ]
    assert [process.wait() for process in processes] == [0] * writers
    assert (tmp_path / "shared").read_text() == str(rounds * writers)
    assert [path.name for path in tmp_path.iterdir()] == ["shared"]


def test_ctrl_c_releases_the_lock(tmp_path):
    process = hold(tmp_path, TRAINING)
    process.send_signal(signal.SIGINT)
    process.wait()
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_lock(tmp_path, monkeypatch):
    def refuse(descriptor, size):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(folder_lock.os, "ftruncate", refuse)
        with pytest.raises(OSError, match="No space"), lock_folder(tmp_path, TRAINING):
            pass
    with lock_folder(tmp_path, TRAINING):
        pass
