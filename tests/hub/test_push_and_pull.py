"""Round trips of runs, and the secrecy of the token: `make test-hub`."""

import traceback

import pytest

import dsa
from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub.fetching import fetch_repository
from dsa.hub.shared_files import RUN_FILES
from tests.support.hub_runs import TOKEN, assert_error, publish, read_content


def test_a_round_trip_preserves_each_byte(hub, name, run, tmp_path, capsys):
    (run / "log.txt").write_text(f"the token is {TOKEN}")
    (run / "state").mkdir()
    (run / "state/state.npz").write_bytes(b"state")
    assert main(["push", str(run), name, "--licence", "apache-2.0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{run} to {name}@main:"
    assert "        616,216  best.weights.h5" in lines
    assert main(["pull", name, "--out", str(tmp_path / "back")]) == 0
    back, sent = read_content(tmp_path / "back"), read_content(run)
    assert {*sent} - {*back} == {"log.txt"} and {*back} - {*sent} == set()
    for file in {*back} - {"README.md"}:
        assert back[file] == sent[file]
    commit = hub.branches[name]["main"]
    assert hub.files(name) == {
        **back,
        ".gitattributes": hub.files(name)[".gitattributes"],
    }
    assert lines[-1] == f'Load the run with dsa.load("hf://{name}@{commit}")'
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith("tmp.")]


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
def test_no_error_contains_the_token(hub, name, run, status, tmp_path, capsys, caplog):
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


def test_a_missing_token_is_an_error_of_one_line(
    hub, name, run, tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("HF_TOKEN")
    assert_error(capsys, main(["push", str(run), name]), "the upload requires a token")
    publish(hub, name, run)
    hub.private.add(name)
    code = main(["pull", name, "--out", str(tmp_path / "out")])
    assert_error(capsys, code, f"{name}: no such repository on http")
    assert not (tmp_path / "out").exists()


def test_a_wrong_token_is_an_error_of_one_line(hub, name, run, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    assert_error(
        capsys, main(["push", str(run), name]), "401 of the hub: your token is missing"
    )


def test_a_run_is_loaded_by_its_address(hub, name, run, capsys):
    assert main(["push", str(run), name]) == 0
    pair = ("A big dog chases a cat.", "An animal follows a cat.")
    model = dsa.load(f"hf://{name}")
    (prediction,), (expected,) = model.predict(pair), dsa.load(run).predict(pair)
    assert prediction.label == expected.label
    assert prediction.probabilities == pytest.approx(expected.probabilities, rel=1e-5)
    assert len(model.run.metrics()) == 2
    assert {path.name for path in model.run.path.iterdir()} <= {*RUN_FILES, "README.md"}
