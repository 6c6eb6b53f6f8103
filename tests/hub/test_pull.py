"""What comes from a hub, and what is refused on the way: `make test-hub`."""

import shutil

import pytest

from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub.fetching import fetch_repository
from tests.support.hub_runs import content_of, publish, refused


def test_a_commit_is_downloaded_once_and_then_needs_no_network(
    hub, name, run, monkeypatch
):
    commit = publish(hub, name, run)
    folder = fetch_repository(f"hf://{name}")
    assert folder.name == commit and folder == fetch_repository(f"hf://{name}@main")
    assert not [path for path in folder.rglob("*") if path.is_symlink()]
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    hub.asked.clear()
    assert fetch_repository(f"hf://{name}@{commit}") == folder
    with pytest.raises(InputError) as error:
        fetch_repository(f"hf://{name}")
    assert f"{name}: no answer from http://127.0.0.1:9: " in str(error.value)
    assert f"Without network: hf://{name}@{commit}" in str(error.value)
    assert "\n" not in str(error.value) and hub.asked == []


def test_offline_is_one_line(hub, name, tmp_path, monkeypatch, capsys):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    refused(capsys, code, f"{name}: HF_HUB_OFFLINE allows no network")


def test_unknown_names_and_revisions_are_one_line(hub, name, run, tmp_path, capsys):
    out = ["--out", str(tmp_path / "out")]
    refused(
        capsys, main(["pull", "maria/none", *out]), "maria/none: no such repository"
    )
    publish(hub, name, run)
    refused(capsys, main(["pull", f"{name}@v9", *out]), f"{name} has no revision 'v9'")
    (tmp_path / "out").mkdir()
    refused(capsys, main(["pull", name, *out]), "is there already")
    refused(capsys, main(["push", str(run), f"{name}@v9"]), "--revision names the")


def _add(path, content=b"x"):
    return lambda files: {**files, path: content}


def _without(path):
    return lambda files: {key: files[key] for key in files if key != path}


HOSTILE_FILES = {
    "a pickle": (_add("model.pkl"), "what no run has: 'model.pkl'"),
    "code": (_add("dsa/__init__.py"), "what no run has: 'dsa/__init__.py'"),
    "no config": (_without("config.yaml"), "no run of dsa: config.yaml is missing"),
    "other words": (_add("vocabulary.txt", b"a\n"), "not as training wrote it"),
    "a pointer": (
        _add("best.weights.h5", b"version https://git-lfs.github.com/spec/v1\n"),
        "not as training wrote it: best.weights.h5",
    ),
}
HOSTILE_LISTINGS = {
    "a path outside": ({"path": "../config.yaml"}, "'../config.yaml'"),
    "a link": ({"path": "history", "type": "symlink"}, "'history/'"),
    "a huge file": ({"path": "transfer.json", "size": 10**15}, "at most 200,000,000"),
    "no size": ({"path": "transfer.json", "size": None}, "transfer.json has no size"),
}


@pytest.mark.parametrize("kind", HOSTILE_FILES)
def test_a_hostile_repository_is_refused_and_leaves_nothing(
    kind, hub, name, run, tmp_path, capsys
):
    change, words = HOSTILE_FILES[kind]
    hub.add(name, "main", change(content_of(run)))
    before = {*tmp_path.rglob("*")}
    refused(capsys, main(["pull", name, "--out", str(tmp_path / "out")]), words)
    assert {*tmp_path.rglob("*")} == before
    with pytest.raises(InputError):
        fetch_repository(f"hf://{name}")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", HOSTILE_LISTINGS)
def test_a_hostile_listing_is_refused_before_any_download(
    kind, hub, name, run, tmp_path, capsys
):
    entry, words = HOSTILE_LISTINGS[kind]
    publish(hub, name, run)
    entry = {"type": "file", "size": 3, "oid": "0" * 40, **entry}
    hub.change_tree = lambda entries: [*entries, entry]
    refused(capsys, main(["pull", name, "--out", str(tmp_path / "out")]), words)
    assert not (tmp_path / "out").exists()
    assert not [line for line in hub.asked if "/resolve/" in line]


def test_a_full_disk_is_seen_before_any_download(
    hub, name, run, tmp_path, monkeypatch, capsys
):
    publish(hub, name, run)
    free = shutil._ntuple_diskusage(10**6, 10**6, 100)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    refused(capsys, code, "bytes are needed, and 100 are free")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert not [line for line in hub.asked if "/resolve/" in line]


def test_a_listed_file_that_is_not_there_is_one_line(hub, name, run, tmp_path, capsys):
    publish(hub, name, run)
    entry = {"type": "file", "size": 3, "oid": "0" * 40, "path": "transfer.json"}
    hub.change_tree = lambda entries: [*entries, entry]
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    refused(capsys, code, f"{name}: a file that the hub lists is not there")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_files_of_another_size_than_listed_are_refused(
    hub, name, run, tmp_path, capsys
):
    publish(hub, name, run)

    def say_less(entries):
        return [{**entry, "size": entry["size"] // 2} for entry in entries]

    hub.change_tree = say_less
    refused(capsys, main(["pull", name, "--out", str(tmp_path / "out")]), "are listed")
    assert not (tmp_path / "out").exists()
