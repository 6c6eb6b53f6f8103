"""Downloads from a hub, and their checks: `make test-hub`."""

import pytest

from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub.fetching import fetch_repository
from tests.support.hub_runs import assert_error, publish, read_content


def test_a_cached_commit_needs_no_network(hub, name, run, monkeypatch):
    commit = publish(hub, name, run)
    folder = fetch_repository(f"hf://{name}")
    assert folder.name == commit and folder == fetch_repository(f"hf://{name}@main")
    assert not [path for path in folder.rglob("*") if path.is_symlink()]
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    hub.requests.clear()
    assert fetch_repository(f"hf://{name}@{commit}") == folder
    with pytest.raises(InputError) as error:
        fetch_repository(f"hf://{name}")
    assert f"{name}: no answer from http://127.0.0.1:9: " in str(error.value)
    assert f"Without network: hf://{name}@{commit}" in str(error.value)
    assert "\n" not in str(error.value) and hub.requests == []


def test_offline_mode_is_an_error_of_one_line(hub, name, tmp_path, monkeypatch, capsys):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    assert_error(capsys, code, f"{name}: HF_HUB_OFFLINE disables network access")


def test_unknown_names_and_revisions_are_errors_of_one_line(
    hub, name, run, tmp_path, capsys
):
    out = ["--out", str(tmp_path / "out")]
    assert_error(
        capsys, main(["pull", "maria/none", *out]), "maria/none: no such repository"
    )
    publish(hub, name, run)
    assert_error(
        capsys, main(["pull", f"{name}@v9", *out]), f"{name} has no revision 'v9'"
    )
    (tmp_path / "out").mkdir()
    assert_error(capsys, main(["pull", name, *out]), "exists and is not overwritten")
    assert_error(
        capsys, main(["push", str(run), f"{name}@v9"]), "Set the branch with --revision"
    )


def _add(path, content=b"x"):
    return lambda files: {**files, path: content}


def _without(path):
    return lambda files: {key: files[key] for key in files if key != path}


DAMAGED = {
    "no config": (
        _without("config.yaml"),
        "expected a run of dsa. Missing: config.yaml",
    ),
    "other words": (_add("vocabulary.txt", b"a\n"), "changed after training"),
    "a pointer": (
        _add("best.weights.h5", b"version https://git-lfs.github.com/spec/v1\n"),
        "changed after training: best.weights.h5",
    ),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_repository_is_an_error_and_leaves_no_files(
    kind, hub, name, run, tmp_path, capsys
):
    change, words = DAMAGED[kind]
    hub.add(name, "main", change(read_content(run)))
    before = {*tmp_path.rglob("*")}
    assert_error(capsys, main(["pull", name, "--out", str(tmp_path / "out")]), words)
    assert {*tmp_path.rglob("*")} == before
    with pytest.raises(InputError):
        fetch_repository(f"hf://{name}")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_listed_file_that_is_missing_is_an_error_of_one_line(
    hub, name, run, tmp_path, capsys
):
    publish(hub, name, run)
    entry = {"type": "file", "size": 3, "oid": "0" * 40, "path": "transfer.json"}
    hub.change_tree = lambda entries: [*entries, entry]
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    assert_error(capsys, code, f"{name}: a file that the hub lists is missing")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_only_the_files_of_a_run_are_downloaded(hub, name, run, tmp_path):
    others = {"model.pkl": b"x", "dsa/__init__.py": b"x", "a.png": b"map"}
    hub.add(name, "main", {**read_content(run), **others})
    assert main(["pull", name, "--out", str(tmp_path / "out")]) == 0
    assert not {*read_content(tmp_path / "out")} & {*others}
    assert not (tmp_path / "out/dsa").exists()
