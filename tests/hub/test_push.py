"""Uploads to a hub, and the checks before them: `make test-hub`."""

import json

import pytest

from dsa.commands.main import main
from dsa.runs.run_folder import RunFolder
from dsa.system.folder_lock import LOCK_FILE
from tests.support.hub_runs import TOKEN, assert_error, read_content


def test_the_hub_parses_the_metadata_of_the_card(hub, name, run):
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


def test_a_dry_run_sends_no_request_and_holds_the_lock(hub, name, run, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    from dsa.hub.upload import push

    holders = []

    def show(text):
        holders.append(json.loads((run / LOCK_FILE).read_text())["work"])

    assert push(RunFolder(run), name, dry_run=True, show=show) is None
    assert holders == ["publishing"] and not (run / LOCK_FILE).exists()
    assert hub.requests == []


def test_a_file_with_the_token_is_not_published(hub, name, run, capsys):
    facts = json.loads((run / "environment.json").read_text())
    facts["command"] = f"HF_TOKEN={TOKEN} dsa train"
    (run / "environment.json").write_text(json.dumps(facts))
    code = main(["push", str(run), name])
    assert_error(
        capsys,
        code,
        "environment.json contains your token, so the run is not published",
    )
    assert name not in hub.branches


def test_a_private_push_creates_a_private_repository_and_rejects_a_public_one(
    hub, name, run, capsys
):
    assert main(["push", str(run), name, "--private"]) == 0
    assert name in hub.private
    hub.private.clear()
    capsys.readouterr()
    before = hub.files(name)
    assert_error(
        capsys, main(["push", str(run), name, "--private"]), "is a public repository"
    )
    assert hub.files(name) == before


def test_a_branch_can_contain_another_run(hub, name, run):
    assert main(["push", str(run), name]) == 0
    (run / "history.csv").write_text("step\n1\n")
    assert main(["push", str(run), name, "--revision", "seed-14"]) == 0
    assert hub.files(name, "seed-14")["history.csv"] == b"step\n1\n"
    assert hub.files(name)["history.csv"] != b"step\n1\n"


def test_files_of_an_earlier_run_are_replaced(hub, name, run, tmp_path):
    hub.add(
        name, "main", {**read_content(run), "features.npz": b"old", "a.png": b"map"}
    )
    assert main(["push", str(run), name]) == 0
    assert "features.npz" not in hub.files(name) and "a.png" in hub.files(name)
    assert main(["pull", name, "--out", str(tmp_path / "back")]) == 0


def test_a_repository_of_another_kind_is_not_changed(hub, name, run, capsys):
    hub.add(name, "main", {"pytorch_model.bin": b"weights"})
    code = main(["push", str(run), name])
    assert_error(capsys, code, "only files of a run. Received: 'pytorch_model.bin'")
    assert hub.files(name) == {"pytorch_model.bin": b"weights"}
    code = main(["push", str(run), name, "--revision", "seed-14"])
    assert_error(capsys, code, "only files of a run. Received: 'pytorch_model.bin'")
    assert {*hub.branches[name]} == {"main"}
    hub.add(name, "main", read_content(run))
    code = main(["push", str(run), name, "--revision", "seed-14", "--private"])
    assert_error(capsys, code, "is a public repository")
    assert {*hub.branches[name]} == {"main"}


def test_an_unknown_licence_creates_no_repository(hub, name, run, capsys):
    push = ["push", str(run), name, "--licence"]
    assert_error(capsys, main([*push, "apache-3.0"]), "must be one of [apache-2.0")
    for odd in ("Apache 2.0", "", "mit\nlanguage: xx"):
        assert_error(
            capsys,
            main([*push, odd, "--dry-run"]),
            "--licence must be an identifier",
        )
    assert name not in hub.branches


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("history.csv", "only finished runs"),
        ("sha256.json", "sha256.json is missing"),
        ("best.weights.h5", "best.weights.h5 is missing"),
    ],
)
def test_only_an_undamaged_and_finished_run_is_published(
    hub, name, run, file, words, capsys
):
    (run / file).unlink()
    assert_error(capsys, main(["push", str(run), name]), words)
    assert hub.requests == []
