"""Runs in repositories of the fake hub."""

TOKEN = "hf_thisIsNoRealTokenButLooksLikeOne"


def read_content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def publish(hub, name, run, branch="main"):
    """Publishes a run folder without `dsa push`; returns the commit."""
    return hub.add(name, branch, {**read_content(run), ".gitattributes": b""})


def assert_error(capsys, code, message):
    output = capsys.readouterr()
    assert code == 2, output
    assert message in output.err, output.err
    assert output.err.startswith("error: ") and output.err.count("\n") == 1
    assert TOKEN not in output.out + output.err
