"""Runs to and from a hub, and what is refused on the way: `make test-hub`."""

import json
import traceback

import pytest

import dsa
from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub.download import fetch_repository
from dsa.hub.shared_files import RUN_FILES
from dsa.storage.folder_lock import NAME
from tests.hub.conftest import TOKEN


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DSA_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def name(request):
    """A repository of each test's own."""
    return f"maria/{abs(hash(request.node.name))}"


def content_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def publish(hub, name, run, branch="main"):
    """Put a run folder into a repository as a stranger's tool may do."""
    return hub.add(name, branch, {**content_of(run), ".gitattributes": b""})


def refused(capsys, code, words):
    written = capsys.readouterr()
    assert code == 2, written
    assert words in written.err, written.err
    assert written.err.startswith("error: ") and written.err.count("\n") == 1
    assert TOKEN not in written.out + written.err


def test_a_run_comes_back_byte_for_byte(hub, name, run, tmp_path, capsys):
    (run / "log.txt").write_text(f"the token is {TOKEN}")
    (run / "state").mkdir()
    (run / "state/state.npz").write_bytes(b"state")
    assert main(["push", str(run), name, "--licence", "apache-2.0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{run} to {name}@main:"
    assert "        616,216  best.weights.h5" in lines
    assert main(["pull", name, "--out", str(tmp_path / "back")]) == 0
    back, sent = content_of(tmp_path / "back"), content_of_files(run)
    assert {*sent} - {*back} == {"log.txt"} and {*back} - {*sent} == set()
    for file in {*back} - {"README.md"}:
        assert back[file] == sent[file]
    commit = hub.branches[name]["main"]
    assert hub.files(name) == {
        **back,
        ".gitattributes": hub.files(name)[".gitattributes"],
    }
    assert lines[-1] == f'dsa.load("hf://{name}@{commit}") loads it'
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith("tmp.")]


def content_of_files(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def test_the_card_has_metadata_that_the_hub_reads(hub, name, run):
    assert main(["push", str(run), name, "--licence", "apache-2.0"]) == 0
    from huggingface_hub import ModelCard

    card = ModelCard(hub.files(name)["README.md"].decode())
    first = card.data.eval_results[0]
    assert (first.dataset_split, first.metric_type) == ("dev", "accuracy")
    assert first.metric_value == 0.935129740518962
    assert first.metric_args["pairs"] == 1002 and first.metric_args["seed"] == 13
    assert card.data.license == "apache-2.0"
    assert card.data.pipeline_tag == "text-classification"
    assert "## Use" in card.text


def test_a_dry_run_asks_nothing_and_holds_the_lock(hub, name, run, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    from dsa.hub.upload import Target, push

    holders = []

    def show(text):
        holders.append(json.loads((run / NAME).read_text())["work"])

    assert push(run, Target(name), show, dry_run=True) is None
    assert holders == ["publishing"] and not (run / NAME).exists()
    assert hub.asked == []


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
def test_no_failure_shows_the_token(hub, name, run, status, tmp_path, capsys, caplog):
    hub.failure = status
    assert main(["pull", name, "--out", str(tmp_path / "out")]) == 2
    assert main(["push", str(run), name]) == 2
    written = capsys.readouterr()
    assert written.err.count("error: ") == written.err.count("\n") == 2
    with pytest.raises(InputError) as error:
        fetch_repository(f"hf://{name}")
    shown = "".join(traceback.format_exception(error.value))
    texts = [written.out, written.err, caplog.text, shown]
    for path in tmp_path.rglob("*"):
        texts += [path.read_text(errors="replace")] if path.is_file() else []
    assert not [text for text in texts if TOKEN in text]


def test_a_file_with_the_token_is_not_published(hub, name, run, capsys):
    facts = json.loads((run / "environment.json").read_text())
    facts["command"] = f"HF_TOKEN={TOKEN} dsa train"
    (run / "environment.json").write_text(json.dumps(facts))
    code = main(["push", str(run), name])
    refused(capsys, code, "environment.json: holds your token, it is not published")
    assert name not in hub.branches


def test_no_token_is_one_line(hub, name, run, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("HF_TOKEN")
    refused(capsys, main(["push", str(run), name]), "a token is needed")
    publish(hub, name, run)
    hub.private.add(name)
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    refused(capsys, code, f"{name}: no such repository on http")
    assert not (tmp_path / "out").exists()


def test_a_wrong_token_is_one_line(hub, name, run, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    refused(capsys, main(["push", str(run), name]), "401: your token is missing, wrong")


def test_a_private_repository_is_made_private_and_a_public_one_refused(
    hub, name, run, capsys
):
    assert main(["push", str(run), name, "--private"]) == 0
    assert name in hub.private
    hub.private.clear()
    capsys.readouterr()
    before = hub.files(name)
    refused(
        capsys, main(["push", str(run), name, "--private"]), "everybody can read it"
    )
    assert hub.files(name) == before


def test_a_branch_holds_another_run(hub, name, run):
    assert main(["push", str(run), name]) == 0
    (run / "history.csv").write_text("step\n1\n")
    assert main(["push", str(run), name, "--revision", "seed-14"]) == 0
    assert hub.files(name, "seed-14")["history.csv"] == b"step\n1\n"
    assert hub.files(name)["history.csv"] != b"step\n1\n"


def test_what_an_earlier_run_has_left_is_replaced(hub, name, run, tmp_path):
    hub.add(name, "main", {**content_of(run), "features.npz": b"old", "a.png": b"map"})
    assert main(["push", str(run), name]) == 0
    assert "features.npz" not in hub.files(name) and "a.png" in hub.files(name)
    assert main(["pull", name, "--out", str(tmp_path / "back")]) == 0


def test_a_repository_of_something_else_is_not_touched(hub, name, run, capsys):
    hub.add(name, "main", {"pytorch_model.bin": b"weights"})
    code = main(["push", str(run), name])
    refused(capsys, code, "it holds what no run has: 'pytorch_model.bin'")
    assert hub.files(name) == {"pytorch_model.bin": b"weights"}
    code = main(["push", str(run), name, "--revision", "seed-14"])
    refused(capsys, code, "it holds what no run has: 'pytorch_model.bin'")
    assert {*hub.branches[name]} == {"main"}
    hub.add(name, "main", content_of(run))
    code = main(["push", str(run), name, "--revision", "seed-14", "--private"])
    refused(capsys, code, "everybody can read it")
    assert {*hub.branches[name]} == {"main"}


def test_an_unknown_licence_makes_no_repository(hub, name, run, capsys):
    push = ["push", str(run), name, "--licence"]
    refused(capsys, main([*push, "apache-3.0"]), "must be one of [apache-2.0")
    for odd in ("Apache 2.0", "", "mit\nlanguage: xx"):
        refused(capsys, main([*push, odd, "--dry-run"]), "--licence: no identifier of")
    assert name not in hub.branches


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("history.csv", "not finished"),
        ("sha256.json", "sha256.json is missing"),
        ("best.weights.h5", "best.weights.h5 is missing"),
    ],
)
def test_only_a_sound_and_finished_run_is_published(
    hub, name, run, file, words, capsys
):
    (run / file).unlink()
    refused(capsys, main(["push", str(run), name]), words)
    assert hub.asked == []


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
        "is a pointer of Git LFS",
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


@pytest.mark.keras
def test_a_run_is_loaded_by_its_address_and_evaluated(hub, name, run, capsys):
    assert main(["push", str(run), name]) == 0
    pair = ("A big dog chases a cat.", "An animal follows a cat.")
    model = dsa.load(f"hf://{name}")
    assert model.predict(pair) == dsa.load(run).predict(pair)
    assert len(model.run.metrics()) == 2
    assert {path.name for path in model.run.path.iterdir()} <= {*RUN_FILES, "README.md"}
