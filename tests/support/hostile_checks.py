"""What every test with a hostile file checks."""

import signal

import pytest

SECONDS = 60


@pytest.fixture(autouse=True)
def no_hang():
    def stop(*_):
        raise TimeoutError(f"still running after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content)
    return path


def files_below(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def refused(code, capsys, words):
    """Whether a script ended as it does for a user's mistake."""
    error = capsys.readouterr().err
    assert code == 2, error
    assert words in error
    assert error.startswith("error: ") and error.count("\n") == 1
    assert len(error) < 1000
