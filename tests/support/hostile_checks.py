"""Fixtures and assertions for tests with damaged or malicious files."""

import signal

import pytest

SECONDS = 60


@pytest.fixture(autouse=True)
def time_limit():
    """Fails a test after 60 seconds."""

    def stop(*_):
        raise TimeoutError(f"still running after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def write_file(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def list_files(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def assert_error(code, capsys, message):
    """Asserts that a command printed an error in one line, and exited with 2."""
    error = capsys.readouterr().err
    assert code == 2, error
    assert message in error
    assert error.startswith("error: ") and error.count("\n") == 1
    assert len(error) < 1000
