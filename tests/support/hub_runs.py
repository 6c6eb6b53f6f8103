"""Runs in repositories of the tests' hub."""

TOKEN = "hf_thisIsNoRealTokenButLooksLikeOne"


def content_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def publish(hub, name, run, branch="main"):
    """Publishes a run folder without `dsa push`; returns the commit."""
    return hub.add(name, branch, {**content_of(run), ".gitattributes": b""})


def refused(capsys, code, words):
    written = capsys.readouterr()
    assert code == 2, written
    assert words in written.err, written.err
    assert written.err.startswith("error: ") and written.err.count("\n") == 1
    assert TOKEN not in written.out + written.err
